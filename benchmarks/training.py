"""How fast networks are fitted, as a share of the machine's plain matrix-multiplication rate.

Counted are 6 floating-point operations per sample and weight that takes part in a matrix product
(2 forward, 4 backward). Each measurement runs in a process of its own, because TensorFlow's
threads are settled once per process and differ between the two architectures.
"""

from __future__ import annotations

import itertools
import json
import os
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

from benchmarks.measuring import Figure, measure, parse_arguments, report
from benchmarks.random_rows import random_rows
from deep_cfr.config import FitSettings
from deep_cfr.fitting.trainer import Trainer
from deep_cfr.networks import device
from deep_cfr.networks.encoding import make_encoding
from deep_cfr.networks.network import make_network
from env.game import load_game

BATCH = {"paper": 2048, "thesis": 4096}
TARGET = {"paper": 0.45, "thesis": 0.75}
GAME = {"paper": "hulh", "thesis": "hulh80"}
ROWS = 200_000
WARM_UP, UPDATES = 100, 300  # updates of the first fit, and of each one that is timed
MATMUL = "matmul"  # what a worker is told to measure instead of an architecture


class Rate(NamedTuple):
    """What a worker measured."""

    flops: float  # floating-point operations per second
    samples_per_s: float = 0.0  # learned from; none in a plain matrix product


def in_process_of_its_own(what: str, seconds: float) -> Rate:
    """Measure plain matrix products or the fit of an architecture in a fresh process."""
    done = subprocess.run(
        [sys.executable, __file__, "--worker", what, str(seconds)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    if done.returncode:
        sys.exit(done.stderr)
    return Rate(*json.loads(done.stdout.splitlines()[-1]))


def matmul_rate(seconds: float) -> Rate:
    """Plain float32 products of large matrices on all cores, best of many."""
    best = device.matmul_flops(2048, 5)  # the first products are slow
    deadline = time.perf_counter() + seconds
    while time.perf_counter() < deadline:
        best = max(best, device.matmul_flops(2048, 1))
    return Rate(best)


def fitting_rate(architecture: str, seconds: float) -> Rate:
    """The compiled training loop on random rows, operations by the count above."""
    device.prepare(0, architecture)
    game, rng = load_game(GAME[architecture]), np.random.default_rng(0)
    rows = random_rows(game, ROWS, rng)
    network = make_network(make_encoding(architecture, game), 64)
    batch = BATCH[architecture]
    trainer = Trainer(network, batch)
    speeds: list[float] = []  # updates per second of each block but the first of every fit
    ends: list[tuple[int, float]] = []  # of one fit's blocks: updates made in it, the time
    deadline = 0.0  # set when the first fit is over, which compiles the loop
    while not deadline or time.perf_counter() < deadline:
        ends.clear()
        trainer.fit(
            rows,
            FitSettings(UPDATES if deadline else WARM_UP, batch, 1e-3),
            rng,
            lambda updates: ends.append((updates, time.perf_counter())),
        )
        speeds += [count / (end - start) for (_, start), (count, end) in itertools.pairwise(ends)]
        deadline = deadline or time.perf_counter() + seconds
    samples = batch * float(np.median(speeds))
    weights = sum(int(np.prod(w.shape)) for w in network.trainable if len(w.shape) > 1)
    return Rate(6 * weights * samples, samples)


def fractions(seconds: float) -> list[Figure]:
    """Both architectures; the plain rate is measured before and after each."""
    figures = []
    for name in ("thesis", "paper"):
        before = in_process_of_its_own(MATMUL, min(seconds, 3)).flops
        fitted = in_process_of_its_own(name, seconds)
        after = in_process_of_its_own(MATMUL, min(seconds, 3)).flops
        plain = (before + after) / 2
        meaning = f"{name} network, batch {BATCH[name]:,}: samples"
        share = fitted.flops / plain
        figures += [
            Figure(f"{name}_samples_per_s", meaning, fitted.samples_per_s, "/s"),
            Figure(f"{name}_gflops", "  operations counted", fitted.flops / 1e9, "GFLOP/s"),
            Figure(f"{name}_matmul_gflops", "  plain matrix products", plain / 1e9, "GFLOP/s"),
            Figure(f"{name}_gemm_fraction", "  share of the plain rate", share, "", TARGET[name]),
        ]
    return figures


def main() -> None:
    if "--worker" in sys.argv:
        what, seconds = sys.argv[2], float(sys.argv[3])
        print(json.dumps(matmul_rate(seconds) if what == MATMUL else fitting_rate(what, seconds)))
        return
    arguments = parse_arguments((__doc__ or "").splitlines()[0])
    report(measure([lambda: fractions(arguments.seconds)]), arguments.json)


if __name__ == "__main__":
    main()
