"""Tasks for workers that fail in every way, the first time or always."""

from __future__ import annotations

import os
import signal
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

from env.arrays import Doubles
from env.progress import Advance
from workers.tasks import Task


def squared(factor: Doubles, number: int, advance: Advance) -> Doubles:
    """What most tests have computed."""
    advance(1)
    return factor * number**2


def is_squared(task: Task, found: object) -> str | None:
    return None if isinstance(found, np.ndarray) else "nonsense"


def dies(factor: Doubles, number: int, marks: Path, advance: Advance) -> Doubles:
    """Is killed when it does a task for the first time."""
    if _is_first(marks, number):
        os.kill(os.getpid(), signal.SIGKILL)
    return squared(factor, number, advance)


def hangs(factor: Doubles, number: int, marks: Path, advance: Advance) -> Doubles:
    """Takes for ever, the first time, over one of the tasks."""
    if number == 1 and _is_first(marks, number):
        time.sleep(1000)
    return squared(factor, number, advance)


def lies(factor: Doubles, number: int, marks: Path, advance: Advance) -> object:
    """Gives something else, the first time."""
    return "nothing" if _is_first(marks, number) else squared(factor, number, advance)


def babbles(factor: Doubles, number: int, marks: Path, advance: Advance) -> object:
    """Writes noise onto every pipe of the process, the first time."""
    if _is_first(marks, number):
        for file in range(3, 64):
            with suppress(OSError):  # those that are not open, and those that are only read
                if stat.S_ISFIFO(os.fstat(file).st_mode):
                    os.write(file, b"noise" * 100)
    return squared(factor, number, advance)


def raises(factor: Doubles, number: int, advance: Advance) -> Doubles:
    """Always fails."""
    raise ValueError(f"number {number} is impossible\nand more")


def process(number: int, advance: Advance) -> int:
    """Who does the task."""
    return os.getpid()


def has_tensorflow(number: int, advance: Advance) -> bool:
    """Whether the process has loaded TensorFlow."""
    return "tensorflow" in sys.modules


def _is_first(marks: Path, number: int) -> bool:
    try:
        (marks / str(number)).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
