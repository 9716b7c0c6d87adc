"""Matrix products in which a row of the result depends on its own row alone, to the last bit.

Libraries for linear algebra add up products in an order that depends on how many rows there are and
on how many threads share them, so the same infoset gets answers that differ in the last bits when
it is asked about in other company. Here every row is summed in one order. Zeros are skipped, which
makes the sparse features of cards cheap.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from env.arrays import Floats

_ROWS = 64  # that one thread takes at a time


def row_products(x: Floats, weights: Floats) -> Floats:
    """x · weights. [n, k], [k, m] → [n, m]"""
    if x.shape[1] != len(weights):
        raise ValueError(f"rows of {x.shape[1]} numbers do not fit weights for {len(weights)}")
    out = np.zeros((len(x), weights.shape[1]), np.float32)
    _add_products(np.ascontiguousarray(x, np.float32), np.ascontiguousarray(weights), out)
    return out


@njit(cache=True, parallel=True)
def _add_products(x: Floats, weights: Floats, out: Floats) -> None:
    for block in prange((len(x) + _ROWS - 1) // _ROWS):
        for row in range(block * _ROWS, min(len(x), (block + 1) * _ROWS)):
            for k in range(x.shape[1]):
                factor = x[row, k]
                if factor != 0:
                    for m in range(out.shape[1]):
                        out[row, m] += factor * weights[k, m]
