"""Strength tables: functions of hand strength that are added under a network's outputs.

    g(I, a) = Σ_k w_k(s(I)) · T[row(I), k, a]

s(I) is the hand strength in infoset I, w_k are the hat weights of K knots between 0 and 1 (so g is
piecewise linear in s), and row(I) is the bucket row: one per decision node and hand bucket. An
advantage network f predicts f + g. A strategy network's logits are f + log g, because there g
estimates probabilities. The tables are solved by `deep_cfr.fitting.strength_regression`.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from deep_cfr.networks.encoding import KNOTS
from env.arrays import Bytes, Floats
from env.views import STRENGTH_LEVELS

MIN_PROBABILITY = 1e-4  # smallest probability that a logarithm is taken of


@njit(cache=True, parallel=True)
def add_table_values(
    table: Floats,
    bucket_rows: NDArray[np.int32],
    strength_bytes: Bytes,
    is_strategy: bool,
    outputs: Floats,
) -> None:
    """Adds g, or log g for a strategy, to outputs in place. [R, K, 3], [n], [n], [n, 3]"""
    for row in prange(len(outputs)):
        low, share = knot_below(strength_bytes[row])
        for action in range(3):
            below = table[bucket_rows[row], low, action]
            above = table[bucket_rows[row], low + 1, action]
            value = below + share * (above - below)
            outputs[row, action] += np.log(max(value, MIN_PROBABILITY)) if is_strategy else value


@njit(cache=True)
def knot_below(strength_byte: int) -> tuple[int, float]:
    """The knot below a strength, and how far the strength is towards the next one."""
    place = strength_byte * np.float32((KNOTS - 1) / (STRENGTH_LEVELS - 1))
    low = min(int(place), KNOTS - 2)
    return low, float(place) - low
