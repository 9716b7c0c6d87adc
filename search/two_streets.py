"""Solving a subgame of the last street but one, with everything that can come on the last street.

The betting of the street itself ends in leaves, the entries of the last street. A `LeafValues` says
what those are worth to a player, given how both players reach them. `LastStreetLeaves` does so by
carrying on with CFR below them, after every card that can come, in the same iterations. A network
that predicts values would take its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numba import njit, prange

from env.arrays import Bytes, Floats, Ints
from env.ranges import RankedHands
from search.betting import Betting
from search.gadgets import Entering, gadget_number, learn_to_enter, opponent_reach
from search.kernels import (
    Step,
    Tables,
    ascend,
    carry,
    descend,
    new_room,
    new_tables,
    normalise,
    respond,
    settle,
)
from search.last_street import placed
from search.variants import Variant, schedule


class LeafValues(Protocol):
    """What the leaves of a street are worth. L hands, E leaves."""

    def step(self, player: int, step: Step, range_: Floats, own: Floats) -> Floats:
        """Values for a player in one iteration of CFR. [L], [E, L] → [E, L]

        The opponent's reach is its range times how its own actions have led to each leaf.
        """
        ...

    def responses(self, player: int, best: bool, range_: Floats, own: Floats) -> Floats:
        """Values against the opponent's average strategy, for the best response or the player's
        own average strategy. [L], [E, L] → [E, L]"""
        ...


class Runouts(NamedTuple):
    """R cards that can come, each leaving K of the L hands, in order of showdown rank."""

    cards: Bytes  # [R] the cards
    live: Ints  # [R, K] numbers among the L hands
    hands: Bytes  # [R, K, 2]
    ties: Ints  # [R, K, 2] see `env.ranges.RankedHands`
    classes: Ints  # [R, K] the first hand that looks like this one
    weights: Floats  # [R] how many cards look alike, by the number that two hands leave


class Below(NamedTuple):
    """The last street below some leaves, G in number, whose betting has one shape."""

    betting: Betting
    leaves: Ints  # [G] numbers of the leaves
    stakes: Floats  # [G, M]
    tables: Tables  # [R, G, M, K]


@dataclass
class LastStreetLeaves:
    """CFR on the last street after every card that can come. `classes` are those of the L hands.

    Cards that look alike are solved once. After another card of the kind, a hand is worth what some
    hand of its class is worth after the card that was solved. Over all cards of the kind this makes
    the mean over the hand's class.
    """

    bettings: list[Betting]  # [E]
    runouts: Runouts
    classes: Ints  # [L]
    predicts: bool

    def __post_init__(self) -> None:
        num_runouts, num_hands = self.runouts.live.shape
        shapes: dict[bytes, list[int]] = {}
        for leaf, betting in enumerate(self.bettings):
            shapes.setdefault(betting.shape, []).append(leaf)
        self.below = [
            Below(
                self.bettings[leaves[0]],
                np.array(leaves, np.int32),
                np.stack([self.bettings[leaf].stakes for leaf in leaves]),
                new_tables(
                    self.bettings[leaves[0]], (num_runouts, len(leaves)), num_hands, self.predicts
                ),
            )
            for leaves in shapes.values()
        ]
        self._out = np.empty((num_runouts, len(self.bettings), num_hands), np.float32)

    def step(self, player: int, step: Step, range_: Floats, own: Floats) -> Floats:
        for below in self.below:
            _step_runouts(*below, self.runouts, player, step, range_, own, self._out)
        return self._mean()

    def responses(self, player: int, best: bool, range_: Floats, own: Floats) -> Floats:
        self.values(player, best, range_, own)
        return self._mean()

    def values(self, player: int, best: bool, range_: Floats, own: Floats) -> Floats:
        """The same for each card by itself, until the next call. [L], [E, L] → [R, E, K]"""
        for below in self.below:
            _respond_runouts(*below, self.runouts, player, best, range_, own, self._out)
        return self._out

    def _mean(self) -> Floats:
        """The mean over all cards that can come, from `_out`. → [E, L]"""
        out = np.empty((len(self.bettings), len(self.classes)), np.float32)
        _mean_runouts(self.runouts, self.classes, self._out, out)
        return out


@dataclass
class TwoStreets:
    """One subgame being solved. L hands in any order.

    `ranges` [2, L] say how both players reach the entry, `alternatives` [L] what the opponent of
    the `resolver` could have otherwise.
    """

    betting: Betting
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
        self._tables = new_tables(self.betting, (), num_hands, self.variant.prediction > 0)
        regrets = np.zeros((2, num_hands), np.float32)
        self._entering = Entering(regrets, np.zeros(num_hands, np.float32))
        # Nobody's hands are compared before the leaves.
        self._ranked = RankedHands(self.hands, np.zeros((num_hands, 2), np.int32))
        self._room = new_room(num_hands, self._entering.chosen)
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
        return self.betting.by_action(self._chances()[None])[0]

    def leaf_reach(self, player: int) -> Floats:
        """How a player's average strategy reaches the leaves, without its range. [E, L]"""
        own = np.ones_like(self._tables.average)
        carry(self.betting, player, self._chances(), own)
        return self._at_leaves(player, own)

    def responses(self, player: int, best: bool) -> Floats:
        """What a player's hands are worth at the entry, see `search.last_street.responses`. [L]"""
        betting, chances = self.betting, self._chances()
        range_, own = self.ranges[1 - player], np.ones_like(chances)
        values = np.empty_like(own)
        carry(betting, 1 - player, chances, own)
        at_leaves = self._at_leaves(1 - player, own)
        values[betting.first_leaf :] = self.leaves.responses(player, best, range_, at_leaves)
        settle(betting, self._ranked, player, range_, own, self._room, values)
        respond(betting, player, best, chances, values)
        return values[0]

    def _update(self, player: int, step: Step) -> None:
        betting, gadget, opponent = self.betting, gadget_number(self.gadget), 1 - player
        range_ = np.empty(len(self.hands), np.float32)
        opponent_reach(gadget, self.ranges[1 - self.resolver], self._entering, range_)
        if opponent == self.resolver:
            range_ = self.ranges[opponent]
        own = np.ones((len(betting.nodes), len(self.hands)), np.float32)
        values = np.empty_like(own)
        descend(betting, opponent, step, self._tables, own)
        at_leaves = self._at_leaves(opponent, own)
        values[betting.first_leaf :] = self.leaves.step(player, step, range_, at_leaves)
        settle(betting, self._ranked, player, range_, own, self._room, values)
        ascend(betting, player, step, self._tables, values)
        if player != self.resolver:
            learn_to_enter(gadget, step, values[0], self.alternatives, self._entering)

    def _chances(self) -> Floats:
        """The average strategies, at the nodes that actions lead to. [M, L]"""
        out = np.empty_like(self._tables.average)
        normalise(self.betting, self._tables.average, self.classes, out)
        return out

    def _at_leaves(self, player: int, own: Floats) -> Floats:
        return own[self.betting.reached[player, self.betting.first_leaf :]]


