"""`tournament.py` as people run it: all pairs, interrupted and continued, and nonsense."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import shutil
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray

import tournament
from arena.match import match
from arena.round_robin import play_pair
from commands import tournament as tournament_run
from deep_cfr.config import Config
from deep_cfr.networks.network import make_network
from deep_cfr.solver import Solver
from env.game import load_game
from env.rules import LEDUC
from models.measurements import Measurements
from models.model import load
from models.saving import save_model

SHORT = ["--hands", "400", "--games", "10", "--threads", "1"]
FILES = {
    "results.json",
    "results.csv",
    "report.html",
    "matrix.png",
    "games.png",
    "actions.png",
    "pots.png",
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of leduc with two random networks."""
    run = tmp_path_factory.mktemp("checkpoints") / "tiny"
    solver = Solver(Config(game="leduc", width=16), load_game(LEDUC))
    network = make_network(solver.encoding, solver.config.width)
    for t in (1, 2):
        rng = np.random.default_rng(t)
        shapes = [weight.shape for weight in network.get_weights()]
        network.set_weights([rng.normal(0, 0.4, shape).astype(np.float32) for shape in shapes])
        solver.t = t
        save_model(run, solver, network, {})
    return run


@pytest.fixture
def models(trained: Path, tmp_path: Path) -> Path:
    """A copy to write into."""
    return Path(shutil.copytree(trained, tmp_path / "tiny"))


