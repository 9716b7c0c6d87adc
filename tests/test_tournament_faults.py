"""`tournament.py` where something is wrong: nonsense, damage, odd names, other people's folders."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
import zipfile
from pathlib import Path

import pytest

import tournament
from models.measurements import Measurements
from models.model import load
from tests.small_tournaments import SHORT, lasting, results_of, save_tiny_run


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_run(tmp_path_factory.mktemp("checkpoints") / "tiny")


@pytest.fixture
def models(trained: Path, tmp_path: Path) -> Path:
    """A copy to write into."""
    return Path(shutil.copytree(trained, tmp_path / "tiny"))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--seed", "1"], "its seed is 0, not 1"),
        (["--hands", "600"], "its hands is 400, not 600"),
        (["--game", "kuhn"], "its rules are leduc"),
        (["raise"], "its agents are call, random, not call, random, raise"),
    ],
)
def test_another_tournaments_folder_is_refused(
    tmp_path: Path, words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    base = ["call", "random", "--out", str(tmp_path), *SHORT, "--game", "leduc"]
    assert tournament.main(base) == 0
    before = lasting(tmp_path)
    more = [word for word in words if not word.startswith("-")] if words == ["raise"] else []
    options = [] if more else words
    assert tournament.main(["call", "random", *more, *base[2:], *options]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1
    assert lasting(tmp_path) == before


def test_a_retrained_model_is_noticed(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(models / "iter_0001"), "call", *SHORT, "--out", str(tmp_path / "out")]
    assert tournament.main(words) == 0
    description = load(models / "iter_0001").description
    shutil.copy(models / "iter_0002/strategy.keras", models / "iter_0001")  # same name, iteration
    content = (models / "iter_0001/strategy.keras").read_bytes()
    manifest = json.loads((models / "iter_0001/manifest.json").read_text())
    manifest["strategy.keras"] = hashlib.sha256(content).hexdigest()
    (models / "iter_0001/manifest.json").write_text(json.dumps(manifest))
    assert load(models / "iter_0001").description == description
    capsys.readouterr()
    assert tournament.main(words) == 2
    assert "tiny/iter_0001 has changed since: its weights" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["call", "raise"], "add --game"),
        (["call", "--game", "leduc"], "two agents or more"),
        (["call", "call", "--game", "leduc"], "two agents or more"),
        (["call", "nobody", "--game", "leduc"], "nobody"),
        (["call", "raise", "--game", "chess"], "chess"),
        (["{}", "call", "--game", "kuhn"], "cannot play"),
        (["{}/iter_0001"], "two agents or more"),
        (["sdcfr:nowhere", "call", "--game", "kuhn"], "nowhere"),
    ],
)
def test_nonsense_gets_one_line(
    trained: Path,
    words: list[str],
    complaint: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = ["--out", str(tmp_path / "out"), "--threads", "1"]
    assert tournament.main([*(word.format(trained) for word in words), *out]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_published_model_is_left_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = Path(shutil.copytree("checkpoints/pretrained/leduc", tmp_path / "leduc"))
    before = {file.name: file.read_bytes() for file in model.iterdir()}
    words = [str(model), "call", *SHORT, "--out", str(tmp_path / "out")]
    assert tournament.main([*words, "--logdir", str(tmp_path / "runs")]) == 0
    assert {file.name: file.read_bytes() for file in model.iterdir()} == before
    shown = capsys.readouterr()
    assert shown.err.count("not recorded") == 1
    assert "changed only by publishing" in shown.err
    assert len(results_of(tmp_path / "out")["pairs"]) == 1
    assert [folder.name for folder in (tmp_path / "runs").iterdir()] == ["tournaments"]


def test_results_are_shown_although_they_cannot_be_recorded(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (models / "iter_0001" / "measurements.jsonl").mkdir()
    words = [str(models), *SHORT, "--out", str(tmp_path / "out")]
    assert tournament.main(words) == 0
    shown = capsys.readouterr()
    assert "± at most" in shown.out
    assert shown.err.count("warning: not recorded in") == 1
    assert Measurements.of(models / "iter_0002").matches, "the other model has its result"


def test_odd_names_stay_names(models: Path, tmp_path: Path) -> None:
    """Neither a formula of a spreadsheet, nor one of a chart, nor HTML."""
    first, second = (
        Path(shutil.copytree(models / "iter_0001", tmp_path / name))
        for name in ("=1+1", r"$\nope$<b>")
    )
    out = tmp_path / "out"
    assert tournament.main([str(first), str(second), *SHORT, "--out", str(out)]) == 0
    with (out / "results.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert (row["a"], row["b"]) == ("'=1+1", r"$\nope$<b>")
    assert float(row["mbb"]) == results_of(out)["pairs"][0]["mbb"]
    assert "<b>" not in (out / "report.html").read_text()


def test_a_broken_model_gets_one_line(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = models / "iter_0001/strategy.keras"
    (file.parent / "manifest.json").unlink()
    with zipfile.ZipFile(file) as archive:
        weights = archive.getinfo("model.weights.h5")
    content = bytearray(file.read_bytes())
    content[weights.header_offset + 100 + weights.compress_size // 2] ^= 255
    file.write_bytes(content)
    assert tournament.main([str(file), "call", *SHORT, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert "holds no readable model" in error
    assert error.count("\n") == 1
