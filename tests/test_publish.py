"""Handing on a model: what is copied, what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from models import publish as publishing
from models.measurements import Measurements, record_evaluation, record_head_to_head
from models.model import load
from models.publish import main, publish
from models.records import ExploitabilityRecord, HeadToHead
from models.storage import checked_folder
from tests.test_model import save_random


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models of a run that knows its command and its time."""
    run = save_random(tmp_path_factory.mktemp("saved") / "leduc", "leduc", iterations=2)
    logs = run.parent / "logs"
    logs.mkdir()
    (logs / "config.json").write_text(json.dumps({"command": "python train.py --preset leduc"}))
    rows = [{"t": 1, "wall_s": 60.0}, {"t": 2, "wall_s": 150.0}]
    (run / "latest").mkdir(exist_ok=True)
    (run / "latest" / "state.json").write_text(
        json.dumps({"extra": {"logs": str(logs), "rows": rows}})
    )
    record_evaluation(run / "iter_0002", ExploitabilityRecord("exact", "exact", 12.5))
    return run


def test_newest_model_is_handed_on_with_its_origin(run: Path, tmp_path: Path) -> None:
    target = tmp_path / "pretrained" / "leduc"
    card = publish(run, target).read_text()
    checked_folder(target)
    assert "2 iterations" in card
    assert "12.5 mbb/g (exact)" in card
    assert "python train.py --preset leduc" in card
    assert "2.5 minutes" in card
    assert 'load("path/to/leduc")' in card, "no folder of this machine"
    assert load(target).ask("Kc") == load(run / "iter_0002").ask("Kc")


def test_published_again_it_keeps_its_origin(run: Path, tmp_path: Path) -> None:
    publish(run / "iter_0001", tmp_path / "first")
    card = publish(tmp_path / "first", tmp_path / "second").read_text()
    assert "1.0 minutes" in card
    assert "python train.py" in card


def test_a_newer_model_takes_the_place_of_the_old_one(run: Path, tmp_path: Path) -> None:
    publish(run / "iter_0001", tmp_path / "model")
    publish(run / "iter_0002", tmp_path / "model")
    assert json.loads((tmp_path / "model" / "model.json").read_text())["iteration"] == 2


def test_other_folders_are_not_touched(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("dear")
    assert main([str(run), str(mine)]) == 1
    assert "holds something else" in capsys.readouterr().err
    assert [file.name for file in mine.iterdir()] == ["thesis.txt"]
    assert main([str(tmp_path / "nothing"), str(tmp_path / "out")]) == 1
    assert "there is no" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_large_models_are_refused(
    run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(publishing, "MAX_BYTES", 1000)
    assert main([str(run), str(tmp_path / "out")]) == 1
    assert "more than 1,000" in capsys.readouterr().err


def test_a_published_model_holds_the_most_precise_measurements_and_no_path(
    run: Path, tmp_path: Path
) -> None:
    source = Path(shutil.copytree(run, tmp_path / "leduc"))
    command = f"python train.py --checkpoints {tmp_path} --logdir=/home/x/runs --preset leduc"
    (tmp_path / "config.json").write_text(json.dumps({"command": command}))
    (source / "latest" / "state.json").write_text(json.dumps({"extra": {"logs": str(tmp_path)}}))
    model = source / "iter_0001"
    for hands, interval_mbb in ((2_000, 190.9), (160_000, 18.2), (500, 300.0)):
        bound = ExploitabilityRecord(
            "lbr", "lower bound", 140.0, interval_mbb, hands=hands, date="then"
        )
        record_evaluation(model, bound)
    record_head_to_head(model, str(tmp_path / "other"), HeadToHead(1.0, 2.0, 100))
    card = publish(model, tmp_path / "published").read_text()
    info = json.loads((tmp_path / "published" / "model.json").read_text())
    assert info["evaluations"]["lbr"]["hands"] == 160_000
    assert list(info["head_to_head"]) == ["path/to/other"]
    assert str(tmp_path) not in card + json.dumps(info)
    assert "--logdir=path/to/runs --preset leduc" in card
    assert [record.hands for record in Measurements.of(model).evaluations] == [2_000, 160_000, 500]


def test_a_published_model_says_what_is_not_known_without_a_command(
    run: Path, tmp_path: Path
) -> None:
    card = publish(run / "iter_0001", tmp_path / "published").read_text()
    assert "not measured before this model was published" in card
    assert "No matches were recorded before" in card
    assert "evaluate.py" not in card
    assert "tournament.py" not in card
