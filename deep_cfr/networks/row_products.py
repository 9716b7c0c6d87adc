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


def row_products(x: Floats, weights: Floats, bias: Floats | None, relu: bool) -> Floats:
    """x · weights + bias, negative sums cut to 0 if wanted. [n, k], [k, m], [m] → [n, m]"""
    if x.shape[1] != len(weights):
        raise ValueError(f"rows of {x.shape[1]} numbers do not fit weights for {len(weights)}")
    out = np.empty((len(x), weights.shape[1]), np.float32)
    start = np.zeros(out.shape[1], np.float32) if bias is None else bias
    rows = np.ascontiguousarray(x, np.float32)
    _multiply_rows(rows, np.ascontiguousarray(weights), np.ascontiguousarray(start), relu, out)
    return out


@njit(cache=True, parallel=True)
def _multiply_rows(x: Floats, weights: Floats, start: Floats, relu: bool, out: Floats) -> None:
    for block in prange((len(x) + _ROWS - 1) // _ROWS):
        for row in range(block * _ROWS, min(len(x), (block + 1) * _ROWS)):
            out[row] = start
            for k in range(x.shape[1]):
                factor = x[row, k]
                if factor != 0:
                    for m in range(out.shape[1]):
                        out[row, m] += factor * weights[k, m]
            if relu:
                for m in range(out.shape[1]):
                    out[row, m] = max(out[row, m], np.float32(0))
