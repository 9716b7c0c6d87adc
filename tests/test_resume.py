"""Runs that are stopped, killed or interrupted go on as if nothing had happened.

The default path (many hands on each board, rounds, both strength regressions, networks refitted in
every second iteration) and Leduc are run by `train.py`, and every array of the final states is
compared.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from deep_cfr.networks.device import threads_used
from tests.small_runs import (
    ROOT,
    SMALL_DEFAULT_PATH,
    SMALL_LEDUC,
    Arrays,
    as_flags,
    assert_same_arrays,
    command,
    latest_arrays,
    metrics,
    train,
)

OFTEN = ["--checkpoint-every=2", "--resume-every=1"]
PATHS = {
    "default": ["--preset=smoke", *OFTEN, *as_flags(SMALL_DEFAULT_PATH)],
    "leduc": ["--preset=leduc", *OFTEN, *as_flags(SMALL_LEDUC)],
}
ITERATIONS = 5


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(folder, *arguments),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def state(folder: Path, name: str) -> Arrays:
    return latest_arrays(folder / "checkpoints" / name)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs that nothing interrupts, one for each path and named after it."""
    folder = tmp_path_factory.mktemp("whole")
    for name, path in PATHS.items():
        done = train(folder, *path, f"--iterations={ITERATIONS}", "--run-name", name)
        assert done.returncode == 0, done.stderr
    return folder


def test_the_default_path_carries_every_array(whole: Path) -> None:
    files = {name.split("/")[0] for name in state(whole, "default")}
    assert files == {
        "advantages_0.npy",
        "advantages_1.npy",
        "strategies.npy",
        "advantage_nets.npz",
        "strength_regression_0.npz",
        "strength_regression_1.npz",
        "strategy_regression.npz",
    }


@pytest.mark.parametrize("path", PATHS)
def test_stopping_and_resuming_changes_nothing(whole: Path, tmp_path: Path, path: str) -> None:
    for arguments in (
        [*PATHS[path], "--iterations=3", "--run-name=parts"],
        ["--resume=parts", f"--iterations={ITERATIONS}"],
    ):
        done = train(tmp_path, *arguments)
        assert done.returncode == 0, done.stderr
    assert_same_arrays(state(tmp_path, "parts"), state(whole, path))
    config = json.loads((tmp_path / "runs" / "parts" / "config.json").read_text())
    assert "--run-name=parts" in config["command"]
    assert "--resume=parts" in config["resumed_with"]
    card = (tmp_path / "checkpoints" / "parts" / "README.md").read_text()
    assert config["command"] in card
    assert config["resumed_with"] in card
    rows = [metrics(tmp_path / "runs" / "parts"), metrics(whole / "runs" / path)]
    for mine, theirs in zip(*rows, strict=True):
        for column in ("t", "nodes_touched", "loss_p0", "loss_p1", "value_mbb"):
            assert mine[column] == theirs[column]


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_kills_at_random_moments_change_nothing(whole: Path, tmp_path: Path, path: str) -> None:
    rng = np.random.default_rng(int(os.environ.get("KILL_SEED", "0")))
    arguments = [*PATHS[path], f"--iterations={ITERATIONS}", "--run-name=killed"]
    latest = tmp_path / "checkpoints" / "killed" / "latest"
    for _ in range(3):
        process = start(tmp_path, *arguments)
        before = latest.stat().st_ino if latest.exists() else 0
        while process.poll() is None and (not latest.exists() or latest.stat().st_ino == before):
            time.sleep(0.02)
        time.sleep(float(rng.uniform(0, 0.8)))
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL, "killed before it was done"
        arguments = ["--resume=killed", f"--iterations={ITERATIONS}"]
    done = train(tmp_path, *arguments)
    assert done.returncode == 0, done.stderr
    assert_same_arrays(state(tmp_path, "killed"), state(whole, path))
    last = tmp_path / "checkpoints" / "killed" / f"iter_{ITERATIONS:04d}"
    assert (last / "strategy.keras").exists()


def test_a_run_killed_at_its_start_can_be_resumed(whole: Path, tmp_path: Path) -> None:
    latest = tmp_path / "checkpoints" / "early" / "latest"
    process = start(
        tmp_path, *PATHS["default"], f"--iterations={ITERATIONS}", "--run-name", "early"
    )
    while process.poll() is None and not latest.exists():
        time.sleep(0.02)
    process.kill()
    process.communicate()
    done = train(tmp_path, "--resume", "early")
    assert done.returncode == 0, done.stderr
    assert_same_arrays(state(tmp_path, "early"), state(whole, "default"))


def test_a_missing_last_model_is_made_on_resume(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole / "checkpoints", tmp_path / "checkpoints")
    model = tmp_path / "checkpoints" / "default" / f"iter_{ITERATIONS:04d}"
    shutil.rmtree(model)
    done = train(tmp_path, "--resume", "default", "--strategy-updates", "17")
    assert done.returncode == 0, done.stderr
    assert f"{ITERATIONS} iterations are done already" in done.stdout
    assert (model / "strategy.keras").exists()
    made_with = json.loads((model / "model.json").read_text())["config"]
    assert made_with["strategy_updates"] == 17, "how the average is fitted may change on resume"
    assert_same_arrays(state(tmp_path, "default"), state(whole, "default"))


def test_a_run_may_go_on_with_other_threads_and_says_so(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole / "checkpoints", tmp_path / "checkpoints")
    done = train(tmp_path, "--resume=leduc", "--threads=2", f"--iterations={ITERATIONS + 1}")
    assert done.returncode == 0, done.stderr
    if threads_used(2) == 2:
        assert "note: threads 1 → 2 since the last save; last bits may differ" in done.stdout
    saved = json.loads((tmp_path / "checkpoints" / "leduc" / "latest" / "state.json").read_text())
    assert (saved["t"], saved["config"]["threads"]) == (ITERATIONS + 1, 2)
    again = train(tmp_path, "--resume=leduc", "--threads=2", f"--iterations={ITERATIONS + 2}")
    assert again.returncode == 0, again.stderr
    assert "note: threads" not in again.stdout


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_interrupts_save_and_say_how_to_go_on(tmp_path: Path, sig: signal.Signals) -> None:
    process = start(
        tmp_path, *PATHS["default"], "--iterations=9999", "--run-name=r", "--resume-every=999"
    )
    assert process.stdout
    for line in process.stdout:
        if line.startswith("iteration 2:"):
            break
    process.send_signal(sig)
    rest, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    assert f"python train.py --resume r --checkpoints {tmp_path / 'checkpoints'}" in rest
    saved = json.loads((tmp_path / "checkpoints" / "r" / "latest" / "state.json").read_text())
    assert saved["t"] >= 2
    assert "Traceback" not in errors


def test_time_limits_stop_cleanly_with_a_model(tmp_path: Path) -> None:
    done = train(
        tmp_path,
        *PATHS["default"],
        "--iterations=9999",
        "--run-name=short",
        "--max-minutes=0.02",
    )
    assert done.returncode == 0, done.stderr
    run = tmp_path / "checkpoints" / "short"
    t = json.loads((run / "latest" / "state.json").read_text())["t"]
    assert 1 <= t < 9999
    assert (run / f"iter_{t:04d}" / "strategy.keras").exists()
