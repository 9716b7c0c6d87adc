"""The documents: every table is whole, every link leads somewhere, every command can be typed.

Blocks of Python run (those of the how-to pages in tests/test_how_to.py). Command lines are read by
the parsers of the commands themselves, because running them all would take hours.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import env.__main__
from commands import (
    evaluate_options,
    learn_endgames,
    play_options,
    tournament_options,
    train_options,
)
from deep_cfr.presets import PRESETS
from models import load
from tests.documents import (
    DOCUMENTS,
    PYTHON,
    ROOT,
    blocks,
    fenced_commands,
    inline_commands,
    snippets,
)
from tests.settings_tables import PAGE, with_tables

TOOLS = {"tests", "benchmarks"}  # folders that the architecture does not go through file by file
NAMES = [str(document.relative_to(ROOT)) for document in DOCUMENTS]
LANGUAGES = {"", "text", "python", "toml"}


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


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_tables_are_whole(document: Path) -> None:
    assert not broken_tables(document.read_text())


def test_a_split_table_is_found() -> None:
    assert broken_tables("| a |\n|---|\n| b |\n\n| c |\n") == ["| c |"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_files_that_are_named_exist(document: Path) -> None:
    named = re.findall(r"`((?:\w+/)+\w+\.py)`", document.read_text())
    assert not [name for name in named if not (ROOT / name).is_file()]


def test_every_document_leads_to_the_glossary() -> None:
    for document in DOCUMENTS:
        assert document.name == "glossary.md" or "glossary.md" in document.read_text(), document


def anchors(document: Path) -> set[str]:
    """What may follow # in a link to a document: its headings, as GitHub and others write them."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_links_lead_somewhere(document: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text()):
        name, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = document.parent / name if name else document
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_every_document_is_in_the_index() -> None:
    index = ROOT / "docs" / "README.md"
    linked = {
        (index.parent / link.partition("#")[0]).resolve()
        for link in re.findall(r"\]\(([^)\s]+)\)", index.read_text())
    }
    assert {*(ROOT / "docs").rglob("*.md")} - {index} <= linked


def test_the_map_in_the_readme_has_every_folder_and_script() -> None:
    (drawn,) = [block.text for block in blocks(ROOT / "README.md") if block.text.startswith("env/")]
    packages = {f"{path.parent.name}/" for path in ROOT.glob("*/__init__.py")}
    listed = set(re.findall(r"^(\w+/|\w+\.py) ", drawn, flags=re.MULTILINE))
    assert packages | {path.name for path in ROOT.glob("*.py")} <= listed


def test_the_tables_of_settings_are_those_of_the_code() -> None:
    assert PAGE.read_text() == with_tables(PAGE.read_text()), "python -m tests.settings_tables"


