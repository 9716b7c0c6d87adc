"""Solving subgames of the last street: many at once, each by one thread.

A batch holds subgames whose forests have one shape and one entry each. Whatever is done to one of
them does not depend on the others, so a subgame has one solution in whatever company it is solved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numba import njit, prange

from env.arrays import Bytes, Doubles, Floats, Integers, Ints, Reals
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

Array = TypeVar("Array", Floats, Doubles)


class Subgames(NamedTuple):
    """n subgames with L hands each, in order of showdown rank, weak ones first."""

    cards: Bytes  # [n, L, 2]
    ties: Integers  # [n, L, 2] see `env.ranges.RankedHands`
    classes: Ints  # [n, L] the first hand that looks like this one
    stakes: Floats  # [n, M] of each forest
    ranges: Reals  # [n, 2, L] how both players' play reaches the entry
    alternatives: Reals  # [n, L] what the opponent could have otherwise; unsafe does not read it


class _State(NamedTuple):
    """What CFR keeps of n subgames."""

    regrets: Floats  # [n, L, D, 3]
    strategy: Floats  # [n, L, D, 3]
    average: Floats  # [n, L, D, 3]
    entering: Floats  # [n, L, 2] the opponent's regrets before the subgame


@dataclass
class LastStreet:
    """Subgames being solved; `resolvers` [n] are the players whose strategies have to be safe."""

    forest: Forest
    subgames: Subgames
    gadget: str
    resolvers: Ints
    variant: Variant

    def __post_init__(self) -> None:
        num_subgames, num_hands = self.subgames.alternatives.shape
        tables = new_tables(self.forest, (num_subgames, num_hands))
        self._state = _State(*tables, np.zeros((num_subgames, num_hands, 2), np.float32))
        self.iterations = 0

    @property
    def num_hands(self) -> int:
        return self.subgames.alternatives.shape[1]

    def iterate(self, iterations: int) -> None:
        """So many more iterations of CFR."""
        steps = schedule(self.variant, self.iterations + 1, iterations)
        gadget = gadget_number(self.gadget)
        _iterate(self.forest, self.subgames, gadget, self.resolvers, steps, self._state)
        self.iterations += iterations

    def strategies(self) -> Floats:
        """The average strategies of both players. [n, L, D, 3]"""
        out = np.empty_like(self._state.average)
        for sums, classes, strategy in zip(
            self._state.average, self.subgames.classes, out, strict=True
        ):
            normalise(self.forest, sums, classes, strategy)
        return out


def responses(
    forest: Forest, subgames: Subgames, strategies: Array, players: Ints, best: bool = True
) -> Array:
    """What hands are worth against the other player's range and strategy. `players` [n] → [n, L]

    Counterfactual values of the `best` response, or of keeping to `strategies` [n, L, D, 3], in
    the precision of these.
    """
    out = np.empty(subgames.cards.shape[:2], strategies.dtype)
    _respond(forest, subgames, strategies, players, best, out)
    return out


@njit(cache=True, parallel=True)
def _iterate(
    forest: Forest, subgames: Subgames, gadget: int, resolvers: Ints, steps: Doubles, state: _State
) -> None:
    for n in prange(len(subgames.cards)):
        resolver = resolvers[n]
        here = _placed(forest, subgames.stakes[n])
        hands = RankedHands(subgames.cards[n], subgames.ties[n])
        tables = Tables(state.regrets[n], state.strategy[n], state.average[n])
        entry = forest.entries[0]
        reach = np.zeros((len(hands.cards), len(forest.stakes)), np.float32)
        own, values = np.ones_like(reach), np.zeros_like(reach)
        entered = np.zeros(len(hands.cards), np.float32)
        entering = Entering(state.entering[n], np.zeros_like(entered))
        alternative = subgames.alternatives[n]
        for i in range(len(steps)):
            step = Step(steps[i, 0], steps[i, 1], steps[i, 2], steps[i, 3])
            for player in range(2):
                range_ = subgames.ranges[n, 1 - resolver]
                opponent_reach(gadget, range_, entering, entered)
                reach[:, entry] = entered if player == resolver else subgames.ranges[n, resolver]
                descend(here, player, step.weight, tables, own, reach)
                settle(here, hands, player, reach, values)
                ascend(here, player, step, tables, values)
                if player != resolver:
                    learn_to_enter(gadget, step, values[:, entry], alternative, entering)


@njit(cache=True, parallel=True)
def _respond(
    forest: Forest,
    subgames: Subgames,
    strategies: Reals,
    players: Ints,
    best: bool,
    out: Reals,
) -> None:
    for n in prange(len(subgames.cards)):
        player = players[n]
        here = _placed(forest, subgames.stakes[n])
        reach = np.zeros((len(subgames.cards[n]), len(forest.stakes)), out.dtype)
        values = np.zeros_like(reach)
        reach[:, forest.entries[0]] = subgames.ranges[n, 1 - player]
        carry(here, 1 - player, strategies[n], reach)
        settle(here, RankedHands(subgames.cards[n], subgames.ties[n]), player, reach, values)
        respond(here, player, best, strategies[n], values)
        out[n] = values[:, forest.entries[0]]


@njit(cache=True)
def _placed(forest: Forest, stakes: Floats) -> Forest:
    """The forest with the stakes of one of its entries."""
    return Forest(
        forest.nodes,
        forest.actor,
        forest.children,
        forest.entries,
        stakes,
        forest.first_fold,
        forest.first_showdown,
        forest.first_leaf,
    )
