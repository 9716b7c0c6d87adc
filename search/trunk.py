"""What happened before a subgame: how the blueprint brings both players' hands to its entry.

A range is a vector over all private hands: the product of the player's own action probabilities on
the way. Public states are asked about together, and each (visible board, node) on their ways once.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from env.arrays import Doubles, Longs
from env.boards import private_hands
from env.cards import NO_CARD, NUM_BOARD, Cards
from env.game import Game
from env.range_views import RangeViews
from policies.policy import Policy
from policies.ranges import for_ranges

_AT_ONCE = 512  # public states whose strategies are in memory together


@dataclass(frozen=True)
class Trunk:
    """A blueprint on the streets before the one that is searched."""

    game: Game
    blueprint: Policy

    def ranges(self, boards: Cards, entries: Longs) -> Doubles:
        """Both players' reach of entries on boards. [n, 5], [n] → [n, 2, H]

        0 for hands that hold a card of the board.
        """
        tree, hands = self.game.tree, private_hands(self.game.rules)
        reach = np.ones((len(entries), 2, len(hands)))
        asked = [
            (n, node, child)
            for n, entry in enumerate(entries)
            for node, child in _steps(self.game, int(entry))
        ]
        if asked:
            which, nodes, children = np.array(asked).T
            strategies = self.strategies(
                visible_boards(self.game, boards[which], tree.street[nodes]), hands, nodes
            )
            for n, node, child, strategy in zip(which, nodes, children, strategies, strict=True):
                reach[n, tree.actor[node]] *= strategy[:, tree.action[child]]
        for n, board in enumerate(boards):
            reach[n][:, np.isin(hands, board[board != NO_CARD]).any(axis=1)] = 0
        return reach

    def strategies(self, boards: Cards, hands: Cards, nodes: Longs) -> Doubles:
        """The blueprint's strategies in public states. [n, 5], [H, 2], [n] → [n, H, 3]"""
        keys = np.column_stack([boards.astype(np.int64), nodes])
        distinct, place = np.unique(keys, axis=0, return_inverse=True)
        seen_boards, row = np.unique(distinct[:, :NUM_BOARD], axis=0, return_inverse=True)
        seen = RangeViews(hands, seen_boards.astype(np.uint8))
        ask = for_ranges(self.game, self.blueprint, seen)
        nodes, row = distinct[:, NUM_BOARD], row.reshape(-1)
        parts = [
            ask(row[start : start + _AT_ONCE], nodes[start : start + _AT_ONCE])
            for start in range(0, len(nodes), _AT_ONCE)
        ]
        return np.concatenate(parts)[place.reshape(-1)]


def visible_boards(game: Game, boards: Cards, streets: Longs) -> Cards:
    """What of some boards lies on the table on the given streets. [n, 5], [n] → [n, 5]"""
    shown = np.array(game.rules.visible_board)[streets]
    return np.where(np.arange(NUM_BOARD) < shown[:, None], boards, NO_CARD).astype(np.uint8)


def _steps(game: Game, entry: int) -> list[tuple[int, int]]:
    """The decisions on the way to a node, each with the node after it."""
    return list(pairwise(game.tree.path(entry)))
