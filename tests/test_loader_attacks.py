"""Damaged, foreign and made-up files: refused in one line, or loaded with answers that are numbers.

Half of the corruptions come with a manifest made to match, so that no checksum helps.
"""

from __future__ import annotations

import shutil
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from deep_cfr.config import ConfigError
from deep_cfr.memory import ROW
from deep_cfr.solver import Solver
from models.advantage_nets import load_single, save_advantage_nets
from models.loading import load_model
from models.run_state import RunProgress
from models.saving import save_model
from models.storage import StorageError
from policies.policy import Policy
from tests.corruption import DAMAGES, corrupt, seal, without_digests
from tests.small_runs import infosets, small_config, solver_of
from training.checkpoint import load_latest, save_latest

ITERATIONS = 2
TINY: dict[str, Any] = {
    "traversals": 50,
    "updates": 5,
    "strategy_updates": 5,
    "width": 8,
    "threads": 1,
    "advantage_memory": 300,
    "strategy_memory": 300,
    "keep_advantage_nets": True,
}
PROGRESS = RunProgress(wall_s=1.0, logs="runs/tiny")


class Runs(NamedTuple):
    """A run, one with another seed, and a folder for copies."""

    run: Path
    foreign: Path
    copies: Path


def tiny_solver(seed: int) -> Solver:
    return solver_of(small_config("kuhn", TINY, seed=seed))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    folder = tmp_path_factory.mktemp("attacked")
    for seed, name in enumerate(("run", "foreign")):
        solver = tiny_solver(seed)
        for _ in range(ITERATIONS):
            solver.iterate()
            save_advantage_nets(folder / name, solver)
        policy, _ = solver.fit_strategy()
        save_model(folder / name, solver, policy.network, {"strategy_loss": 0.1})
        save_latest(folder / name, solver, PROGRESS)
    return Runs(folder / "run", folder / "foreign", folder)


def start_again(solver: Solver) -> None:
    """Forget what a solver has sampled; making a new one would compile its networks again."""
    for memory in (*solver.advantage_memories, solver.strategy_memory):
        memory.restore(np.zeros(0, ROW), 0)
    solver.t = solver.nodes_touched = 0


def copied(runs: Runs, part: str, number: int) -> Path:
    """A copy of the run that holds one of its folders, and what else that needs."""
    copy = runs.copies / f"copy_{part}_{number}"
    parts = {part, "latest"} if part == "advantage_nets" else {part}
    for name in parts:
        shutil.copytree(runs.run / name, copy / name)
    return copy


def assert_one_line(error: Exception) -> None:
    text = str(error)
    assert text
    assert "\n" not in text
    assert len(text) < 700


def assert_answers(policy: Policy, game: object) -> None:
    """Distributions in every infoset that a random sample finds."""
    cards, nodes = infosets(game, 100, np.random.default_rng(0))  # type: ignore[arg-type]
    answers = policy.strategies(cards, nodes)
    assert np.isfinite(answers).all()
    np.testing.assert_allclose(answers.sum(axis=1), 1, atol=1e-5)


def corruptions(runs: Runs, part: str, each: int) -> list[tuple[int, str, str, bool, int]]:
    """(number, file, damage, whether sealed, seed), each file and damage so many times."""
    files = sorted(file.name for file in (runs.run / part).iterdir())
    numbers = count()
    return [
        (next(numbers), file, damage, repeat % 2 == 1, 1000 * repeat + index)
        for index, file in enumerate(files)
        for damage in DAMAGES
        for repeat in range(each)
    ]


def test_damaged_models_are_refused_or_play(runs: Runs) -> None:
    refused = 0
    for number, name, damage, sealed, seed in corruptions(runs, "iter_0002", 3):
        folder = copied(runs, "iter_0002", number) / "iter_0002"
        before = (folder / name).read_bytes()
        rng = np.random.default_rng([seed, DAMAGES.index(damage)])
        corrupt(folder / name, damage, runs.foreign / "iter_0002", rng)
        if sealed:
            seal(folder)
        changed = (folder / name).read_bytes() != before
        try:
            saved = load_model(folder)
        except StorageError as error:
            assert_one_line(error)
            refused += 1
        else:
            assert sealed or not changed or name == "manifest.json", (name, damage)
            assert_answers(saved.policy, saved.game)
        shutil.rmtree(folder.parent)
    assert refused > 30


