"""All that an exact resume needs, in checkpoints/<run>/latest/.

Memories with their counters, the sums of the strength regressions, networks and the iteration.
Randomness needs no state: every generator is keyed by seed and iteration. A new run can start from
the same files; `training.takeover` says which settings it may change.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deep_cfr.config import ConfigError
from deep_cfr.fitting.strength_regression import StrengthRegression
from deep_cfr.memory import ROW, contents_problem, shrunk
from deep_cfr.networks.weight_check import weights_problem
from deep_cfr.row_check import rows_problem
from deep_cfr.solver import PLAYERS, SHRINKING, Solver
from env.arrays import Doubles, Floats
from env.betting_tree import BettingTree
from models.advantage_nets import named, unnamed
from models.arrays import read_array, read_arrays
from models.messages import one_line
from models.run_state import STATE_FILE, RunProgress, RunState, latest_state
from models.shown_paths import typed
from models.starting_points import StartingPoint
from models.storage import StorageError, checked_folder, file_digest, known_json, whole_folder
from models.versions import versions
from training import takeover
from training.metrics import IterationMetrics

ADVANTAGE_NETS, STRATEGIES = "advantage_nets.npz", "strategies.npy"
ROOM_FOR_NAMES = 1 << 16  # bytes of the names and shapes of a file's arrays


def save_latest(run: Path, solver: Solver, progress: RunProgress) -> None:
    """The solver's whole state, and the progress that `load_latest` returns."""
    state: dict[str, Any] = {
        "config": dataclasses.asdict(solver.config),
        "t": solver.t,
        "nodes_touched": solver.nodes_touched,
        "seen": [memory.seen for memory in solver.advantage_memories],
        "strategy_seen": solver.strategy_memory.seen,
        "extra": dataclasses.asdict(progress),
        "versions": versions(),
    }
    with whole_folder(run / "latest") as folder:
        for player in PLAYERS:
            np.save(_advantages(folder, player), solver.advantage_memories[player].rows)
        np.save(folder / STRATEGIES, solver.strategy_memory.rows)
        np.savez(folder / ADVANTAGE_NETS, **named(solver.weights()))
        for name, regression in _regressions(solver).items():
            np.savez(folder / name, **regression.sums())  # type: ignore[arg-type]
        state["digests"] = {file.name: file_digest(file) for file in sorted(folder.iterdir())}
        (folder / STATE_FILE).write_text(json.dumps(state, indent=1))


@dataclass(frozen=True)
class _Saved:
    """Everything of a saved solver, read and checked."""

    weights: list[list[Floats]]  # by player
    advantages: list[NDArray[np.void]]  # by player
    strategies: NDArray[np.void]
    sums: list[dict[str, Doubles]]  # of the regressions, in the order of `_regressions`


def load_latest(run: Path, solver: Solver) -> RunProgress:
    """Put a fresh solver where the saved one stood, and return what was saved beside it.

    Nothing of the solver changes before everything is read and checked. Whatever is wrong ends in
    a `StorageError` of one line.
    """
    folder, state = checked_folder(run / "latest"), latest_state(run)
    changed = state.config.differences(solver.config)
    if changed:
        raise StorageError(f"{folder} is of a run with other settings: {'; '.join(changed)}")
    _check_identity(folder, state)
    _restore(solver, state, _read(folder, state, solver))
    return state.progress


def start_from(source: Path, solver: Solver) -> RunProgress:
    """Put the fresh solver of a new run where another run stands, and return what it begins with.

    The other run stays as it is. It may be trained meanwhile: if it is saved while it is read,
    that ends in a `StorageError` as well.
    """
    folder, state = checked_folder(source / "latest"), latest_state(source)
    problem = next(takeover.problems(state, solver.config), None)
    if problem:
        raise ConfigError(problem)
    _check_identity(folder, state)
    saved = _read(folder, state, solver)
    if known_json(folder / STATE_FILE).get("digests", {}) != state.digests:
        raise StorageError(f"{source} was saved again while it was read; try again")
    _restore(solver, state, saved)
    changed = takeover.changes(state.config, solver.config)
    point = StartingPoint(typed(source), state.t, changed)
    before = state.progress
    return RunProgress(wall_s=before.wall_s, started_from=(*before.started_from, point))


