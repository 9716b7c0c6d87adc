"""What an endgame network sees of a board: the same for boards that a renaming of suits turns into
each other.

The cards come as the paper's embeddings take them, by street, with suits renamed so that the board
itself is canonical. Beside them stands what decides which hands are strong: how often each rank
appears, how many different ranks lie close enough together for a straight, and how many cards share
a suit.
"""

from __future__ import annotations

import numpy as np

from deep_cfr.networks.encoding import paper_cards
from env.arrays import Bools, Floats, Integers
from env.boards import FIRST_BOARD_SLOT
from env.cards import NO_CARD, NUM_BOARD, Cards, canonical

GROUPS = ((0, 1, 2), (3,), (4,))  # slots of the board that come together
_RANKS, _WINDOWS, _COUNTS = 13, 10, NUM_BOARD + 1


def canonical_boards(views: Cards) -> Cards:
    """The boards of some views, suits renamed by the board alone. [n, 7] → [n, 5]"""
    rows = views.copy()
    rows[:, :FIRST_BOARD_SLOT] = NO_CARD
    return np.ascontiguousarray(canonical(rows)[:, FIRST_BOARD_SLOT:])


def board_width() -> int:
    """How many features a board has."""
    return board_features(np.full((1, NUM_BOARD), NO_CARD, np.uint8)).shape[1]


def board_features(boards: Cards) -> Floats:
    """Features of canonical boards; slots may be empty. [n, 5] → [n, F]"""
    table = paper_cards()
    cards = [table[boards[:, slots]].sum(axis=1) for slots in GROUPS]
    shown = boards != NO_CARD
    ranks = _counts(boards >> 2, shown, _RANKS)
    suits = _counts(boards & 3, shown, 4)
    windows = _ranks_in_windows(ranks)
    shape = [
        _one_hot(suits.max(axis=1)),
        _one_hot(windows.max(axis=1)),
        _one_hot(ranks.max(axis=1)),
    ]
    parts = [*cards, ranks, ranks > 1, windows / 5, *shape]
    return np.concatenate(parts, axis=1).astype(np.float32)


def _counts(values: Integers, shown: Bools, size: int) -> Floats:
    """How many shown cards have each value. [n, 5], [n, 5] → [n, size]"""
    same = (values[:, :, None] == np.arange(size)) & shown[:, :, None]
    return same.sum(axis=1).astype(np.float32)


def _ranks_in_windows(ranks: Floats) -> Floats:
    """Different ranks among each five in a row; the ace is high and low. [n, 13] → [n, 10]"""
    present = np.concatenate([ranks[:, -1:], ranks], axis=1) > 0
    return np.stack([present[:, i : i + 5].sum(axis=1) for i in range(_WINDOWS)], axis=1).astype(
        np.float32
    )


def _one_hot(counts: Floats) -> Floats:
    """[n] → [n, 6]"""
    return np.eye(_COUNTS, dtype=np.float32)[counts.astype(np.intp)]
