"""How the cost of an iteration grows: with traversals, with memory rows, with the network.

Each point is an iteration of `hulh` with single deals whose memories were filled with made-up
samples first, in a process of its own, so that its peak of memory is its own too. Times are of both
players together: traversals, and a fit of 1 000 updates. `prepare_s` is the part of fits that is
not learning: merging, looking up the strength table, handing the rows to the device.
"""

from __future__ import annotations

import itertools
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path[0] = str(ROOT)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
from tqdm import tqdm

from benchmarks.measuring import machine, parse_arguments
from benchmarks.random_rows import random_rows
from deep_cfr.config import Config
from deep_cfr.fitting.trainer import BLOCK
from deep_cfr.memory import Reservoir
from deep_cfr.networks import device
from deep_cfr.solver import Solver
from env.game import Game, load_game
from env.progress import Advance

UPDATES = 1_000
MILLION = 1_000_000


class Point(NamedTuple):
    """What is varied."""

    traversals: int = 5_000
    rows: int = 4 * MILLION  # of each memory, all of them full
    width: int = 64


class Cost(NamedTuple):
    """What an iteration takes at a point."""

    traverse_s: float
    fit_s: float
    prepare_s: float  # the part of fit_s that is not learning
    peak_gb: float


POINTS = (
    Point(),
    *(Point(traversals=count) for count in (1_250, 20_000)),
    *(Point(rows=count * MILLION) for count in (1, 16, 40)),
    *(Point(width=width) for width in (32, 128)),
)
SMALL_POINT = Point(traversals=1_250, rows=MILLION // 10)


class FitTimes:
    """Notes when each block of updates of each fit ended, in place of progress bars."""

    def __init__(self) -> None:
        self._fits: list[list[float]] = []

    def new_bar(self, what: str, total: int) -> Advance:
        if not what.startswith("advantage net"):
            return lambda count: None
        ends: list[float] = []
        self._fits.append(ends)
        return lambda count: ends.append(time.perf_counter())

    def median_block(self) -> float:
        """Seconds that a block of updates takes, from the end of the one before it."""
        return float(np.median([b - a for fit in self._fits for a, b in itertools.pairwise(fit)]))


def cost(point: Point) -> Cost:
    """Measure one point, in this process."""
    config = Config(
        traversals=point.traversals,
        width=point.width,
        advantage_memory=point.rows,
        strategy_memory=point.rows,
        updates=UPDATES,
        updates_growth=0,
    )
    device.prepare(0, config.network)
    game, rng, times = load_game(config.game), np.random.default_rng(0), FitTimes()
    solver = Solver(config, game, times.new_bar)
    solver.iterate()  # compiles everything
    for memory in (*solver.advantage_memories, solver.strategy_memory):
        fill(memory, game, rng)
    solver.t = config.refit_every  # the next iteration fits
    done = solver.iterate()
    learning = len(done.fits) * UPDATES / BLOCK * times.median_block()
    return Cost(
        traverse_s=done.seconds_traversing,
        fit_s=done.seconds_fitting,
        prepare_s=max(done.seconds_fitting - learning, 0.0),
        peak_gb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MILLION,
    )


def fill(memory: Reservoir, game: Game, rng: np.random.Generator) -> None:
    """Add random rows until the memory is full."""
    while memory.seen < memory.capacity:
        memory.add(random_rows(game, min(MILLION, memory.capacity - memory.seen), rng), rng)


def in_process_of_its_own(point: Point) -> Cost:
    done = subprocess.run(
        [sys.executable, __file__, "--point", json.dumps(point)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    if done.returncode:
        sys.exit((done.stderr.strip().splitlines() or ["a measurement ended without a word"])[-1])
    return Cost(*json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    if "--point" in sys.argv:
        print(json.dumps(cost(Point(*json.loads(sys.argv[2])))))
        return
    arguments = parse_arguments((__doc__ or "").splitlines()[0])
    points = POINTS if arguments.seconds >= 1 else (SMALL_POINT,)
    bar = tqdm(points, unit=" point", disable=None, leave=False)
    table = [(point, in_process_of_its_own(point)) for point in bar]
    print(" ".join(f"{name:>11}" for name in (*Point._fields, *Cost._fields)))
    for point, costs in table:
        cells = [f"{value:>11,}" for value in point] + [f"{value:>11.2f}" for value in costs]
        print(" ".join(cells))
    print(f"on {machine()}")
    if arguments.json:
        rows = [{**point._asdict(), **costs._asdict()} for point, costs in table]
        print(json.dumps({"points": rows}))


if __name__ == "__main__":
    main()