@pytest.mark.parametrize("has_digests", [True, False], ids=["digests", "earlier version"])
def test_damaged_states_are_refused_or_resumed(runs: Runs, has_digests: bool) -> None:
    """A refused state leaves the solver as it was."""
    solver, refused = tiny_solver(0), 0
    for number, name, damage, sealed, seed in corruptions(runs, "latest", 2):
        run = copied(runs, "latest", number)
        if not has_digests:
            without_digests(run / "latest")
            seal(run / "latest")
        before = (run / "latest" / name).read_bytes()
        rng = np.random.default_rng([seed, DAMAGES.index(damage)])
        corrupt(run / "latest" / name, damage, runs.foreign / "latest", rng)
        if sealed:
            seal(run / "latest")
        changed = (run / "latest" / name).read_bytes() != before
        try:
            load_latest(run, solver)
        except (StorageError, ConfigError) as error:
            assert_one_line(error)
            assert (solver.t, solver.nodes_touched, solver.strategy_memory.seen) == (0, 0, 0)
            assert [memory.seen for memory in solver.advantage_memories] == [0, 0]
            refused += 1
        else:
            assert not changed or name == "manifest.json" or sealed
            assert not (changed and has_digests and name.endswith((".npy", ".npz"))), (name, damage)
            assert_answers(solver.policies[0], solver.game)
            start_again(solver)
        shutil.rmtree(run)
    assert refused > 45


def test_damaged_networks_of_iterations_are_refused(runs: Runs) -> None:
    """They have no manifest: the checksum lies in the file."""
    for number, name, damage, _, seed in corruptions(runs, "advantage_nets", 1):
        run = copied(runs, "advantage_nets", number)
        file = run / "advantage_nets" / name
        before = file.read_bytes()
        rng = np.random.default_rng([seed, number])
        corrupt(file, damage, runs.foreign / "advantage_nets", rng)
        assert file.read_bytes() != before
        try:
            single = load_single(run)
        except StorageError as error:
            assert_one_line(error)
        else:  # what lies between the parts of a ZIP archive does not matter
            assert damage in ("flip", "append")
            assert_answers(single.policy, single.game)
        shutil.rmtree(run)


def test_networks_of_earlier_versions_are_played_if_they_are_whole(runs: Runs) -> None:
    """Without a checksum the shapes and the numbers are all that can be looked at."""
    run = copied(runs, "advantage_nets", 99)
    file = run / "advantage_nets" / "t_0002.npz"
    with np.load(file) as stored:
        arrays = {name: stored[name] for name in stored if name.startswith("p")}
    np.savez(file, **arrays)
    assert load_single(run).iteration == ITERATIONS
    for name, value in (("p1_000", np.nan), ("p0_003", np.inf), ("p0_002", 1e30)):
        changed = {key: array.copy() for key, array in arrays.items()}
        changed[name].flat[0] = value
        np.savez(file, **changed)
        with pytest.raises(StorageError, match=r"not finite|so large") as caught:
            load_single(run)
        assert_one_line(caught.value)
    np.savez(file, **{name: array for name, array in arrays.items() if name != "p1_004"})
    with pytest.raises(StorageError, match="arrays of weights"):
        load_single(run)


def test_networks_of_another_iteration_are_refused(runs: Runs) -> None:
    run = copied(runs, "advantage_nets", 100)
    first, second = (run / "advantage_nets" / f"t_000{t}.npz" for t in (1, 2))
    shutil.copyfile(second, first)
    with pytest.raises(StorageError, match="another run or another iteration"):
        load_single(run)
