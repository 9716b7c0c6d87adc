"""The options of `tournament.py`: what follows from what, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import tournament
from arena.schedule import Schedule
from commands.tournament_options import parse

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    "words",
    [
        "--hands 2",
        "--hands many",
        "--hands-per-game 7",
        "--precision 10",
        "--hands auto --precision 0",
        "--hands 1000 --games 600",
        "--hands 1000 --games 10 --hands-per-game 200",
        "--hands auto --max-hands 1000 --games 10 --hands-per-game 200",
        "--seed -1",
        "--transcripts -1",
        "--batch 0",
        "--out README.md",
        "--out=",
        "--logdir README.md/x",
        f"--hands {10**30}",
        "--hands auto --precision inf",
        "--hands auto --precision nan",
        f"--games {10**30}",
        f"--batch {10**30}",
        f"--seed {10**30}",
        f"--transcripts {10**30}",
    ],
)
def test_impossible_options_are_refused(
    words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit) as stopped:
        tournament.main(["call", "raise", *words.split()])
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    options = [word.rstrip("=") for word in words.split() if word.startswith("--")]
    assert any(option in error for option in options)
    assert error.count("\n") == 1


@pytest.mark.parametrize("word", ["x" * 100_000, "a\nb", "\x1b[31m", "\udcff", ""])
def test_odd_words_get_one_short_line(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ["call", word],
        ["call", "raise", f"--game={word}"],
        ["call", f"--hands=1{word}"],
    ):
        try:
            code: object = tournament.main(words)
        except SystemExit as ended:
            code = ended.code
        assert code == 2
        error = capsys.readouterr().err
        assert error.startswith("error: ")
        assert error.count("\n") == 1
        assert error.rstrip("\n").isprintable()
        assert len(error) < 600


@pytest.mark.parametrize(
    ("words", "schedule"),
    [
        ("", Schedule(100_000, games=100, hands_per_game=1_000)),
        ("--hands 50", Schedule(50, games=25, hands_per_game=2)),
        ("--games 50", Schedule(100_000, games=50, hands_per_game=2_000)),
        ("--hands-per-game 300", Schedule(30_000, games=100, hands_per_game=300)),
        ("--games 7 --hands-per-game 30", Schedule(210, games=7, hands_per_game=30)),
        ("--hands 1000 --hands-per-game 300", Schedule(1_000, games=3, hands_per_game=300)),
        ("--hands 1000 --games 7", Schedule(1_000, games=7, hands_per_game=142)),
        ("--hands auto", Schedule(None, games=100, hands_per_game=200)),
        (
            "--hands auto --hands-per-game 3000 --precision 5 --seed 3",
            Schedule(None, 5.0, games=100, hands_per_game=3_000, seed=3),
        ),
    ],
)
def test_hands_and_games_follow_from_each_other(words: str, schedule: Schedule) -> None:
    assert parse(["a", "b", *words.split()]).schedule == schedule


def output_of(arguments: list[str]) -> str:
    """What a command prints, run in a process of its own that must end without TensorFlow."""
    code = (
        "import sys, tournament\n"
        "try:\n"
        "    code = tournament.main(sys.argv[1:])\n"
        "except SystemExit as ended:\n"
        "    code = ended.code\n"
        "loaded = {'tensorflow', 'keras'} & sys.modules.keys()\n"
        "sys.exit(f'loaded {loaded}' if loaded else code)"
    )
    words = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_bots_need_no_tensorflow(tmp_path: Path) -> None:
    words = ["call", "raise", "random", "--game", "leduc", "--hands", "400", "--threads", "1"]
    shown = output_of([*words, "--transcripts", "2", "--out", str(tmp_path)])
    assert "3 agents, 3 pairs" in shown
    versions = json.loads((tmp_path / "results.json").read_text())["versions"]
    assert list(versions) == ["python", "tensorflow", "keras", "numpy", "numba", "PyPokerEngine"]


def test_help_needs_no_tensorflow() -> None:
    shown = output_of(["--help"])
    for word in ("examples:", "--hands-per-game", "tight-aggressive", "95 %"):
        assert word in shown
