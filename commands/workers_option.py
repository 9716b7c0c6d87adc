"""The options `--workers` and `--worker-timeout`, which several commands have."""

from __future__ import annotations

import argparse
import dataclasses

from workers.opening import HELP, TIMEOUT_HELP, TIMEOUT_S, WorkersSpec, parse_workers

LONGEST_S = 10.0**6


def add_workers(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add both options."""
    parser.add_argument(
        "--workers", type=_workers, default=WorkersSpec(), metavar="WHO", help=f"{HELP} [0]"
    )
    parser.add_argument(
        "--worker-timeout",
        type=_seconds,
        default=TIMEOUT_S,
        metavar="SECONDS",
        help=f"{TIMEOUT_HELP} [{TIMEOUT_S:g}]",
    )


def workers_of(workers: WorkersSpec, timeout_s: float) -> WorkersSpec:
    """Both options in one."""
    return dataclasses.replace(workers, timeout_s=timeout_s)


def _workers(text: str) -> WorkersSpec:
    try:
        return parse_workers(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= LONGEST_S:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")
    return seconds
