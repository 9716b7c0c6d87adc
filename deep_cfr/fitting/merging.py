"""Samples of the same infoset, merged before a fit; and drawing rows by weight.

Σ_i t_i (y_i − f(x_i))² over the n samples of one infoset x equals W (ȳ − f(x))² + a constant that
no network can change, with W = Σ t_i and ȳ the mean weighted by t (or by t², for the averages of
Discounted CFR). Merged rows therefore have the noise averaged out beforehand: all of it in Leduc,
much of it before the flop, little on the river.

Half of the draws for minibatches are in proportion to W, as printed, the other half in proportion
to W / n, the mean t. Drawn by W alone, a few infosets that everybody passes through would fill the
minibatches long after they are fitted, and those that are rarely reached, whose advantages decide
what deviating to them is worth, would stay wrong. What an infoset is fitted to, and how samples of
one iteration count beside another's, is the same either way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from deep_cfr.memory import ROW, as_words


class Merged(NamedTuple):
    """One row per infoset."""

    rows: NDArray[np.void]  # [m] with mean targets; the field t is meaningless here
    weights: NDArray[np.float64]  # [m] W / ΣW + (W / n) / Σ(W / n)
    noise: float  # the constant, per unit of weight: the mean variance around the means


def merge(rows: NDArray[np.void], legal: NDArray[np.float32], power: int = 1) -> Merged:
    """Merge a memory's rows, those of iteration t with weight t^power.

    `legal` [N, 3] says which targets of a node count.
    """
    owner, first = grouped(rows)
    count = len(first)
    sums = _Sums(np.zeros(count), np.zeros((count, 3)), np.zeros(count))
    weight_of = np.arange(int(rows["t"].max()) + 1, dtype=np.float64) ** power
    _accumulate(weight_of[rows["t"]], rows["targets"], rows["node"], legal, owner, sums)
    merged, variances = np.empty(count, ROW), np.empty(count)
    targets = merged.view(np.float32).reshape(-1, 6)[:, 3:]  # see memory.ROW
    _average(as_words(rows), first, sums, legal, as_words(merged), targets, variances)
    evenly = sums.totals / np.bincount(owner, minlength=count)
    weights = sums.totals / sums.totals.sum() + evenly / evenly.sum()
    return Merged(merged, weights, float(weights @ variances / weights.sum()))


def grouped(rows: NDArray[np.void]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows by infoset: the number of each row's, in order of appearance, and each one's first row.

    [n], [m]
    """
    slots = np.full(1 << max(2 * len(rows) - 1, 1).bit_length(), -1, np.int64)
    owner, first = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
    count = _group(as_words(rows), slots, owner, first)
    return owner, first[:count]


@njit(cache=True)
def _group(
    words: NDArray[np.uint64],
    slots: NDArray[np.int64],
    owner: NDArray[np.int64],
    first: NDArray[np.int64],
) -> int:
    """Number the distinct infosets in order of appearance, by open addressing."""
    mask = np.uint64(len(slots) - 1)
    count = 0
    for row in range(len(words)):
        cards, node = words[row, 0], words[row, 1] & np.uint64(0xFFFF)
        place = (cards ^ (node << np.uint64(40))) * np.uint64(0x9E3779B97F4A7C15)
        place = (place ^ (place >> np.uint64(29))) & mask
        while True:
            group = slots[place]
            if group < 0:
                slots[place] = group = count
                first[count] = row
                count += 1
                break
            other = first[group]
            if words[other, 0] == cards and words[other, 1] & np.uint64(0xFFFF) == node:
                break
            place = (place + np.uint64(1)) & mask
        owner[row] = group
    return count


class _Sums(NamedTuple):
    """Sums over the samples of each infoset. m infosets."""

    totals: NDArray[np.float64]  # [m] Σ weight
    targets: NDArray[np.float64]  # [m, 3] Σ weight · target
    squares: NDArray[np.float64]  # [m] Σ weight · target², over legal actions


@njit(cache=True)
def _accumulate(
    weights: NDArray[np.float64],
    targets: NDArray[np.float32],
    nodes: NDArray[np.uint16],
    legal: NDArray[np.float32],
    owner: NDArray[np.int64],
    sums: _Sums,
) -> None:
    """Fill in the sums; owner [n] is the infoset that each sample belongs to."""
    for row in range(len(weights)):
        group = owner[row]
        sums.totals[group] += weights[row]
        for action in range(3):
            target = targets[row, action]
            sums.targets[group, action] += weights[row] * target
            sums.squares[group] += weights[row] * legal[nodes[row], action] * target**2


@njit(cache=True, parallel=True)
def _average(
    words: NDArray[np.uint64],
    first: NDArray[np.int64],
    sums: _Sums,
    legal: NDArray[np.float32],
    merged: NDArray[np.uint64],
    targets: NDArray[np.float32],
    variances: NDArray[np.float64],
) -> None:
    """Fill in merged rows and the variances around their targets."""
    for group in prange(len(merged)):
        for word in range(3):
            merged[group, word] = words[first[group], word]
        node = merged[group, 1] & np.uint64(0xFFFF)
        variances[group] = sums.squares[group] / sums.totals[group]
        for action in range(3):
            mean = sums.targets[group, action] / sums.totals[group]
            targets[group, action] = mean
            variances[group] -= legal[node, action] * mean**2


def alias_table(weights: NDArray[np.float64]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Walker's tables (Vose 1991): row i with probability keep[i], otherwise row other[i]."""
    scaled = weights * (len(weights) / weights.sum())
    keep, other = np.ones(len(weights)), np.arange(len(weights), dtype=np.int32)
    order = np.argsort(scaled >= 1, kind="stable")  # the small ones first
    _pair_up(scaled, order, int((scaled < 1).sum()), keep, other)
    return keep.astype(np.float32), other


@njit(cache=True)
def _pair_up(
    scaled: NDArray[np.float64],
    order: NDArray[np.int64],
    num_small: int,
    keep: NDArray[np.float64],
    other: NDArray[np.int32],
) -> None:
    """Vose's pairing: rows below the mean weight are topped up by rows above it."""
    small_end, large = num_small, num_small  # small rows: order[:small_end], used from the end
    while small_end > 0 and large < len(order):
        small = order[small_end - 1]
        giver = order[large]
        keep[small], other[small] = scaled[small], giver
        scaled[giver] -= 1.0 - scaled[small]
        if scaled[giver] < 1:  # the giver is small now and takes the place of the one served
            order[small_end - 1] = giver
            large += 1
        else:
            small_end -= 1
