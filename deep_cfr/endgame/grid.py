"""Where an endgame network gives strategies: at knots of hand strength, for each hand bucket.

On the last street a hand's showdown value is its strength (`env.strength`), and what else differs
between two hands, the cards they block, is little beside it. There one function of the strength is
given for a public state. Strong hands differ by little in strength and by much in what they are
worth, so the knots are denser towards 1. Before the last street hands of equal strength improve
differently, so every hand bucket (`env.hand_buckets`) has a function of its own.

    σ(I, a) = Σ_k w_k(s(I)) · σ_k(public state, bucket(I), a)        w_k: hat weights of the knots

Solved subgames are kept in bins, which are twice as fine as the knots.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numba import njit

from env.arrays import Doubles, Floats
from env.hand_buckets import num_buckets
from env.rules import Rules
from env.strength import has_strengths

FINE_FROM, FINER_FROM = 0.8, 0.95


class Grid(NamedTuple):
    """K knots, B bins, G hand buckets."""

    knots: Doubles  # [K] ascending from 0 to 1
    bins: Doubles  # [B] the strength in the middle of each bin; every second one is a knot
    num_buckets: int

    @property
    def num_outputs(self) -> int:
        """Numbers that a network gives for one public state."""
        return self.num_buckets * len(self.knots) * 3

    def knot_weights(self) -> Floats:
        """Hat weights of the knots in the middle of each bin. [B, K]"""
        return hat_weights(self.knots, self.bins)


def hat_weights(knots: Doubles, strengths: Doubles | Floats) -> Floats:
    """The weights of the two nearest knots; 0 for all others. [K], [n] → [n, K]"""
    out = np.zeros((len(strengths), len(knots)), np.float32)
    for row, strength in enumerate(strengths):
        low, share = knot_below(knots, strength)
        out[row, low], out[row, low + 1] = 1 - share, share
    return out


@lru_cache(maxsize=8)
def grid_of(rules: Rules, street: int) -> Grid:
    """The grid of a street that can be taught, see `teachable_streets`."""
    if street == rules.streets - 1:
        bins = np.concatenate(
            [
                np.linspace(0, FINE_FROM, 32, endpoint=False),
                np.linspace(FINE_FROM, FINER_FROM, 16, endpoint=False),
                np.linspace(FINER_FROM, 1, 17),
            ]
        )
        return Grid(bins[::2].copy(), bins, 1)
    bins = np.linspace(0, 1, 33)
    return Grid(bins[::2].copy(), bins, num_buckets(rules.visible_board[-1]))


def teachable_streets(rules: Rules) -> tuple[int, ...]:
    """Streets whose subgames can be solved to the end and whose hands have strengths.

    The last street and, where a single card comes between the two, the street before it.
    """
    if not has_strengths(rules):
        return ()
    last = rules.streets - 1
    has_turn = last > 1 and rules.board_cards[last] == 1
    return (last - 1, last) if has_turn else (last,)


@njit(cache=True)
def knot_below(knots: Doubles, strength: float) -> tuple[int, float]:
    """The knot below a strength, and how far the strength is towards the next one."""
    low, high = 0, len(knots) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if knots[middle] <= strength:
            low = middle
        else:
            high = middle
    share = (strength - knots[low]) / (knots[low + 1] - knots[low])
    return low, min(max(share, 0.0), 1.0)
