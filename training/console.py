"""Printing the lines of a run; a closed terminal or pipe does not end the run."""

from __future__ import annotations

import os
import sys

from tqdm import tqdm

FIRST_STREAMS = (0, 1, 2)  # stdin, stdout, stderr


def say(line: str) -> None:
    """A line on stdout that stays, above any progress bars."""
    try:
        tqdm.write(line, file=sys.stdout)
        sys.stdout.flush()
    except OSError:  # the reader of a pipe has gone, or the disk under a file is full
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(line: str) -> None:
    """A line on stderr, past Python's buffers, which may be in use at this very moment."""
    try:
        os.write(2, f"{line}\n".encode())
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def open_closed_streams() -> None:
    """Let streams that were closed before the start lead nowhere.

    Otherwise the first files opened would take their numbers, and lines meant for whoever watches
    would be written into them.
    """
    for number in FIRST_STREAMS:
        if not _is_open(number):
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", closefd=False)


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
