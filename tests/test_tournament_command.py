"""`tournament.py` as people run it: all pairs, interrupted and continued."""

from __future__ import annotations

import csv
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray

import tournament
from arena.match import match
from arena.round_robin import play_pair
from commands import tournament as tournament_run
from env.rules import LEDUC
from models.measurements import Measurements
from models.model import load
from tests.small_tournaments import SHORT, lasting, results_of, save_tiny_run

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
    return save_tiny_run(tmp_path_factory.mktemp("checkpoints") / "tiny")


@pytest.fixture
def models(trained: Path, tmp_path: Path) -> Path:
    """A copy to write into."""
    return Path(shutil.copytree(trained, tmp_path / "tiny"))


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
    assert len(page.loads) == 5, "a picture each, no strength without iterations"
    assert "prefers-color-scheme: dark" in text
    assert '<th scope="col">random</th>' in text, "the matrix is headed by names"
    assert "VPIP" in text
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
