"""Card codes, their text forms, and suit-canonical forms.

A card is a `uint8` from 0 to 51, rank · 4 + suit (2c = 0 … As = 51); 52 means "not visible" or
"no such card in this game". What one player sees is always a row of seven slots: two hole cards,
three flop cards, turn, river. Kuhn and Leduc use the first slots and leave the rest empty.

Two rows are of the same *suit-canonical class* when one becomes the other by renaming suits,
with the order inside the hole and inside the flop not counting. Strategies computed from the
canonical form are suit-symmetric by construction.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numba import njit, prange
from numpy.typing import ArrayLike, NDArray

RANKS = "23456789TJQKA"
SUITS = "cdhs"
NO_CARD = 52
NUM_BOARD = 5
NUM_SLOTS = 7  # what one player sees: hole 0-1, flop 2-4, turn 5, river 6

Cards = NDArray[np.uint8]


def card_text(card: int) -> str:
    """`As` for 51; `--` for an empty slot."""
    if card == NO_CARD:
        return "--"
    if not 0 <= card < NO_CARD:
        raise ValueError(f"{card} is not a card code (0 to 51, or 52 for none)")
    return RANKS[card >> 2] + SUITS[card & 3]


def cards_text(cards: Iterable[Any]) -> str:
    """`As Kd` for the cards present, empty slots left out."""
    return " ".join(card_text(int(card)) for card in cards if card != NO_CARD)


def parse_card(text: str) -> int:
    """51 for `As`; upper and lower case both do."""
    if len(text) == 2:
        rank, suit = RANKS.find(text[0].upper()), SUITS.find(text[1].lower())
        if rank >= 0 and suit >= 0:
            return rank * 4 + suit
    raise ValueError(f"{text!r} is not a card; write a rank of {RANKS} and a suit of {SUITS}")


def parse_cards(text: str) -> tuple[int, ...]:
    """The codes of `AsKd`, `As Kd` or `As,Kd`; the same card twice is an error.

    A ten is `T` or `10`.
    """
    letters = "".join(text.replace(",", " ").replace("10", "T").split())
    cards = tuple(parse_card(letters[i : i + 2]) for i in range(0, len(letters), 2))
    twice = [card for i, card in enumerate(cards) if card in cards[:i]]
    if twice:
        raise ValueError(f"{card_text(twice[0])} appears twice in {text!r}")
    return cards


def canonical(cards: Cards) -> Cards:
    """The representative of each row's suit-canonical class. [..., 7] → [..., 7]

    Suits are renamed c, d, h, s in descending order of what they hold (hole first, then flop,
    turn, river); cards inside the hole and inside the flop run from high to low.
    """
    given = as_cards(cards, NUM_SLOTS)
    rows = given.reshape(-1, NUM_SLOTS)
    out = np.empty_like(rows)
    _canonical_rows(rows, out)
    return out.reshape(given.shape)


def suit_renaming(row: Cards) -> NDArray[np.uint8]:
    """By card code, which card it becomes when one row is made canonical. [7] → [53]"""
    order = _row_order(as_cards(row, NUM_SLOTS))
    renamed = [card & ~3 | order >> 2 * (card & 3) & 3 for card in range(NO_CARD)]
    return np.array([*renamed, NO_CARD], np.uint8)


def as_cards(cards: ArrayLike, width: int | None = None) -> Cards:
    """Card codes as a contiguous array, or an error that says what is wrong with them.

    The last axis must hold `width` cards, if given. Compiled kernels check nothing themselves.
    """
    array = np.asarray(cards)
    if array.dtype.kind not in "iu":
        raise TypeError(f"cards are whole numbers, not {array.dtype}")
    if array.ndim == 0 or (width is not None and array.shape[-1] != width):
        raise ValueError(f"rows of {width} cards expected, not an array of shape {array.shape}")
    if array.size and (array.min() < 0 or array.max() > NO_CARD):
        raise ValueError(f"card codes run from 0 to 52, not {array.min()} to {array.max()}")
    return np.ascontiguousarray(array, dtype=np.uint8)


@njit(cache=True)
def _descending(high: int, low: int) -> tuple[int, int]:
    return (high, low) if high >= low else (low, high)


@njit(cache=True)
def _suit_order(c: int, d: int, h: int, s: int) -> int:
    """New suit of every old one, two bits each, given the suits' holdings."""
    # The two lowest bits hold the old suit, c as 3 to s as 0. Suits that hold the same cards can be
    # swapped without changing the row; they stay in order, so that the suits of a small deck stay
    # among themselves.
    a0, a1 = _descending(c << 2 | 3, d << 2 | 2)
    a2, a3 = _descending(h << 2 | 1, s << 2)
    a0, a2 = _descending(a0, a2)
    a1, a3 = _descending(a1, a3)
    a1, a2 = _descending(a1, a2)
    return 1 << 2 * (3 - (a1 & 3)) | 2 << 2 * (3 - (a2 & 3)) | 3 << 2 * (3 - (a3 & 3))


@njit(cache=True)
def _renamed(card: int, order: int) -> int:
    """The card in its new suit, plus one; 0 for an empty slot, so that it sorts last."""
    if card >= NO_CARD:
        return 0
    return (card & ~3 | order >> 2 * (card & 3) & 3) + 1


@njit(cache=True, parallel=True)
def _canonical_rows(rows: Cards, out: Cards) -> None:
    for i in prange(rows.shape[0]):
        order = _row_order(rows[i])
        high, low = _descending(_renamed(rows[i, 0], order), _renamed(rows[i, 1], order))
        f0, f1 = _descending(_renamed(rows[i, 2], order), _renamed(rows[i, 3], order))
        f0, f2 = _descending(f0, _renamed(rows[i, 4], order))
        f1, f2 = _descending(f1, f2)
        turn, river = _renamed(rows[i, 5], order), _renamed(rows[i, 6], order)
        for slot, card in enumerate((high, low, f0, f1, f2, turn, river)):
            out[i, slot] = card - 1 if card > 0 else NO_CARD


@njit(cache=True)
def _row_order(row: Cards) -> int:
    """New suit of every old one, two bits each, for the cards that one player sees. [7]"""
    # Per suit: hole ranks (13 bits), flop ranks (13), turn (1 of 13), river (1 of 13).
    c = d = h = s = 0
    for slot in range(NUM_SLOTS):
        card = row[slot]
        if card < NO_CARD:
            group = 39 if slot < 2 else 26 if slot < 5 else 13 if slot == 5 else 0
            bit = 1 << (card >> 2) + group
            suit = card & 3
            if suit == 0:
                c |= bit
            elif suit == 1:
                d |= bit
            elif suit == 2:
                h |= bit
            else:
                s |= bit
    return _suit_order(c, d, h, s)
