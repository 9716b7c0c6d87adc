"""`train.py --workers`: Ctrl-C leaves no process behind, and a run goes on with other workers."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.small_runs import (
    ROOT,
    SMALL_DEFAULT_PATH,
    as_flags,
    assert_same_arrays,
    command,
    latest_arrays,
    train,
)
from tests.test_workers import gone

SETTINGS = ["--preset=smoke", *as_flags(SMALL_DEFAULT_PATH), "--chunks=2", "--resume-every=1"]


def children(pid: int) -> list[int]:
    """The processes that a process has started, from whichever thread."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return [int(word) for thread in threads for word in (thread / "children").read_text().split()]


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes as Linux shows them")
def test_ctrl_c_ends_workers_and_the_run_goes_on_without_any(tmp_path: Path) -> None:
    words = [*SETTINGS, "--checkpoint-every=999", "--run-name=parts", "--workers=2"]
    process = subprocess.Popen(
        command(tmp_path, *words, "--iterations=9999"),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    line = next(line for line in process.stdout if line.startswith("iteration 1:"))
    assert "2 workers" in line
    assert "MB moved" in line
    workers = children(process.pid)
    assert len(workers) == 2
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert gone(workers)
    latest = tmp_path / "checkpoints" / "parts" / "latest" / "state.json"
    last = json.loads(latest.read_text())["t"] + 1
    done = train(tmp_path, "--resume=parts", f"--iterations={last}")
    assert done.returncode == 0, done.stderr
    done = train(tmp_path, *SETTINGS, f"--iterations={last}", "--run-name=whole")
    assert done.returncode == 0, done.stderr
    whole, parts = (latest_arrays(tmp_path / "checkpoints" / name) for name in ("whole", "parts"))
    assert_same_arrays(parts, whole)


def test_workers_that_make_no_sense_are_refused_in_one_line(tmp_path: Path) -> None:
    for word, said in (
        ("some", "--workers"),
        ("ray:127.0.0.1:1", "no Ray cluster at 127.0.0.1:1"),
    ):
        done = train(tmp_path, "--preset=kuhn", f"--workers={word}")
        assert done.returncode == 2
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1, done.stderr
    assert not list(tmp_path.iterdir())
