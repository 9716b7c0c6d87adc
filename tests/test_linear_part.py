"""The closed-form part of advantages and strategies, against dense least squares."""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from deep_cfr.config import Config
from deep_cfr.encoding import Encoding, Floats, make_encoding
from deep_cfr.linear_part import (
    KIND_RIDGE,
    RIDGE,
    LinearPart,
    add_linear_part,
    without,
)
from deep_cfr.memory import make_rows
from deep_cfr.networks import LEAST
from deep_cfr.policy import uniform_policy
from deep_cfr.solver import Solver
from env import compile, make_emulator
from env.betting_tree import BettingTree
from env.deals import canonical_views, deal
from env.rules import FHP, LEDUC


@pytest.fixture(scope="module")
def tree() -> BettingTree:
    return compile(make_emulator(FHP))


@pytest.fixture(scope="module")
def encoding(tree: BettingTree) -> Encoding:
    return make_encoding("paper", FHP, tree, strength=True)


def random_rows(tree: BettingTree, count: int, seed: int) -> NDArray[np.void]:
    """Samples at a handful of decisions, with noise, from two iterations."""
    rng = np.random.default_rng(seed)
    nodes = rng.choice(np.flatnonzero(tree.is_decision)[[0, 3, 7, 50]], count)
    targets = np.where(tree.legal[nodes], rng.normal(size=(count, 3)), 0).astype(np.float32)
    marks = rng.integers(0, 256, count).astype(np.uint8)
    views = canonical_views(FHP, deal(FHP, count, rng))[np.arange(count), 0, tree.street[nodes]]
    rows = make_rows(views, nodes, 1, targets, marks)
    rows["t"] = rng.integers(1, 3, count)
    return rows


