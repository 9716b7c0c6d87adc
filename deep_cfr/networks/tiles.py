"""Matrix products in tiles that stay in the processor's vector registers.

A tile is four rows by sixteen units of a layer. For one input after the other the input's weights
are read once for all four rows, so that arithmetic and not memory sets the pace. Every sum is added
up in the order of the inputs, whatever rows share its tile. Multiplication and addition are rounded
apart, as IEEE 754 has it: processors with and without fused instructions get the same sums.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from env.arrays import Floats
from env.lanes import LANES, load, plus, store, times

ROWS = 4  # of a tile


class Tiles(NamedTuple):
    """The weights of a dense layer, tile by tile. Units of weight 0 fill the last of T tiles."""

    weights: Floats  # [T, inputs, LANES]
    bias: Floats  # [T, LANES]


def in_tiles(weights: Floats, bias: Floats | None) -> Tiles:
    """The weights [k, m] and the bias [m] of a layer."""
    missing = -weights.shape[1] % LANES
    padded = np.pad(weights, ((0, 0), (0, missing))).reshape(len(weights), -1, LANES)
    start = np.zeros(weights.shape[1], np.float32) if bias is None else bias
    columns = np.pad(start, (0, missing)).reshape(-1, LANES)
    return Tiles(np.ascontiguousarray(padded.swapaxes(0, 1)), np.ascontiguousarray(columns))


@njit(cache=True)
def multiply(x: Floats, weights: Floats, bias: Floats, count: int, out: Floats) -> None:
    """x · weights + bias for the first `count` rows, a multiple of four. → [n, T, LANES]"""
    for tile in range(len(bias)):
        here = weights[tile]
        for row in range(0, count, ROWS):
            x0, x1, x2, x3 = x[row], x[row + 1], x[row + 2], x[row + 3]
            y0 = load(bias, tile)
            y1, y2, y3 = y0, y0, y0
            for k in range(len(here)):
                own = load(here, k)
                y0 = plus(y0, times(x0[k], own))
                y1 = plus(y1, times(x1[k], own))
                y2 = plus(y2, times(x2[k], own))
                y3 = plus(y3, times(x3[k], own))
            store(out[row], tile, y0)
            store(out[row + 1], tile, y1)
            store(out[row + 2], tile, y2)
            store(out[row + 3], tile, y3)
