"""A lock has one holder, is named after it and ends with it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from models.locks import Locked, exclusive_lock

HOLD = """
import sys, time
from pathlib import Path
from models.locks import exclusive_lock
with exclusive_lock(Path(sys.argv[1]), wait=False):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_second_holder_is_told_who_the_first_is(tmp_path: Path) -> None:
    lock = tmp_path / ".lock"
    with (
        exclusive_lock(lock, wait=False),
        pytest.raises(Locked, match=f"in use by process {os.getpid()}"),
        exclusive_lock(lock, wait=False),
    ):
        pass
    assert not list(tmp_path.iterdir()), "nothing stays behind"
    with exclusive_lock(lock, wait=True):
        assert lock.exists()


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    lock = tmp_path / ".lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with (
            pytest.raises(Locked, match=f"process {holder.pid}"),
            exclusive_lock(lock, wait=False),
        ):
            pass
        holder.kill()
    assert lock.exists(), "a killed process leaves its file, which locks nothing"
    with exclusive_lock(lock, wait=False):
        assert lock.read_text() == str(os.getpid())


def test_a_lock_on_a_file_that_was_removed_counts_for_nothing(tmp_path: Path) -> None:
    """The holder removes the file at the end; whoever had it open must not lock the removed one."""
    lock = tmp_path / ".lock"
    with exclusive_lock(lock, wait=False):
        lock.unlink()
        with exclusive_lock(lock, wait=False):
            assert lock.exists()