def dense_solution(
    encoding: Encoding,
    rows: NDArray[np.void],
    ridge: float,
    common: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Weighted ridge regression on the network's own hat features, as one dense system."""
    hats = encoding.mark_table[rows["mark"]].astype(np.float64)  # [n, K]
    weighted = hats * rows["t"][:, None]
    gram = weighted.T @ hats + ridge * np.eye(hats.shape[1])
    left = rows["targets"] - (0 if common is None else hats @ common)
    solution: NDArray[np.float64] = np.linalg.solve(gram, weighted.T @ left)
    return solution


def test_table_is_the_ridge_solution_of_every_node_and_kind(
    tree: BettingTree, encoding: Encoding
) -> None:
    rows = random_rows(tree, 3000, 0)
    part = LinearPart(encoding)
    part.add_rows(rows[:1000])
    part.add_rows(rows[1000:])
    table = part.solve(t=2).reshape(-1, encoding.num_kinds, 17, 3)
    kinds = encoding.kinds(rows["cards"])
    seen = np.unique(rows["node"])
    for node in seen:
        here = rows["node"] == node
        common = dense_solution(encoding, rows[here], 2 * RIDGE)
        for kind in range(encoding.num_kinds):
            own = rows[here & (kinds == kind)]
            expected = common + dense_solution(encoding, own, 2 * KIND_RIDGE, common)
            found = table[encoding.decisions[node], kind]
            np.testing.assert_allclose(found, expected, atol=1e-5)
    assert len(np.unique(kinds)) > 6
    assert not np.delete(table, encoding.decisions[seen], axis=0).any()


def test_adding_the_part_is_the_product_with_the_hats(
    tree: BettingTree, encoding: Encoding
) -> None:
    rows = random_rows(tree, 500, 1)
    table = np.random.default_rng(2).normal(size=(encoding.num_cells, 17, 3)).astype("f")
    outputs = np.ones((len(rows), 3), np.float32)
    cells = encoding.decisions[rows["node"]] * encoding.num_kinds + encoding.kinds(rows["cards"])
    add_linear_part(table, cells, rows["mark"], False, outputs)
    hats = encoding.mark_table[rows["mark"]]
    expected = 1 + np.einsum("nk,nka->na", hats, table[cells])
    np.testing.assert_allclose(outputs, expected, atol=1e-5)
    left = without(rows, table, encoding)
    np.testing.assert_allclose(left["targets"], rows["targets"] - (expected - 1), atol=1e-5)
    assert (left["cards"] == rows["cards"]).all()


def test_every_decision_and_kind_has_its_own_cell(tree: BettingTree, encoding: Encoding) -> None:
    nodes = np.repeat(np.flatnonzero(tree.is_decision), encoding.num_kinds)
    kinds = np.tile(np.arange(encoding.num_kinds, dtype=np.uint8), tree.is_decision.sum())
    assert sorted(encoding.cells(nodes, kinds)) == list(range(encoding.num_cells))


def small_solver(tree: BettingTree, **settings: object) -> Solver:
    config = Config(
        game="fhp", traversals=200, updates=3, updates_growth=0, batch_size=64, width=16,
        advantage_memory=20_000, strategy_memory=20_000, **settings,  # type: ignore[arg-type]
    )  # fmt: skip
    return Solver(config, FHP, tree)


def test_policy_plays_network_and_table_together(tree: BettingTree) -> None:
    solver = small_solver(tree)
    solver.iterate()
    rows = solver.advantage_memories[0].rows[:200]
    together = solver.policies[0].strategies(rows["cards"], rows["node"].astype(np.intp))
    table = solver.advantage_nets[0].table
    assert table is not None
    assert np.abs(table.numpy()).max() > 0.1
    table.assign(np.zeros(table.shape))
    alone = solver.policies[0].strategies(rows["cards"], rows["node"].astype(np.intp))
    assert np.abs(together - alone).max() > 0.2


def test_table_makes_a_short_fit_much_better(tree: BettingTree) -> None:
    """With hardly any updates, what is left to explain is what the table did not."""
    with_part, without_part = (small_solver(tree, linear_part=flag) for flag in (True, False))
    losses = [solver.iterate().fits[0].loss for solver in (with_part, without_part)]
    assert losses[0] < 0.8 * losses[1]


def test_logarithms_stand_for_the_probabilities_of_a_table(
    tree: BettingTree, encoding: Encoding
) -> None:
    """Between knots too, a softmax gives back what the table says; what it never saw, evenly."""
    rows, rng = random_rows(tree, 500, 4), np.random.default_rng(4)
    table = rng.random((encoding.num_cells, 17, 3)).astype(np.float32)
    table /= table.sum(axis=2, keepdims=True)
    table[:, 8:10] = np.array([0, 1, 0])  # always called
    table[:, 15:] = 0
    cells = encoding.cells(rows["node"], encoding.kinds(rows["cards"]))
    logs = np.zeros((len(rows), 3), np.float32)
    add_linear_part(table, cells, rows["mark"], True, logs)
    played = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    place = rows["mark"] / 255 * 16
    said = np.einsum("nk,nka->na", encoding.mark_table[rows["mark"]], table[cells])
    usual = (place < 14) & ((place < 8) | (place > 9))
    np.testing.assert_allclose(played[usual], said[usual], atol=1e-3)
    always = (place > 8) & (place < 9)
    assert always.any()
    np.testing.assert_allclose(played[always], [[LEAST, 1, LEAST]] * always.sum(), atol=1e-3)
    np.testing.assert_allclose(played[place > 15], 1 / 3, rtol=1e-5)


def test_a_table_can_be_rounded(tree: BettingTree, encoding: Encoding) -> None:
    part = LinearPart(encoding)
    part.add_rows(random_rows(tree, 1000, 5))
    exact, rounded = part.solve(2), part.solve(2, steps=64)
    np.testing.assert_array_equal(rounded * 64, np.rint(exact * 64))


def test_the_average_strategy_starts_from_its_table(tree: BettingTree) -> None:
    """One update of next to nothing: what is played is what the samples of each cell say."""
    losses = []
    for flag in (True, False):
        solver = small_solver(
            tree, linear_part=flag, strategy_part=True, boards=40, board_hands=16,
            strategy_updates=1, strategy_batch_size=64, strategy_learning_rate=1e-9,
        )  # fmt: skip
        for _ in range(3):
            solver.iterate()
        policy, _ = solver.fit_strategy()
        rows = solver.strategy_memory.rows
        played = policy.strategies(rows["cards"], rows["node"].astype(np.intp))
        losses.append(float(((played - rows["targets"]) ** 2).sum(axis=1).mean()))
    assert losses[0] < 0.6 * losses[1]


def test_a_frozen_opponent_leaves_no_average_strategy(tree: BettingTree) -> None:
    config = Config(game="fhp", strategy_part=True, advantage_memory=10, strategy_memory=10)
    assert Solver(config, FHP, tree, frozen=uniform_policy(tree)).strategy_part is None
    assert Solver(config, FHP, tree).strategy_part is not None


def test_the_average_strategy_can_be_left_to_the_network(tree: BettingTree) -> None:
    solver = small_solver(tree, strategy_updates=1, strategy_batch_size=64)
    solver.iterate()
    assert solver.strategy_part is None
    assert len(solver.linear_parts) == 2
    assert solver.fit_strategy()[0].network.table is None


def test_games_without_strengths_have_no_table() -> None:
    leduc = compile(make_emulator(LEDUC))
    solver = Solver(Config(game="leduc", advantage_memory=10, strategy_memory=10), LEDUC, leduc)
    assert solver.linear_parts == ()
    assert solver.strategy_part is None
    assert solver.advantage_nets[0].table is None


def test_a_warm_start_goes_on_from_the_last_weights(tree: BettingTree) -> None:
    """With a learning rate of next to nothing the second fit ends where the first one did."""
    for warm in (True, False):
        solver = small_solver(tree, warm_start=warm, learning_rate=1e-12, refit_every=1)
        solver.iterate()
        first = solver.weights()[0]
        solver.iterate()
        second = solver.weights()[0]
        same = [np.allclose(a, b, atol=1e-6) for a, b in zip(first[:-1], second[:-1], strict=True)]
        assert all(same) == warm
        assert not np.allclose(first[-1], second[-1]), "the table is solved anew"


def test_between_refits_only_the_table_moves(tree: BettingTree) -> None:
    solver = small_solver(tree, refit_every=2)
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


def test_games_without_a_table_fit_networks_every_time() -> None:
    leduc = compile(make_emulator(LEDUC))
    config = Config(
        game="leduc", traversals=20, updates=2, updates_growth=0, batch_size=16, width=16,
        advantage_memory=1000, strategy_memory=1000, refit_every=5,
    )  # fmt: skip
    solver = Solver(config, LEDUC, leduc)
    assert [solver.iterate().fits[0].updates for _ in range(2)] == [2, 2]


def test_within_an_iteration_the_table_moves_on_after_each_round(tree: BettingTree) -> None:
    """The second round is played by what the first one has taught, and networks are fitted once."""
    solver = small_solver(tree, rounds=2)
    tables: list[Floats] = []
    solve = LinearPart.solve

    def recorded(part: LinearPart, t: int) -> Floats:
        tables.append(solve(part, t))
        return tables[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LinearPart, "solve", recorded)
        done = solver.iterate()
    assert len(tables) == 4  # two players, two rounds
    assert np.abs(tables[0] - tables[2]).max() > 0.1
    assert [fit.updates for fit in done.fits] == [3, 3]
    roots = [memory.rows[memory.rows["node"] == 0] for memory in solver.advantage_memories]
    assert len(roots[0]) == 200, "every traversal passes the root once, whichever round it is in"
    assert (solver.advantage_memories[1].rows["t"] == 1).all()


def test_rounds_mean_nothing_where_no_table_moves_on() -> None:
    leduc = compile(make_emulator(LEDUC))
    config = Config(
        game="leduc", traversals=20, updates=2, updates_growth=0, batch_size=16, width=16,
        advantage_memory=1000, strategy_memory=1000,
    )  # fmt: skip
    solvers = [
        Solver(dataclasses.replace(config, rounds=rounds), LEDUC, leduc) for rounds in (1, 4)
    ]
    for solver in solvers:
        solver.iterate()
    first, second = (solver.advantage_memories[0].rows for solver in solvers)
    assert (first == second).all()
