"""The closed-form part of advantages and strategies, against dense least squares."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from deep_cfr.config import Config, FitSettings
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
from deep_cfr.solver import Solver
from env.arrays import Floats
from env.game import Game, load_game
from env.rules import FHP
from env.views import Views
from policies.fixed import uniform_policy
from tests.small_runs import infosets, seen_at, solver_of


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


def small_solver(**settings: Any) -> Solver:
    config = Config(
        game="fhp",
        traversals=200,
        updates=3,
        updates_growth=0,
        batch_size=64,
        width=16,
        advantage_memory=20_000,
        strategy_memory=20_000,
    )
    return solver_of(dataclasses.replace(config, **settings))


def test_policy_plays_network_and_table_together() -> None:
    solver = small_solver()
    solver.iterate()
    rows = solver.advantage_memories[0].rows[:200]
    together = solver.policies[0].strategies(rows["cards"], rows["node"].astype(np.intp))
    table = solver.advantage_nets[0].strength_table
    assert table is not None
    assert np.abs(table.numpy()).max() > 0.1
    table.assign(np.zeros(table.shape))
    alone = solver.policies[0].strategies(rows["cards"], rows["node"].astype(np.intp))
    assert np.abs(together - alone).max() > 0.2


def test_table_makes_a_short_fit_much_better() -> None:
    """With hardly any updates, what is left to explain is what the table did not."""
    solvers = (small_solver(strength_regression=flag) for flag in (True, False))
    losses = [solver.iterate().fits[0].loss for solver in solvers]
    assert losses[0] < 0.8 * losses[1]


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


def test_the_average_strategy_starts_from_its_table() -> None:
    """One update of next to nothing: what is played is what the samples of each row say."""
    losses = []
    for flag in (True, False):
        solver = small_solver(
            strategy_regression=flag,
            boards=40,
            board_hands=16,
            strategy_updates=1,
            strategy_batch_size=64,
            strategy_learning_rate=1e-9,
        )
        for _ in range(3):
            solver.iterate()
        policy, _ = solver.fit_strategy()
        rows = solver.strategy_memory.rows
        played = policy.strategies(rows["cards"], rows["node"].astype(np.intp))
        losses.append(float(((played - rows["targets"]) ** 2).sum(axis=1).mean()))
    assert losses[0] < 0.6 * losses[1]


def test_a_frozen_opponent_leaves_no_average_strategy(game: Game) -> None:
    config = Config(game="fhp", strategy_regression=True, advantage_memory=10, strategy_memory=10)
    frozen = uniform_policy(game.tree)
    assert Solver(config, game, frozen=frozen).strategy_regression is None
    assert Solver(config, game).strategy_regression is not None


def test_the_average_strategy_can_be_left_to_the_network() -> None:
    solver = small_solver(strategy_updates=1, strategy_batch_size=64)
    solver.iterate()
    assert solver.strategy_regression is None
    assert len(solver.advantage_regressions) == 2
    assert solver.fit_strategy()[0].network.strength_table is None


def test_between_refits_only_the_table_moves() -> None:
    solver = small_solver(refit_every=2)
    seen = [solver.advantage_nets[1].get_weights()]
    updates = []
    for _ in range(3):
        updates.append([fit.updates for fit in solver.iterate().fits])
        seen.append(solver.advantage_nets[1].get_weights())
    assert updates == [[3, 3], [0, 0], [3, 3]]
    moved = [
        any((a != b).any() for a, b in zip(before[:-1], after[:-1], strict=True))
        for before, after in pairwise(seen)
    ]
    assert moved == [True, False, True]
    assert all((before[-1] != after[-1]).any() for before, after in pairwise(seen))


def test_within_an_iteration_the_table_moves_on_after_each_round(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second round is played by what the first one has taught, and networks are fitted once."""
    solver = small_solver(rounds=2)
    tables: list[Floats] = []
    solve = StrengthRegression.solve

    def recorded(regression: StrengthRegression, t: int) -> Floats:
        tables.append(solve(regression, t))
        return tables[-1]

    monkeypatch.setattr(StrengthRegression, "solve", recorded)
    done = solver.iterate()
    assert len(tables) == 4  # two players, two rounds
    assert np.abs(tables[0] - tables[2]).max() > 0.1
    assert [fit.updates for fit in done.fits] == [3, 3]
    roots = [memory.rows[memory.rows["node"] == 0] for memory in solver.advantage_memories]
    assert len(roots[0]) == 200, "every traversal passes the root once, whichever round it is in"
    assert (solver.advantage_memories[1].rows["t"] == 1).all()


def test_in_games_without_strengths_networks_learn_alone_and_every_time() -> None:
    """The settings of the default path mean nothing in Leduc and change nothing there."""
    solvers = [
        small_solver(game="leduc", refit_every=refit_every, rounds=rounds)
        for refit_every, rounds in ((1, 1), (5, 4))
    ]
    for solver in solvers:
        assert [solver.iterate().fits[0].updates for _ in range(2)] == [3, 3]
        assert solver.advantage_nets[0].strength_table is None
        assert not solver.advantage_regressions
    plain, named = solvers
    np.testing.assert_array_equal(
        plain.advantage_memories[0].rows, named.advantage_memories[0].rows
    )
    for mine, theirs in zip(plain.weights()[0], named.weights()[0], strict=True):
        np.testing.assert_array_equal(mine, theirs)


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
