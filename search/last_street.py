"""Solving subgames of the last street: many at once, each by one thread.

A batch holds subgames whose bettings have one shape. Whatever is done to one of
them does not depend on the others, so a subgame has one solution in whatever company it is solved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numba import njit, prange

from env.arrays import Bytes, Doubles, Floats, Integers, Ints, Reals
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
from search.variants import Variant, schedule

Array = TypeVar("Array", Floats, Doubles)


class Subgames(NamedTuple):
    """n subgames with L hands each, in order of showdown rank, weak ones first."""

    cards: Bytes  # [n, L, 2]
    ties: Integers  # [n, L, 2] see `env.ranges.RankedHands`
    classes: Ints  # [n, L] the first hand that looks like this one
    stakes: Floats  # [n, M] of each subgame's betting
    ranges: Reals  # [n, 2, L] how both players' play reaches the entry
    alternatives: Reals  # [n, L] what the opponent could have otherwise; unsafe does not read it


@dataclass
class LastStreet:
    """Subgames being solved; `resolvers` [n] are the players whose strategies have to be safe."""

    betting: Betting
    subgames: Subgames
    gadget: str
    resolvers: Ints
    variant: Variant

    def __post_init__(self) -> None:
        num_subgames, num_hands = self.subgames.alternatives.shape
        predicts = self.variant.prediction > 0
        self._tables = new_tables(self.betting, (num_subgames,), num_hands, predicts)
        self._entering = np.zeros((num_subgames, 2, num_hands), np.float32)
        self.iterations = 0

    @property
    def num_hands(self) -> int:
        return self.subgames.alternatives.shape[1]

    def iterate(self, iterations: int) -> None:
        """So many more iterations of CFR."""
        steps = schedule(self.variant, self.iterations + 1, iterations)
        gadget = gadget_number(self.gadget)
        _iterate(
            self.betting,
            self.subgames,
            gadget,
            self.resolvers,
            steps,
            self._tables,
            self._entering,
        )
        self.iterations += iterations

    def strategies(self) -> Floats:
        """The average strategies of both players. [n, L, D, 3]"""
        out = np.empty_like(self._tables.average)
        for sums, classes, chances in zip(
            self._tables.average, self.subgames.classes, out, strict=True
        ):
            normalise(self.betting, sums, classes, chances)
        return self.betting.by_action(out)


def responses(
    betting: Betting, subgames: Subgames, strategies: Array, players: Ints, best: bool = True
) -> Array:
    """What hands are worth against the other player's range and strategy. `players` [n] → [n, L]

    Counterfactual values of the `best` response, or of keeping to `strategies` [n, L, D, 3], in
    the precision of these.
    """
    out = np.empty(subgames.alternatives.shape, strategies.dtype)
    _respond(betting, subgames, betting.by_node(strategies), players, best, out)
    return out


@njit(cache=True, parallel=True)
def _iterate(
    betting: Betting,
    subgames: Subgames,
    gadget: int,
    resolvers: Ints,
    steps: Doubles,
    tables: Tables,
    entering: Floats,
) -> None:
    """Iterations of CFR; `entering` [n, 2, L] are regrets before the subgames."""
    for n in prange(len(subgames.cards)):
        resolver = resolvers[n]
        here = placed(betting, subgames.stakes[n])
        hands = RankedHands(subgames.cards[n], subgames.ties[n])
        mine = Tables(tables.regrets[n], tables.expected[n], tables.average[n])
        own = np.ones((len(betting.nodes), len(hands.cards)), np.float32)
        values, entered = np.empty_like(own), np.empty_like(own[0])
        room = new_room(len(hands.cards), own)
        before = Entering(entering[n], np.zeros_like(entered))
        for i in range(len(steps)):
            step = Step(steps[i, 0], steps[i, 1], steps[i, 2], steps[i, 3])
            for player in range(2):
                opponent_reach(gadget, subgames.ranges[n, 1 - resolver], before, entered)
                range_ = entered if player == resolver else subgames.ranges[n, resolver]
                descend(here, 1 - player, step, mine, own)
                settle(here, hands, player, range_, own, room, values)
                ascend(here, player, step, mine, values)
                if player != resolver:
                    alternative = subgames.alternatives[n]
                    learn_to_enter(gadget, step, values[0], alternative, before)


@njit(cache=True, parallel=True)
def _respond(
    betting: Betting,
    subgames: Subgames,
    chances: Reals,
    players: Ints,
    best: bool,
    out: Reals,
) -> None:
    for n in prange(len(subgames.cards)):
        player = players[n]
        here = placed(betting, subgames.stakes[n])
        hands = RankedHands(subgames.cards[n], subgames.ties[n])
        own = np.ones((len(betting.nodes), len(hands.cards)), out.dtype)
        values, room = np.empty_like(own), new_room(len(hands.cards), own)
        carry(here, 1 - player, chances[n], own)
        settle(here, hands, player, subgames.ranges[n, 1 - player], own, room, values)
        respond(here, player, best, chances[n], values)
        out[n] = values[0]


@njit(cache=True)
def placed(betting: Betting, stakes: Floats) -> Betting:
    """Betting of the same shape with other stakes. [M]"""
    return Betting(
        betting.nodes,
        betting.actor,
        betting.children,
        stakes,
        betting.reached,
        betting.lanes,
        betting.lane,
        betting.first_fold,
        betting.first_showdown,
        betting.first_leaf,
    )
