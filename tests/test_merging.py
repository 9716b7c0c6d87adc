"""Merged samples pose the same problem, and rows are drawn in proportion to their weight."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from deep_cfr.fitting.merging import alias_table, merge
from deep_cfr.memory import make_rows


def random_rows(n: int, num_infosets: int, seed: int) -> NDArray[np.void]:
    """Rows of a few infosets, some of which share their cards or their node."""
    rng = np.random.default_rng(seed)
    cards = rng.integers(0, 53, (num_infosets, 7), dtype=np.uint8)
    infoset = rng.integers(0, num_infosets, n)
    rows = make_rows(cards[infoset // 2 * 2], infoset % 5, 1, rng.normal(0, 3, (n, 3)).astype("f4"))
    rows["t"] = rng.integers(1, 100, n)
    return rows


LEGAL = np.array([[1, 1, 1], [0, 1, 1], [1, 1, 0], [0, 1, 0], [1, 1, 1]], np.float32)


@pytest.mark.parametrize(("n", "num_infosets"), [(1, 1), (50, 1), (2000, 30), (500, 4000)])
def test_the_loss_of_any_prediction_differs_by_the_noise_alone(n: int, num_infosets: int) -> None:
    rows = random_rows(n, num_infosets, seed=n)
    merged = merge(rows, LEGAL)
    rng = np.random.default_rng(1)
    for _ in range(5):
        table = rng.normal(0, 2, (5, 53, 3))  # a prediction that depends on node and first card

        def loss(part: NDArray[np.void], weights: NDArray[np.float64]) -> float:
            predicted = table[part["node"], part["cards"][:, 0]]  # noqa: B023 - used at once
            errors = LEGAL[part["node"]] * (part["targets"] - predicted) ** 2
            return float((weights * errors.sum(axis=1)).sum() / weights.sum())

        # Half as printed, half so that an infoset met n times counts its mean t once.
        keys = [(row["cards"].tobytes(), int(row["node"])) for row in rows]
        met = Counter(keys)
        evenly = rows["t"] / np.array([met[key] for key in keys])
        unmerged = (loss(rows, rows["t"].astype(float)) + loss(rows, evenly)) / 2
        assert loss(merged.rows, merged.weights) + merged.noise == pytest.approx(unmerged, rel=1e-5)


def test_one_row_per_infoset_in_order_of_appearance() -> None:
    rows = random_rows(3000, 40, seed=2)
    merged = merge(rows, LEGAL)
    keys = [(row["cards"].tobytes(), int(row["node"])) for row in rows]
    assert [(r["cards"].tobytes(), int(r["node"])) for r in merged.rows] == list(
        dict.fromkeys(keys)
    )
    groups = [rows[[other == key for other in keys]] for key in dict.fromkeys(keys)]
    totals = np.array([own["t"].sum() for own in groups], float)
    evenly = np.array([own["t"].mean() for own in groups])
    expected = totals / totals.sum() + evenly / evenly.sum()
    np.testing.assert_allclose(merged.weights, expected, rtol=1e-9)
    for own, row, total in zip(groups, merged.rows, totals, strict=True):
        mean = (own["t"][:, None] * own["targets"].astype(float)).sum(axis=0) / total
        np.testing.assert_allclose(row["targets"], mean, atol=1e-5)


def test_colliding_places_keep_infosets_apart() -> None:
    """A hundred thousand infosets that differ in one card or one node only."""
    cards = np.zeros((100_000, 7), np.uint8)
    numbers = np.arange(100_000)
    cards[:, 6], cards[:, 0] = numbers % 50, numbers // 50 % 50
    rows = make_rows(cards, numbers // 2500, 1, np.zeros((100_000, 3), "f4"))
    assert len(merge(rows, np.ones((40, 3), np.float32)).rows) == 100_000


@pytest.mark.parametrize(
    "weights",
    [[1.0], [1, 1, 1, 1], [1, 2, 3, 4], [1e-9, 1, 1e6], [5, 0.1, 0.1, 0.1, 7, 0.3]],
)
def test_alias_tables_give_the_exact_probabilities(weights: list[float]) -> None:
    array = np.array(weights, float)
    keep, other = alias_table(array)
    probability = np.zeros(len(array))
    for column in range(len(array)):
        probability[column] += keep[column] / len(array)
        probability[other[column]] += (1 - keep[column]) / len(array)
    np.testing.assert_allclose(probability, array / array.sum(), atol=1e-7)


def test_alias_tables_of_many_random_weights() -> None:
    weights = np.random.default_rng(0).exponential(1, 20_000) ** 3
    keep, other = alias_table(weights)
    probability = np.bincount(np.arange(20_000), keep, 20_000) + np.bincount(
        other, 1 - keep.astype(float), 20_000
    )
    np.testing.assert_allclose(probability, weights / weights.mean(), rtol=1e-4, atol=1e-6)
