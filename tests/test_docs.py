"""The documents: tables that are whole, and an example that runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models import load

ROOT = Path(__file__).parent.parent
TOOLS = {"tests", "benchmarks"}  # folders that the architecture does not go through file by file
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def broken_tables(text: str) -> list[str]:
    """The first lines of tables that have no head, as after a blank line in the middle."""
    lines = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL).splitlines()
    return [
        line
        for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False)
        if line.startswith("|")
        and not before.startswith("|")
        and not re.fullmatch(r"\|[ :|-]+\|", after)
    ]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_tables_are_whole(document: Path) -> None:
    assert not broken_tables(document.read_text())


def test_a_split_table_is_found() -> None:
    assert broken_tables("| a |\n|---|\n| b |\n\n| c |\n") == ["| c |"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_files_that_are_named_exist(document: Path) -> None:
    named = re.findall(r"`((?:\w+/)+\w+\.py)`", document.read_text())
    assert not [name for name in named if not (ROOT / name).is_file()]


def test_every_document_leads_to_the_glossary() -> None:
    for document in DOCUMENTS:
        assert document.name == "glossary.md" or "glossary.md" in document.read_text(), document


def test_the_example_in_plain_keras_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says what the same model answers through this project."""
    text = (ROOT / "docs" / "training.md").read_text()
    (snippet,) = re.findall(r"```python\n(import keras\n.*?)```", text, flags=re.DOTALL)
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    exec(snippet, names)
    expected = load(ROOT / "checkpoints" / "pretrained" / "hulh").ask("AhKd")
    assert capsys.readouterr().out
    np.testing.assert_allclose(names["probabilities"], [list(expected.values())], atol=1e-5)


def test_the_architecture_lists_every_module_of_a_room_under_its_heading() -> None:
    """A file that is missing there, and a line about a file that is gone."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    headings = re.split(r"^### `(\w+)/`.*$", text.split("\n## Contracts")[0], flags=re.MULTILINE)
    rooms = dict(zip(headings[1::2], headings[2::2], strict=True))
    assert rooms.keys() == {path.parent.name for path in ROOT.glob("*/__init__.py")} - TOOLS
    for room, section in rooms.items():
        rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
        listed = [name for row in rows for name in re.findall(r"`(\w+\.py)`", row)]
        modules = [path.name for path in (ROOT / room).rglob("*.py") if path.name != "__init__.py"]
        assert sorted(listed) == sorted(modules), room
