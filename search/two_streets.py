"""Solving a subgame of the last street but one, with everything that can come on the last street.

The street itself is one forest whose leaves are the entries of the last street. A `LeafValues` says
what those are worth to a player, given how both players reach them. `LastStreetLeaves` does so by
carrying on with CFR below them: every card that can come has a forest of its own, solved in the
same iterations. A network that predicts values would take its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numba import njit, prange

from env.arrays import Bytes, Floats, Ints
from env.ranges import RankedHands
from search.forest import Forest
from search.gadgets import Entering, gadget_number, learn_to_enter, opponent_reach
from search.kernels import (
    Step,
    Tables,
    ascend,
    carry,
    descend,
    new_tables,
    normalise,
    respond,
    settle,
)
from search.variants import Variant, schedule


class LeafValues(Protocol):
    """What the leaves of a forest are worth. L hands, E leaves."""

    def step(self, player: int, step: Step, own: Floats, reach: Floats) -> Floats:
        """Values for a player in one iteration of CFR; both players' reach [L, E] → [L, E]"""
        ...

    def responses(self, player: int, best: bool, reach: Floats) -> Floats:
        """Values against the opponent's average strategy, for the best response or the player's
        own average strategy. [L, E] → [L, E]"""
        ...


class Runouts(NamedTuple):
    """R cards that can come, each leaving K of the L hands, in order of showdown rank."""

    cards: Bytes  # [R] the cards
    live: Ints  # [R, K] numbers among the L hands
    hands: Bytes  # [R, K, 2]
    ties: Ints  # [R, K, 2] see `env.ranges.RankedHands`
    classes: Ints  # [R, K] the first hand that looks like this one
    weights: Floats  # [R] how many cards look alike, by the number that two hands leave


@dataclass
class LastStreetLeaves:
    """CFR on the last street after every card that can come. `classes` are those of the L hands.

    Cards that look alike are solved once. After another card of the kind, a hand is worth what some
    hand of its class is worth after the card that was solved. Over all cards of the kind this makes
    the mean over the hand's class.
    """

    forest: Forest
    runouts: Runouts
    classes: Ints  # [L]

    def __post_init__(self) -> None:
        num_runouts, num_hands = self.runouts.live.shape
        self._tables = new_tables(self.forest, (num_runouts, num_hands))
        self._out = np.empty((num_runouts, num_hands, len(self.forest.entries)), np.float32)
        self._class_sizes = np.bincount(self.classes, minlength=len(self.classes))

    def step(self, player: int, step: Step, own: Floats, reach: Floats) -> Floats:
        _step_runouts(self.forest, self.runouts, player, step, own, reach, self._tables, self._out)
        return self._total()

    def responses(self, player: int, best: bool, reach: Floats) -> Floats:
        self.values(player, best, reach)
        return self._total()

    def values(self, player: int, best: bool, reach: Floats) -> Floats:
        """The same for each card by itself, until the next call. [L, E] → [R, K, E]"""
        average = self._tables.average
        _respond_runouts(self.forest, self.runouts, player, best, reach, average, self._out)
        return self._out

    def _total(self) -> Floats:
        """The mean over all cards that can come, from `_out`. → [L, E]"""
        total = np.zeros((len(self.classes), self._out.shape[2]), np.float32)
        for live, weight, values in zip(
            self.runouts.live, self.runouts.weights, self._out, strict=True
        ):
            total[live] += weight * values
        sums = np.zeros_like(total)
        np.add.at(sums, self.classes, total)
        means = sums / np.maximum(self._class_sizes, 1)[:, None]
        return means[self.classes].astype(np.float32)


