"""What the solver does with strength regressions: in fits, between them and in its policies."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from deep_cfr.config import Config
from deep_cfr.fitting.strength_regression import (
    StrengthRegression,
)
from deep_cfr.solver import Solver
from env.arrays import Floats
from env.game import load_game
from env.rules import FHP
from policies.fixed import uniform_policy
from tests.small_runs import solver_of


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


def test_a_frozen_opponent_leaves_no_average_strategy() -> None:
    game = load_game(FHP)
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