def test_the_example_in_plain_keras_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says what the same model answers through this project."""
    text = (ROOT / "docs" / "reference" / "files.md").read_text()
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


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_blocks_say_what_they_are(document: Path) -> None:
    """A block without a language is one of command lines, so that none goes unread."""
    assert {block.language for block in blocks(document)} <= LANGUAGES


@pytest.fixture
def reader_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that command lines of the documents read."""
    (toml,) = [
        block.text
        for block in blocks(ROOT / "docs" / "how-to" / "resume.md")
        if block.language == "toml"
    ]
    (tmp_path / "my-leduc.toml").write_text(toml)
    run = tmp_path / "runs" / "my-leduc"
    run.mkdir(parents=True)
    (run / "config.json").write_text(json.dumps({"config": vars(PRESETS["leduc"][1])}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check_training(arguments: list[str]) -> None:
    """The options, and settings that make sense together."""
    request = train_options.parse(arguments)
    own = {":" in str(request.overrides.get(name, "")) for name in ("game", "network")}
    if request.resume is None and request.source is None and own == {False}:
        request.config()


SCRIPT_CHECKS: dict[str, Callable[[list[str]], Any]] = {
    "train.py": check_training,
    "evaluate.py": evaluate_options.parse,
    "tournament.py": tournament_options.parse,
    "play.py": play_options.parse,
}
MODULE_CHECKS: dict[str, Callable[[list[str]], Any]] = {
    "env": env.__main__._parser().parse_args,
    "commands.learn_endgames": learn_endgames.parsed,
}
# Modules and tools whose options are their own; that they are there is all that is checked.
OTHERS = {"venv", "pytest", "commands.tensorboard", "models.publish", "env.strength_tables"}
# Programs that need a network, a daemon or minutes. Their arguments are checked where they name
# something of this project.
NOT_RUN = {"pip", "ruff", "mypy", "docker", "ray", "source"}
IMAGE = "deep-cfr-hulh"
TARGETS = {"play": "play.py", "train": "train.py", "evaluate": "evaluate.py"} | {
    "tournament": "tournament.py"
}


def check_python(words: list[str]) -> None:
    """A command line behind `python`."""
    if words[0] == "-m":
        if words[1] in MODULE_CHECKS:
            MODULE_CHECKS[words[1]](words[2:])
        else:
            module = words[1]
            assert module in OTHERS or module.startswith("tests."), words
            assert importlib.util.find_spec(module), words
    elif words[0].startswith("benchmarks/"):
        check_benchmark(words)
    else:
        SCRIPT_CHECKS[words[0]](words[1:])


def check_benchmark(words: list[str]) -> None:
    """Its own options stand in its file or in that of all benchmarks; the rest are training's."""
    text = (ROOT / words[0]).read_text() + (ROOT / "benchmarks" / "measuring.py").read_text()
    own, _, training = " ".join(words[1:]).partition(" -- ")
    for option in re.findall(r"--[\w-]+", own):
        assert f'"{option}"' in text, words
    check_training(training.split())


def check_make(words: list[str]) -> None:
    """Targets exist, and options that are passed on can be read."""
    rules = (ROOT / "Makefile").read_text()
    for word in words:
        name, is_assignment, arguments = word.partition("=")
        if not is_assignment:
            assert re.search(rf"^{re.escape(word)}:", rules, flags=re.MULTILINE), word
        elif name == "ARGS":
            SCRIPT_CHECKS[TARGETS[words[0]]](arguments.split())


def check(words: list[str]) -> None:
    """Fail, or end the program as the command would, if a command line cannot be meant."""
    program = words[0].removeprefix(".venv/bin/")
    if words[0] in PYTHON:
        check_python(words[1:])
    elif program == "make":
        check_make(words[1:])
    else:
        assert program in NOT_RUN, words
        if IMAGE in words and words[1] == "run":
            check_training(words[words.index(IMAGE) + 1 :])
        for name in re.findall(r"\brequirements[\w-]*\.txt\b", " ".join(words)):
            assert (ROOT / name).is_file(), words


def complaint_about(words: list[str]) -> str:
    """What is wrong with a command line; nothing if it can be typed."""
    try:
        check(words)
    except (SystemExit, ValueError) as error:
        return f"refused: {error}"
    return ""


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
@pytest.mark.usefixtures("reader_folder")
def test_commands_can_be_typed(document: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in [*fenced_commands(document), *inline_commands(document)]:
        assert not (complaint := complaint_about(words)), (words, complaint, capsys.readouterr())


@pytest.mark.parametrize(
    "line",
    [
        "python train.py --presett leduc",
        "python train.py --preset leduc --rounds 3",
        "python evaluate.py --explain",
        "python -m env hulh --lines r",
        "make trane",
        'make train ARGS="--preset nothing"',
        "python benchmarks/seeds.py --sseeds 3",
        "pyhton train.py",
        "pip install -r requirements-none.txt",
        "docker run deep-cfr-hulh --preset nothing",
    ],
)
def test_a_command_with_a_slip_is_found(line: str) -> None:
    with pytest.raises((SystemExit, ValueError, AssertionError)):
        check(shlex.split(line))


# What runs for long as it stands, and what is run in its place.
SHORTER = {"range(1, 201)": "range(1, 4)", "t in (100, 200)": "t == 3", "10_000": "256"}
HOW_TO = ROOT / "docs" / "how-to"  # followed in tests/test_how_to.py


@pytest.mark.parametrize(
    "document",
    [found for found in DOCUMENTS if snippets(found) and HOW_TO not in found.parents],
    ids=lambda path: path.name,
)
def test_snippets_run(
    document: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    names: dict[str, Any] = {}
    code = "\n".join(snippets(document))
    for long, short in SHORTER.items():
        code = code.replace(long, short)
    exec(code, names)
    assert bool(capsys.readouterr().out) == ("print(" in code)
