"""Hands that cannot lose: whatever cards come, no opposing hand beats them. They may be tied.

The search goes through the boards that can come and the opposing hands on each, and ends at the
first that wins. Cards that fit the board come first, because most hands lose to such: those of a
suit in which a flush is possible, then those that pair the board, then high cards. So an ordinary
hand is done after a few comparisons, and only a hand that cannot lose is compared with everything.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from env.arrays import Bools
from env.cards import NO_CARD, NUM_SLOTS, Cards, as_cards
from env.hands import add_card, packed_rank
from env.rules import Rules

_FEW = 8  # cards whose hands are tried first on every board
_FLUSH = 3  # cards of one suit on a board that two more make a flush of


def cannot_lose(rules: Rules, views: Cards) -> Bools:
    """Which views hold a hand that no opposing hand can beat at the showdown. [n, 7] → [n]

    Not asked before a card of the board lies on the table: there every hand of hold'em can lose.
    """
    out = np.empty(len(views), np.bool_)
    deck = np.array(rules.deck, np.uint8)
    _search(as_cards(views, NUM_SLOTS), deck, rules.hole_cards, rules.visible_board[-1], out)
    return out


@njit(cache=True, parallel=True)
def _search(views: Cards, deck: Cards, hole_cards: int, num_board: int, out: Bools) -> None:
    for row in prange(len(views)):
        out[row] = views[row, 2] < NO_CARD and not _can_lose(
            views[row], deck, hole_cards, num_board
        )


@njit(cache=True)
def _can_lose(view: Cards, deck: Cards, hole_cards: int, num_board: int) -> bool:
    """Whether there are a complete board and an opposing hand that wins on it. [7]"""
    hole = add_card(add_card(0, view[0]), view[1])
    board, coming = 0, num_board
    for slot in range(2, NUM_SLOTS):
        board = add_card(board, view[slot])
        coming -= view[slot] < NO_CARD
    live = _fitting_first(view, deck, board | hole, coming)
    # A few opposing hands on every board before all on any: one board may suit a weak hand well.
    few = live[:_FEW]
    if coming > 0 and _is_beaten_somewhere(board, hole, live, few, hole_cards, num_board, coming):
        return True
    return _is_beaten_somewhere(board, hole, live, live, hole_cards, num_board, coming)


@njit(cache=True)
def _fitting_first(view: Cards, deck: Cards, seen: int, coming: int) -> Cards:
    """The cards that the view does not hold, those first that are likely to beat a hand."""
    ranks, in_suit = 0, np.zeros(4, np.int64)
    for slot in range(2, NUM_SLOTS):
        if view[slot] < NO_CARD:
            ranks |= 1 << (view[slot] >> 2)
            in_suit[view[slot] & 3] += 1
    live, count = np.empty(len(deck), np.uint8), 0
    for fit in (2, 1, 0):
        for place in range(len(deck) - 1, -1, -1):
            card = deck[place]
            makes_flush = in_suit[card & 3] >= _FLUSH - coming
            its_fit = 2 if makes_flush else ranks >> (card >> 2) & 1
            if its_fit == fit and add_card(seen, card) != seen:
                live[count] = card
                count += 1
    return live[:count]


@njit(cache=True)
def _is_beaten_somewhere(
    board: int,
    hole: int,
    live: Cards,
    theirs: Cards,
    hole_cards: int,
    num_board: int,
    coming: int,
) -> bool:
    """Whether an opposing hand made of `theirs` wins on a board that live cards complete."""
    chosen = np.arange(coming)  # which live cards come, ascending
    while True:
        full = board
        for number in chosen:
            full = add_card(full, live[number])
        if _is_beaten(full, hole, theirs, hole_cards, num_board):
            return True
        slot = coming - 1
        while slot >= 0 and chosen[slot] == len(live) - coming + slot:
            slot -= 1
        if slot < 0:
            return False
        chosen[slot:] = chosen[slot] + 1 + np.arange(coming - slot)


@njit(cache=True)
def _is_beaten(full: int, hole: int, theirs: Cards, hole_cards: int, num_board: int) -> bool:
    """Whether an opposing hand made of `theirs` wins on a complete board."""
    num_cards = num_board + hole_cards
    mine = packed_rank(full | hole, num_cards)
    for i in range(len(theirs)):
        first = add_card(full, theirs[i])
        if first == full:
            continue  # on the board
        if hole_cards == 1:
            if packed_rank(first, num_cards) > mine:
                return True
            continue
        for j in range(i):
            both = add_card(first, theirs[j])
            if both != first and packed_rank(both, num_cards) > mine:
                return True
    return False
