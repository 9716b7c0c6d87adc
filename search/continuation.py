"""The street before the last one, solved to the end; what it says of the street that follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from env.arrays import Floats, Longs
from env.cards import Cards
from env.game import Game
from search.betting import make_betting
from search.gadgets import UNSAFE
from search.public_state import BoardHands
from search.runouts import NextBoard, make_runouts, street_hands
from search.solutions import Solution, places
from search.two_streets import LastStreetLeaves, TwoStreets
from search.variants import Variant


class Situation(NamedTuple):
    """What a subgame starts from. L hands."""

    ranges: Floats  # [2, L] how both players' play reaches the entry
    alternatives: Floats | None = None  # [L] what the opponent could have, where that is known


@dataclass(frozen=True)
class Continuation:
    """A solved street, and how play goes on from its leaves."""

    solution: Solution
    leaves: Longs  # [E] nodes
    live: Longs  # [R, K] rows of the street's hands that are left after each card
    boards: dict[bytes, NextBoard]
    ranges: Floats  # [2, E, L] what both players' average strategies bring to the leaves
    values: Floats  # [2, R, E, K] what either player's hands are worth

    @property
    def num_bytes(self) -> int:
        numbers = sum(board.numbers.nbytes for board in self.boards.values())
        own = self.live.nbytes + self.ranges.nbytes + self.values.nbytes
        return self.solution.num_bytes + own + numbers

    def situation(self, board: bytes, entry: int, hands: BoardHands, resolver: int) -> Situation:
        """What a public state of the last street starts from, whoever is to re-solve it."""
        row, numbers = self.boards[board]
        leaf = int(np.flatnonzero(self.leaves == entry)[0])
        # Both are the same hands in different orders: numbers[order] is hands.live.
        order = np.argsort(numbers)[np.searchsorted(np.sort(numbers), hands.live)]
        ranges = self.ranges[:, leaf, self.live[row, order]]
        return Situation(ranges, self.values[1 - resolver, row, leaf, order])


def new_two_streets(
    game: Game, board: Cards, entry: int, ranges: Floats, variant: Variant
) -> tuple[TwoStreets, LastStreetLeaves, dict[bytes, NextBoard]]:
    """A subgame of two streets before its first iteration. [5], [2, L]

    The subgame is unsafe: both players are assumed to hold the ranges given. What an opponent could
    have had is not known here, because that would take the blueprint's strategies on every full
    board. So one solution serves both players.
    """
    rules, tree = game.rules, game.tree
    hands = street_hands(rules, board)
    betting = make_betting(tree, entry, is_last=False)
    runouts, boards = make_runouts(rules, board, hands)
    leaves = LastStreetLeaves(
        [make_betting(tree, int(leaf), is_last=True) for leaf in betting.leaves],
        runouts,
        hands.classes,
        predicts=variant.prediction > 0,
    )
    solver = TwoStreets(
        betting=betting,
        hands=hands.cards,
        classes=hands.classes,
        ranges=ranges,
        alternatives=np.zeros(len(hands.cards), np.float32),
        gadget=UNSAFE,
        resolver=0,
        variant=variant,
        leaves=leaves,
    )
    return solver, leaves, boards


def continuation(
    solver: TwoStreets,
    leaves: LastStreetLeaves,
    boards: dict[bytes, NextBoard],
    live: Longs,
    num_hands: int,
    *,
    best: bool = False,
) -> Continuation:
    """What a solved subgame of two streets leaves behind. `live` [L] numbers its hands.

    A player's hands are worth what they get on the last street against the other's average
    strategy, by the player's own average strategy or, if `best`, by its best response.
    """
    reach = [solver.leaf_reach(player) for player in (0, 1)]
    values = [
        leaves.values(player, best, solver.ranges[1 - player], reach[1 - player]).copy()
        for player in (0, 1)
    ]
    return Continuation(
        solution=Solution(solver.betting.decisions, places(live, num_hands), solver.strategies()),
        leaves=solver.betting.leaves,
        live=leaves.runouts.live.astype(np.int64),
        boards=boards,
        ranges=solver.ranges[:, None] * np.stack(reach),
        values=np.stack(values),
    )
