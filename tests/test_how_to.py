"""Every file and every command of docs/how-to works as it stands on the page."""

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
from tests.how_to import page, save

SCRIPTS = {
    "train.py": train.main,
    "evaluate.py": evaluate.main,
    "tournament.py": tournament.main,
    "play.py": play.main,
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


def run(words: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """A command line behind `python`."""
    if words[:2] == ["-m", "env"]:
        monkeypatch.setattr(sys, "argv", ["env", *words[2:]])
        return show_game()
    return SCRIPTS[words[0]](words[1:])


@pytest.mark.parametrize("name", ["own-bot.md", "own-game.md", "own-network.md"])
def test_a_page_can_be_followed(
    name: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = page(name)
    save(found, folder)
    assert found.files
    assert len(found.commands) >= 4
    monkeypatch.setattr(sys, "stdin", io.StringIO("c\n" * 20))  # for whoever sits down to play
    for words in found.commands:
        assert run(words, monkeypatch) == 0, (words, capsys.readouterr().err)
    names: dict[str, Any] = {}
    for snippet in found.snippets:
        exec(snippet, names)
    for results in folder.glob("*/results.json"):
        own = {entry["name"]: entry for entry in json.loads(results.read_text())["agents"]}
        for bot in (own[name] for name in own if name.startswith("my")):
            assert bot["kind"] == "bot"
            assert len(bot["sha256"]) == 64, "so that a changed file is noticed"
