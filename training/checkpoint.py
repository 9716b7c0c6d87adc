"""All that an exact resume needs, in checkpoints/<run>/latest/.

Memories with their counters, the sums of the strength regressions, networks and the iteration.
Randomness needs no state: every generator is keyed by seed and iteration.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deep_cfr.fitting.strength_regression import StrengthRegression
from deep_cfr.memory import ROW, Reservoir
from deep_cfr.networks.weight_check import weights_problem
from deep_cfr.row_check import rows_problem
from deep_cfr.solver import PLAYERS, Solver
from env.arrays import Doubles, Floats
from env.betting_tree import BettingTree
from models.advantage_nets import named, unnamed
from models.arrays import read_array, read_arrays
from models.messages import one_line
from models.run_state import STATE_FILE, RunProgress, RunState, latest_state
from models.storage import StorageError, checked_folder, file_digest, whole_folder
from models.versions import versions
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
        for file, regression in _regressions(folder, solver).items():
            np.savez(file, **regression.sums())  # type: ignore[arg-type]
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
    _check_identity(folder, state, solver)
    saved = _read(folder, state, solver)
    for player in PLAYERS:
        memory = solver.advantage_memories[player]
        memory.restore(saved.advantages[player], state.seen[player])
        solver.advantage_nets[player].set_weights(saved.weights[player])
    for regression, sums in zip(_regressions(folder, solver).values(), saved.sums, strict=True):
        regression.restore(sums)
    solver.strategy_memory.restore(saved.strategies, state.strategy_seen)
    solver.t, solver.nodes_touched = state.t, state.nodes_touched
    return state.progress


def _check_identity(folder: Path, state: RunState, solver: Solver) -> None:
    """Refuse the state of other settings, and arrays that were not saved together with it.

    The manifest says that files are as somebody wrote them; the digests in state.json say that
    they belong to this run, this iteration and this player. Earlier versions wrote none.
    """
    changed = state.config.differences(solver.config)
    if changed:
        raise StorageError(f"{folder} is of a run with other settings: {'; '.join(changed)}")
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
    tree = solver.game.tree
    memories = [(_advantages(folder, player), player) for player in PLAYERS]
    advantages = []
    for file, player in memories:
        memory, seen = solver.advantage_memories[player], state.seen[player]
        advantages.append(_read_rows(file, memory, seen, tree, state.t, player))
    file, memory = folder / STRATEGIES, solver.strategy_memory
    strategies = _read_rows(file, memory, state.strategy_seen, tree, state.t, None)
    weights = _read_weights(folder / ADVANTAGE_NETS, solver)
    sums = [_read_sums(file, own) for file, own in _regressions(folder, solver).items()]
    return _Saved(weights, advantages, strategies, sums)


def _read_rows(
    file: Path, memory: Reservoir, seen: int, tree: BettingTree, t: int, actor: int | None
) -> NDArray[np.void]:
    rows = read_array(file, ROW, memory.capacity)
    problem = memory.problem(rows, seen) or rows_problem(rows, tree, t, actor)
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


def _regressions(folder: Path, solver: Solver) -> dict[Path, StrengthRegression]:
    """The files of the regressions that a solver has."""
    found = {
        folder / f"strength_regression_{player}.npz": regression
        for player, regression in enumerate(solver.advantage_regressions)
    }
    if solver.strategy_regression:
        found[folder / "strategy_regression.npz"] = solver.strategy_regression
    return found
