"""E[HS] of every starting hand and of every hand on every flop, for hold'em to the river.

    python -m env.strength_tables

works both tables out exactly and writes env/tables/strength.npz. Up to a renaming of suits
there are 1 755 flops; on each, all hands are ranked together on all 1 176 boards that can come
(`env.win_rates`), which makes 1 286 792 different (hand, flop) views. A starting hand is worth
its mean over flops.

The row number of a view combines the class of its hole cards and the number of its flop. Only
canonical views have a value; the file stores those alone, in ascending order.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from pathlib import Path

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray
from tqdm import tqdm

from env.arrays import Floats, Ints
from env.cards import NO_CARD, NUM_SLOTS, Cards, canonical
from env.win_rates import HANDS, expected_strengths

FILE = Path(__file__).resolve().parent / "tables" / "strength.npz"
NUM_CLASSES = 169  # starting hands, suits merged
NUM_FLOPS = 22_100
SCALE = 65_534  # steps between 0 and 1; even, so that 1/2 is kept exactly

StrengthSteps = NDArray[np.uint16]


def load_preflop_table(file: Path = FILE) -> StrengthSteps:
    """E[HS] in steps of 1 / SCALE, by class of the hole cards. [169]"""
    with np.load(file, allow_pickle=False) as stored:
        return stored["preflop"]


@lru_cache(maxsize=1)
def load_flop_table(file: Path = FILE) -> StrengthSteps:
    """E[HS] in steps of 1 / SCALE by row number, 0 where no view is canonical. [169 · 22100]"""
    table = np.zeros(NUM_CLASSES * NUM_FLOPS, np.uint16)
    with np.load(file, allow_pickle=False) as stored:
        differences = stored["flop_high"].astype(np.uint16) << 8 | stored["flop_low"]
    table[canonical_rows()] = np.cumsum(differences, dtype=np.uint16)
    table.setflags(write=False)
    return table


def save_tables(preflop: Floats, flop: Floats, file: Path = FILE) -> None:
    """Stores differences between rows, high and low bytes apart: that compresses well."""
    steps = to_steps(flop[canonical_rows()])
    differences = np.diff(steps, prepend=np.uint16(0))
    file.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        file,
        preflop=to_steps(preflop),
        flop_high=(differences >> 8).astype(np.uint8),
        flop_low=(differences & 255).astype(np.uint8),
    )


def build_tables() -> tuple[Floats, Floats]:
    """E[HS] before the flop [169] and by row number on the flop [169 · 22100]; takes minutes."""
    flops, multiplicities = canonical_flops()
    strengths = np.empty((len(flops), len(HANDS)), np.float32)
    for number, flop in enumerate(tqdm(flops, unit=" flops", disable=None)):
        strengths[number] = expected_strengths(flop)
    return preflop_means(strengths, multiplicities), by_row_number(strengths, flops)


def by_row_number(strengths: Floats, flops: Cards) -> Floats:
    """Strengths on canonical flops as a table by row number. [1755, 1326] → [169 · 22100]"""
    table = np.zeros(NUM_CLASSES * NUM_FLOPS, np.float32)
    classes = hole_classes()
    for flop, row in zip(flops, strengths, strict=True):
        possible = row >= 0
        views = canonical(_views(HANDS[possible], flop))
        table[row_numbers(views, classes)] = row[possible]
    return table


def to_steps(strengths: Floats) -> StrengthSteps:
    """Strengths between 0 and 1 in whole steps of 1 / SCALE."""
    return np.rint(strengths * SCALE).astype(np.uint16)


def preflop_means(strengths: Floats, multiplicities: NDArray[np.int64]) -> Floats:
    """Means over flops by class of the hole cards; −1 is left out. [1755, 1326] → [169]"""
    views = canonical(_views(HANDS, NO_CARD))
    own = hole_classes()[views[:, 0], views[:, 1]]  # [1326]
    possible = strengths >= 0
    totals = multiplicities @ np.where(possible, strengths, 0).astype(np.float64)  # [1326]
    counts = multiplicities @ possible
    sums = np.bincount(own, totals, NUM_CLASSES) / np.bincount(own, counts, NUM_CLASSES)
    return sums.astype(np.float32)


def canonical_flops() -> tuple[Cards, NDArray[np.int64]]:
    """Flops up to a renaming of suits, and how many each stands for. [1755, 3], [1755]"""
    flops = np.array(list(combinations(range(NO_CARD), 3)), np.uint8)
    views = canonical(_views(np.full((NUM_FLOPS, 2), NO_CARD, np.uint8), flops))
    found, multiplicities = np.unique(views[:, 2:5], axis=0, return_counts=True)
    return found, multiplicities


def canonical_holes() -> Cards:
    """Starting hands up to a renaming of suits, in the order of their classes. [169, 2]"""
    return np.unique(canonical(_views(HANDS, NO_CARD))[:, :2], axis=0)


def hole_classes() -> Ints:
    """The class of canonical hole cards, −1 for others. [52, 52]"""
    holes = canonical_holes()
    classes = np.full((NO_CARD, NO_CARD), -1, np.int32)
    classes[holes[:, 0], holes[:, 1]] = np.arange(len(holes))
    return classes


def canonical_rows() -> Ints:
    """The row numbers of all canonical (hand, flop) views, ascending. [1286792]"""
    # Flops in the order of their numbers, each from high to low.
    flops = np.array(
        [(a, b, c) for a in range(NO_CARD) for b in range(a) for c in range(b)], np.uint8
    )
    found = []
    for number, hole in enumerate(canonical_holes()):
        views = _views(hole, flops)
        is_canonical = (canonical(views) == views).all(axis=1)
        is_dealt = ~np.isin(flops, hole).any(axis=1)
        found.append(np.flatnonzero(is_canonical & is_dealt) + number * NUM_FLOPS)
    return np.concatenate(found).astype(np.int32)


@njit(cache=True, parallel=True)
def row_numbers(views: Cards, classes: Ints) -> Ints:
    """The row of each canonical (hand, flop) view. [n, 7] → [n]"""
    rows = np.empty(len(views), np.int32)
    for i in prange(len(views)):
        a, b, c = np.int64(views[i, 2]), np.int64(views[i, 3]), np.int64(views[i, 4])
        flop = a * (a - 1) * (a - 2) // 6 + b * (b - 1) // 2 + c
        rows[i] = classes[views[i, 0], views[i, 1]] * NUM_FLOPS + flop
    return rows


def _views(holes: Cards, flops: Cards | int) -> Cards:
    """Views of hole cards on flops, either of them one for all. [n, 7]"""
    count = max(np.size(holes) // 2, np.size(flops) // 3)
    views = np.full((count, NUM_SLOTS), NO_CARD, np.uint8)
    views[:, :2], views[:, 2:5] = holes, flops
    return views


if __name__ == "__main__":
    save_tables(*build_tables())
    print(f"{FILE}: {FILE.stat().st_size / 1e6:.1f} MB")
