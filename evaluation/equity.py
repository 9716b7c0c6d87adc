"""Equity: how often one hand beats another once the rest of the board has come, ties half.

For a visible board and a list of completions, every hand is ranked once on every completion, and
then hands are compared pair by pair. Few enough completions are enumerated, and equities are
exact; otherwise they come from a sample of completions, drawn once. `Boards` does this for some
hands on each of many boards, street by street as needed, and knows what every hand sees there.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from env.boards import EMPTY_BOARD, private_hands
from env.cards import NO_CARD, NUM_BOARD, Cards
from env.hands import add_card, packed_rank
from env.range_views import RangeViews, overlaps
from env.rules import Rules
from evaluation.range_sums import PlayRows

# If there are more completions than this, a sample is used: one for the empty board in a whole run,
# and one for every other board. Coarser equities make LBR play worse, so its winnings stay a lower
# bound.
MAX_COMPLETIONS_ONCE, MAX_COMPLETIONS = 2000, 300

_DEAD = np.iinfo(np.int32).max  # the "rank" of a hand that holds a card of the board


def completions(rules: Rules, num_cards: int, at_most: int, rng: np.random.Generator) -> Cards:
    """Every set of `num_cards` cards of the deck, or `at_most` of them at random. [C, num_cards]"""
    if comb(len(rules.deck), num_cards) <= at_most:
        every = list(combinations(rules.deck, num_cards))
        return np.array(every, np.uint8).reshape(len(every), num_cards)
    drawn = [rng.choice(rules.deck, num_cards, replace=False) for _ in range(at_most)]
    return np.array(drawn, np.uint8)


def equities(
    hands: Cards, own: NDArray[np.integer], visible: Cards, coming: Cards
) -> NDArray[np.float64]:
    """Equity of some of the hands against each hand. [H, 2], [M], [5], [C, c] → [M, H]

    Completions that share a card with the visible board do not count, nor, for a pair of hands,
    those that share one with either; ½ if none is left. Hands that overlap have no equity: what
    stands there means nothing.
    """
    num_visible = int((visible != NO_CARD).sum())
    possible = coming[~np.isin(coming, visible).any(axis=1)]
    boards = np.tile(visible, (len(possible), 1))
    boards[:, num_visible : num_visible + coming.shape[1]] = possible
    ranks = np.empty((len(boards), len(hands)), np.int32)
    _rank_hands(boards, hands, ranks)
    out = np.empty((len(own), len(hands)))
    _compare_hands(ranks, own, out)
    return out


class HandTable:
    """All private hands of a game, and how the board may be completed on each street. H hands."""

    def __init__(self, rules: Rules, rng: np.random.Generator) -> None:
        self.rules = rules
        self.hands = private_hands(rules)  # [H, 2]
        self.apart = ~overlaps(self.hands, self.hands)  # [H, H] two hands share no card
        self.coming = [self._completions(num_visible, rng) for num_visible in rules.visible_board]
        self.empty_board = np.zeros((0, 0))  # equities [H, H] before any card has come
        if rules.visible_board[0] == 0:
            every = np.arange(len(self.hands))
            self.empty_board = equities(self.hands, every, EMPTY_BOARD, self.coming[0])

    def _completions(self, num_visible: int, rng: np.random.Generator) -> Cards:
        """How the rest of the board may come when so many of its cards are visible."""
        at_most = MAX_COMPLETIONS if num_visible else MAX_COMPLETIONS_ONCE
        return completions(self.rules, self.rules.visible_board[-1] - num_visible, at_most, rng)

    def by_rank(self, board: Cards) -> NDArray[np.int64]:
        """The hands that a full board leaves, weak ones first."""
        possible = np.flatnonzero(~overlaps(self.hands, board))
        ranks = np.empty((1, len(possible)), np.int32)
        _rank_hands(board[None], self.hands[possible], ranks)
        return possible[np.argsort(ranks[0], kind="stable")]


class Boards:
    """Full boards with some hands to follow on each, and what hands see as the cards come.

    B boards, M followed hands on each, H private hands; V visible boards: the distinct ones of the
    first street, then those of the next.
    """

    def __init__(self, table: HandTable, full: Cards, own: NDArray[np.int64]) -> None:
        self.table, rules = table, table.rules
        self.own_of = own.reshape(-1)  # [B · M] the followed hands
        self.board_of = np.repeat(np.arange(len(own)), own.shape[1])  # [B · M]
        visible, first = [], 0
        self.visible_of = np.empty((rules.streets, len(full)), np.int64)  # [S, B]
        for street, num_visible in enumerate(rules.visible_board):
            seen = np.where(np.arange(NUM_BOARD) < num_visible, full, NO_CARD).astype(np.uint8)
            distinct, which = np.unique(seen, axis=0, return_inverse=True)
            self.visible_of[street] = first + which.reshape(-1)
            visible.append(distinct)
            first += len(distinct)
        self.seen = RangeViews(table.hands, np.concatenate(visible))
        self._equities: dict[int, NDArray[np.float64]] = {}  # by street [B · M, H]
        self._known = np.zeros((rules.streets, len(full)), bool)

    def equities(self, street: int, plays: NDArray[np.int64]) -> PlayRows:
        """Equities of some followed hands against every hand, on a street. [·, H], [n]"""
        table = self.table
        if table.rules.visible_board[street] == 0:
            return PlayRows(table.empty_board, self.own_of[plays])
        if street not in self._equities:
            self._equities[street] = np.empty((len(self.own_of), len(table.hands)))
        for board in np.unique(self.board_of[plays]):
            if not self._known[street, board]:
                here = self.board_of == board
                visible = self.seen.boards[self.visible_of[street, board]]
                self._equities[street][here] = equities(
                    table.hands, self.own_of[here], visible, table.coming[street]
                )
                self._known[street, board] = True
        return PlayRows(self._equities[street], plays)


@njit(cache=True, parallel=True)
def _rank_hands(boards: Cards, hands: Cards, ranks: NDArray[np.int32]) -> None:
    """The showdown rank of every hand on every full board. [C, H]"""
    for row in prange(len(boards)):
        board = 0
        num_cards = 0
        for slot in range(NUM_BOARD):
            board = add_card(board, boards[row, slot])
            num_cards += boards[row, slot] < NO_CARD
        num_cards += 1 if hands[0, 1] == NO_CARD else 2
        for hand in range(len(hands)):
            mine = add_card(add_card(0, hands[hand, 0]), hands[hand, 1])
            ranks[row, hand] = _DEAD if mine & board else packed_rank(mine | board, num_cards)


@njit(cache=True, parallel=True)
def _compare_hands(
    ranks: NDArray[np.int32], own: NDArray[np.integer], out: NDArray[np.float64]
) -> None:
    """The equity of some of the hands against each hand, over all boards. [M, H]"""
    num_hands = ranks.shape[1]
    for row in prange(len(own)):
        points = np.zeros(num_hands, np.int32)  # two for a win, one for a tie
        count = np.zeros(num_hands, np.int32)
        for board in range(len(ranks)):
            mine = ranks[board, own[row]]
            if mine != _DEAD:
                theirs = ranks[board]
                for hand in range(num_hands):
                    # A dead hand is stronger than any other, so it never adds a point.
                    points[hand] += (mine > theirs[hand]) + (mine >= theirs[hand])
                    count[hand] += theirs[hand] != _DEAD
        for hand in range(num_hands):
            out[row, hand] = points[hand] / (2 * count[hand]) if count[hand] else 0.5
