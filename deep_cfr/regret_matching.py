"""Regret matching (Hart & Mas-Colell 2000) on predicted advantages, as Deep CFR uses it.

The positive parts of the advantages, normalised. Where none is positive, the legal action with
the highest prediction; equal maxima share, so a network that predicts 0 everywhere plays
uniformly.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray


def regret_matching(
    advantages: NDArray[np.float32], legal: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Strategies from advantages; `legal` is 1 where the action exists, else 0. [n, 3] → [n, 3]"""
    strategies = np.empty((len(advantages), 3), np.float32)
    _match_rows(np.ascontiguousarray(advantages), np.ascontiguousarray(legal), strategies)
    return strategies


@njit(cache=True, parallel=True)
def _match_rows(
    advantages: NDArray[np.float32], legal: NDArray[np.float32], strategies: NDArray[np.float32]
) -> None:
    for row in prange(len(advantages)):
        total, highest = np.float32(0), np.float32(-np.inf)
        for action in range(3):
            if legal[row, action] > 0:
                total += max(advantages[row, action], np.float32(0))
                highest = max(highest, advantages[row, action])
        ties = 0
        for action in range(3):
            ties += legal[row, action] > 0 and advantages[row, action] == highest
        for action in range(3):
            share = np.float32(0)
            if legal[row, action] > 0:
                if total > 0:
                    share = max(advantages[row, action], np.float32(0)) / total
                elif advantages[row, action] == highest:
                    share = np.float32(1) / np.float32(ties)
            strategies[row, action] = share
