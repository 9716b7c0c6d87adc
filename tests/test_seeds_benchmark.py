"""`benchmarks/seeds.py`: every seed is trained and evaluated once, and summed up."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import pytest

import evaluate
import train
from benchmarks import scripts, seeds
from models.measurements import Measurements
from models.run_state import latest_state

TINY = ["--traversals=40", "--updates=5", "--strategy-updates=5", "--width=8", "--threads=1"]
MAINS = {"train.py": train.main, "evaluate.py": evaluate.main}


def call(folder: Path, count: int, *options: str) -> int:
    places = ["--checkpoints", str(folder / "checkpoints"), "--logdir", str(folder / "runs")]
    words = ["--preset", "kuhn", "--seeds", str(count), "--json", str(folder / "found.json")]
    return seeds.main([*words, *places, "--", *TINY, *options])


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The scripts that were called, in this process instead of one of their own."""
    words_of: list[list[str]] = []

    def in_process(words: list[str]) -> None:
        words_of.append(words)
        assert MAINS[words[0]](words[1:]) == 0

    monkeypatch.setattr(seeds, "call_script", in_process)
    return words_of


def test_seeds_are_trained_once_and_summed_up(
    tmp_path: Path, called: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(tmp_path, 1, "--iterations", "1") == 0
    assert call(tmp_path, 2, "--iterations", "2") == 0  # the first seed goes on, the second starts
    assert [words[:2] for words in called if words[0] == "train.py"] == [
        ["train.py", "--preset"],
        ["train.py", "--resume"],
        ["train.py", "--preset"],
    ]
    found: dict[str, Any] = json.loads((tmp_path / "found.json").read_text())
    figures = []
    for seed, row in enumerate(found["seeds"]):
        run = tmp_path / f"checkpoints/kuhn-seed-{seed}"
        assert row["run"] == str(run)
        assert latest_state(run).config.seed == row["seed"] == seed
        (exact,) = Measurements.of(run / "iter_0002").evaluations
        assert (row["claim"], row["iterations"]) == (exact.claim, 2)
        figures.append(exact.exploitability_mbb)
        assert row["exploitability_mbb"] == figures[-1]
    assert figures[0] != figures[1]
    summed = found["exploitability_mbb"]
    assert summed["mean"] == pytest.approx(sum(figures) / 2)
    assert summed["standard_deviation"] == pytest.approx(statistics.stdev(figures))
    assert (summed["min"], summed["max"]) == (min(figures), max(figures))
    assert f"{summed['mean']:,.2f}" in capsys.readouterr().out

    called.clear()
    (tmp_path / "found.json").unlink()
    assert call(tmp_path, 2, "--iterations", "2") == 0
    assert called == []
    assert json.loads((tmp_path / "found.json").read_text()) == found
    # Runs of other settings are never taken for these.
    assert call(tmp_path, 2, "--iterations", "2", "--refit-every", "1", "--batch-size", "64") == 2
    assert "batch_size: 128 → 64" in capsys.readouterr().err
    assert call(tmp_path, 1, "--iterations", "2", "--strategy-batch-size", "64") == 2
    assert "strategy fit" in capsys.readouterr().err
    assert called == []


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--seed", "3"], "--seed cannot be passed on"),
        (["--max-minutes", "1"], "--max-minutes cannot be passed on"),
        (["--iterations", "0"], "iterations is 0"),
    ],
)
def test_options_that_make_no_sense(
    tmp_path: Path,
    called: list[list[str]],
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    complaint: str,
) -> None:
    assert call(tmp_path, 1, *options) == 2
    assert complaint in capsys.readouterr().err
    assert called == []


@pytest.mark.parametrize(
    ("words", "error", "complaint"),
    [
        (["evaluate.py", "no-such-model"], scripts.ScriptError, "evaluate.py: there is no no-such"),
        (["stops.py"], scripts.Stopped, "^$"),
    ],
)
def test_a_script_that_fails_or_stops(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    error: type[Exception],
    complaint: str,
) -> None:
    (tmp_path / "stops.py").write_text("raise SystemExit(130)")
    if words[0] == "stops.py":
        monkeypatch.setattr(scripts, "ROOT", tmp_path)
    with pytest.raises(error, match=complaint):
        scripts.call_script(words)
