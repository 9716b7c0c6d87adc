"""Hand buckets: what differs between hands of equal strength, as a small number.

Two hands of the same strength E[HS] may be worth different things: a pair or a draw to a flush, a
high card on a board that allows straights or on one that does not. A bucket groups hands that are
alike in this respect. It is a function of the visible cards alone and does not change when suits
are renamed.

    pre-flop             a pair; suited or not, with ranks at most three apart or not
    before the last one  holds a pair or better with a hole card, or not; and how it may improve:
                         not to a straight or flush; to a straight by one rank; by several ranks
                         or to a flush; to both
    last street          of the board: no flush, a flush with two hole cards, or with fewer
                         (on three cards: none, two or all of a suit); a pair on it, else ranks
                         close enough for a straight with one hole card (three cards: two), else
                         neither; and on three cards, where there are few nodes and many samples
                         of each, its highest rank: ace, king, queen or jack, ten or nine, less
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from env.cards import NO_CARD, NUM_SLOTS, Cards

_TEXTURES = 9  # buckets without the highest rank
_FLOP = 3


def num_buckets(last_board: int) -> int:
    """How many buckets there are where `last_board` cards are shown on the last street."""
    return _TEXTURES * (5 if last_board == _FLOP else 1)


def hand_buckets(views: Cards, last_board: int) -> Cards:
    """The bucket of each hand; `last_board` cards are shown on the last street. [n, 7] → [n]"""
    buckets = np.empty(len(views), np.uint8)
    _fill(np.ascontiguousarray(views), last_board, buckets)
    return buckets


@njit(cache=True, parallel=True)
def _fill(views: Cards, last_board: int, buckets: Cards) -> None:
    for row in prange(len(views)):
        shown = 0
        for slot in range(2, NUM_SLOTS):
            shown += views[row, slot] != NO_CARD
        if shown == 0:
            buckets[row] = _before_the_flop(views[row])
        elif shown == last_board:
            buckets[row] = _on_the_last_street(views[row])
        else:
            buckets[row] = _on_the_way(views[row])


@njit(cache=True)
def _before_the_flop(view: Cards) -> int:
    gap = abs(np.int64(view[0] >> 2) - np.int64(view[1] >> 2))  # unsigned bytes would wrap
    if gap == 0:
        return 0
    return 1 + 2 * (view[0] & 3 != view[1] & 3) + (gap > 3)


@njit(cache=True)
def _on_the_way(view: Cards) -> int:
    ranks, suits = _counts(view, 0)
    hole = int(view[0] >> 2), int(view[1] >> 2)
    is_made = ranks[hole[0]] > 1 or ranks[hole[1]] > 1
    flush = suits[view[0] & 3] == 4 or suits[view[1] & 3] == 4
    completing = 0  # ranks that would make a straight
    for rank in range(13):
        if ranks[rank] == 0:
            ranks[rank] = 1
            completing += _most_in_a_window(ranks) == 5
            ranks[rank] = 0
    draw = (3 if completing else 2) if flush else min(completing, 2)
    return 4 * is_made + draw


@njit(cache=True)
def _on_the_last_street(view: Cards) -> int:
    ranks, suits = _counts(view, 2)
    size = ranks.sum()
    low = 1 if size == _FLOP else 2  # cards of a suit that mean nothing yet
    bucket = 3 * min(max(suits.max() - low, 0), 2)
    if ranks.max() == 1:
        bucket += 1 if _most_in_a_window(ranks) >= (3 if size == _FLOP else 4) else 2
    return bucket + (_TEXTURES * _height(ranks) if size == _FLOP else 0)


@njit(cache=True)
def _height(ranks: NDArray[np.int64]) -> int:
    """0 to 4 for an ace, a king, queen or jack, ten or nine, less as the highest rank."""
    highest = np.flatnonzero(ranks)[-1]
    return 12 - highest if highest > 10 else min(2 + (10 - highest) // 2, 4)


@njit(cache=True)
def _counts(view: Cards, first: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many cards from slot `first` on are of each rank [13] and suit [4]."""
    ranks, suits = np.zeros(13, np.int64), np.zeros(4, np.int64)
    for slot in range(first, NUM_SLOTS):
        if view[slot] != NO_CARD:
            ranks[view[slot] >> 2] += 1
            suits[view[slot] & 3] += 1
    return ranks, suits


@njit(cache=True)
def _most_in_a_window(ranks: NDArray[np.int64]) -> int:
    """The most different ranks among any five in a row; the ace is high and low."""
    most = 0
    for low in range(-1, 9):
        found = 0
        for rank in range(low, low + 5):
            found += ranks[rank % 13] > 0
        most = max(most, found)
    return most
