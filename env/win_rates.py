"""Hand strength: how often a hand beats a uniformly random opposing one, ties half.

HS is that share on a complete board, and E[HS] its mean over the boards that can still come.

`win_rates` ranks all hands of a board together: sorted by showdown rank and visited with running
counts, one of all weaker hands and one for each card they hold, a hand c₁c₂ beats

    weaker − holding(c₁) − holding(c₂)

of those it can meet. The other two kernels take one hand each, for views that have different
boards.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from env.arrays import Floats
from env.cards import NO_CARD, NUM_SLOTS, Cards
from env.hands import add_card, packed_rank
from env.hashing import hashed

HANDS = np.array([(high, low) for high in range(NO_CARD) for low in range(high)], np.uint8)
HANDS.setflags(write=False)  # [1326, 2]; `hand_number` finds the row of a hand
NUM_BOARD = 5
OPPONENTS = 24  # opposing hands that `sampled_win_rates` draws for each river
_BLOCKED = np.float32(-1)  # of hands that hold a card of the board
_INDEX_BITS = 11  # room for the number of a hand below its rank


@njit(cache=True)
def hand_number(high: int, low: int) -> int:
    """The row of `HANDS` with these cards, the higher code first."""
    return high * (high - 1) // 2 + low


def expected_strengths(visible: Cards, num_board: int = NUM_BOARD) -> Floats:
    """E[HS] of every hand, exactly, once `num_board` cards have come; −1 where blocked. [1326]"""
    left = [card for card in range(NO_CARD) if card not in visible]
    coming = list(combinations(left, num_board - len(visible)))
    boards = np.empty((len(coming), num_board), np.uint8)
    boards[:, : len(visible)] = visible
    boards[:, len(visible) :] = coming
    return _mean_rates(win_rates(boards))


def win_rates(boards: Cards) -> Floats:
    """HS of every hand on complete boards; −1 where it holds a board card. [C, b] → [C, 1326]"""
    out = np.full((len(boards), len(HANDS)), _BLOCKED, np.float32)
    _rank_boards(np.ascontiguousarray(boards), out)
    return out


@njit(cache=True, parallel=True)
def _mean_rates(rates: Floats) -> Floats:
    """The mean of HS over the boards that a hand can see; −1 where there is none. [C, H] → [H]"""
    means = np.full(rates.shape[1], _BLOCKED, np.float32)
    for hand in prange(rates.shape[1]):
        total, count = 0.0, 0
        for board in range(rates.shape[0]):
            if rates[board, hand] >= 0:
                total += rates[board, hand]
                count += 1
        if count:
            means[hand] = total / count
    return means


@njit(cache=True, parallel=True)
def _rank_boards(boards: Cards, out: Floats) -> None:
    for row in prange(len(boards)):
        _rank_all(boards[row], out[row])


@njit(cache=True)
def _rank_all(board: Cards, out: Floats) -> None:
    """HS of every hand that the board leaves possible. [b], [1326]"""
    packed = 0
    for card in board:
        packed = add_card(packed, card)
    live = _live_cards(packed)
    num_live, num_cards = len(live), len(board) + 2
    keys = np.empty(num_live * (num_live - 1) // 2, np.int64)
    position = 0
    for i in range(num_live):
        with_high = add_card(packed, live[i])
        for j in range(i):
            rank = packed_rank(add_card(with_high, live[j]), num_cards)
            keys[position] = rank << _INDEX_BITS | hand_number(live[i], live[j])
            position += 1
    keys.sort()
    _count_beaten(keys, (num_live - 2) * (num_live - 3) // 2, out)


@njit(cache=True)
def _count_beaten(keys: NDArray[np.int64], num_opponents: int, out: Floats) -> None:
    """HS from hands in order of rank."""
    held = np.zeros(NO_CARD, np.int32)  # weaker hands with each card
    tied = np.zeros(NO_CARD, np.int32)  # hands of the same rank with each card
    start = 0
    while start < len(keys):
        end = start
        while end < len(keys) and keys[end] >> _INDEX_BITS == keys[start] >> _INDEX_BITS:
            tied[HANDS[keys[end] & (1 << _INDEX_BITS) - 1, 0]] += 1
            tied[HANDS[keys[end] & (1 << _INDEX_BITS) - 1, 1]] += 1
            end += 1
        for i in range(start, end):
            hand = keys[i] & (1 << _INDEX_BITS) - 1
            c1, c2 = HANDS[hand]
            weaker = start - held[c1] - held[c2]
            equal = end - start - tied[c1] - tied[c2] + 1  # the hand itself was taken off twice
            out[hand] = (weaker + equal / 2) / num_opponents
        for card in range(NO_CARD):
            held[card] += tied[card]
            tied[card] = 0
        start = end


@njit(cache=True)
def _live_cards(packed: int) -> Cards:
    """The cards that a packed set leaves in the deck, ascending."""
    live = np.empty(NO_CARD, np.uint8)
    count = 0
    for card in range(NO_CARD):
        if add_card(packed, card) != packed:
            live[count] = card
            count += 1
    return live[:count]


@njit(cache=True, parallel=True)
def exact_win_rates(views: Cards, num_board: int, out: Floats) -> None:
    """HS of one hand each on complete boards of `num_board` cards. [n, 7] → [n]"""
    for row in prange(len(views)):
        board = 0
        for slot in range(2, 2 + num_board):
            board = add_card(board, views[row, slot])
        mine = add_card(add_card(board, views[row, 0]), views[row, 1])
        rank = packed_rank(mine, num_board + 2)
        live = _live_cards(mine)
        points = 0  # two for a win, one for a tie
        for i in range(len(live)):
            with_high = add_card(board, live[i])
            for j in range(i):
                theirs = packed_rank(add_card(with_high, live[j]), num_board + 2)
                points += (rank > theirs) + (rank >= theirs)
        out[row] = points / (len(live) * (len(live) - 1))


@njit(cache=True, parallel=True)
def sampled_win_rates(views: Cards, out: Floats) -> None:
    """An unbiased estimate of E[HS] on the turn: every river, `OPPONENTS` hands on each. [n]

    The draws are a hash of the view: the same view always gets the same answer. The standard
    error is at most 1 / √(4 · 46 · 24) = 0.015.
    """
    for row in prange(len(views)):
        seed = np.uint64(0)
        for slot in range(NUM_SLOTS):
            seed = seed * np.uint64(53) + np.uint64(views[row, slot])
        board = 0
        for slot in range(2, 6):
            board = add_card(board, views[row, slot])
        live = _live_cards(add_card(add_card(board, views[row, 0]), views[row, 1]))
        points = 0
        for river in range(len(live)):
            full = add_card(board, live[river])
            mine = packed_rank(add_card(add_card(full, views[row, 0]), views[row, 1]), 7)
            for draw in range(OPPONENTS):
                i, j = _two_others(seed, river * OPPONENTS + draw, river, len(live))
                theirs = packed_rank(add_card(add_card(full, live[i]), live[j]), 7)
                points += (mine > theirs) + (mine >= theirs)
        out[row] = points / (2 * OPPONENTS * len(live))


@njit(cache=True)
def _two_others(seed: np.uint64, number: int, taken: int, size: int) -> tuple[int, int]:
    """Two different positions below `size`, neither of them `taken`; a hash (SplitMix64)."""
    z = hashed((seed + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15), number)
    high, low = z >> np.uint64(32), z & np.uint64(0xFFFFFFFF)
    i = int(high * np.uint64(size - 1) >> np.uint64(32))
    j = int(low * np.uint64(size - 2) >> np.uint64(32))
    j += j >= i
    return i + (i >= taken), j + (j >= taken)
