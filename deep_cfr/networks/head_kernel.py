"""The head of the `paper` network in one compiled pass: what traversals spend most time on.

    z = relu(cards + bets);  z = relu(W₁ z + b₁ + z);  z = relu(W₂ z + b₂ + z)
    outputs = W₃ normalised(z) + b₃

Rows go through all layers in blocks that stay in the processor's cache. Sums are added up in one
order for every row (`deep_cfr.networks.tiles`): an answer depends on its infoset alone, to the last
bit, and not on the number of threads or on what is asked with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, prange

from deep_cfr.networks.layers import Part
from deep_cfr.networks.tiles import ROWS, in_tiles, multiply
from env.actions import NUM_ACTIONS
from env.arrays import Floats, Ints

BLOCK = 32  # rows that go through all layers together
PIECE = 1024  # rows that one thread takes at a time
_SKIP = ["Dense", "Add", "ReLU"]
LAYERS = ["InputLayer", "ReLU", *_SKIP, *_SKIP, "LayerNormalization", "Dense"]


class PaperHead(NamedTuple):
    """The weights of the head. d units in T tiles."""

    first: Floats  # [T, d, LANES]
    first_bias: Floats  # [T, LANES]
    second: Floats  # [T, d, LANES]
    second_bias: Floats  # [T, LANES]
    outputs: Floats  # [d, 3]
    outputs_bias: Floats  # [3]
    epsilon: np.float32  # of the normalisation


def paper_head(head: Part) -> PaperHead | None:
    """The weights of a head, or None if it has other layers than the paper's."""
    if [layer.layer_class for layer in head.layers] != LAYERS:
        return None
    first, second, outputs = (layer for layer in head.layers if layer.layer_class == "Dense")
    (normalised,) = (layer for layer in head.layers if layer.layer_class == "LayerNormalization")
    is_narrow = outputs.weights[0].shape[1] == NUM_ACTIONS
    if not is_narrow or {layer.config["activation"] for layer in (first, second)} != {"linear"}:
        return None
    epsilon = np.float32(normalised.config["epsilon"])
    below, above = in_tiles(*first.weights), in_tiles(*second.weights)
    weights, bias = (np.ascontiguousarray(value) for value in outputs.weights)
    return PaperHead(*below, *above, weights, bias, epsilon)


def head_outputs(head: PaperHead, cards: Floats, rows: Ints, bets: Floats, nodes: Ints) -> Floats:
    """The head's outputs for pairs of hidden units of cards and bets.

    cards [c, d], rows [n] of them, bets [N, d], nodes [n] of them → [n, 3]
    """
    out = np.empty((len(rows), NUM_ACTIONS), np.float32)
    _compute(head, cards, rows, bets, nodes, out)
    return out


@njit(cache=True, parallel=True)
def _compute(
    head: PaperHead, cards: Floats, rows: Ints, bets: Floats, nodes: Ints, out: Floats
) -> None:
    for piece in prange((len(rows) + PIECE - 1) // PIECE):
        end = min(len(rows), (piece + 1) * PIECE)
        tiles, units, lanes = head.first.shape
        x, products = (
            np.zeros((BLOCK, units), np.float32),
            np.zeros((BLOCK, tiles, lanes), np.float32),
        )
        y = products.reshape(BLOCK, tiles * lanes)
        across, sums = np.zeros((units, BLOCK), np.float32), np.empty((5, BLOCK), np.float32)
        for start in range(piece * PIECE, end, BLOCK):
            count = min(end - start, BLOCK)
            padded = (count + ROWS - 1) // ROWS * ROWS
            for i in range(count):
                own, bet, here = x[i], bets[nodes[start + i]], cards[rows[start + i]]
                for unit in range(units):
                    own[unit] = max(here[unit] + bet[unit], np.float32(0))
            multiply(x, head.first, head.first_bias, padded, products)
            for i in range(padded):
                own, added = x[i], y[i]
                for unit in range(units):
                    own[unit] = max(own[unit] + added[unit], np.float32(0))
            multiply(x, head.second, head.second_bias, padded, products)
            for i in range(padded):
                own, added = x[i], y[i]
                for unit in range(units):
                    added[unit] = max(own[unit] + added[unit], np.float32(0))
            _transpose(y, across)
            _normalised_outputs(head, across, sums, out[start : start + count])


@njit(cache=True)
def _transpose(x: Floats, out: Floats) -> None:
    """Rows as columns, so that sums over units go side by side. [B, T · LANES] → [d, B]"""
    for unit in range(len(out)):
        column = out[unit]
        for i in range(BLOCK):
            column[i] = x[i, unit]


@njit(cache=True)
def _normalised_outputs(head: PaperHead, across: Floats, sums: Floats, out: Floats) -> None:
    """The last two layers. [d, B] → [count, 3]"""
    units = len(across)
    sums[:] = 0
    mean, squares, fold, call, raise_ = sums[0], sums[1], sums[2], sums[3], sums[4]
    for unit in range(units):
        values = across[unit]
        for i in range(BLOCK):
            mean[i] += values[i]
    for i in range(BLOCK):
        mean[i] /= np.float32(units)
    for unit in range(units):
        values, weights = across[unit], head.outputs[unit]
        to_fold, to_call, to_raise = weights[0], weights[1], weights[2]
        for i in range(BLOCK):
            centred = values[i] - mean[i]
            squares[i] += centred * centred
            fold[i] += centred * to_fold
            call[i] += centred * to_call
            raise_[i] += centred * to_raise
    for i in range(len(out)):
        deviation = np.sqrt(squares[i] / np.float32(units) + head.epsilon)
        for action in range(NUM_ACTIONS):
            out[i, action] = sums[2 + action, i] / deviation + head.outputs_bias[action]
