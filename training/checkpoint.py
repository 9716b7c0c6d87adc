"""All that an exact resume needs, in checkpoints/<run>/latest/.

Memories with their counters, the sums of the strength regressions, networks and the iteration.
Randomness needs no state: every generator is keyed by seed and iteration.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np

from deep_cfr.fitting.strength_regression import StrengthRegression
from deep_cfr.solver import PLAYERS, Solver
from models.advantage_nets import named, unnamed
from models.run_state import STATE_FILE, latest_state
from models.saving import versions
from models.storage import StorageError, checked_folder, whole_folder

ADVANTAGE_NETS, STRATEGIES = "advantage_nets.npz", "strategies.npy"


def save_latest(run: Path, solver: Solver, extra: dict[str, Any]) -> None:
    """The solver's whole state; `extra` comes back from `load_latest`."""
    state = {
        "config": dataclasses.asdict(solver.config),
        "t": solver.t,
        "nodes_touched": solver.nodes_touched,
        "seen": [memory.seen for memory in solver.advantage_memories],
        "strategy_seen": solver.strategy_memory.seen,
        "extra": extra,
        "versions": versions(),
    }
    with whole_folder(run / "latest") as folder:
        for player in PLAYERS:
            np.save(_advantages(folder, player), solver.advantage_memories[player].rows)
        np.save(folder / STRATEGIES, solver.strategy_memory.rows)
        np.savez(folder / ADVANTAGE_NETS, **named(solver.weights()))
        for file, regression in _regressions(folder, solver).items():
            np.savez(file, **regression.sums())  # type: ignore[arg-type]
        (folder / STATE_FILE).write_text(json.dumps(state, indent=1))


def load_latest(run: Path, solver: Solver) -> dict[str, Any]:
    """Put a fresh solver where the saved one stood; what was saved as `extra`."""
    folder, state = checked_folder(run / "latest"), latest_state(run)
    weights = unnamed(np.load(folder / ADVANTAGE_NETS))
    for player in PLAYERS:
        rows = np.load(_advantages(folder, player), mmap_mode="r")
        solver.advantage_memories[player].restore(rows, state.seen[player])
        solver.advantage_nets[player].set_weights(weights[player])
    for file, regression in _regressions(folder, solver).items():
        if not file.exists():
            raise StorageError(f"{file} is missing: an earlier version saved this run differently")
        regression.restore(np.load(file))
    rows = np.load(folder / STRATEGIES, mmap_mode="r")
    solver.strategy_memory.restore(rows, state.strategy_seen)
    solver.t, solver.nodes_touched = state.t, state.nodes_touched
    return state.extra


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
