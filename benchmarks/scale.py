"""What workers bring: overhead, bytes, and a model of time per iteration against their number.

Measured on this machine, with one iteration of the presets `standard` and `paper` (its traversals
whole, its fits cut short): how long one thread samples, how long the process that learns is busy
with what comes back, how long an update of a fit takes, and how many bytes are moved; and by turns,
the same traversals made by this process with one thread and by one worker, and by this process with
all threads and by a worker on each core.

The model then says what an iteration takes with W workers:

    adding + fits + max(⌈chunks / W⌉ · chunk, bytes / link)

Its assumptions are listed in docs/scaling.md.
"""

from __future__ import annotations

import dataclasses
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from math import ceil
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path[0] = str(ROOT)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import matplotlib.pyplot as plt
import numba

from benchmarks.measuring import Figure, measure, parse_arguments, report
from deep_cfr.config import Config
from deep_cfr.networks import device
from deep_cfr.presets import PRESETS
from deep_cfr.solver import Solver
from env.game import load_game
from env.progress import Advance
from workers.in_process import InProcess
from workers.opening import WorkersSpec, open_workers
from workers.packing import pack
from workers.tasks import Job, T, Task, Workers

CHART = ROOT / "docs" / "charts" / "scaling.png"
COUNTS = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)  # of workers
LINK_BYTES_PER_S = 10e9 / 8  # ten gigabits
MACHINE_CORES = 64  # workers of one machine, which gets what is shared once
UPDATES = 20  # of a fit that is measured
ROWS = 400_000  # of memories here; fits of larger ones take the same time per update
MIDDLE = 0.5  # of a run: the iteration whose fits are modelled


class Cost(NamedTuple):
    """What one iteration of a preset costs, both players together. Seconds, bytes."""

    preset: str
    sampling_s: float  # of one thread
    adding_s: float  # of the process that learns, besides the fits
    fits_s: float
    sent: float  # networks and tables, to each machine
    returned: float  # samples
    rounds: int  # rounds of both players, one after the other

    def seconds(self, workers: int) -> float:
        """The model. Chunks are as many as workers, or this process does everything."""
        if workers == 0:
            return self.sampling_s + self.adding_s + self.fits_s
        machines = ceil(workers / MACHINE_CORES)
        moving_s = (self.sent * machines + self.returned) / LINK_BYTES_PER_S
        return self.adding_s + self.fits_s + max(self.sampling_s / workers, moving_s)


class Timed(InProcess):
    """This process, which takes the time that tasks take and the bytes they would move."""

    def __init__(self) -> None:
        super().__init__()
        self.sampling_s = self.sent = self.returned = 0.0
        self._known: set[int] = set()

    def run(self, job: Job[T], tasks: Iterable[Task], advance: Advance) -> Iterator[T]:
        for value in job.shared:
            if value.number not in self._known:
                self._known.add(value.number)
                self.sent += pack(value.value).size
        shared = [value.value for value in job.shared]
        for task in tasks:
            start = time.perf_counter()
            result = job.function(*shared, *task.arguments, advance)
            self.sampling_s += time.perf_counter() - start
            self.returned += pack(result).size
            yield result


def of_preset(name: str, game: str, chunks: int = 1) -> Config:
    """A preset with short fits and small memories."""
    return dataclasses.replace(
        PRESETS[name][1],
        game=game,
        chunks=chunks,
        updates=UPDATES,
        updates_growth=0,
        refit_every=1,
        advantage_memory=ROWS,
        strategy_memory=ROWS,
        eval_every=0,
    )


def cost(name: str, game: str) -> Cost:
    """An iteration of a preset, measured with one thread after one that compiles."""
    config = of_preset(name, game)
    preset = PRESETS[name][1].for_game(load_game(game).rules)
    threads = numba.get_num_threads()
    timed = Timed()
    solver = Solver(config, load_game(game), workers=timed)
    solver.iterate()
    before = timed.sampling_s, timed.sent, timed.returned
    numba.set_num_threads(1)
    try:
        done = solver.iterate()
    finally:
        numba.set_num_threads(threads)
    sampling_s, sent, returned = (
        now - then
        for now, then in zip((timed.sampling_s, timed.sent, timed.returned), before, strict=True)
    )
    rows = 2 * UPDATES * config.batch_size
    t = round(MIDDLE * preset.iterations)
    updates = 2 * preset.advantage_fit(t).updates / preset.refit_every
    fits_s = updates * preset.batch_size * done.seconds_fitting / rows
    adding_s = done.seconds_traversing - sampling_s
    return Cost(name, sampling_s, adding_s, fits_s, sent, returned, 2 * config.rounds)


