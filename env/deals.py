"""Deals: every card of a hand drawn up front, thousands of hands at a time.

A deal is a row of nine card codes: player 0's hole cards (2 slots), player 1's (2), the board
(5: flop, turn, river). Slots that a game does not use hold 52. What a player sees on a street
and who wins the showdown are functions of the deal alone, so they are computed once per deal and
never inside a tree walk.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from env.cards import NO_CARD, NUM_BOARD, NUM_SLOTS, Cards, as_cards, canonical, card_text
from env.hands import add_card, packed_strength
from env.rules import Rules

NUM_DEAL_SLOTS = 9  # hole of player 0, hole of player 1, board
_BOARD = 4  # first board slot of a deal


def deal_slots(rules: Rules) -> NDArray[np.intp]:
    """The slots of a deal that this game fills: both hands, then the board street by street."""
    hole = [2 * player + i for player in (0, 1) for i in range(rules.hole_cards)]
    return np.array(hole + [_BOARD + i for i in range(rules.visible_board[-1])])


def deal(rules: Rules, num_deals: int, rng: np.random.Generator) -> Cards:
    """Uniformly random deals from a fresh deck each. [num_deals, 9]"""
    slots, deck = deal_slots(rules), np.array(rules.deck, np.uint8)
    draws = rng.integers(0, 1 << 32, (num_deals, len(slots)), dtype=np.uint32)
    deals = np.full((num_deals, NUM_DEAL_SLOTS), NO_CARD, np.uint8)
    _shuffle_rows(draws, deck, slots, deals)
    return deals


@njit(cache=True, parallel=True)
def _shuffle_rows(
    draws: NDArray[np.uint32], deck: Cards, slots: NDArray[np.intp], deals: Cards
) -> None:
    """Fisher–Yates for each row, stopped after the cards a hand needs."""
    for row in prange(draws.shape[0]):
        cards = deck.copy()
        for i in range(draws.shape[1]):
            # 32 random bits scaled to the cards left; uniform to within 52 / 2³² ≈ 1e-8.
            j = i + (np.uint64(draws[row, i]) * np.uint64(len(deck) - i) >> np.uint64(32))
            deals[row, slots[i]] = cards[j]
            cards[j] = cards[i]


def deal_one(rules: Rules, rng: np.random.Generator) -> tuple[int, ...]:
    """One uniformly random deal, without starting the threads of the batch kernels."""
    return check_deal(rules, rng.choice(rules.deck, len(deal_slots(rules)), replace=False))


def check_deal(rules: Rules, cards: Sequence[int] | Cards) -> tuple[int, ...]:
    """One deal as a tuple of nine codes, or an error that says what is wrong with it.

    Takes a row of `deal`, or just the cards in dealing order without the empty slots.
    """
    try:
        given = [index(card) for card in cards]
    except TypeError:
        raise TypeError(
            f"{cards!r} is no deal; give card codes, text such as 'AsKd 7h2c …' "
            "or a NumPy generator"
        ) from None
    slots = deal_slots(rules)
    full = [NO_CARD] * NUM_DEAL_SLOTS
    if len(given) == NUM_DEAL_SLOTS:
        full = given
    elif len(given) == len(slots):
        for slot, card in zip(slots, given, strict=True):
            full[slot] = card
    else:
        raise ValueError(f"a deal of {rules.name} has {len(slots)} cards, not {len(given)}")
    present = [card for card in full if card != NO_CARD]
    if any(not 0 <= card <= NO_CARD for card in full):
        raise ValueError(f"card codes run from 0 to 51: {given}")
    if [slot for slot, card in enumerate(full) if card != NO_CARD] != sorted(slots):
        raise ValueError(f"a deal of {rules.name} fills the slots {sorted(slots.tolist())}: {full}")
    for i, card in enumerate(present):
        if card not in rules.deck:
            raise ValueError(f"{card_text(card)} is not in the deck of {rules.name}")
        if card in present[:i]:
            raise ValueError(f"{card_text(card)} is dealt twice")
    return tuple(full)


def visible_cards(rules: Rules, deals: Cards, players: Any, streets: Any) -> Cards:
    """What each player sees on each street: own hole cards and the board so far. [n, 7]

    `players` and `streets` are one number each or one per row.
    """
    deals = _as_deals(deals)
    n = len(deals)
    players, streets = np.broadcast_to(players, n), np.broadcast_to(streets, n)
    if not np.isin(players, (0, 1)).all():
        raise ValueError("players are 0 and 1")
    if n and not 0 <= streets.min() <= streets.max() < rules.streets:
        raise ValueError(f"streets of {rules.name} run from 0 to {rules.streets - 1}")
    hole = np.where(players[:, None] == 0, deals[:, :2], deals[:, 2:_BOARD])
    shown = np.array(rules.visible_board)[streets]
    board = np.where(np.arange(NUM_BOARD) < shown[:, None], deals[:, _BOARD:], NO_CARD)
    return np.concatenate([hole, board], axis=1).astype(np.uint8)


def canonical_views(rules: Rules, deals: Cards) -> Cards:
    """Suit-canonical visible cards of both players on every street. [n, 2, streets, 7]"""
    deals = _as_deals(deals)
    views = np.empty((len(deals), 2, rules.streets, NUM_SLOTS), np.uint8)
    _fill_views(deals, np.array(rules.visible_board), views)
    return canonical(views)


@njit(cache=True, parallel=True)
def _fill_views(deals: Cards, visible_board: NDArray[np.intp], views: Cards) -> None:
    for row in prange(deals.shape[0]):
        for player in range(2):
            for street in range(views.shape[2]):
                view = views[row, player, street]
                view[0], view[1] = deals[row, 2 * player], deals[row, 2 * player + 1]
                for i in range(NUM_BOARD):
                    view[2 + i] = deals[row, _BOARD + i] if i < visible_board[street] else NO_CARD


def showdown_results(deals: Cards) -> NDArray[np.int8]:
    """+1 where player 0 wins the showdown, −1 where player 1 does, 0 for a split. [n]"""
    rows = _as_deals(deals)
    out = np.empty(len(rows), np.int8)
    _compare_rows(rows, out)
    return out


def showdown_result(cards: tuple[int, ...]) -> int:
    """The showdown of one deal, without starting the threads of the batch kernels."""
    return int(_compare(np.array(cards, np.uint8)))


def _as_deals(deals: Cards) -> Cards:
    rows = as_cards(deals, NUM_DEAL_SLOTS)
    if rows.ndim != 2:
        raise ValueError(f"a list of deals expected, not an array of shape {rows.shape}")
    return rows


@njit(cache=True)
def _compare(cards: Cards) -> int:
    """+1, −1 or 0 for one deal."""
    board = 0
    num_cards = 0
    for slot in range(_BOARD, NUM_DEAL_SLOTS):
        board = add_card(board, cards[slot])
        num_cards += cards[slot] < NO_CARD
    for slot in range(2):
        num_cards += cards[slot] < NO_CARD
    mine = add_card(add_card(board, cards[0]), cards[1])
    theirs = add_card(add_card(board, cards[2]), cards[3])
    difference = packed_strength(mine, num_cards) - packed_strength(theirs, num_cards)
    return (difference > 0) - (difference < 0)


@njit(cache=True, parallel=True)
def _compare_rows(deals: Cards, out: NDArray[np.int8]) -> None:
    for row in prange(deals.shape[0]):
        out[row] = _compare(deals[row])
