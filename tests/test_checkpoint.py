"""Saved runs: models that load and play the same, and resumes that are exact."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deep_cfr import checkpoint
from deep_cfr.config import PRESETS, Config
from deep_cfr.layout import model_folders
from deep_cfr.solver import PLAYERS, Solver
from deep_cfr.storage import StorageError
from env.compiler import compile
from env.deals import canonical_views, deal
from env.emulator import make_emulator
from env.rules import parse_rules

TINY = dataclasses.replace(
    PRESETS["leduc"][1], traversals=60, updates=15, batch_size=64, width=16, strategy_updates=15,
    strategy_batch_size=64, advantage_memory=600, strategy_memory=400,
)  # fmt: skip


THESIS_LIKE = {"game": "hulh80", "boards": 2, "board_hands": 4, "strategy_part": True}


def solver_of(config: Config) -> Solver:
    rules = parse_rules(config.game)
    return Solver(config, rules, compile(make_emulator(rules)))


def assert_same(first: Solver, second: Solver) -> None:
    assert (first.t, first.nodes_touched) == (second.t, second.nodes_touched)
    for player in PLAYERS:
        mine, theirs = first.advantage_memories[player], second.advantage_memories[player]
        assert mine.seen == theirs.seen
        np.testing.assert_array_equal(mine.rows, theirs.rows)
        for a, b in zip(first.weights()[player], second.weights()[player], strict=True):
            np.testing.assert_array_equal(a, b)
    assert first.strategy_memory.seen == second.strategy_memory.seen
    np.testing.assert_array_equal(first.strategy_memory.rows, second.strategy_memory.rows)


@pytest.mark.parametrize(
    "changes",
    [
        {"network": "paper"},
        {"network": "thesis"},
        THESIS_LIKE,
    ],
    ids=str,
)
def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path, changes: dict[str, Any]) -> None:
    config = dataclasses.replace(TINY, **changes)
    whole = solver_of(config)
    for _ in range(4):
        whole.iterate()
    first = solver_of(config)
    for _ in range(2):
        first.iterate()
    first.fit_strategy()  # looking at the average strategy changes nothing
    checkpoint.save_latest(tmp_path, first, {"note": 1})
    second = solver_of(config)
    assert checkpoint.load_latest(tmp_path, second) == {"note": 1}
    assert_same(first, second)
    for _ in range(2):
        second.iterate()
    assert_same(whole, second)
    assert whole.advantage_memories[0].seen > 600, "rows had to be replaced"
    policies = [solver.fit_strategy()[0] for solver in (whole, second)]
    for a, b in zip(*(policy.network.get_weights() for policy in policies), strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_seed_decides() -> None:
    runs = [solver_of(dataclasses.replace(TINY, seed=seed)) for seed in (1, 1, 2)]
    for run in runs:
        run.iterate()
    assert_same(runs[0], runs[1])
    assert (runs[0].weights()[0][0] != runs[2].weights()[0][0]).any()


@pytest.mark.parametrize("game", ["leduc", "hulh80"])
def test_a_saved_model_plays_as_the_one_in_memory(tmp_path: Path, game: str) -> None:
    solver = solver_of(dataclasses.replace(TINY, game=game, strategy_part=True))
    solver.iterate()
    policy, _ = solver.fit_strategy()
    folder = checkpoint.save_model(tmp_path, solver, policy.network, {"strategy_loss": 0.5})
    rules, loaded, info = checkpoint.load_model(folder)
    assert (loaded.network.table is not None) == (game == "hulh80")
    assert rules == solver.rules
    assert info["iteration"] == 1
    assert info["metrics"] == {"strategy_loss": 0.5}
    assert set(info["versions"]) >= {"tensorflow", "keras", "numpy"}
    nodes = np.flatnonzero(solver.tree.is_decision)
    views = canonical_views(rules, deal(rules, len(nodes), np.random.default_rng(0)))
    cards = views[np.arange(len(nodes)), solver.tree.actor[nodes], solver.tree.street[nodes]]
    np.testing.assert_allclose(
        loaded.strategies(cards, nodes), policy.strategies(cards, nodes), atol=1e-6
    )
    again = checkpoint.load_model(folder / "strategy.keras")[1]
    np.testing.assert_array_equal(again.strategies(cards, nodes), loaded.strategies(cards, nodes))


def test_only_the_newest_models_are_kept(tmp_path: Path) -> None:
    solver = solver_of(dataclasses.replace(TINY, keep=2))
    for _ in range(3):
        solver.iterate()
        policy, _ = solver.fit_strategy()
        checkpoint.save_model(tmp_path, solver, policy.network, {})
    assert [path.name for path in model_folders(tmp_path)] == ["iter_0002", "iter_0003"]


def test_networks_of_every_iteration_can_be_played(tmp_path: Path) -> None:
    solver = solver_of(TINY)
    nodes = np.flatnonzero(solver.tree.actor == 0)
    cards = canonical_views(solver.rules, deal(solver.rules, len(nodes), np.random.default_rng(0)))
    seen = cards[np.arange(len(nodes)), 0, solver.tree.street[nodes]]
    played = []
    for _ in range(2):
        solver.iterate()
        checkpoint.save_advantage_nets(tmp_path, solver)
        played.append(solver.policies[0].strategies(seen, nodes))
    checkpoint.save_latest(tmp_path, solver, {})
    _, single = checkpoint.load_single(tmp_path)
    for t, expected in enumerate(played):
        found = single._iterations[t][0].strategies(seen, nodes)
        np.testing.assert_array_equal(found, expected)
    assert np.abs(played[0] - played[1]).max() > 0.01


def test_missing_networks_are_noticed(tmp_path: Path) -> None:
    solver = solver_of(TINY)
    solver.iterate()
    checkpoint.save_latest(tmp_path, solver, {})
    with pytest.raises(StorageError, match=r"t_0001\.npz is missing; .* --keep-advantage-nets"):
        checkpoint.load_single(tmp_path)
    checkpoint.save_advantage_nets(tmp_path, solver)
    (tmp_path / "advantage_nets" / "t_0001.npz").write_text("not networks")
    with pytest.raises(StorageError, match="is damaged"):
        checkpoint.load_single(tmp_path)


def test_foreign_and_damaged_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no readable model"):
        checkpoint.load_model(tmp_path)
    solver = solver_of(TINY)
    solver.iterate()
    policy, _ = solver.fit_strategy()
    folder = checkpoint.save_model(tmp_path, solver, policy.network, {})
    (folder / "strategy.keras").write_text("not a model")
    with pytest.raises(StorageError, match=r"strategy\.keras is damaged"):
        checkpoint.load_model(folder)
    (folder / "manifest.json").unlink()  # as in a copy of just the two files
    with pytest.raises(StorageError, match="no readable model"):
        checkpoint.load_model(folder)
    checkpoint.save_latest(tmp_path, solver, {})
    state = tmp_path / "latest" / "state.json"
    state.write_text(json.dumps({"config": {}}))
    with pytest.raises(StorageError, match="damaged"):
        checkpoint.latest_state(tmp_path)