def traversing(workers: Workers | None, chunks: int) -> Callable[[], float]:
    """Seconds that an iteration's traversals take, made by somebody."""
    solver = Solver(of_preset("standard", "hulh", chunks), load_game("hulh"), workers=workers)
    return lambda: solver.iterate().seconds_traversing


def overheads(seconds: float) -> list[Figure]:
    """One worker against one thread, and one for each core against all threads, by turns."""
    cores = device.threads_used(0)
    one, several = (open_workers(WorkersSpec(count=count)) for count in (1, cores))
    ways: dict[str, tuple[Callable[[], float], int]] = {
        "thread": (traversing(None, 4), 1),
        "worker": (traversing(one, 4), cores),
        "threads": (traversing(None, 4 * cores), cores),
        "workers": (traversing(several, 4 * cores), cores),
    }
    best = dict.fromkeys(ways, float("inf"))
    try:
        for _ in range(2):  # the first compiles and loads, on every side
            for work, _ in ways.values():
                work()
        end = time.perf_counter() + 4 * seconds
        while time.perf_counter() < end:
            for name, (work, threads) in ways.items():
                numba.set_num_threads(threads)
                best[name] = min(best[name], work())
        moved = several.report().bytes_moved
    finally:
        one.close()
        several.close()
    over = 100 * (best["worker"] / best["thread"] - 1)
    gain = best["thread"] / best["workers"]
    return [
        Figure(
            "overhead_of_one_pct", "one worker takes longer than one thread by", over, "%", 10, True
        ),
        Figure(
            "gain_of_threads",
            f"{cores} threads of one process",
            best["thread"] / best["threads"],
            "×",
        ),
        Figure("gain_of_workers", f"{cores} workers on {cores} cores", gain, "×"),
        Figure("moved_mb", "moved by these workers in all", moved / 1e6, "MB"),
    ]


def draw(costs: list[Cost]) -> None:
    """The chart of the model."""
    figure, axes = plt.subplots(figsize=(7, 4.5))
    for one in costs:
        counts = COUNTS[1:]
        (line,) = axes.plot(counts, [one.seconds(n) for n in counts], marker="o", label=one.preset)
        floor = one.adding_s + one.fits_s
        axes.axhline(floor, color=line.get_color(), linestyle=":", linewidth=1)
    axes.set(xscale="log", yscale="log", xlabel="workers", ylabel="seconds per iteration")
    axes.set_title("model: iterations against workers; dotted: fits and adding alone")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(CHART, dpi=120)


def table(costs: list[Cost]) -> str:
    """The model as a table in Markdown."""
    lines = ["| workers | " + " | ".join(f"`{one.preset}`, s" for one in costs) + " |"]
    lines.append("|---:|" + "---:|" * len(costs))
    for count in COUNTS:
        cells = " | ".join(f"{one.seconds(count):.2f}" for one in costs)
        lines.append(f"| {count} | {cells} |")
    return "\n".join(lines)


def figures(costs: list[Cost]) -> list[Figure]:
    """What was measured for the model."""
    found = []
    for one in costs:
        name = one.preset
        found += [
            Figure(f"{name}_sampling_s", f"{name}: one thread samples for", one.sampling_s, "s"),
            Figure(f"{name}_adding_s", f"{name}: samples are added for", one.adding_s, "s"),
            Figure(f"{name}_fits_s", f"{name}: fits, a share of them", one.fits_s, "s"),
            Figure(f"{name}_sent_mb", f"{name}: sent to a machine", one.sent / 1e6, "MB"),
            Figure(f"{name}_returned_mb", f"{name}: samples returned", one.returned / 1e6, "MB"),
        ]
    return found


def main() -> None:
    """Measure, model, print and draw."""
    arguments = parse_arguments(__doc__ or "")
    device.prepare(0, "paper")
    costs: list[Cost] = []

    def preset(name: str, game: str) -> list[Figure]:
        costs.append(cost(name, game))
        return figures(costs[-1:])

    found = measure(
        [
            lambda: preset("standard", "hulh"),
            lambda: preset("paper", "fhp"),
            lambda: overheads(arguments.seconds),
        ]
    )
    draw(costs)
    print(f"{table(costs)}\n\nchart   {CHART.relative_to(ROOT)}\n")
    report(found, arguments.json)


if __name__ == "__main__":
    main()
