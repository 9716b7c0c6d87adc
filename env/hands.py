"""Batch ranking of poker hands of up to seven cards.

The showdown rank of a hand is one integer: category, then the card ranks that decide inside the
category, as bit masks, so that comparing integers compares hands. No tables: the four suits' 13-bit
rank masks and a few bit operations give pairs, straights and flushes.

Hands of fewer than five cards rank by pairs and high cards alone. That makes the same function
right for Kuhn (one card) and Leduc (one card and a shared one, where a pair wins and otherwise
the shared card cancels out).
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from env.cards import NO_CARD, NUM_SLOTS, Cards, as_cards

CATEGORIES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
_CATEGORY_SHIFT = 26


def hand_ranks(cards: Cards) -> NDArray[np.int32]:
    """The showdown rank of each hand; larger wins, equal splits. [n, ≤ 7] → [n]

    Empty slots (52) do not count; the cards of a row must differ.
    """
    rows = as_cards(cards)
    if rows.ndim != 2 or rows.shape[1] > NUM_SLOTS:
        raise ValueError(f"rows of at most {NUM_SLOTS} cards expected, not shape {rows.shape}")
    out = np.empty(len(rows), np.int32)
    _rank_rows(rows, out)
    return out


def categories(ranks: NDArray[np.int32]) -> NDArray[np.int32]:
    """The index into `CATEGORIES` of each rank."""
    return ranks >> _CATEGORY_SHIFT


@njit(cache=True)
def add_card(packed: int, card: int) -> int:
    """Packed hand with one card more: four 13-bit rank masks, 16 bits apart."""
    return packed if card >= NO_CARD else packed | 1 << ((card & 3) << 4) + (card >> 2)


@njit(cache=True)
def _highest(mask: int) -> int:
    """The highest set bit alone."""
    mask |= mask >> 1
    mask |= mask >> 2
    mask |= mask >> 4
    mask |= mask >> 8
    return mask ^ mask >> 1


@njit(cache=True)
def _without_lowest(mask: int, surplus: int) -> int:
    """The mask less its `surplus` lowest set bits."""
    for _ in range(surplus):
        mask &= mask - 1
    return mask


@njit(cache=True)
def _count_bits(mask: int) -> int:
    mask = (mask & 0x5555) + (mask >> 1 & 0x5555)
    mask = (mask & 0x3333) + (mask >> 2 & 0x3333)
    mask = (mask & 0x0F0F) + (mask >> 4 & 0x0F0F)
    return (mask & 0x00FF) + (mask >> 8)


@njit(cache=True)
def _straight(mask: int) -> int:
    """A number that grows with the top card of the best straight; 0 without a straight."""
    mask = mask << 1 | mask >> 12 & 1  # the ace also stands below the two
    return _highest(mask & mask >> 1 & mask >> 2 & mask >> 3 & mask >> 4)


@njit(cache=True)
def _flush_or_straight(flush: int, ranks: int) -> int:
    """The rank of a flush or straight, 0 without either."""
    if flush:
        return 5 << _CATEGORY_SHIFT | _without_lowest(flush, _count_bits(flush) - 5)
    straight = _straight(ranks)
    return 4 << _CATEGORY_SHIFT | straight if straight else 0


@njit(cache=True)
def _paired_rank(c: int, d: int, h: int, s: int, flush: int, surplus: int) -> int:
    """The rank of a hand that holds some rank twice and no straight flush."""
    ranks, cd, hs = c | d | h | s, c & d, h & s
    pairs = cd | hs | (c | d) & (h | s)  # ranks held at least twice
    trips = cd & (h | s) | hs & (c | d)  # at least three times
    quads = cd & hs
    if quads:
        return 7 << _CATEGORY_SHIFT | quads << 13 | _highest(ranks & ~quads)
    trip = _highest(trips)
    if trip and pairs != trip:
        return 6 << _CATEGORY_SHIFT | trip << 13 | _highest(pairs & ~trip)
    made = _flush_or_straight(flush, ranks)
    if made:
        return made
    if trip:
        return 3 << _CATEGORY_SHIFT | trip << 13 | _without_lowest(ranks & ~trip, surplus)
    num_pairs = _count_bits(pairs)
    if num_pairs >= 2:
        best = _without_lowest(pairs, num_pairs - 2)
        return 2 << _CATEGORY_SHIFT | best << 13 | _highest(ranks & ~best)
    return 1 << _CATEGORY_SHIFT | pairs << 13 | _without_lowest(ranks & ~pairs, surplus)


@njit(cache=True)
def packed_rank(packed: int, num_cards: int) -> int:
    """The rank of one packed hand of `num_cards` cards."""
    c, d = packed & 0x1FFF, packed >> 16 & 0x1FFF
    h, s = packed >> 32 & 0x1FFF, packed >> 48 & 0x1FFF
    ranks = c | d | h | s
    flush = 0
    for suit in (c, d, h, s):
        if _count_bits(suit) >= 5:
            flush = suit
    if flush:
        straight_flush = _straight(flush)
        if straight_flush:
            return 8 << _CATEGORY_SHIFT | straight_flush
    surplus = num_cards - 5  # cards that a five-card hand leaves out
    if _count_bits(ranks) < num_cards:
        return _paired_rank(c, d, h, s, flush, surplus)
    made = _flush_or_straight(flush, ranks)
    return made if made else _without_lowest(ranks, surplus)


@njit(cache=True, parallel=True)
def _rank_rows(rows: Cards, out: NDArray[np.int32]) -> None:
    for i in prange(rows.shape[0]):
        packed = 0
        num_cards = 0
        for slot in range(rows.shape[1]):
            if rows[i, slot] < NO_CARD:
                num_cards += 1
                packed = add_card(packed, rows[i, slot])
        out[i] = packed_rank(packed, num_cards)
