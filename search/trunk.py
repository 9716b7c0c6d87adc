"""What happened before a subgame: how the blueprint brings both players' hands to its entry.

A range is a vector over all private hands: the product of the player's own action probabilities on
the way. Public states are asked about together, and each (visible board, node) on their ways once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from env.actions import NUM_ACTIONS
from env.arrays import Doubles, Longs
from env.boards import private_hands
from env.cards import NO_CARD, NUM_BOARD, Cards
from env.game import Game
from env.range_views import RangeViews, overlaps
from policies.policy import Policy
from policies.ranges import RangeStrategies, for_ranges

_AT_ONCE = 64  # nodes asked about together; bounds memory
_KEPT_BOARDS = 64


@dataclass(frozen=True)
class Trunk:
    """A blueprint on the streets before the one that is searched."""

    game: Game
    blueprint: Policy
    _kept: dict[tuple[bytes, bytes], RangeStrategies] = field(default_factory=dict)

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
        return np.where(overlaps(hands, boards)[:, None], 0, reach)

    def strategies(self, boards: Cards, hands: Cards, nodes: Longs) -> Doubles:
        """The blueprint's strategies in public states. [n, 5], [H, 2], [n] → [n, H, 3]"""
        out = np.empty((len(nodes), len(hands), NUM_ACTIONS))
        distinct, which = np.unique(boards, axis=0, return_inverse=True)
        for number, board in enumerate(distinct):
            rows = np.flatnonzero(which.reshape(-1) == number)
            asked, place = np.unique(nodes[rows], return_inverse=True)
            ask = self._asked(board, hands)
            for start in range(0, len(asked), _AT_ONCE):
                part = asked[start : start + _AT_ONCE]
                found = ask(np.zeros(len(part), np.int64), part)
                mine = (place >= start) & (place < start + len(part))
                out[rows[mine]] = found[place[mine] - start]
        return out

    def _asked(self, board: Cards, hands: Cards) -> RangeStrategies:
        """The blueprint as a function of nodes on one board; kept for a while, with all that it
        knows of the hands there."""
        key = (board.tobytes(), hands.tobytes())
        if key not in self._kept:
            if len(self._kept) >= _KEPT_BOARDS:
                self._kept.pop(next(iter(self._kept)))
            seen = RangeViews(hands, board[None])
            self._kept[key] = for_ranges(self.game, self.blueprint, seen)
        return self._kept[key]


def visible_boards(game: Game, boards: Cards, streets: Longs) -> Cards:
    """What of some boards lies on the table on the given streets. [n, 5], [n] → [n, 5]"""
    shown = np.array(game.rules.visible_board)[streets]
    return np.where(np.arange(NUM_BOARD) < shown[:, None], boards, NO_CARD).astype(np.uint8)


def _steps(game: Game, entry: int) -> list[tuple[int, int]]:
    """The decisions on the way to a node, each with the node after it."""
    return list(pairwise(game.tree.path(entry)))
