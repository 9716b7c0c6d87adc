"""Reservoir memories (Vitter 1985, Algorithm R): every sample ever seen is equally likely kept.

One class holds advantage samples and strategy samples alike. A row is one 24-byte record (cards,
their strength byte, node, iteration, three targets), so a sample's parts cannot come apart, 40
million rows take less than 1 GB, and a fit can hand the whole memory to the device as plain bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numba import njit
from numpy.typing import NDArray

ROW = np.dtype(  # 24 bytes, without gaps, so that NumPy never repacks it
    [("cards", "u1", 7), ("strength", "u1"), ("node", "<u2"), ("t", "<u2"), ("targets", "<f4", 3)]
)
Slots = NDArray[np.int64]  # places in a memory


def make_rows(
    cards: NDArray[np.uint8],
    nodes: NDArray[np.integer],
    t: int,
    targets: NDArray[np.float32],
    strength_bytes: NDArray[np.uint8] | None = None,
) -> NDArray[np.void]:
    """Samples of iteration t as records. cards [n, 7], nodes [n], targets [n, 3], strengths [n]"""
    rows = np.zeros(len(nodes), ROW)
    rows["cards"], rows["node"], rows["t"], rows["targets"] = cards, nodes, t, targets
    if strength_bytes is not None:
        rows["strength"] = strength_bytes
    return rows


def as_words(rows: NDArray[np.void]) -> NDArray[np.uint64]:
    """Records as three machine words each, without a copy where they are contiguous. [n, 3]"""
    return np.ascontiguousarray(rows).view(np.uint64).reshape(-1, 3)


def draw_entries(
    expected: NDArray[np.floating], rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Draws entries (row, column), each as often as expected, rounded at random. [R, C]"""
    ends = np.floor(np.cumsum(expected, dtype=np.float64) + rng.random()).astype(np.int64)
    entries = np.repeat(np.arange(expected.size), np.diff(ends, prepend=0))
    return np.divmod(entries, max(expected.shape[1], 1))


class Reservoir:
    """A uniform sample without replacement, of at most `capacity` rows, of all rows added."""

    def __init__(self, capacity: int) -> None:
        self._store = np.zeros(capacity, ROW)  # the system hands out pages as they are written
        self.seen = 0  # rows ever added
        self._replaced: list[tuple[Slots, NDArray[np.void]]] | None = None  # see all_or_nothing

    def __len__(self) -> int:
        return min(self.seen, self.capacity)

    @property
    def capacity(self) -> int:
        return len(self._store)

    @property
    def rows(self) -> NDArray[np.void]:
        """The rows held now, without a copy."""
        return self._store[: len(self)]

    def add(self, rows: NDArray[np.void], rng: np.random.Generator) -> None:
        """Offer rows to the reservoir, in order."""
        slots = _slots(self.capacity, self.seen, rng.random(len(rows)))
        if self._replaced is not None:
            replaced = slots[(slots >= 0) & (slots < len(self))]
            self._replaced.append((replaced, self._store[replaced]))
        _insert(as_words(self._store), as_words(rows), slots)
        self.seen += len(rows)

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Take back everything that is added inside, if that ends in an exception.

        Only rows that are replaced are remembered: few, beside those that a memory holds.
        """
        before, self._replaced = self.seen, []
        try:
            yield
        except BaseException:
            for slots, rows in reversed(self._replaced):
                self._store[slots] = rows
            self.seen = before
            raise
        finally:
            self._replaced = None

    def restore(self, rows: NDArray[np.void], seen: int) -> None:
        """Take over the contents of another reservoir, saved earlier."""
        problem = contents_problem(rows, seen, self.capacity)
        if problem:
            raise ValueError(problem)
        self._store[: len(rows)] = rows
        self.seen = seen


def contents_problem(rows: NDArray[np.void], seen: int, capacity: int) -> str | None:
    """Why a reservoir that saw so many rows cannot hold exactly these; None if it can."""
    if rows.dtype != ROW or rows.ndim != 1:
        return "these are not rows of a memory"
    if len(rows) != min(seen, capacity):
        return f"{len(rows)} rows do not fit {seen} seen and room for {capacity}"
    return None


def shrunk(rows: NDArray[np.void], capacity: int, rng: np.random.Generator) -> NDArray[np.void]:
    """What a reservoir of this capacity holds of a reservoir's rows: a uniform sample of them."""
    if len(rows) <= capacity:
        return rows
    return rows[np.sort(rng.choice(len(rows), capacity, replace=False, shuffle=False))]


@njit(cache=True)
def _slots(capacity: int, seen: int, draws: NDArray[np.float64]) -> Slots:
    """Algorithm R: row number i (from 1) goes to slot ⌊u·i⌋, or −1 if there is none. [n]"""
    slots = np.empty(len(draws), np.int64)
    for k in range(len(draws)):
        number = seen + k
        slot = number if number < capacity else int(draws[k] * (number + 1))
        slots[k] = slot if slot < capacity else -1
    return slots


@njit(cache=True)
def _insert(store: NDArray[np.uint64], rows: NDArray[np.uint64], slots: Slots) -> None:
    """Rows to their slots, in order. [capacity, 3], [n, 3], [n]"""
    for k in range(len(rows)):
        if slots[k] >= 0:
            for word in range(3):
                store[slots[k], word] = rows[k, word]
