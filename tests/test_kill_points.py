"""A process that is killed at any write loses nothing that was saved before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kill_points import TASKS
from tests.small_runs import ROOT

FEWEST = {"file": 2, "measurement": 5}  # changes of the disk that a task makes; others make more


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("task", TASKS)
def test_what_was_saved_outlasts_a_kill_at_every_write(task: str, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tests.kill_points", task, str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= FEWEST.get(task, 6)
