"""What every benchmark shares: timing for a while, a table for people, JSON for programs."""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from tqdm import tqdm

MIN_TURNS = 9  # of ways measured by turns, however little time there is


@dataclass(frozen=True)
class Figure:
    """One measured number."""

    key: str  # its name in the JSON object
    meaning: str
    value: float | None  # None: could not be measured here
    unit: str
    target: float | None = None
    at_most: bool = False  # the target is an upper bound

    def row(self) -> tuple[str, str, str]:
        """Meaning, value and target as a table shows them."""
        if self.value is None:
            return self.meaning, "not measured", ""
        target = ""
        if self.target is not None:
            met = self.value <= self.target if self.at_most else self.value >= self.target
            bound = "≤" if self.at_most else "≥"
            target = f"{bound} {number(self.target)} {'met' if met else 'MISSED'}"
        return self.meaning, f"{number(self.value)} {self.unit}", target


def rate(work: Callable[[], int], seconds: float) -> float:
    """Units of work per second; `work` does some and says how much. The first call warms up."""
    work()
    done, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds or not done:
        done += work()
    return done / elapsed if elapsed else float("inf")


def alternating_rates(ways: Sequence[Callable[[], int]], seconds: float) -> list[float]:
    """Units of work per second of several ways to do the same work, by turns; medians.

    Each way does the same work in every turn and says how much it was. The machine's speed changes
    for all ways alike, so ratios of these rates are worth more than those of separate measurements.
    `seconds` are for each way. The first call of each way warms up.
    """
    for way in ways:
        way()
    rates: list[list[float]] = [[] for _ in ways]
    deadline = time.perf_counter() + seconds * len(ways)
    while len(rates[0]) < MIN_TURNS or time.perf_counter() < deadline:
        for way, own_rates in zip(ways, rates, strict=True):
            start = time.perf_counter()
            done = way()
            own_rates.append(done / (time.perf_counter() - start))
    return [median(own_rates) for own_rates in rates]


def parse_arguments(description: str) -> argparse.Namespace:
    """The options that all benchmarks have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--seconds", type=float, default=3.0, help="time for each measurement (default %(default)s)"
    )
    parser.add_argument(
        "--json", action="store_true", help="end with one line that is a JSON object of all figures"
    )
    return parser.parse_args()


def measure(steps: list[Callable[[], list[Figure]]]) -> list[Figure]:
    """Every step's figures, under a progress bar."""
    figures = []
    for step in tqdm(steps, desc="measuring", unit=" step", disable=None, leave=False):
        figures += step()
    return figures


def report(figures: list[Figure], as_json: bool) -> None:
    """The table, and the JSON object as the last line if wanted."""
    rows = [("", "measured", "target"), *(figure.row() for figure in figures)]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    for meaning, value, target in rows:
        print(f"{meaning:<{widths[0]}}  {value:>{widths[1]}}  {target}".rstrip())
    print(f"on {machine()}")
    if as_json:
        print(json.dumps({figure.key: figure.value for figure in figures}))


def machine() -> str:
    """What the figures depend on most."""
    return f"{os.cpu_count()} CPUs, Python {platform.python_version()}"


def number(value: float) -> str:
    """A value as tables show it."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
