"""What merging the samples of an infoset before a fit is worth, on one Leduc memory.

Leduc has so few infosets that the best possible fit is known: the mean of each infoset's samples,
weighted by t. Both ways get the same memory, the same updates and the same learning rate.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from unittest import mock

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import Figure, measure, parse_arguments, report
from deep_cfr.config import Config, FitSettings
from deep_cfr.fitting.merging import Merged, merge
from deep_cfr.fitting.trainer import Trainer
from deep_cfr.networks import device
from deep_cfr.networks.network import make_network
from deep_cfr.networks.network_policy import NetworkPolicy
from deep_cfr.solver import Solver
from env.arrays import Floats
from env.game import load_game

ITERATIONS = 15
FIT = FitSettings(updates=400, batch_size=1024, learning_rate=4e-3, learning_rate_end=0.02)
CONFIG = Config(game="leduc", traversals=5_000, updates_growth=0, batch_size=256)


def singly(rows: NDArray[np.void], legal: Floats) -> Merged:
    """Every sample stays a row of its own."""
    return Merged(rows, rows["t"].astype(np.float64), 0.0)


def error(solver: Solver, rows: NDArray[np.void]) -> float:
    """Root mean square distance of a fit from the weighted means, in antes."""
    network = make_network(solver.encoding, CONFIG.width)
    Trainer(network, FIT.batch_size).fit(rows, FIT, np.random.default_rng(1))
    best = merge(rows, solver.encoding.legal)
    outputs = NetworkPolicy(network, lambda raw, legal: raw)
    predicted = outputs.strategies(best.rows["cards"], best.rows["node"])
    squared = solver.encoding.legal[best.rows["node"]] * (predicted - best.rows["targets"]) ** 2
    return float(np.sqrt((best.weights * squared.sum(axis=1)).sum() / best.weights.sum()))


def compare() -> list[Figure]:
    """Fits both ways to the memory of one short run."""
    device.prepare(0, CONFIG.network)
    solver = Solver(CONFIG, load_game(CONFIG.game))
    for _ in range(ITERATIONS):
        solver.iterate()
    rows = solver.advantage_memories[0].rows
    merged = error(solver, rows)
    with mock.patch("deep_cfr.fitting.trainer.merge", singly):
        single = error(solver, rows)
    return [
        Figure("rows", f"samples in memory after {ITERATIONS} iterations", len(rows), ""),
        Figure("single_error", "error of a fit to single samples", single, "antes"),
        Figure("merged_error", "error of a fit to merged samples", merged, "antes"),
        Figure("error_ratio", "  ratio", single / merged, "×"),
    ]


def main() -> None:
    arguments = parse_arguments(__doc__ or "")
    report(measure([compare]), arguments.json)


if __name__ == "__main__":
    main()
