"""A stop inside an iteration loses that iteration and nothing else."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from deep_cfr.config import Config
from deep_cfr.fitting.trainer import Diverged, FitResult
from deep_cfr.solver import Iteration, Solver
from env.game import load_game
from env.progress import Advance
from models.layout import models_at
from models.run_state import RunProgress
from models.storage import StorageError
from tests.small_runs import (
    SMALL_DEFAULT_PATH,
    SMALL_LEDUC,
    Arrays,
    assert_same_arrays,
    latest_arrays,
    metrics,
    small_config,
)
from training.checkpoint import save_latest
from training.forecast import Forecast
from training.places import Places
from training.resuming import program, resume_notes
from training.run import INTERRUPTED, Run
from training.stopping import Stopped, Stopping
from training.telemetry import Telemetry

DEFAULT_PATH = small_config("smoke", SMALL_DEFAULT_PATH)
LEDUC = small_config(
    "leduc", SMALL_LEDUC, iterations=3, checkpoint_every=2, resume_every=999, eval_every=0
)


class EndingBars:
    """Progress bars that end the work at the report of a given number, and list the reports."""

    def __init__(self) -> None:
        self.last = -1
        self.reports: list[str] = []

    def __call__(self, what: str, total: int) -> Advance:
        def advance(done: int) -> None:
            self.reports.append(what)
            if len(self.reports) == self.last:
                raise Stopped

        return advance


def arrays_of(solver: Solver, folder: Path) -> Arrays:
    save_latest(folder, solver, RunProgress())
    return latest_arrays(folder)


def test_an_iteration_is_made_whole_or_not_at_all(tmp_path: Path) -> None:
    game = load_game(DEFAULT_PATH.game)
    whole, bars = Solver(DEFAULT_PATH, game), EndingBars()
    for _ in range(3):
        whole.iterate()
    solver = Solver(DEFAULT_PATH, game, bars)
    for _ in range(2):
        solver.iterate()
    before = arrays_of(solver, tmp_path / "before")
    assert solver.strategy_memory.seen > len(solver.strategy_memory), "rows are being replaced"
    third = ["traversals p0", "traversals p1"] * 3
    fits = third.index("traversals p1", 5)
    for last in (1, 2, 4, fits + 1, fits + 2, fits + 3):  # in traversals, rounds and both fits
        bars.reports.clear()
        bars.last = last
        with pytest.raises(Stopped):
            solver.iterate()
        assert len(bars.reports) == last
        assert solver.t == 2
        assert_same_arrays(arrays_of(solver, tmp_path / "after"), before)
    assert "advantage net p0" in bars.reports, "the last of them was in a fit"
    bars.last = -1
    solver.iterate()
    assert_same_arrays(arrays_of(solver, tmp_path / "b"), arrays_of(whole, tmp_path / "a"))


def run_of(folder: Path, config: Config, resume: bool = False) -> Run:
    places = Places("r", folder / "runs" / "r", folder / "checkpoints" / "r")
    return Run(config, places, lambda solver, policy, new_bar: [], resume)


def interrupt_at(monkeypatch: pytest.MonkeyPatch, step: str, number: int) -> None:
    """Ctrl-C in the so-manieth step of this name, from 1."""
    new_bar, seen = Telemetry.new_bar, []

    def interrupting(self: Telemetry, what: str, total: int) -> Callable[[int], None]:
        seen.append(what)
        if what == step and seen.count(step) == number:
            signal.raise_signal(signal.SIGINT)
        return new_bar(self, what, total)

    monkeypatch.setattr(Telemetry, "new_bar", interrupting)


def saved_t(folder: Path) -> int:
    state = json.loads((folder / "checkpoints" / "r" / "latest" / "state.json").read_text())
    return int(state["t"])


def test_an_interrupted_run_ends_like_one_that_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert run_of(whole, LEDUC).go(None) == 0
    models = parts / "checkpoints" / "r"

    with monkeypatch.context() as patch:  # in the fit of the first model, after iteration 2
        interrupt_at(patch, "average strategy", 1)
        assert run_of(parts, LEDUC).go(None) == INTERRUPTED
    assert saved_t(parts) == 2, "the finished iteration is saved"
    shown = capfd.readouterr()
    assert "stopping: this step of 'average strategy' ends" in shown.err
    assert "saving iteration 2" in shown.out
    assert "model   none yet; python train.py --resume r" in shown.out
    assert "--iterations 2 makes one" in shown.out
    with pytest.raises(StorageError, match=r"--iterations 2` makes one"):
        models_at(models)

    with monkeypatch.context() as patch:  # in a fit of iteration 3
        interrupt_at(patch, "advantage net p1", 1)
        assert run_of(parts, LEDUC, resume=True).go(None) == INTERRUPTED
    assert saved_t(parts) == 2
    assert (models / "iter_0002").exists(), "the model that the stop prevented is made first"
    assert run_of(parts, LEDUC, resume=True).go(None) == 0
    assert (models / "iter_0003").exists()
    assert_same_arrays(latest_arrays(models), latest_arrays(whole / "checkpoints" / "r"))
    rows = [metrics(folder / "runs" / "r") for folder in (parts, whole)]
    for mine, theirs in zip(*rows, strict=True):
        for column in ("t", "nodes_touched", "loss_p0", "loss_p1", "value_mbb", "strategy_loss"):
            assert mine[column] == theirs[column]


def test_a_limit_of_time_counts_the_closing_model_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Forecast, "closing_s", lambda self: 3_600)
    config = small_config("leduc", SMALL_LEDUC, iterations=99, checkpoint_every=99)
    assert run_of(tmp_path, config).go(max_minutes=59) == 0
    assert saved_t(tmp_path) == 1, "one iteration at least, since without it there is no model"
    assert (tmp_path / "checkpoints" / "r" / "iter_0001").exists()


def test_the_first_model_is_expected_to_take_longer_than_its_fit() -> None:
    """It is evaluated and saved as well, and how long that takes nobody knows yet."""
    config = small_config("smoke", SMALL_DEFAULT_PATH)
    forecast = Forecast(Solver(config, load_game(config.game)))
    rows = config.strategy_updates * config.strategy_batch_size
    forecast.learn(Iteration(1, seconds_fitting=2.0, fits=[FitResult(config.updates)] * 2))
    assert forecast.closing_s() > rows / (config.updates * config.batch_size)
    with forecast.timing_model():
        pass  # a model that takes no time
    assert forecast.closing_s() < 1


def test_late_work_is_ended_and_a_second_signal_ends_everything() -> None:
    stopping = Stopping()
    bar = stopping.watched(EndingBars())("work", 1)
    with stopping.until(lambda: float("inf")):
        bar(1)
    with stopping.until(lambda: 0.0), pytest.raises(Stopped):
        bar(1)
    bar(1)
    with stopping.on_signals():
        signal.raise_signal(signal.SIGTERM)
        with pytest.raises(Stopped):
            bar(1)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_a_strategy_that_diverges_is_not_saved(tmp_path: Path) -> None:
    changes = {"strategy_learning_rate": 1e38, "strategy_updates": 1}
    run = run_of(tmp_path, small_config("leduc", SMALL_LEDUC, iterations=1, **changes))
    with pytest.raises(Diverged, match="a lower learning rate"):
        run.go(None)
    assert saved_t(tmp_path) == 1, "the iteration is not to blame"
    assert not list((tmp_path / "checkpoints" / "r").glob("*iter_*"))


def test_logs_that_cannot_be_written_do_not_end_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    run, logs = run_of(tmp_path, LEDUC), tmp_path / "runs" / "r"

    def full(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    def full_events() -> None:
        raise tf.errors.ResourceExhaustedError(None, None, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("training.telemetry.whole_file", full)
        patch.setattr(run._telemetry._writer, "flush", full_events)
        assert run.go(None) == 0
    shown = capfd.readouterr().out
    assert shown.count("warning: the logs in") == 1
    assert str(logs) in shown
    assert (tmp_path / "checkpoints" / "r" / "iter_0003").exists()
    assert not (logs / "metrics.csv").exists()
    state = json.loads((tmp_path / "checkpoints" / "r" / "latest" / "state.json").read_text())
    assert [row["t"] for row in state["extra"]["rows"]] == [1, 2, 3], "a resume writes them again"


def test_a_resumed_run_says_what_is_different() -> None:
    """Threads and versions decide the last bits; logs go to the folder that is asked for."""
    before = RunProgress(logs="/elsewhere/r", made_with={"threads": "2", "numpy": "2.0.0"})
    logs = Path("runs/r")
    notes = resume_notes(before, {"threads": "4", "numpy": "2.0.0", "keras": "3"}, logs)
    assert notes == [
        "note: threads 2 → 4 since the last save; last bits may differ",
        "note: logs were in /elsewhere/r and go to runs/r now",
    ]
    same = RunProgress(logs=str(logs.resolve()), made_with={"threads": "4"})
    assert resume_notes(same, {"threads": "4"}, logs) == []
    assert resume_notes(RunProgress(), {"threads": "4"}, logs) == [], "runs of earlier versions"


@pytest.mark.parametrize(
    "saved",
    [[], {"rows": 3}, {"wall_s": -1}, {"wall_s": True}, {"wall_s": "x"}, {"logs": 5}],
)
def test_progress_that_makes_no_sense_is_refused(saved: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        RunProgress.from_json(saved)


@pytest.mark.parametrize(
    ("started_as", "again"),
    [
        ("/somewhere/train.py", ["python", "train.py"]),
        ("/usr/local/bin/deep-cfr-train", ["deep-cfr-train"]),
        ("C:/venv/Scripts/deep-cfr-train.exe", ["deep-cfr-train"]),
    ],
)
def test_people_are_told_to_type_what_they_typed(
    monkeypatch: pytest.MonkeyPatch, started_as: str, again: list[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [started_as, "--preset=kuhn"])
    assert program("train.py") == again
