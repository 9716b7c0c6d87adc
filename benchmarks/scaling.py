"""How the cost of an iteration grows: with traversals, with memory rows, with the network.

Each point is an iteration of `hulh` with single deals whose memories were filled with made-up
samples first, in a process of its own, so that its peak of memory is its own too. Times are of both
players together: traversals, and a fit of 1 000 updates. `prepare_s` is the part of fits that is
not learning: taking off the linear part, merging, handing the rows to the device.
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
from typing import Any

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from tqdm import tqdm

from benchmarks.measuring import machine, parse_arguments

ROOT = Path(__file__).resolve().parent.parent
UPDATES = 1_000
MILLION = 1_000_000
MIDDLE = {"traversals": 5_000, "rows": 4 * MILLION, "width": 64}
POINTS: list[dict[str, int]] = [
    MIDDLE,
    *(MIDDLE | {"traversals": count} for count in (1_250, 20_000)),
    *(MIDDLE | {"rows": count * MILLION} for count in (1, 16, 40)),
    *(MIDDLE | {"width": width} for width in (32, 128)),
]
COLUMNS = ("traversals", "rows", "width", "traverse_s", "fit_s", "prepare_s", "peak_gb")


def point(traversals: int, rows: int, width: int) -> dict[str, float]:
    """One point, in this process."""
    import numpy as np  # noqa: PLC0415

    from deep_cfr import device  # noqa: PLC0415
    from deep_cfr.config import Config  # noqa: PLC0415
    from deep_cfr.solver import Solver  # noqa: PLC0415
    from env import compile, make_emulator, parse_rules  # noqa: PLC0415

    config = Config(
        traversals=traversals, width=width, advantage_memory=rows, strategy_memory=rows,
        updates=UPDATES, updates_growth=0,
    )  # fmt: skip
    towers, _ = device.prepare(0, config.network)
    rules, rng = parse_rules(config.game), np.random.default_rng(0)
    tree = compile(make_emulator(rules))
    times: list[float] = []
    solver = Solver(config, rules, tree, lambda what, total: _ticking(times), towers)
    solver.iterate()  # compiles everything
    for memory in (*solver.advantage_memories, solver.strategy_memory):
        fill(memory, rules, tree, rng)
    solver.t = config.refit_every  # the next iteration fits
    times.clear()
    done = solver.iterate()
    # Each fit tells of its blocks of 100 updates: what they did not take was preparation.
    blocks = [b - a for a, b in itertools.pairwise(times) if b - a > 0]
    learning = 2 * UPDATES / 100 * float(np.median(blocks))
    return {
        "traverse_s": done.seconds_traversing,
        "fit_s": done.seconds_fitting,
        "prepare_s": max(done.seconds_fitting - learning, 0.0),
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MILLION,
    }


def _ticking(times: list[float]) -> Any:
    return lambda count: times.append(time.perf_counter())


def fill(memory: Any, rules: Any, tree: Any, rng: Any) -> None:
    """Random infosets with random targets, until the memory is full."""
    import numpy as np  # noqa: PLC0415

    from deep_cfr.memory import make_rows  # noqa: PLC0415
    from env.deals import canonical_views, deal  # noqa: PLC0415

    decisions = np.flatnonzero(tree.is_decision)
    while memory.seen < memory.capacity:
        count = min(MILLION, memory.capacity - memory.seen)
        nodes = rng.choice(decisions, count)
        views = canonical_views(rules, deal(rules, count, rng))
        cards = views[np.arange(count), tree.actor[nodes], tree.street[nodes]]
        targets = rng.normal(size=(count, 3)).astype(np.float32)
        marks = rng.integers(0, 256, count, dtype=np.uint8)
        memory.add(make_rows(cards, nodes, 1, targets, marks), rng)


def in_process_of_its_own(settings: dict[str, int]) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, __file__, "--point", json.dumps(settings)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    if done.returncode:
        sys.exit((done.stderr.strip().splitlines() or ["a measurement ended without a word"])[-1])
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main() -> None:
    if "--point" in sys.argv:
        print(json.dumps(point(**json.loads(sys.argv[2]))))
        return
    arguments = parse_arguments((__doc__ or "").splitlines()[0])
    points = POINTS if arguments.seconds >= 1 else [MIDDLE | {"rows": MILLION // 10}]
    bar = tqdm(points, unit=" point", disable=None, leave=False)
    table = [{**settings, **in_process_of_its_own(settings)} for settings in bar]
    print(" ".join(f"{name:>11}" for name in COLUMNS))
    for row in table:
        print(" ".join(f"{row[name]:>11,}" if isinstance(row[name], int) else f"{row[name]:>11.2f}"
                       for name in COLUMNS))  # fmt: skip
    print(f"on {machine()}")
    if arguments.json:
        print(json.dumps({"points": table}))


if __name__ == "__main__":
    main()
