"""`Views`: the cards that players see, and what is known of each hand, worked out once.

A view is what one player sees at one moment: the hole cards and the board so far, suit-canonical,
in seven slots. Networks, bots and strength regressions ask for the same facts about the same views:

    strength        E[HS], the win rate against a random hand (`env.strength`)
    strength byte   the same in 255 steps, as memories keep it
    bucket          what differs between hands of equal strength (`env.hand_buckets`)
    cannot lose     whether no opposing hand can beat it, whatever comes (`env.unbeatable`)

Strengths cost far more than a lookup, so one object holds them for whoever shares the views: both
seats of a traversal and the collector of its samples. Each fact is computed when it is first asked
for, and only for the rows asked about. In games without strengths the first three are 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from env.arrays import Bools, Bytes, Rows
from env.cards import Cards
from env.game import Game
from env.hand_buckets import hand_buckets, num_buckets
from env.unbeatable import cannot_lose

STRENGTH_LEVELS = 256  # values of a strength byte


class Views:
    """Canonical views of one game with their features. n views."""

    def __init__(self, game: Game, cards: Cards) -> None:
        self.game = game
        self.cards = cards  # [n, 7]
        self._strengths = _Column(len(cards), np.float32, self._compute_strengths)
        self._bytes = _Column(len(cards), np.uint8, self._compute_bytes)
        self._buckets = _Column(len(cards), np.uint8, self._compute_buckets)
        self._unbeatable = _Column(len(cards), np.bool_, self._compute_unbeatable)

    def __len__(self) -> int:
        return len(self.cards)

    def strengths(self, rows: Rows) -> NDArray[np.float32]:
        """E[HS] of some views. [r] → [r]"""
        return self._strengths.at(rows)

    def strength_bytes(self, rows: Rows) -> Bytes:
        """E[HS] of some views as bytes. [r] → [r]"""
        return self._bytes.at(rows)

    def buckets(self, rows: Rows) -> Bytes:
        """Hand buckets of some views. [r] → [r]"""
        return self._buckets.at(rows)

    def cannot_lose(self, rows: Rows) -> Bools:
        """Which of some views hold a hand that cannot lose. [r] → [r]"""
        return self._unbeatable.at(rows)

    def _compute_strengths(self, rows: Rows) -> NDArray[np.float32]:
        source = self.game.strengths
        return (
            np.zeros(len(rows), np.float32) if source is None else source.expected(self.cards[rows])
        )

    def _compute_bytes(self, rows: Rows) -> Bytes:
        return strength_bytes(self.strengths(rows))

    def _compute_buckets(self, rows: Rows) -> Bytes:
        source = self.game.strengths
        if source is None:
            return np.zeros(len(rows), np.uint8)
        return hand_buckets(self.cards[rows], source.last_board)

    def _compute_unbeatable(self, rows: Rows) -> Bools:
        return cannot_lose(self.game.rules, self.cards[rows])


def strength_bytes(strengths: NDArray[np.float32]) -> Bytes:
    """Strengths between 0 and 1, rounded to bytes. [n] → [n]"""
    return np.rint(strengths * (STRENGTH_LEVELS - 1)).astype(np.uint8)


def num_hand_buckets(game: Game) -> int:
    """How many hand buckets a game tells apart; one where there are no strengths."""
    return 1 if game.strengths is None else num_buckets(game.strengths.last_board)


class _Column:
    """One fact about every view, computed for rows as they are first asked for."""

    def __init__(
        self, size: int, dtype: type[np.generic], compute: Callable[[Rows], NDArray[Any]]
    ) -> None:
        self._values = np.zeros(size, dtype)
        self._known = np.zeros(size, bool)
        self._compute = compute

    def at(self, rows: Rows) -> NDArray[Any]:
        missing = rows[~self._known[rows]]
        if len(missing):
            new = np.flatnonzero(np.bincount(missing, minlength=len(self._known)))
            self._values[new] = self._compute(new)
            self._known[new] = True
        return self._values[rows]
