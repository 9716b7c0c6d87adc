"""The closed-form part of advantages and strategies, against dense least squares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from deep_cfr.config import FitSettings
from deep_cfr.fitting.strength_regression import (
    ADVANTAGE_RIDGE,
    STRATEGY_STEPS,
    StrengthRegression,
    rounded_strategy_table,
)
from deep_cfr.fitting.trainer import Trainer
from deep_cfr.memory import make_rows
from deep_cfr.networks.encoding import KNOTS, Encoding, make_encoding
from deep_cfr.networks.network import make_network
from deep_cfr.networks.network_policy import NetworkPolicy
from deep_cfr.networks.strength_table import MIN_PROBABILITY, add_table_values
from env.arrays import Floats
from env.game import Game, load_game
from env.rules import FHP
from env.views import Views
from tests.small_runs import infosets, seen_at


@pytest.fixture(scope="module")
def game() -> Game:
    return load_game(FHP)


@pytest.fixture(scope="module")
def encoding(game: Game) -> Encoding:
    return make_encoding("paper", game, strength=True)


def random_rows(game: Game, count: int, seed: int) -> NDArray[np.void]:
    """Samples at a handful of decisions, with noise, from two iterations."""
    rng, tree = np.random.default_rng(seed), game.tree
    nodes = rng.choice(np.flatnonzero(tree.is_decision)[[0, 3, 7, 50]], count)
    targets = np.where(tree.legal[nodes], rng.normal(size=(count, 3)), 0).astype(np.float32)
    levels = rng.integers(0, 256, count).astype(np.uint8)
    rows = make_rows(seen_at(game, nodes, rng), nodes, 1, targets, levels)
    rows["t"] = rng.integers(1, 3, count)
    return rows


def buckets_of(encoding: Encoding, rows: NDArray[np.void]) -> NDArray[np.uint8]:
    return Views(encoding.game, rows["cards"]).buckets(np.arange(len(rows)))


def table_values(encoding: Encoding, table: Floats, rows: NDArray[np.void]) -> Floats:
    """Σ_k w_k · T[row, k, a] by a plain product with the network's own hat features. [n, 3]"""
    bucket_rows = encoding.bucket_rows(rows["node"], buckets_of(encoding, rows))
    hats = encoding.strength_features[rows["strength"]]
    values: Floats = np.einsum("nk,nka->na", hats, table[bucket_rows])
    return values


