"""How fast networks are fitted, as a share of the machine's plain matrix-multiplication rate.

Counted are 6 floating-point operations per sample and weight that takes part in a matrix product
(2 forward, 4 backward). Each measurement runs in a process of its own, because TensorFlow's
threads are settled once per process and differ between the two architectures.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

import itertools

from benchmarks.measuring import Figure, measure, parse_arguments, report

ROOT = Path(__file__).resolve().parent.parent
BATCH = {"paper": 2048, "thesis": 4096}
TARGET = {"paper": 0.45, "thesis": 0.75}
GAME = {"paper": "hulh", "thesis": "hulh80"}
ROWS = 200_000


def worker(what: str, seconds: float) -> dict[str, float]:
    """Measure in a fresh process."""
    done = subprocess.run(
        [sys.executable, __file__, "--worker", what, str(seconds)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    if done.returncode:
        sys.exit(done.stderr)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def matmul_rate(seconds: float) -> dict[str, float]:
    """Plain float32 products of large matrices on all cores, best of many, FLOP/s."""
    from deep_cfr.device import matmul_flops  # noqa: PLC0415

    deadline, best = time.perf_counter() + seconds, 0.0
    while time.perf_counter() < deadline:
        best = max(best, matmul_flops(2048, 1))
    return {"flops": best}


def fitting_rate(architecture: str, seconds: float) -> dict[str, float]:
    """Samples per second of the compiled training loop, and FLOP/s by the count above."""
    import numpy as np  # noqa: PLC0415

    from deep_cfr import device  # noqa: PLC0415
    from deep_cfr.config import FitSettings  # noqa: PLC0415
    from deep_cfr.encoding import make_encoding  # noqa: PLC0415
    from deep_cfr.memory import make_rows  # noqa: PLC0415
    from deep_cfr.networks import make_network  # noqa: PLC0415
    from deep_cfr.training import Trainer  # noqa: PLC0415
    from env import compile, make_emulator, parse_rules  # noqa: PLC0415
    from env.deals import canonical_views, deal  # noqa: PLC0415

    rules, rng = parse_rules(GAME[architecture]), np.random.default_rng(0)
    tree = compile(make_emulator(rules))
    towers, _ = device.prepare(0, architecture)
    nodes = rng.choice(np.flatnonzero(tree.is_decision), ROWS)
    views = canonical_views(rules, deal(rules, ROWS, rng))
    cards = views[np.arange(ROWS), tree.actor[nodes], tree.street[nodes]]
    rows = make_rows(cards, nodes, 1, rng.normal(size=(ROWS, 3)).astype(np.float32))
    network = make_network(make_encoding(architecture, rules, tree), 64)
    batch = BATCH[architecture]
    trainer = Trainer(network, is_strategy=False, batch_size=batch, clip_norm=1.0, towers=towers)
    times: list[tuple[int, float]] = []

    def tell(updates: int) -> None:
        times.append((updates, time.perf_counter()))

    while not times or times[-1][1] - times[0][1] < seconds:
        trainer.fit(rows, FitSettings(300, batch, 1e-3), rng, tell)
    # Blocks of one fit, back to back: from the end of its first block to the end of its last.
    rates = [
        updates / (after - before) for (_, before), (updates, after) in itertools.pairwise(times)
    ]
    samples = batch * float(np.median(rates))
    weights = sum(int(np.prod(w.shape)) for w in network.trainable if len(w.shape) > 1)
    return {"samples_per_s": samples, "flops": 6 * weights * samples}


def fractions(seconds: float) -> list[Figure]:
    """Both architectures; the plain rate is measured before and after each."""
    figures = []
    for name in ("thesis", "paper"):
        plain = [worker("matmul", min(seconds, 3))["flops"]]
        fitted = worker(name, seconds)
        plain.append(worker("matmul", min(seconds, 3))["flops"])
        rate = sum(plain) / 2
        batch = f"{BATCH[name]:,}"
        figures += [
            Figure(f"{name}_samples_per_s", f"{name} network, batch {batch}: samples",
                   fitted["samples_per_s"], "/s"),
            Figure(f"{name}_gflops", "  operations counted", fitted["flops"] / 1e9, "GFLOP/s"),
            Figure(f"{name}_matmul_gflops", "  plain matrix products", rate / 1e9, "GFLOP/s"),
            Figure(f"{name}_gemm_fraction", "  share of the plain rate", fitted["flops"] / rate,
                   "", TARGET[name]),
        ]  # fmt: skip
    return figures


def main() -> None:
    if "--worker" in sys.argv:
        what, seconds = sys.argv[2], float(sys.argv[3])
        figures = matmul_rate(seconds) if what == "matmul" else fitting_rate(what, seconds)
        print(json.dumps(figures))
        return
    arguments = parse_arguments(__doc__ or "")
    report(measure([lambda: fractions(arguments.seconds)]), arguments.json)


if __name__ == "__main__":
    main()
