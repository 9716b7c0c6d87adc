"""Random bits as a function of what they are for: SplitMix64 (Steele et al. 2014) of two numbers.

Whoever draws by such a function gets the same draws in any order, in any batch, on any thread.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def hashed(start: np.uint64, number: int) -> np.uint64:
    """64 random bits for a number, given a start that differs from purpose to purpose."""
    z = start ^ np.uint64(number + 1) * np.uint64(0xD1B54A32D192ED03)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
