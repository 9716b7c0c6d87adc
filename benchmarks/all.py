"""Every benchmark, one after the other, and one table: ours beside what it can be compared with.

Each script runs in a process of its own and ends with a JSON object of its figures; `ROWS` says
which of them stand side by side. A script that fails costs its rows, not the table.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from tqdm import tqdm

from benchmarks.measuring import machine, number, parse_arguments

Figures = dict[str, float | None]  # None: could not be measured here

FOLDER = Path(__file__).resolve().parent
NOTHING, FAILED = "–", "failed"
# Not in the table: these take minutes or hours, and their figures are tables of their own.
APART = {"deviations", "scale", "scaling", "search_variants", "seeds"}
NOTES = """\
OpenSpiel: its universal_poker from Python; its PyTorch Deep CFR
naive: hand by hand or infoset by infoset through PyPokerEngine; the tree walked, not loaded;
       subgames solved in plain NumPy;
       single samples, not merged; range sampling where each seat and the collector of samples
       compute the features of hands anew
limit: plain products of large matrices on all cores
ratio: ours divided by the other
how cost grows with traversals, rows and network: python benchmarks/scaling.py
how much results differ from seed to seed: python benchmarks/seeds.py --preset kuhn
which variant of CFR solves subgames fastest: python benchmarks/search_variants.py"""
NO_PYTORCH = "OpenSpiel's Deep CFR left out: pip install -r requirements-benchmark.txt"
QUICK = """\
with --seconds below 1 the exact best response visits a few flops: its time is scaled up, its
memory is not"""


@dataclass(frozen=True)
class Row:
    """Figures of one script that measure the same thing, by their keys."""

    script: str
    meaning: str
    ours: str
    openspiel: str = ""
    naive: str = ""
    limit: str = ""


ROWS = (
    Row("env", "hulh betting tree ready, s", "cache_load_s", naive="compile_s"),
    Row("env", "emulator, actions/s", "emulator_actions_per_s"),
    Row(
        "env",
        "random hulh playouts/s",
        "playouts_per_s",
        openspiel="openspiel_playouts_per_s",
        naive="emulator_hands_per_s",
    ),
    Row("env", "7-card rankings/s", "rankings_per_s"),
    Row("env", "suit-canonical forms/s", "canonical_per_s"),
    Row(
        "traversal",
        "traversal in hulh, infosets/s",
        "hulh_infosets_per_s",
        openspiel="openspiel_infosets_per_s",
        naive="oracle_infosets_per_s",
    ),
    Row("traversal", "traversal in fhp, infosets/s", "fhp_infosets_per_s"),
    Row(
        "traversal",
        "range sampling in hulh, (hand, node) pairs/s",
        "range_pairs_per_s",
        naive="range_apart_pairs_per_s",
    ),
    Row("traversal", "  boards/s", "range_boards_per_s"),
    Row("training", "fit of a thesis network, samples/s", "thesis_samples_per_s"),
    Row("training", "  GFLOP/s", "thesis_gflops", limit="thesis_matmul_gflops"),
    Row("training", "fit of a paper network, samples/s", "paper_samples_per_s"),
    Row("training", "  GFLOP/s", "paper_gflops", limit="paper_matmul_gflops"),
    Row("merging", "error of a fit, Leduc, antes", "merged_error", naive="single_error"),
    Row("evaluation", "exact best response in fhp, s", "fhp_exact_s"),
    Row("evaluation", "  peak memory, GB", "fhp_exact_peak_gb"),
    Row("evaluation", "local best response in hulh, hands/s", "lbr_hands_per_s"),
    Row("match", "match in hulh, hands/s", "hands_per_s", naive="naive_hands_per_s"),
    Row("search", "rivers solved, /s", "rivers_per_s", naive="plain_rivers_per_s"),
    Row("search", "  a river decision, everything included, ms", "decision_ms"),
    Row("search", "one turn with all rivers solved, s", "turn_s"),
    Row("search", "local best response against river search, hands/s", "lbr_mixed_per_s"),
    Row("search", "match of river search with its model, hands/s", "match_mixed_per_s"),
    Row("play", "50 pages against the hulh model, answers/s", "model_per_s"),
    Row("play", "  95th percentile of the answer time, ms", "model_p95_ms"),
    Row("play", "50 pages against river search, answers/s", "search_per_s"),
    Row("play", "  95th percentile with search, ms", "search_p95_ms"),
)


class BenchmarkError(Exception):
    """A script did not deliver its figures; the message is one line."""


def run(script: str, seconds: float) -> Figures:
    """The figures of one script."""
    command = [sys.executable, str(FOLDER / f"{script}.py"), "--seconds", str(seconds), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        complaint = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise BenchmarkError(complaint[-1])
    try:
        figures: Figures = dict(json.loads(done.stdout.splitlines()[-1]))
    except (IndexError, ValueError, TypeError):
        raise BenchmarkError("its last line is not a JSON object") from None
    needed = [row.ours for row in ROWS if row.script == script]
    missing = [key for key in needed if figures.get(key) is None]
    if missing:
        raise BenchmarkError(f"not measured: {', '.join(missing)}")
    return figures


def run_all(seconds: float) -> dict[str, Figures | None]:
    """Every script's figures, None where it failed, under a progress bar."""
    results: dict[str, Figures | None] = {}
    scripts = list(dict.fromkeys(row.script for row in ROWS))
    with tqdm(scripts, unit=" script", disable=None, leave=False) as bar:
        for script in bar:
            bar.set_description(f"{script}.py")
            try:
                results[script] = run(script, seconds)
            except BenchmarkError as error:
                results[script] = None
                tqdm.write(f"benchmarks/{script}.py failed: {error}", file=sys.stderr)
    return results


def cells(row: Row, figures: Figures | None) -> list[str]:
    """One line of the table."""
    if figures is None or (ours := figures[row.ours]) is None:
        return [row.meaning, FAILED, *[NOTHING] * 4]
    others = {
        "OpenSpiel": figures.get(row.openspiel),
        "naive": figures.get(row.naive),
        "limit": figures.get(row.limit),
    }
    shown = [NOTHING if other is None else number(other) for other in others.values()]
    ratios = [f"{number(ours / other)}× {name}" for name, other in others.items() if other]
    return [row.meaning, number(ours), *shown, ", ".join(ratios) or NOTHING]


def table(results: dict[str, Figures | None]) -> str:
    """All rows; numbers to the right, words to the left."""
    header = ["", "ours", "OpenSpiel", "naive", "limit", "ratio"]
    lines = [header, *(cells(row, results[row.script]) for row in ROWS)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place in (0, 5) else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def main() -> int:
    arguments = parse_arguments((__doc__ or "").splitlines()[0])
    results = run_all(arguments.seconds)
    print(table(results))
    print(NOTES)
    traversal = results["traversal"]
    if traversal is not None and traversal.get("openspiel_infosets_per_s") is None:
        print(NO_PYTORCH)
    if arguments.seconds < 1:
        print(QUICK)
    print(f"{number(arguments.seconds)} s for each measurement, on {machine()}")
    if arguments.json:
        print(json.dumps(results))
    return int(None in results.values())


if __name__ == "__main__":
    sys.exit(main())
