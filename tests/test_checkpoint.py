"""Saved runs: models that load and play the same, and resumes that are exact."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deep_cfr.solver import Solver
from models.advantage_nets import load_single, save_advantage_nets
from models.layout import model_folders, read_info
from models.loading import load_model
from models.run_state import RunProgress, RunState, latest_state
from models.saving import save_model
from models.storage import StorageError
from tests.small_runs import (
    SMALL_DEFAULT_PATH,
    SMALL_LEDUC,
    Arrays,
    assert_same_arrays,
    infosets,
    latest_arrays,
    network_of,
    seen_at,
    small_config,
    solver_of,
)
from training.checkpoint import load_latest, save_latest

LEDUC = small_config("leduc", SMALL_LEDUC)
DEFAULT_PATH = small_config("smoke", SMALL_DEFAULT_PATH)


def state_of(solver: Solver, folder: Path) -> tuple[Arrays, RunState]:
    """Every array and every counter that a solver carries from one iteration to the next."""
    save_latest(folder, solver, RunProgress())
    return latest_arrays(folder), latest_state(folder)


def assert_same(first: Solver, second: Solver, folder: Path) -> Arrays:
    arrays, state = state_of(first, folder / "first")
    theirs, their_state = state_of(second, folder / "second")
    assert state == their_state
    assert_same_arrays(arrays, theirs)
    return arrays


@pytest.mark.parametrize(
    "config",
    [
        LEDUC,
        small_config("leduc", SMALL_LEDUC, network="thesis"),
        DEFAULT_PATH,
        small_config("smoke", SMALL_DEFAULT_PATH, network="thesis", refit_every=1, rounds=1),
    ],
    ids=["leduc", "leduc, thesis network", "default path", "thesis network"],
)
def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path, config: Any) -> None:
    whole, first, second = (solver_of(config) for _ in range(3))
    for _ in range(4):
        whole.iterate()
    for _ in range(2):
        first.iterate()
    first.fit_strategy()  # looking at the average strategy changes nothing
    save_latest(tmp_path, first, RunProgress(wall_s=1.5, logs="runs/r"))
    assert load_latest(tmp_path, second) == RunProgress(wall_s=1.5, logs="runs/r")
    assert_same(first, second, tmp_path)
    for _ in range(2):
        second.iterate()
    arrays = assert_same(whole, second, tmp_path)
    names = {name.split("/")[0] for name in arrays}
    regressions = {f"{name}_regression{end}.npz" for name, end in REGRESSION_FILES}
    assert (regressions <= names) == (config.game != "leduc")
    assert whole.strategy_memory.seen > config.strategy_memory, "rows had to be replaced"
    policies = [solver.fit_strategy()[0] for solver in (whole, second)]
    for a, b in zip(*(policy.network.get_weights() for policy in policies), strict=True):
        np.testing.assert_array_equal(a, b)


REGRESSION_FILES = (("strength", "_0"), ("strength", "_1"), ("strategy", ""))


def test_the_seed_decides(tmp_path: Path) -> None:
    runs = [solver_of(small_config("leduc", SMALL_LEDUC, seed=seed)) for seed in (1, 1, 2)]
    for run in runs:
        run.iterate()
    assert_same(runs[0], runs[1], tmp_path)
    assert (runs[0].weights()[0][0] != runs[2].weights()[0][0]).any()


@pytest.mark.parametrize("config", [LEDUC, DEFAULT_PATH], ids=["leduc", "default path"])
def test_a_saved_model_plays_as_the_one_in_memory(tmp_path: Path, config: Any) -> None:
    solver = solver_of(config)
    solver.iterate()
    policy, _ = solver.fit_strategy()
    folder = save_model(tmp_path, solver, policy.network, {"strategy_loss": 0.5})
    game, loaded, description = load_model(folder)
    info = read_info(folder)
    assert (network_of(loaded.raw).strength_table is not None) == (config is DEFAULT_PATH)
    assert game.rules == solver.game.rules
    assert description.iteration == 1
    assert info["metrics"] == {"strategy_loss": 0.5}
    assert set(info["versions"]) >= {"tensorflow", "keras", "numpy"}
    cards, nodes = infosets(game, 2_000, np.random.default_rng(0))
    np.testing.assert_allclose(
        loaded.raw.strategies(cards, nodes), policy.strategies(cards, nodes), atol=1e-6
    )
    again = load_model(folder / "strategy.keras").policy
    np.testing.assert_array_equal(again.strategies(cards, nodes), loaded.strategies(cards, nodes))


def test_only_the_newest_models_are_kept(tmp_path: Path) -> None:
    solver = solver_of(small_config("leduc", SMALL_LEDUC, keep=2))
    for _ in range(3):
        solver.iterate()
        policy, _ = solver.fit_strategy()
        save_model(tmp_path, solver, policy.network, {})
    assert [path.name for path in model_folders(tmp_path)] == ["iter_0002", "iter_0003"]


@pytest.mark.parametrize("config", [LEDUC, DEFAULT_PATH], ids=["leduc", "default path"])
def test_networks_of_every_iteration_can_be_played(tmp_path: Path, config: Any) -> None:
    solver = solver_of(config)
    nodes = np.flatnonzero(solver.game.tree.actor == 0)[:500]
    cards = seen_at(solver.game, nodes, np.random.default_rng(0))
    played = []
    for _ in range(2):
        solver.iterate()
        save_advantage_nets(tmp_path, solver)
        played.append(solver.policies[0].strategies(cards, nodes))
    save_latest(tmp_path, solver, RunProgress())
    single = load_single(tmp_path).policy
    for t, expected in enumerate(played):
        found = single._iterations[t][0].strategies(cards, nodes)
        np.testing.assert_allclose(found, expected, atol=1e-4)  # Keras' answers and plain arrays'
    assert np.abs(played[0] - played[1]).max() > 0.01


def test_missing_networks_are_noticed(tmp_path: Path) -> None:
    solver = solver_of(LEDUC)
    solver.iterate()
    save_latest(tmp_path, solver, RunProgress())
    with pytest.raises(StorageError, match=r"t_0001\.npz is missing; .* --keep-advantage-nets"):
        load_single(tmp_path)
    save_advantage_nets(tmp_path, solver)
    (tmp_path / "advantage_nets" / "t_0001.npz").write_text("not networks")
    with pytest.raises(StorageError, match="is damaged"):
        load_single(tmp_path)


def test_foreign_and_damaged_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no readable model"):
        load_model(tmp_path)
    solver = solver_of(LEDUC)
    solver.iterate()
    policy, _ = solver.fit_strategy()
    folder = save_model(tmp_path, solver, policy.network, {})
    (folder / "strategy.keras").write_text("not a model")
    with pytest.raises(StorageError, match=r"strategy\.keras is damaged"):
        load_model(folder)
    (folder / "manifest.json").unlink()  # as in a copy of just the two files
    with pytest.raises(StorageError, match="no readable model"):
        load_model(folder)
    save_latest(tmp_path, solver, RunProgress())
    state = tmp_path / "latest" / "state.json"
    state.write_text(json.dumps({"config": {}}))
    with pytest.raises(StorageError, match="damaged"):
        latest_state(tmp_path)
