"""`RangeViews`: what every private hand sees on some boards, each distinct view once.

Whole ranges ask about all H hands on a board. Hands that a renaming of suits turns into each other
while the board stays what it is see the same suit-canonical view, so there are fewer views than
hands.
"""

from __future__ import annotations

import numpy as np

from env.arrays import Bools
from env.cards import NO_CARD, NUM_SLOTS, Cards, canonical


class RangeViews:
    """H private hands on V visible boards; U views in all, those of one board side by side."""

    def __init__(self, hands: Cards, boards: Cards) -> None:
        self.hands, self.boards = hands, boards  # [H, 2], [V, 5]
        self.possible = ~overlaps(hands, boards)  # [V, H] holds no card of the board
        views = np.zeros((*self.possible.shape, NUM_SLOTS + 1), np.uint8)  # eight bytes: one number
        views[:, :, :2], views[:, :, 2:NUM_SLOTS] = hands, boards[:, None]
        views[:, :, :NUM_SLOTS] = canonical(views[:, :, :NUM_SLOTS])
        codes = views.view(np.uint64)[:, :, 0]
        self.view_of = np.zeros(self.possible.shape, np.int64)  # [V, H] numbered from 0 on each
        distinct = []
        for row, possible in enumerate(self.possible):
            found, which = np.unique(codes[row, possible], return_inverse=True)
            self.view_of[row, possible] = which
            distinct.append(found)
        self.num_views = np.array([len(found) for found in distinct], np.int64)  # [V]
        self.first_view = np.cumsum(self.num_views) - self.num_views  # [V]
        packed = np.concatenate(distinct).view(np.uint8).reshape(-1, NUM_SLOTS + 1)
        self.views = np.ascontiguousarray(packed[:, :NUM_SLOTS])  # [U, 7] canonical


def overlaps(hands: Cards, cards: Cards) -> Bools:
    """Which hands hold one of the cards; empty slots do not count. [H, 2], [..., c] → [..., H]"""
    held = np.zeros((*cards.shape[:-1], NO_CARD + 1), bool)
    np.put_along_axis(held, cards.astype(np.intp), True, axis=-1)
    held[..., NO_CARD] = False
    return held[..., hands[:, 0]] | held[..., hands[:, 1]]