def _restore(solver: Solver, state: RunState, saved: _Saved) -> None:
    """Everything that was read, taken over; of memories that are smaller now a uniform sample."""
    memories = (*solver.advantage_memories, solver.strategy_memory)
    contents, seen = (*saved.advantages, saved.strategies), (*state.seen, state.strategy_seen)
    for number, memory in enumerate(memories):
        rng = np.random.default_rng([solver.config.seed, SHRINKING, state.t, number])
        memory.restore(shrunk(contents[number], memory.capacity, rng), seen[number])
    for player in PLAYERS:
        solver.advantage_nets[player].set_weights(saved.weights[player])
    for regression, sums in zip(_regressions(solver).values(), saved.sums, strict=True):
        regression.restore(sums)
    solver.t, solver.nodes_touched = state.t, state.nodes_touched


def _check_identity(folder: Path, state: RunState) -> None:
    """Refuse arrays that were not saved together with the state.

    The manifest says that files are as somebody wrote them; the digests in state.json say that
    they belong to this run, this iteration and this player. Earlier versions wrote none.
    """
    for name, digest in state.digests.items():
        if Path(name).name != name or not (folder / name).is_file():
            raise StorageError(f"{folder / name} is missing")
        if file_digest(folder / name) != digest:
            raise StorageError(f"{folder / name} was not saved together with {STATE_FILE}")
    try:
        records = [IterationMetrics.from_json(row) for row in state.progress.rows]
        if not all(isinstance(record.t, int) and record.t <= state.t for record in records):
            raise ValueError("it records iterations that are not done")
    except (TypeError, ValueError, AttributeError) as error:
        raise StorageError(f"{folder / STATE_FILE} is damaged: {one_line(error)}") from None


def _read(folder: Path, state: RunState, solver: Solver) -> _Saved:
    """All arrays of a saved solver, checked against the solver that is to take them over."""
    tree, config = solver.game.tree, state.config
    advantages = []
    for player in PLAYERS:
        file, seen = _advantages(folder, player), state.seen[player]
        rows = _read_rows(file, config.advantage_memory, seen, tree, state.t, player)
        advantages.append(rows)
    file, seen = folder / STRATEGIES, state.strategy_seen
    strategies = _read_rows(file, config.strategy_memory, seen, tree, state.t, None)
    weights = _read_weights(folder / ADVANTAGE_NETS, solver)
    sums = [_read_sums(folder / name, own) for name, own in _regressions(solver).items()]
    return _Saved(weights, advantages, strategies, sums)


def _read_rows(
    file: Path, capacity: int, seen: int, tree: BettingTree, t: int, actor: int | None
) -> NDArray[np.void]:
    rows = read_array(file, ROW, capacity)
    problem = contents_problem(rows, seen, capacity) or rows_problem(rows, tree, t, actor)
    if problem:
        raise StorageError(f"{file} is damaged: {problem}")
    return rows


def _read_weights(file: Path, solver: Solver) -> list[list[Floats]]:
    size = sum(value.nbytes for values in solver.weights() for value in values)
    weights = unnamed(read_arrays(file, size + ROOM_FOR_NAMES))
    for network, values in zip(solver.advantage_nets, weights, strict=True):
        problem = weights_problem(network, values)
        if problem:
            raise StorageError(f"{file} is damaged: {problem}")
    return weights


def _read_sums(file: Path, regression: StrengthRegression) -> dict[str, Doubles]:
    if not file.exists():
        raise StorageError(f"{file} is missing: an earlier version saved this run differently")
    size = sum(value.nbytes for value in regression.sums().values())
    sums = read_arrays(file, size + ROOM_FOR_NAMES)
    problem = regression.problem(sums)
    if problem:
        raise StorageError(f"{file} is damaged: {problem}")
    return sums


def _advantages(folder: Path, player: int) -> Path:
    return folder / f"advantages_{player}.npy"


def _regressions(solver: Solver) -> dict[str, StrengthRegression]:
    """The regressions that a solver has, by the names of their files."""
    found = {
        f"strength_regression_{player}.npz": regression
        for player, regression in enumerate(solver.advantage_regressions)
    }
    if solver.strategy_regression:
        found["strategy_regression.npz"] = solver.strategy_regression
    return found
