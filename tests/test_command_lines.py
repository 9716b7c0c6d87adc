"""Six hundred odd command lines: each gets its work done or one clear line, never a traceback.

The lines are drawn with a seed from all options of the scripts and from values that people
mistype and attackers try. Everything up to the work itself is real: reading options, finding
models, claiming folders. The work is replaced by nothing, so that a line that makes sense costs
nothing either.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import commands.evaluate
import commands.play
import commands.tournament
import commands.train
import evaluate
import play
import tournament
import train
from commands import evaluate_options, play_options, tournament_options, train_options
from interfaces.terminal.sitting import Sitting
from models.messages import LONGEST_LINE
from tests.small_runs import ROOT

Main = Callable[[list[str]], int]

NUM_LINES = {"train": 260, "evaluate": 120, "tournament": 120, "play": 120}
ODD_VALUES = (
    *("", " ", "-", "--", "0", "-1", "1", "2", "7", "1e3", "1e999", "nan", "inf", "-inf", "0x10"),
    *("9" * 30, "9" * 400, "-" + "9" * 25, "1_000", "½", "true", "None", "[]", "{}"),
    *("a\nb", "a\tb", "\x1b[31mred", "\udc80", "ä" * 300, "../..", "/", "/dev/null/x", "~", "."),
    *("kuhn", "leduc", "hulh", "fhp", "hulh:stack=10", "hulh:stack=-1", "hulh:stack=", "hulh:"),
    *("hulh:max_raises=9/9/9/9", "fhp:max_raises=0/0", "leduc:ranks=", "kuhn:suits=x", ":", "="),
    *("call", "random", "loose-aggressive", "sdcfr:", "sdcfr:nowhere", "nothing/here", "=1+1"),
)


def odd_line(options: list[argparse.Action], rng: random.Random) -> list[str]:
    """Up to five options with odd values, and up to two odd words between them."""
    words: list[str] = []
    for _ in range(rng.randint(1, 5)):
        option = rng.choice(options)
        if option.option_strings:
            words.append(rng.choice(option.option_strings))
        if option.nargs != 0 and rng.random() < 0.95:
            known = [str(choice) for choice in option.choices or ()]
            words.append(rng.choice([*ODD_VALUES, *known, *known]))
    if rng.random() < 0.2:
        words.insert(rng.randrange(len(words) + 1), rng.choice(ODD_VALUES))
    return words


def options_of(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Every option and argument but --help, whose text is long for a good reason."""
    return [action for action in parser._actions if action.dest != "help"]


def visible_files() -> set[str]:
    """What lies in the project's folder; caches, which other tests may write, are hidden."""
    return {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Scripts that do everything but the work, in a folder of their own."""

    def nothing(*given: Any, **named: Any) -> int:
        return 0

    monkeypatch.setattr(commands.train, "run", nothing)
    monkeypatch.setattr(commands.evaluate, "run", nothing)
    monkeypatch.setattr(commands.play, "_serve", nothing)
    monkeypatch.setattr(Sitting, "play", nothing)
    monkeypatch.setattr(commands.tournament, "_prepare", nothing)
    monkeypatch.setattr(commands.tournament, "_play", nothing)
    monkeypatch.setattr(commands.tournament, "_finish", nothing)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("main", "parser", "always"),
    [
        (train.main, train_options._parser(), ["--checkpoints=c", "--logdir=l"]),
        (evaluate.main, evaluate_options._parser(), ["call", "--game=kuhn", "--logdir=l"]),
        (tournament.main, tournament_options._parser(), ["call", "fold", "--game=kuhn", "--out=o"]),
        (play.main, play_options._parser(), ["call", "--game=kuhn"]),
    ],
    ids=NUM_LINES,
)
def test_odd_command_lines_get_one_line(
    main: Main,
    parser: argparse.ArgumentParser,
    always: list[str],
    no_work: Path,
    capfd: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    script = request.node.callspec.id
    rng, options = random.Random(f"odd lines of {script}"), options_of(parser)
    before = visible_files()
    refused = 0
    for number in range(NUM_LINES[script]):
        line = odd_line(options, rng)
        if number % 3:  # two lines of three would make sense but for what is odd in them
            line = [*always, *line]
        try:
            code = main(line)
        except SystemExit as ended:
            code = int(ended.code or 0)
        printed = capfd.readouterr()
        assert code in (0, 2), line
        if code == 2:
            refused += 1
            complaints = printed.err.strip().splitlines()
            assert len(complaints) == 1, (line, printed.err)
            assert complaints[0].startswith("error: "), line
            assert len(complaints[0]) <= LONGEST_LINE + len("error: too little memory: "), line
    assert refused > NUM_LINES[script] / 2, "most lines are meant to be wrong"
    assert visible_files() == before, "nothing is written elsewhere"
