"""`evaluate.py` as people run it: one model, a run, a bot, a look, and what makes no sense."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import evaluate
from evaluation.best_response import exploitability
from models.measurements import Measurements
from models.model import load

ROOT = Path(__file__).parent.parent
RUN = "--iterations 2 --traversals 60 --width 16 --updates 20 --strategy-updates 20 --batch-size 64"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tiny runs of leduc and hulh."""
    folder = tmp_path_factory.mktemp("trained")
    for preset in ("leduc", "smoke"):
        command = [sys.executable, "train.py", "--preset", preset, "--run-name", preset]
        command += [*RUN.split(), "--checkpoint-every", "1", "--strategy-batch-size", "64"]
        command += ["--checkpoints", str(folder / "checkpoints"), "--logdir", str(folder / "runs")]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture
def place(trained: Path, tmp_path: Path) -> Path:
    """A copy to write into."""
    shutil.copytree(trained, tmp_path, dirs_exist_ok=True)
    return tmp_path


def run(place: Path, *words: str) -> int:
    return evaluate.main([*words, "--logdir", str(place / "runs"), "--threads", "1"])


def test_one_model_exactly(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = place / "checkpoints/leduc/iter_0002"
    assert run(place, str(folder), "--json", str(place / "out.json")) == 0
    result: dict[str, Any] = json.loads((place / "out.json").read_text())
    model = load(folder)
    exact = exploitability(model.game, model.policy)
    assert (result["method"], result["kind"], result["interval_mbb"]) == ("exact", "exact", 0)
    assert result["exploitability_mbb"] == pytest.approx(exact.exploitability_mbb, rel=1e-5)
    assert result["br_mbb"] == pytest.approx(exact.br_mbb, rel=1e-5)
    assert result["rules"]["name"] == "leduc"
    assert {"hands", "seconds"} <= result.keys()
    (kept,) = Measurements.of(folder).evaluations
    assert kept.exploitability_mbb == result["exploitability_mbb"]
    shown = capsys.readouterr().out
    assert f"{exact.exploitability_mbb:.2f} mbb/g" in shown
    assert f"{exact.exploitability_mbb:,.1f}" in (folder.parent / "README.md").read_text()


def test_a_run_gets_a_list_a_curve_and_tensorboard(place: Path) -> None:
    chart = place / "checkpoints/leduc/exploitability.png"
    assert run(place, str(place / "checkpoints/leduc"), "--json", str(place / "out.json")) == 0
    results = json.loads((place / "out.json").read_text())
    assert [result["iteration"] for result in results] == [1, 2]
    assert results[0]["nodes_touched"] < results[1]["nodes_touched"]
    assert chart.read_bytes().startswith(b"\x89PNG")
    ((opponent, result),) = Measurements.of(place / "checkpoints/leduc/iter_0002").matches
    assert opponent == "iter_0001"
    assert result.hands > 0
    events = EventAccumulator(str(place / "runs/leduc/evaluation"))
    events.Reload()
    assert "1_strength/exploitability_mbb" in events.Tags()["tensors"]


def test_a_run_with_one_checkpoint_is_still_a_list(place: Path) -> None:
    shutil.rmtree(place / "checkpoints/leduc/iter_0001")
    assert run(place, str(place / "checkpoints/leduc"), "--json", str(place / "out.json")) == 0
    assert [r["iteration"] for r in json.loads((place / "out.json").read_text())] == [2]


def test_holdem_gets_a_lower_bound(place: Path) -> None:
    words = ["--hands", "256", "--json", str(place / "out.json")]
    assert run(place, str(place / "checkpoints/smoke/iter_0002"), *words) == 0
    result = json.loads((place / "out.json").read_text())
    assert (result["method"], result["kind"]) == ("lbr", "lower bound")
    assert result["hands"] >= 256
    assert result["interval_mbb"] > 0
    assert sum(result["br_mbb"]) / 2 == pytest.approx(result["exploitability_mbb"])


def test_a_lower_bound_by_street(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, out = str(place / "checkpoints/smoke/iter_0002"), place / "out.json"
    words = ["--hands", "256", "--json", str(out)]
    assert run(place, model, *words, "--by-street") == 0
    result = json.loads(out.read_text())
    shown = capsys.readouterr().out
    assert "local best response, exact last street (lower bound)" in shown
    assert result["last_street"] == "exact"
    parts = result["by_street"]
    assert [part["street"] for part in parts] == ["pre-flop", "flop", "turn", "river"]
    assert sum(part["mbb"] for part in parts) == pytest.approx(result["exploitability_mbb"])
    assert f"{parts[3]['mbb']:.1f} ± {parts[3]['interval_mbb']:.1f}" in shown
    events = EventAccumulator(str(place / "runs/smoke/evaluation"))
    events.Reload()
    tags = {"lbr_mbb", *(f"lbr_{part['street']}_mbb" for part in parts)}
    assert {f"1_strength_intervals/{tag}" for tag in tags} <= set(events.Tags()["tensors"])
    assert run(place, model, *words, "--lbr-last-street", "checkdown") == 0
    rough = json.loads(out.read_text())
    assert rough["last_street"] == "checkdown"
    assert "by_street" not in rough
    assert "last street checked down (lower bound)" in capsys.readouterr().out
    kept = Measurements.of(place / "checkpoints/smoke/iter_0002")
    assert [record.last_street for record in kept.evaluations] == ["exact", "checkdown"]
    assert kept.evaluations[0].by_street[3].mbb == parts[3]["mbb"]


def test_an_exploiter(place: Path) -> None:
    words = ["--method", "exploiter", "--hands", "2000", "--iterations", "1"]
    folder = place / "checkpoints/leduc/iter_0002"
    assert run(place, str(folder), *words, "--json", str(place / "out.json")) == 0
    result = json.loads((place / "out.json").read_text())
    assert (result["method"], result["kind"], result["hands"]) == ("exploiter", "lower bound", 2000)
    model = load(folder)
    exact = exploitability(model.game, model.policy).exploitability_mbb
    assert 0 < result["exploitability_mbb"] < exact + 2 * result["interval_mbb"]


def test_bots(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(place, "fold", "--game", "fhp:ranks=QKA,suits=cdh") == 0
    assert "750.00 mbb/g" in capsys.readouterr().out
    words = ["--sample-boards", "3", "--json", str(place / "out.json")]
    assert run(place, "random", "--game", "fhp:ranks=QKA,suits=cdh", *words) == 0
    result = json.loads((place / "out.json").read_text())
    assert (result["kind"], result["interval_mbb"], result["boards"]) == ("estimate", None, 3)
    assert "too high" in capsys.readouterr().out
    assert len(result["by_hand"]) > 3


def test_a_look(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(place / "checkpoints/smoke/iter_0002")
    assert run(place, model, "--explain", "Ah Kd", "r") == 0
    shown = capsys.readouterr().out
    assert "raise" in shown
    assert "value of the whole hand in big blinds, sampled ± " in shown
    assert run(place, model, "--explain", "Ah Kd", "rc/") == 0
    shown = capsys.readouterr().out
    assert "the mean over all boards" in shown
    assert "value" not in shown
    chart = place / "chart.png"
    assert run(place, model, "--preflop-chart", str(chart), "--line", "r") == 0
    assert chart.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nowhere/at/all"], "there is no nowhere/at/all"),
        (["{}/checkpoints"], "holds no model"),
        (["{}/runs/leduc/metrics.csv"], "neither a model folder"),
        (["{}/checkpoints/smoke/iter_0002", "--method", "exact"], "local best response (lbr)"),
        (["call"], "name one with --game"),
        (["call", "--game", "chess"], "chess"),
        (["{}/checkpoints/leduc", "--game", "fhp"], "--game is for bots"),
        (["{}/checkpoints/leduc", "--hands", "100"], "--hands means nothing to method 'exact'"),
        (["{}/checkpoints/leduc", "--by-street"], "--by-street means nothing to method 'exact'"),
        (
            ["call", "--game", "fhp", "--lbr-last-street", "exact"],
            "--lbr-last-street means nothing",
        ),
        (["{}/checkpoints/smoke", "--sample-boards", "9"], "--sample-boards means nothing"),
        (["{}/checkpoints/leduc/iter_0002", "--explain", "Xx", "r"], "Xx"),
        (["{}/checkpoints/leduc/iter_0002", "--explain", "Kc", "rrrr"], "cannot be played"),
        (["{}/checkpoints/leduc/iter_0002", "--preflop-chart", "{}/x.png"], "no chart"),
        (["call", "--game", "fhp", "--explain", "AhKd"], "only models"),
        (["call", "--game", "hulh", "--chart", "{}/x.png"], "--chart of one model"),
        (["{}/checkpoints/leduc/iter_0002", "--chart", "{}/x.png"], "--chart of one model"),
    ],
)
def test_nonsense_gets_one_line(
    trained: Path, words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(trained, *(word.format(trained) for word in words)) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ["m", "--hands", "0"],
        ["m", "--seed", "-1"],
        ["m", "--json", "no/such/folder/out.json"],
        ["m", "--line", "r"],
        ["m", "--explain", "a", "b", "c", "d"],
    ],
)
def test_impossible_options_are_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        evaluate.main(words)
    assert stopped.value.code == 2


def test_damaged_models_are_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = place / "checkpoints/leduc/iter_0002/strategy.keras"
    file.write_bytes(file.read_bytes()[:100])
    assert run(place, str(file.parent)) == 2
    assert "damaged" in capsys.readouterr().err