def results_of(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return content


def lasting(folder: Path) -> bytes:
    """results.json without what tells time or the command."""
    text = (folder / "results.json").read_text()
    return re.sub(r'"(seconds|started|command)": .*', r'"\1"', text).encode()


def test_a_run_against_bots(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert tournament.main([str(models), "call", "random", *SHORT, "--out", str(out)]) == 0
    assert {file.name for file in out.iterdir()} >= FILES | {"strength.png"}
    results = results_of(out)
    names = ["tiny/iter_0001", "tiny/iter_0002", "call", "random"]
    assert [agent["name"] for agent in results["agents"]] == names
    assert [agent["kind"] for agent in results["agents"]] == ["model", "model", "bot", "bot"]
    assert [agent["iteration"] for agent in results["agents"]] == [1, 2, None, None]
    assert len(results["pairs"]) == 6
    assert results["rules"] == LEDUC.as_dict()
    assert results["seed"] == 0
    pair = results["pairs"][0]
    first, second = (load(models / name) for name in ("iter_0001", "iter_0002"))
    expected = match(first.game, first.policy, second.policy, 400, 0)
    assert (pair["mbb"], pair["ci95"]) == pytest.approx((expected.mbb, expected.ci95_mbb))
    own = Measurements.of(models / "iter_0002").best_matches
    assert own["iter_0001"].mbb == -pair["mbb"]
    assert own["iter_0001"].games_won == 10 - pair["games_won"]
    assert own["random"].mbb == results["pairs"][4]["mbb"]
    assert own["random"].seed == 0
    assert "random" in (models / "README.md").read_text()
    with (out / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["mbb"]) for row in rows] == [entry["mbb"] for entry in results["pairs"]]
    events = EventAccumulator(str(out))
    events.Reload()
    tensors = events.Tensors("1_strength/tournament_tiny_mbb")
    means = {entry["name"]: entry["mbb"] for entry in results["ranking"]}
    assert {event.step for event in tensors} == {1, 2}
    for event in tensors:
        assert make_ndarray(event.tensor_proto) == pytest.approx(means[names[event.step - 1]])
    shown = capsys.readouterr().out
    assert "6 pairs" in shown
    assert "± at most" in shown


class Page(HTMLParser):
    """Which tags are open, and everything a page would load."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.unlabelled_images = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.loads += [values[key] or "" for key in ("src", "href") if key in values]
        self.unlabelled_images += tag == "img" and not values.get("alt")
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_stands_alone(tmp_path: Path) -> None:
    words = ["call", "raise", "random", "--game", "kuhn", *SHORT, "--out", str(tmp_path)]
    assert tournament.main(words) == 0
    page = Page()
    text = (tmp_path / "report.html").read_text()
    page.feed(text)
    assert page.open == []
    assert page.unlabelled_images == 0
    assert len(page.loads) == 4, "a picture each, no strength without iterations"
    assert all(address.startswith("data:image/png;base64,") for address in page.loads)
    assert "@import" not in text
    assert "url(" not in text


def interrupt_after(count: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Ctrl-C in the pair after so many; what comes back counts the pairs begun."""
    begun: list[int] = []

    def play(*arguments: Any, **options: Any) -> Any:
        begun.append(1)
        if len(begun) > count:
            raise KeyboardInterrupt
        return play_pair(*arguments, **options)

    monkeypatch.setattr(tournament_run, "play_pair", play)
    return begun


def test_an_interrupted_tournament_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["call", "raise", "random", "fold", "--game", "leduc", *SHORT, "--out"]
    assert tournament.main([*words, str(tmp_path / "whole")]) == 0
    out = tmp_path / "broken"
    interrupt_after(2, monkeypatch)
    assert tournament.main([*words, str(out)]) == 130
    assert f"--out {out} goes on" in capsys.readouterr().err
    assert len(results_of(out)["pairs"]) == 2
    begun = interrupt_after(10, monkeypatch)
    assert tournament.main([*words, str(out), "--batch", "33"]) == 0
    assert len(begun) == 4
    assert lasting(out) == lasting(tmp_path / "whole")
    assert (out / "matrix.png").read_bytes() == (tmp_path / "whole/matrix.png").read_bytes()
    begun = interrupt_after(0, monkeypatch)
    assert tournament.main([*words, str(out)]) == 0
    assert begun == [], "nothing is left to play"
    assert lasting(out) == lasting(tmp_path / "whole")


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


def test_transcripts(tmp_path: Path) -> None:
    words = ["call", "raise", "fold", "--game", "hulh", *SHORT, "--out", str(tmp_path)]
    assert tournament.main([*words, "--transcripts", "3"]) == 0
    lines = (tmp_path / "hands.jsonl").read_text().splitlines()
    assert [json.loads(line)["hand"] for line in lines] == [1, 2, 3] * 3
    assert (tmp_path / "hands.txt").read_text().count("hulh: blinds") == 9
    stars = (tmp_path / "hands_pokerstars.txt").read_text()
    assert re.findall(r"Hand #(\d+)", stars) == [str(n) for n in range(1, 10)]


def test_the_same_agent_twice_plays_once(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(models), str(models / "iter_0002"), "call", "call", *SHORT]
    assert tournament.main([*words, "--out", str(tmp_path / "out")]) == 0
    assert len(results_of(tmp_path / "out")["pairs"]) == 3
    error = capsys.readouterr().err
    assert "tiny/iter_0002 is named twice" in error
    assert "call is named twice" in error


def test_two_folders_of_one_name_are_told_apart(models: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(models, tmp_path / "elsewhere" / "tiny"))
    words = [str(models / "iter_0001"), str(other / "iter_0001"), *SHORT]
    assert tournament.main([*words, "--out", str(tmp_path / "out")]) == 0
    (pair,) = results_of(tmp_path / "out")["pairs"]
    assert (pair["a"], pair["b"]) == ("tiny/iter_0001", str(other / "iter_0001"))
    assert (pair["mbb"], pair["games_won"]) == (0, 5)


def test_auto_plays_until_precise(tmp_path: Path) -> None:
    words = ["fold", "raise", "random", "--game", "kuhn", "--hands", "auto", "--precision", "15"]
    assert tournament.main([*words, "--out", str(tmp_path), "--threads", "1"]) == 0
    results = results_of(tmp_path)
    assert results["settings"]["hands"] == "auto"
    for pair in results["pairs"]:
        assert pair["ci95"] <= 15
        assert pair["hands"] % 20_000 == 0
    assert len({pair["hands"] for pair in results["pairs"]}) > 1


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