def dense_solution(
    encoding: Encoding,
    rows: NDArray[np.void],
    ridge: float,
    common: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Weighted ridge regression on the network's own hat features, as one dense system."""
    hats = encoding.strength_features[rows["strength"]].astype(np.float64)  # [n, K]
    weighted = hats * rows["t"][:, None]
    gram = weighted.T @ hats + ridge * np.eye(hats.shape[1])
    left = rows["targets"] - (0 if common is None else hats @ common)
    solution: NDArray[np.float64] = np.linalg.solve(gram, weighted.T @ left)
    return solution


def test_table_is_the_ridge_solution_of_every_node_and_bucket(
    game: Game, encoding: Encoding
) -> None:
    rows, ridge = random_rows(game, 3000, 0), ADVANTAGE_RIDGE
    regression = StrengthRegression(encoding, ridge)
    regression.add_memory_rows(rows[:1000])
    regression.add_memory_rows(rows[1000:])
    table = regression.solve(t=2)
    buckets = buckets_of(encoding, rows)
    reached: set[int] = set()
    for node in np.unique(rows["node"]):
        here = rows["node"] == node
        common = dense_solution(encoding, rows[here], 2 * ridge.common)
        for bucket in range(encoding.num_buckets):
            own = rows[here & (buckets == bucket)]
            expected = common + dense_solution(encoding, own, 2 * ridge.bucket, common)
            place = int(encoding.bucket_rows(np.array([node]), np.array([bucket], np.uint8))[0])
            np.testing.assert_allclose(table[place], expected, atol=1e-5)
            reached.add(place)
    assert len(np.unique(buckets)) > 6
    assert not np.delete(table, sorted(reached), axis=0).any(), "what was never reached stays 0"


def test_table_values_are_the_product_with_the_hats(game: Game, encoding: Encoding) -> None:
    rows = random_rows(game, 500, 1)
    table = np.random.default_rng(2).normal(size=(encoding.num_bucket_rows, KNOTS, 3)).astype("f")
    outputs = np.ones((len(rows), 3), np.float32)
    bucket_rows = encoding.bucket_rows(rows["node"], buckets_of(encoding, rows))
    add_table_values(table, bucket_rows, rows["strength"], False, outputs)
    np.testing.assert_allclose(outputs, 1 + table_values(encoding, table, rows), atol=1e-5)


def test_every_decision_and_bucket_has_its_own_row(game: Game, encoding: Encoding) -> None:
    nodes = np.repeat(np.flatnonzero(game.tree.is_decision), encoding.num_buckets)
    buckets = np.tile(np.arange(encoding.num_buckets, dtype=np.uint8), game.tree.is_decision.sum())
    found = encoding.bucket_rows(nodes, buckets)
    assert sorted(found) == list(range(encoding.num_bucket_rows))


@pytest.mark.parametrize("count", [150, 3000], ids=["all rows at once", "minibatches"])
def test_an_advantage_fit_learns_what_the_table_leaves(
    game: Game, encoding: Encoding, count: int
) -> None:
    """A fit over a table is a fit without one to targets that the table's values are taken off."""
    rng = np.random.default_rng(3)
    cards, nodes = infosets(game, count, rng)
    levels = Views(game, cards).strength_bytes(np.arange(count))
    targets = rng.normal(size=(count, 3)) * game.tree.legal[nodes]
    rows = make_rows(cards, nodes, 1, targets.astype(np.float32), levels)
    table = rng.normal(size=(encoding.num_bucket_rows, KNOTS, 3)).astype(np.float32)
    reduced = rows.copy()
    reduced["targets"] -= table_values(encoding, table, rows)
    fitted = []
    for given, has_table in ((rows, True), (reduced, False)):
        network = make_network(encoding, 16, has_strength_table=has_table)
        if has_table:
            network.set_strength_table(table)
        trainer = Trainer(network, batch_size=256)
        result = trainer.fit(given, FitSettings(30, 256, 5e-3), np.random.default_rng(0))
        outputs = NetworkPolicy(network, lambda raw, legal: raw).strategies(cards, nodes)
        fitted.append((result, network.get_learned(), outputs))
    (over, weights, outputs), (alone, weights_alone, outputs_alone) = fitted
    assert over.loss == pytest.approx(alone.loss, rel=1e-4)
    for mine, theirs in zip(weights, weights_alone, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=2e-4)
    assert np.abs(outputs_alone).max() > 0.1
    expected = outputs_alone + table_values(encoding, table, rows)
    np.testing.assert_allclose(outputs, expected, atol=2e-3)


def test_logarithms_stand_for_the_probabilities_of_a_table(game: Game, encoding: Encoding) -> None:
    """Between knots too, a softmax gives back what the table says; what it never saw, evenly."""
    rows, rng = random_rows(game, 500, 4), np.random.default_rng(4)
    table = rng.random((encoding.num_bucket_rows, KNOTS, 3)).astype(np.float32)
    table /= table.sum(axis=2, keepdims=True)
    table[:, 8:10] = np.array([0, 1, 0])  # always called
    table[:, 15:] = 0
    bucket_rows = encoding.bucket_rows(rows["node"], buckets_of(encoding, rows))
    logs = np.zeros((len(rows), 3), np.float32)
    add_table_values(table, bucket_rows, rows["strength"], True, logs)
    played = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    place = rows["strength"] / 255 * 16
    expected = table_values(encoding, table, rows)
    usual = (place < 14) & ((place < 8) | (place > 9))
    np.testing.assert_allclose(played[usual], expected[usual], atol=1e-3)
    always = (place > 8) & (place < 9)
    assert always.any()
    least = MIN_PROBABILITY
    np.testing.assert_allclose(played[always], [[least, 1, least]] * always.sum(), atol=1e-3)
    np.testing.assert_allclose(played[place > 15], 1 / 3, rtol=1e-5)


def test_a_rounded_table_is_as_near_as_its_steps_allow(game: Game, encoding: Encoding) -> None:
    regression = StrengthRegression(encoding, ADVANTAGE_RIDGE)
    regression.add_memory_rows(random_rows(game, 1000, 5))
    exact = regression.solve(2)
    rounded = rounded_strategy_table(exact)
    assert len(np.unique(rounded)) < len(np.unique(exact)) / 2
    np.testing.assert_array_equal(rounded * STRATEGY_STEPS % 1, 0)
    np.testing.assert_allclose(rounded, exact, atol=0.5001 / STRATEGY_STEPS)


def test_sums_that_cannot_be_its_own_are_not_taken_over() -> None:
    regression = StrengthRegression(make_encoding("paper", load_game("fhp"), True), ADVANTAGE_RIDGE)
    own = {name: array.copy() for name, array in regression.sums().items()}
    regression.restore(own)
    attempts: list[tuple[str, Any]] = [
        ("diagonal", own["diagonal"][1:]),
        ("diagonal", own["diagonal"] - 1),
        ("right_side", own["right_side"] + np.nan),
        ("off_diagonal", own["off_diagonal"].astype(np.float32)),
    ]
    for name, value in attempts:
        with pytest.raises(ValueError, match=r"another size|negative|not finite"):
            regression.restore(own | {name: value})
    assert not regression.sums()["diagonal"].any()
