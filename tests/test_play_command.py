"""`play.py` in a terminal without a screen: keys from a pipe, text without colours."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import play
from tests.small_runs import ROOT


def run_play(folder: Path, *words: str, keys: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "play.py"), *words],
        cwd=folder,
        input=keys,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )


def test_a_sitting_in_a_pipe(tmp_path: Path) -> None:
    first = run_play(tmp_path, "call", "--seed=5", "--hands=3", keys="c\n" * 20)
    assert first.returncode == 0, first.stderr
    assert "\x1b" not in first.stdout
    assert first.stdout.count("You have ") == 3, "three showdowns against a calling player"
    assert re.search(r"[+-]\d+ chips in 3 hands: .* small bets/100", first.stdout)
    name = re.findall(r"--continue (\w+)", first.stdout)[-1]

    odd = run_play(tmp_path, "--continue", "last", keys="c\nx\x1b[31m\nh\n")  # ends in mid-hand
    assert odd.returncode == 0, odd.stderr
    assert len(odd.stderr.splitlines()) == 1
    assert "is no key here; press" in odd.stderr
    assert "\x1b" not in odd.stderr
    assert "give up the hand" in odd.stdout

    listed = run_play(tmp_path, "--sessions").stdout
    assert listed.startswith(name)
    assert "3 hands" in listed
    exported = run_play(tmp_path, "--export", name).stdout.splitlines()
    assert len(exported) == 3


def test_the_coach_in_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "checkpoints").symlink_to(ROOT / "checkpoints")
    keys = "a\nw\n" + "c\n" * 9
    done = run_play(tmp_path, "--game=leduc", "--coach", "--hands=2", "--seed=2", keys=keys)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert re.search(r"The coach \(search:leduc\) would play: check \d+%, bet \d+%\.", done.stdout)
    assert re.search(r"value of the whole hand in antes, sampled ± [\d.]+; equity", done.stdout)
    assert "The opponent may hold: 5.0 hands" in done.stdout
    comments = re.findall(r"^Coach: (\w+)\. Worth [+-][\d.]+ bb; .*$", done.stdout, re.MULTILINE)
    decisions = done.stdout.count("(a advice, h help, q quit)") - 2  # asked twice in the first
    assert len(comments) == decisions
    assert set(comments) <= {"best", "fine", "inaccuracy", "mistake", "blunder"}

    reviewed = run_play(tmp_path, "--review=last").stdout
    assert reviewed == run_play(tmp_path, "--review=last").stdout, "kept, and the same again"
    counted = [
        int(n) for n in re.findall(r"(\d+) (?:best|fine|inaccuracy|mistake|blunder)", reviewed)
    ]
    assert sum(counted) == decisions
    assert "judged by search:leduc" in reviewed
    none = run_play(tmp_path, "--export=last", "--format=phh")
    assert none.returncode == 2
    assert none.stderr.startswith("error: leduc has no form in PHH")


def test_hands_as_other_programs_read_them(tmp_path: Path) -> None:
    assert run_play(tmp_path, "call", "--seed=5", "--hands=2", keys="c\n" * 20).returncode == 0
    text = run_play(tmp_path, "--export=last", "--format=pokerstars").stdout
    assert text.count("PokerStars Hand #") == 2
    assert "You: posts small blind 5" in text
    phh = run_play(tmp_path, "--export=last", "--format=phh").stdout
    assert phh.count('variant = "FT"') == 2
    without = run_play(tmp_path, "--review=last", "--reference=call")
    assert without.returncode == 0, without.stderr
    assert "judged by call" in without.stdout
    refused = run_play(tmp_path, "call", "--reference=nobody")
    assert refused.returncode == 2
    assert len(run_play(tmp_path, "--sessions").stdout.splitlines()) == 1, "none was begun"
    nobody = run_play(tmp_path, "--review=last")
    assert nobody.returncode == 2
    assert nobody.stderr == (
        "error: no model of hulh comes with the project, so nobody can judge; name one by "
        "--reference\n"
    )


def test_text_without_symbols_where_they_cannot_be_written(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "play.py"), "raise", "--hands=1", "--seed=1"],
        cwd=tmp_path,
        input=b"c\n" * 9,
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert re.search(rb"\[[2-9TJQKA][cdhs]\]", done.stdout)


def test_ctrl_c_on_a_terminal_leaves_a_session_that_goes_on(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, str(ROOT / "play.py"), "call", "--seed=5"],
        cwd=tmp_path,
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "TERM": "xterm-256color"},
    ) as process:
        os.close(theirs)
        read_until(ours, "Call 5")
        os.write(ours, b"c")  # one key is enough on a terminal
        shown = read_until(ours, "Check")
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=30)
    os.close(ours)
    assert "╭────╮" in shown
    assert process.returncode == 130
    assert b"stopped; the session is kept: python play.py --continue" in error
    again = run_play(tmp_path, "--continue=last")
    assert "pot 20" in again.stdout, "the call was saved"


def read_until(terminal: int, text: str) -> str:
    """Everything that is shown up to a text."""
    shown, end = b"", time.monotonic() + 60
    while text.encode() not in shown:
        assert select.select([terminal], [], [], end - time.monotonic())[0], shown
        shown += os.read(terminal, 4096)
    return shown.decode(errors="replace")


@pytest.mark.parametrize(
    "words",
    [
        "nobody",
        "call --game nothing",
        "--game kuhn",
        "--seed -1",
        "--hands 0",
        "--no-search call",
        "--continue zzz",
        "--continue last",
        "--export zzz",
        "--sessions --web",
        "--review zzz",
        "--review last --export last",
        "--review last --coach",
        "--format phh",
        "--export last --format docx",
        "--export last --reference call",
        "--web --coach",
        "--review last --reference nobody",
        "call --reference nobody",
        "call --coach --reference diluted:5",
        "--continue x --seed 1",
        "--web call",
        "--port 80",
        "--web --port 70000",
        "--host 0.0.0.0",
        "diluted:101:call",
        "diluted:5",
        "checkpoints/pretrained/nothing",
    ],
)
def test_nonsense_gets_one_line(
    words: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code = play.main(words.split())
    except SystemExit as ended:
        code = int(ended.code or 0)
    error = capsys.readouterr().err
    assert code == 2
    assert error.startswith("error: ")
    assert error.count("\n") == 1
