"""The how-to pages and the guided first hour can be followed, with shorter training."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import evaluate
import play
import tournament
import train
from env.__main__ import main as show_game
from tests.documents import PYTHON
from tests.how_to import page, save

SCRIPTS = {
    "train.py": train.main,
    "evaluate.py": evaluate.main,
    "tournament.py": tournament.main,
    "play.py": play.main,
}
# What stands on a page, and what is typed here in its place so that training takes seconds.
SHORT = (
    "--iterations 2 --traversals 200 --updates 20 --strategy-updates 50 --checkpoint-every 2 "
    "--eval-every 0"
)
SHORTER = {
    "--preset leduc --run-name my-leduc": f"--preset leduc --run-name my-leduc {SHORT}",
    "--config my-leduc.toml": f"--config my-leduc.toml {SHORT}",
    "--resume my-leduc --iterations 400": "--resume my-leduc --iterations 3",
    "--traversals 3000 --iterations 400": "--traversals 300 --iterations 4",
}
PAGES = {
    "how-to/own-bot.md": 5,  # so many commands are followed
    "how-to/own-game.md": 5,
    "how-to/own-network.md": 4,
    "how-to/own-rules.md": 7,
    "how-to/resume.md": 5,
    "start-here.md": 8,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty current folder; what is imported from it is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def shortened(words: list[str]) -> list[str]:
    """The words behind `python`, with less training."""
    line = " ".join(words[1:])
    for long, short in SHORTER.items():
        if long in line:
            return line.replace(long, short).split()
    return words[1:]


def run(words: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """A command line behind `python`."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("c\nr\nq\n"))  # for whoever sits down to play
    if words[:2] == ["-m", "env"]:
        monkeypatch.setattr(sys, "argv", ["env", *words[2:]])
        return show_game()
    return SCRIPTS[words[0]](words[1:])


@pytest.mark.parametrize("name", PAGES)
def test_a_page_can_be_followed(
    name: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = page(name)
    save(found, folder)
    # A server runs until it is stopped (tests/test_play_server.py starts one).
    typed = [words for words in found.commands if words[0] in PYTHON and "--web" not in words]
    assert len(typed) == PAGES[name]
    for words in typed:
        assert run(shortened(words), monkeypatch) == 0, (words, capsys.readouterr().err)
    names: dict[str, Any] = {}
    for snippet in found.snippets:
        exec(snippet, names)
    for results in folder.glob("*/results.json"):
        own = {entry["name"]: entry for entry in json.loads(results.read_text())["agents"]}
        for bot in (own[name] for name in own if name.startswith("mybots")):
            assert bot["kind"] == "bot"
            assert len(bot["sha256"]) == 64, "so that a changed file is noticed"