@njit(cache=True, parallel=True)
def _step_runouts(
    betting: Betting,
    leaves: Ints,
    stakes: Floats,
    tables: Tables,
    runouts: Runouts,
    player: int,
    step: Step,
    range_: Floats,
    own: Floats,
    out: Floats,
) -> None:
    """One update after every card. [L], [E, L] → [R, E, K]"""
    for r in prange(len(out)):
        live = runouts.live[r]
        hands = RankedHands(runouts.hands[r], runouts.ties[r])
        theirs = range_[live]
        reach = np.empty((len(betting.nodes), len(live)), np.float32)
        values, room = np.empty_like(reach), new_room(len(live), reach)
        for g in range(len(leaves)):
            here, leaf = placed(betting, stakes[g]), leaves[g]
            mine = Tables(tables.regrets[r, g], tables.expected[r, g], tables.average[r, g])
            reach[0] = own[leaf][live]
            descend(here, 1 - player, step, mine, reach)
            settle(here, hands, player, theirs, reach, room, values)
            ascend(here, player, step, mine, values)
            out[r, leaf] = values[0]


@njit(cache=True, parallel=True)
def _respond_runouts(
    betting: Betting,
    leaves: Ints,
    stakes: Floats,
    tables: Tables,
    runouts: Runouts,
    player: int,
    best: bool,
    range_: Floats,
    own: Floats,
    out: Floats,
) -> None:
    """Values against average strategies after every card. [L], [E, L] → [R, E, K]"""
    for r in prange(len(out)):
        live = runouts.live[r]
        hands = RankedHands(runouts.hands[r], runouts.ties[r])
        theirs = range_[live]
        reach = np.empty((len(betting.nodes), len(live)), np.float32)
        values, chances = np.empty_like(reach), np.empty_like(reach)
        room = new_room(len(live), reach)
        for g in range(len(leaves)):
            here, leaf = placed(betting, stakes[g]), leaves[g]
            normalise(here, tables.average[r, g], runouts.classes[r], chances)
            reach[0] = own[leaf][live]
            carry(here, 1 - player, chances, reach)
            settle(here, hands, player, theirs, reach, room, values)
            respond(here, player, best, chances, values)
            out[r, leaf] = values[0]


@njit(cache=True, parallel=True)
def _mean_runouts(runouts: Runouts, classes: Ints, values: Floats, out: Floats) -> None:
    """The mean over all cards and over hands that look alike. [R, E, K] → [E, L]"""
    num_hands = len(classes)
    for leaf in prange(len(out)):
        total = np.zeros(num_hands, np.float32)
        for r in range(len(values)):
            for hand in range(values.shape[2]):
                total[runouts.live[r, hand]] += runouts.weights[r] * values[r, leaf, hand]
        sums, sizes = np.zeros(num_hands), np.zeros(num_hands)
        for hand in range(num_hands):
            sums[classes[hand]] += total[hand]
            sizes[classes[hand]] += 1
        for hand in range(num_hands):
            out[leaf, hand] = sums[classes[hand]] / sizes[classes[hand]]
