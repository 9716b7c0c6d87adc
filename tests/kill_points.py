"""Ends a writing process before its first change of the disk, its second, and so on, without mercy.

    python -m tests.kill_points again /tmp/scratch

Children made by `fork` do the writing. An audit hook, which Python calls before every change of
the disk, ends them by `os._exit`, so that nothing is cleaned up. After each death whatever was
saved before must be readable, or the new in its place, and writing once more must succeed. This is
a program of its own because only a process without threads can be forked safely.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from models.layout import MODEL_INFO
from models.measurements import Measurements, record_head_to_head
from models.records import HeadToHead
from models.storage import StorageError, checked_folder, whole_file, whole_folder

KILLED = 9
CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate")


class Task(NamedTuple):
    """Something to write, what there is before, and what is found afterwards."""

    prepare: Callable[[Path], None]
    write: Callable[[Path], None]
    found: Callable[[Path], object]
    allowed: tuple[object, ...]  # findings after a death; the last one is what was to be written


def fill(place: Path, content: str) -> None:
    with whole_folder(place / "latest") as folder:
        for name in ("state.json", "rows.npy"):
            (folder / name).write_text(content)


def nothing(place: Path) -> None:
    place.mkdir(parents=True)


def one_folder(place: Path) -> None:
    fill(place, "old")


def folder_and_stale_backup(place: Path) -> None:
    """As an unlucky crash leaves it: the new one is in place, the one before not yet removed."""
    fill(place, "stale")
    (place / "latest").rename(place / "stale")
    fill(place, "old")
    (place / "stale").rename(place / ".latest.old")


def content(place: Path) -> str | None:
    try:
        folder = checked_folder(place / "latest")
    except StorageError:
        return None
    first, second = ((folder / name).read_text() for name in ("state.json", "rows.npy"))
    assert first == second, "two saves were mixed"
    return first


def one_file(place: Path) -> None:
    place.mkdir(parents=True)
    whole_file(place / "file", b"old")


def measured_model(place: Path) -> None:
    with whole_folder(place) as folder:
        (folder / MODEL_INFO).write_text("{}")
    measure(place, "old")


def measure(place: Path, opponent: str) -> None:
    record_head_to_head(place, opponent, HeadToHead(1.0, 2.0, 100))


def opponents(place: Path) -> list[str]:
    return sorted(name for name, _ in Measurements.of(checked_folder(place)).matches)


TASKS = {
    "first": Task(nothing, lambda place: fill(place, "new"), content, (None, "new")),
    "again": Task(one_folder, lambda place: fill(place, "new"), content, ("old", "new")),
    "backup": Task(
        folder_and_stale_backup, lambda place: fill(place, "new"), content, ("old", "new")
    ),
    "file": Task(
        one_file,
        lambda place: whole_file(place / "file", b"new"),
        lambda place: (place / "file").read_bytes(),
        (b"old", b"new"),
    ),
    "measurement": Task(
        measured_model, lambda place: measure(place, "new"), opponents, (["old"], ["new", "old"])
    ),
}


def is_killed(write: Callable[[Path], None], place: Path, last: int) -> bool:
    """Let a child write until its change of that number; whether it got no further."""
    child = os.fork()
    if child:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code in (0, KILLED), f"a child failed at change {last}"
        return code == KILLED
    changes = 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal changes
        is_written = event == "open" and bool(arguments[2] & (os.O_WRONLY | os.O_RDWR))
        changes += event in CHANGES or is_written
        if changes == last:
            os._exit(KILLED)

    try:
        sys.addaudithook(hook)
        write(place)
    except BaseException:
        os._exit(1)
    os._exit(0)


def main(name: str, scratch: Path) -> None:
    """Kill the task at every point; prints how many there are."""
    task, place = TASKS[name], scratch / name
    for last in count(1):
        shutil.rmtree(place, ignore_errors=True)
        task.prepare(place)
        was_killed = is_killed(task.write, place, last)
        found = task.found(place)
        assert found in task.allowed, f"killed at change {last}: found {found!r}"
        task.write(place)
        assert task.found(place) == task.allowed[-1], f"killed at change {last}: not written again"
        if not was_killed:
            assert found == task.allowed[-1]
            print(last - 1)
            return


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
