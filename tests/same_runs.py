"""Small runs of the solver, for comparing who made their traversals."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from deep_cfr.config import Config
from deep_cfr.solver import Solver
from env.game import load_game
from tests.small_runs import SMALL_DEFAULT_PATH, Arrays, small_config
from workers.tasks import Report, Workers

IN_CHUNKS = small_config("smoke", SMALL_DEFAULT_PATH, chunks=3)
DEALS = dataclasses.replace(
    IN_CHUNKS, boards=0, board_hands=0, traversals=40, strategy_regression=False, rounds=1
)


def arrays_of(solver: Solver) -> Arrays:
    """Everything that an iteration leaves behind."""
    memories = (*solver.advantage_memories, solver.strategy_memory)
    arrays: Arrays = {f"memory {n}": memory.rows.copy() for n, memory in enumerate(memories)}
    for player, weights in enumerate(solver.weights()):
        arrays |= {f"weights {player} {n}": value for n, value in enumerate(weights)}
    regressions = (*solver.advantage_regressions, solver.strategy_regression)
    for number, regression in enumerate(regressions):
        if regression is not None:
            sums = regression.sums().items()
            arrays |= {f"sums {number} {name}": value.copy() for name, value in sums}
    return arrays


def after_iterations(
    config: Config,
    workers: Workers | None,
    count: int,
    before_each: Callable[[], Any] = lambda: None,
) -> tuple[Arrays, list[Report]]:
    """The arrays after so many iterations, and what workers did in each."""
    solver = Solver(config, load_game(config.game), workers=workers)
    reports = []
    for _ in range(count):
        before_each()
        reports.append(solver.iterate().work)
    return arrays_of(solver), reports
