"""Reservoirs: every row ever added is equally likely kept, and rows stay whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from deep_cfr.memory import ROW, Reservoir, make_rows, shrunk


def numbered_rows(first: int, count: int, t: int = 1) -> NDArray[np.void]:
    """Rows whose every part tells their number."""
    numbers = np.arange(first, first + count)
    cards = np.stack([(numbers >> shift) & 31 for shift in range(7)], axis=1).astype(np.uint8)
    targets = np.stack([numbers, -numbers, 2 * numbers], axis=1).astype(np.float32)
    return make_rows(cards, numbers % 65_536, t, targets)


def test_a_row_takes_24_bytes() -> None:
    assert ROW.itemsize == 24
    assert 40_000_000 * ROW.itemsize < 1_000_000_000


def test_rows_never_come_apart() -> None:
    memory, rng = Reservoir(500), np.random.default_rng(0)
    for batch in range(40):
        memory.add(numbered_rows(100 * batch, 100), rng)
    rows = memory.rows
    numbers = rows["targets"][:, 0].astype(int)
    assert len(np.unique(numbers)) == 500, "without replacement"
    np.testing.assert_array_equal(rows, numbered_rows(0, 4000)[numbers])


def test_everything_is_kept_while_there_is_room() -> None:
    memory, rng = Reservoir(1000), np.random.default_rng(0)
    memory.add(numbered_rows(0, 600), rng)
    memory.add(numbered_rows(600, 400), rng)
    assert len(memory) == memory.seen == 1000
    np.testing.assert_array_equal(memory.rows, numbered_rows(0, 1000))


@pytest.mark.parametrize("batches", [[1] * 30, [30], [7, 13, 1, 9], [10, 20]])
def test_inclusion_probability_is_uniform_for_any_batches(batches: list[int]) -> None:
    """Counts over many runs: each of 30 rows is kept with probability 1/3."""
    capacity, total, runs = 10, sum(batches), 4000
    counts = np.zeros(total)
    rng = np.random.default_rng(sum(batches) + len(batches))
    for _ in range(runs):
        memory, first = Reservoir(capacity), 0
        for size in batches:
            memory.add(numbered_rows(first, size), rng)
            first += size
        counts[memory.rows["targets"][:, 0].astype(int)] += 1
    expected = runs * capacity / total
    deviation = (counts - expected) / np.sqrt(expected * (1 - capacity / total))
    assert np.abs(deviation).max() < 4.5
    assert 0.6 < (deviation**2).mean() < 1.5
    early, late = deviation[: total // 2].mean(), deviation[total // 2 :].mean()
    assert abs(early - late) < 0.8, "old rows are as likely kept as new ones: no sliding window"


def test_a_memory_that_shrinks_stays_a_uniform_sample() -> None:
    """Every row is as likely kept as any other, whether it came before or after the shrinking."""
    before, after, runs = 20, 10, 6000
    counts = np.zeros(60)
    rng = np.random.default_rng(3)
    for _ in range(runs):
        memory, smaller = Reservoir(before), Reservoir(after)
        memory.add(numbered_rows(0, 40), rng)
        smaller.restore(shrunk(memory.rows, after, rng), memory.seen)
        smaller.add(numbered_rows(40, 20), rng)
        assert len(smaller) == after
        counts[smaller.rows["targets"][:, 0].astype(int)] += 1
    expected = runs * after / len(counts)
    deviation = (counts - expected) / np.sqrt(expected * (1 - after / len(counts)))
    assert np.abs(deviation).max() < 4.5
    assert 0.6 < (deviation**2).mean() < 1.5
    assert abs(deviation[:40].mean() - deviation[40:].mean()) < 0.8


def test_rows_that_fit_are_all_kept_in_their_order() -> None:
    rows, rng = numbered_rows(0, 30), np.random.default_rng(0)
    assert shrunk(rows, 30, rng) is rows
    kept = shrunk(rows, 29, rng)["targets"][:, 0]
    assert len(kept) == 29
    assert (np.diff(kept) > 0).all()


def test_pairs_of_rows_are_kept_independently_of_their_batch() -> None:
    """Two rows are kept together with probability k(k−1) / n(n−1), in one batch or in two."""
    capacity, total, runs = 10, 40, 20_000
    rng = np.random.default_rng(5)
    together = {"same batch": 0, "other batch": 0}
    for _ in range(runs):
        memory = Reservoir(capacity)
        memory.add(numbered_rows(0, 20), rng)
        memory.add(numbered_rows(20, 20), rng)
        kept = set(memory.rows["targets"][:, 0].astype(int).tolist())
        together["same batch"] += {30, 31} <= kept
        together["other batch"] += {5, 31} <= kept
    probability = capacity * (capacity - 1) / (total * (total - 1))
    sigma = np.sqrt(runs * probability * (1 - probability))
    for count in together.values():
        assert abs(count - runs * probability) < 4 * sigma


def test_contents_can_be_saved_and_restored() -> None:
    rng = np.random.default_rng(1)
    memory = Reservoir(50)
    memory.add(numbered_rows(0, 130), rng)
    copy = Reservoir(50)
    copy.restore(memory.rows.copy(), memory.seen)
    for reservoir in (memory, copy):
        reservoir.add(numbered_rows(130, 70), np.random.default_rng(2))
    np.testing.assert_array_equal(memory.rows, copy.rows)
    assert memory.seen == copy.seen == 200
    with pytest.raises(ValueError, match="do not fit"):
        copy.restore(memory.rows[:3], 200)


def test_the_generator_alone_decides() -> None:
    first, second = Reservoir(10), Reservoir(10)
    for memory in (first, second):
        memory.add(numbered_rows(0, 100), np.random.default_rng(3))
    np.testing.assert_array_equal(first.rows, second.rows)


def test_rows_that_do_not_fit_are_not_taken_over() -> None:
    memory = Reservoir(4)
    attempts: list[tuple[Any, int]] = [
        (np.zeros(3, ROW), 2),
        (np.zeros(4, np.float32), 4),
        (np.zeros(5, ROW), 5),
    ]
    for rows, seen in attempts:
        with pytest.raises(ValueError, match="rows"):
            memory.restore(rows, seen)
    assert memory.seen == 0
