"""Matrix products in which a row of the result depends on its own row alone, to the last bit.

Libraries for linear algebra add up products in an order that depends on how many rows there are and
on how many threads share them, so the same infoset gets answers that differ in the last bits when
it is asked about in other company. Here every row is summed in one order, that of the inputs.
Either zeros are skipped, which makes the sparse features of cards cheap, or rows are multiplied in
tiles; the sums are the same.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from deep_cfr.networks.tiles import ROWS, in_tiles, multiply
from env.arrays import Floats

_BLOCK = 64  # rows that one thread takes at a time
_SPARSE = 0.2  # share of numbers that are not zero below which zeros are skipped


def row_products(x: Floats, weights: Floats, bias: Floats | None, relu: bool) -> Floats:
    """x · weights + bias, negative sums cut to 0 if wanted. [n, k], [k, m], [m] → [n, m]"""
    if x.shape[1] != len(weights):
        raise ValueError(f"rows of {x.shape[1]} numbers do not fit weights for {len(weights)}")
    out = np.empty((len(x), weights.shape[1]), np.float32)
    rows = np.ascontiguousarray(x, np.float32)
    if np.count_nonzero(rows) < _SPARSE * rows.size:
        start = np.zeros(out.shape[1], np.float32) if bias is None else bias
        contiguous = np.ascontiguousarray(weights), np.ascontiguousarray(start)
        _multiply_sparse_rows(rows, *contiguous, relu, out)
    else:
        _multiply_rows(rows, *in_tiles(weights, bias), relu, out)
    return out


@njit(cache=True, parallel=True)
def _multiply_sparse_rows(
    x: Floats, weights: Floats, start: Floats, relu: bool, out: Floats
) -> None:
    for block in prange((len(x) + _BLOCK - 1) // _BLOCK):
        for row in range(block * _BLOCK, min(len(x), (block + 1) * _BLOCK)):
            out[row] = start
            for k in range(x.shape[1]):
                factor = x[row, k]
                if factor != 0:
                    for m in range(out.shape[1]):
                        out[row, m] += factor * weights[k, m]
            if relu:
                for m in range(out.shape[1]):
                    out[row, m] = max(out[row, m], np.float32(0))


@njit(cache=True, parallel=True)
def _multiply_rows(x: Floats, weights: Floats, bias: Floats, relu: bool, out: Floats) -> None:
    for block in prange((len(x) + _BLOCK - 1) // _BLOCK):
        start = block * _BLOCK
        count = min(_BLOCK, len(x) - start)
        padded = (count + ROWS - 1) // ROWS * ROWS
        rows = np.zeros((padded, x.shape[1]), np.float32)
        rows[:count] = x[start : start + count]
        products = np.empty((padded, len(bias), bias.shape[1]), np.float32)
        multiply(rows, weights, bias, padded, products)
        units = products.reshape(padded, len(bias) * bias.shape[1])
        for row in range(count):
            for m in range(out.shape[1]):
                value = units[row, m]
                out[start + row, m] = max(value, np.float32(0)) if relu else value
