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
