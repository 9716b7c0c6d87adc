"""Where `evaluate.py` writes, what it leaves alone, and what is refused before the work."""

from __future__ import annotations

import json
import os
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

import evaluate
from commands import evaluate as evaluate_run
from commands import evaluate_output
from commands.train_options import parse as parse_training
from deep_cfr.config import ConfigError
from env.kernel_cache import COMPILING
from models.measurements import Measurements
from tests.test_model import save_random

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of kuhn to copy."""
    return save_random(tmp_path_factory.mktemp("saved") / "tiny", "kuhn", iterations=2)


@pytest.fixture
def model(saved: Path, tmp_path: Path) -> Path:
    """A model to measure."""
    return Path(shutil.copytree(saved, tmp_path / "tiny")) / "iter_0002"


def run(place: Path, *words: str) -> int:
    return evaluate.main([*words, "--logdir", str(place / "runs"), "--threads", "1"])


def test_a_published_model_is_left_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(ROOT / "checkpoints/pretrained/leduc", tmp_path / "leduc"))
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert run(tmp_path, str(folder), "--json", str(tmp_path / "out.json")) == 0
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    shown = capsys.readouterr()
    assert "8.18 mbb/g" in shown.out
    assert "card" not in shown.out
    (line,) = (line for line in shown.err.splitlines() if line != COMPILING)
    assert "not recorded" in line
    assert json.loads((tmp_path / "out.json").read_text())["method"] == "exact"
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["evaluations"], "no run's name"


def test_a_run_of_one_model_is_a_number_and_no_chart(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(model.parent / "iter_0001")
    assert run(tmp_path, str(model.parent), "--chart", str(tmp_path / "curve.png")) == 2
    assert "a number and no curve" in capsys.readouterr().err
    assert run(tmp_path, str(model.parent)) == 0
    assert "chart" not in capsys.readouterr().out
    assert not (model.parent / "exploitability.png").exists()


def test_a_range_chart(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    leduc, chart = str(ROOT / "checkpoints/pretrained/leduc"), tmp_path / "range.png"
    words = [leduc, "--range-chart", str(chart), "--line", "rc/"]
    assert run(tmp_path, *words, "--board", "Qc") == 0
    assert chart.read_bytes().startswith(b"\x89PNG")
    chart.unlink()
    for board, line in (("Qc Qd", "rc/"), ("Xx", "rc/"), ("", "rc/"), ("Qc", "rr"), ("Qc", "f")):
        words[-1] = line
        assert run(tmp_path, *words, "--board", board) == 2, (board, line)
        (error,) = capsys.readouterr().err.splitlines()
        assert error.startswith("error: ")
    assert not chart.exists()


def test_evaluations_take_no_name_of_a_run(model: Path, tmp_path: Path) -> None:
    assert run(tmp_path, str(model)) == 0
    assert (tmp_path / "runs/evaluations/tiny").is_dir()
    assert not (tmp_path / "runs/tiny").exists()
    (tmp_path / "runs/tiny").mkdir()
    (tmp_path / "runs/tiny/config.json").write_text("{}")
    assert run(tmp_path, str(model)) == 0
    assert (tmp_path / "runs/tiny/evaluation").is_dir(), "with the logs of the run"


@pytest.mark.parametrize("name", ["evaluations", "tournaments"])
def test_no_run_takes_a_name_of_theirs(name: str) -> None:
    with pytest.raises(ConfigError, match="other logs"):
        parse_training(["--run-name", name])


@pytest.mark.parametrize("is_run", [False, True])
def test_json_alone_on_standard_output(
    model: Path, is_run: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    place = model.parent.parent
    assert run(place, str(model.parent if is_run else model), "--json", "-") == 0
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert (found[-1] if is_run else found)["iteration"] == 2
    assert "mbb/g" in shown.err
    assert not (Path.cwd() / "-").exists()


def test_pipes_and_links_are_written_into_not_replaced(model: Path, tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to("target.json")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    assert run(tmp_path, str(model), "--json", str(pipe)) == 0
    reader.join(timeout=60)
    assert json.loads(read[0])["iteration"] == 2
    assert pipe.is_fifo()
    assert run(tmp_path, str(model), "--json", str(link)) == 0
    assert link.is_symlink()
    assert json.loads((tmp_path / "target.json").read_text())["iteration"] == 2


def test_devices_take_charts(model: Path, tmp_path: Path) -> None:
    device = tmp_path / "null"
    device.symlink_to("/dev/null")
    assert run(tmp_path, str(model.parent), "--json", str(device), "--chart", str(device)) == 0
    assert device.is_symlink()
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--json", "{}/loop"], "loop"),
        (["--chart", "{}/loop"], "loop"),
        (["--json", "{}"], "is a folder"),
        (["--json", "{}/no/file"], "there is no folder"),
        (["--json", "{}/dangling"], "there is no folder"),
        (["--json", "{}/" + "x" * 300], "too long"),
        (["--json", ""], "--json"),
        (["--chart", "-"], "only --json"),
        (["--logdir", "{}/file"], "is not a folder"),
        (["--logdir", "{}/file/x"], "is not a folder"),
        (["--logdir", "{}/loop"], "loop"),
        (["--hands", str(10**30)], "--hands"),
        (["--seed", str(10**30)], "--seed"),
        (["--threads", "9" * 5000], "--threads"),
        (["--game", "a\nb"], "cannot be printed"),
    ],
)
def test_what_cannot_be_done_is_refused_before_the_work(
    words: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("no/where")
    (tmp_path / "file").write_text("dear")
    monkeypatch.setattr(evaluate_run, "run", lambda *_: pytest.fail("work was begun"))
    with pytest.raises(SystemExit) as stopped:
        evaluate.main([str(tmp_path), *(word.format(tmp_path) for word in words)])
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1
    assert len(error) < 600
    assert (tmp_path / "file").read_text() == "dear"


def test_results_are_shown_although_they_cannot_be_recorded(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (model / "measurements.jsonl").mkdir()
    assert run(tmp_path, str(model), "--json", str(tmp_path / "out.json")) == 0
    shown = capsys.readouterr()
    assert "mbb/g" in shown.out
    assert "warning: not recorded in" in shown.err
    assert json.loads((tmp_path / "out.json").read_text())["iteration"] == 2


def test_results_are_recorded_although_a_file_cannot_be_written(
    model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(evaluate_output, "write_output", full)
    assert run(tmp_path, str(model), "--json", str(tmp_path / "out.json")) == 2
    assert "error: json not written: " in capsys.readouterr().err
    assert len(Measurements.of(model).evaluations) == 1


def test_a_model_that_does_not_count_nodes(model: Path, tmp_path: Path) -> None:
    for folder in (model, model.parent / "iter_0001"):
        info = json.loads((folder / "model.json").read_text())
        del info["nodes_touched"]
        (folder / "model.json").write_text(json.dumps(info))
        (folder / "manifest.json").unlink()
    assert run(tmp_path, str(model.parent), "--json", str(tmp_path / "out.json")) == 0
    results = json.loads((tmp_path / "out.json").read_text())
    assert [result["nodes_touched"] for result in results] == [None, None]
    assert (model.parent / "exploitability.png").is_file()
    assert "| 2 | — | exact |" in (model.parent / "README.md").read_text()


def test_a_run_is_named_by_its_folder_wherever_one_stands(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(model.parent)
    assert run(tmp_path, ".") == 0
    assert (tmp_path / "runs/evaluations/tiny").is_dir()