@dataclass
class TwoStreets:
    """One subgame being solved. L hands in any order.

    `ranges` [2, L] say how both players reach the entry, `alternatives` [L] what the opponent of
    the `resolver` could have otherwise.
    """

    forest: Forest
    hands: Bytes  # [L, 2]
    classes: Ints  # [L]
    ranges: Floats
    alternatives: Floats
    gadget: str
    resolver: int
    variant: Variant
    leaves: LeafValues

    def __post_init__(self) -> None:
        num_hands = len(self.hands)
        self._tables = new_tables(self.forest, (num_hands,))
        regrets = np.zeros((num_hands, 2), np.float32)
        self._entering = Entering(regrets, np.zeros(num_hands, np.float32))
        # Nobody's hands are compared before the leaves.
        self._ranked = RankedHands(self.hands, np.zeros((num_hands, 2), np.int32))
        self.iterations = 0

    @property
    def num_hands(self) -> int:
        return len(self.hands)

    def iterate(self, iterations: int) -> None:
        """So many more iterations of CFR."""
        for row in schedule(self.variant, self.iterations + 1, iterations):
            step = Step(*map(float, row))
            for player in (0, 1):
                self._update(player, step)
        self.iterations += iterations

    def strategies(self) -> Floats:
        """The average strategies of both players on this street. [L, D, 3]"""
        out = np.empty_like(self._tables.average)
        normalise(self.forest, self._tables.average, self.classes, out)
        return out

    def leaf_reach(self, player: int) -> Floats:
        """How a player's average strategy reaches the leaves. [L, E]"""
        reach = self._zeros()
        reach[:, self.forest.entries[0]] = self.ranges[player]
        carry(self.forest, player, self.strategies(), reach)
        return reach[:, self.forest.first_leaf :]

    def responses(self, player: int, best: bool) -> Floats:
        """What a player's hands are worth at the entry, see `search.last_street.responses`. [L]"""
        forest, strategies = self.forest, self.strategies()
        reach, values = self._zeros(), self._zeros()
        reach[:, forest.entries[0]] = self.ranges[1 - player]
        carry(forest, 1 - player, strategies, reach)
        values[:, forest.first_leaf :] = self.leaves.responses(
            player, best, reach[:, forest.first_leaf :]
        )
        settle(forest, self._ranked, player, reach, values)
        respond(forest, player, best, strategies, values)
        return values[:, forest.entries[0]]

    def _update(self, player: int, step: Step) -> None:
        forest, gadget = self.forest, gadget_number(self.gadget)
        entry, leaves = forest.entries[0], slice(forest.first_leaf, None)
        entered = np.empty(len(self.hands), np.float32)
        opponent_reach(gadget, self.ranges[1 - self.resolver], self._entering, entered)
        own, reach, values = self._zeros(), self._zeros(), self._zeros()
        own[:, entry] = 1
        reach[:, entry] = entered if player == self.resolver else self.ranges[self.resolver]
        descend(forest, player, step.weight, self._tables, own, reach)
        values[:, leaves] = self.leaves.step(player, step, own[:, leaves], reach[:, leaves])
        settle(forest, self._ranked, player, reach, values)
        ascend(forest, player, step, self._tables, values)
        if player != self.resolver:
            value = values[:, entry]
            learn_to_enter(gadget, step, value, self.alternatives, self._entering)

    def _zeros(self) -> Floats:
        return np.zeros((len(self.hands), len(self.forest.stakes)), np.float32)


@njit(cache=True, parallel=True)
def _step_runouts(
    forest: Forest,
    runouts: Runouts,
    player: int,
    step: Step,
    own: Floats,
    reach: Floats,
    tables: Tables,
    out: Floats,
) -> None:
    """One update after every card. [L, E], [L, E] → [R, K, E]"""
    for r in prange(len(out)):
        num_hands = out.shape[1]
        mine = np.empty((num_hands, len(forest.stakes)), np.float32)
        theirs, values = np.empty_like(mine), np.empty_like(mine)
        for hand in range(num_hands):
            for e in range(len(forest.entries)):
                mine[hand, forest.entries[e]] = own[runouts.live[r, hand], e]
                theirs[hand, forest.entries[e]] = reach[runouts.live[r, hand], e]
        here = Tables(tables.regrets[r], tables.strategy[r], tables.average[r])
        descend(forest, player, step.weight, here, mine, theirs)
        settle(forest, RankedHands(runouts.hands[r], runouts.ties[r]), player, theirs, values)
        ascend(forest, player, step, here, values)
        for hand in range(num_hands):
            for e in range(len(forest.entries)):
                out[r, hand, e] = values[hand, forest.entries[e]]


@njit(cache=True, parallel=True)
def _respond_runouts(
    forest: Forest,
    runouts: Runouts,
    player: int,
    best: bool,
    reach: Floats,
    average: Floats,
    out: Floats,
) -> None:
    """Values against average strategies after every card. [L, E] → [R, K, E]"""
    for r in prange(len(out)):
        num_hands = out.shape[1]
        theirs = np.empty((num_hands, len(forest.stakes)), np.float32)
        values = np.empty_like(theirs)
        for hand in range(num_hands):
            for e in range(len(forest.entries)):
                theirs[hand, forest.entries[e]] = reach[runouts.live[r, hand], e]
        strategy = np.empty_like(average[r])
        normalise(forest, average[r], runouts.classes[r], strategy)
        carry(forest, 1 - player, strategy, theirs)
        settle(forest, RankedHands(runouts.hands[r], runouts.ties[r]), player, theirs, values)
        respond(forest, player, best, strategy, values)
        for hand in range(num_hands):
            for e in range(len(forest.entries)):
                out[r, hand, e] = values[hand, forest.entries[e]]
