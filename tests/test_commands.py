"""What people type: `python -m env` and the examples of the README."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from env.kernel_cache import COMPILING

ROOT = Path(__file__).parent.parent


def run(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_showing_a_game() -> None:
    shown = run("-m", "env", "fhp", "--line", "rrc/crf", "--seed", "4")
    assert shown.returncode == 0
    assert "betting tree: 162 nodes; decisions: pre-flop 8, flop 56" in shown.stdout
    assert shown.stdout.rstrip().endswith("player 0 wins 30 chips")
    said = shown.stderr.replace(COMPILING + "\n", "")  # where kernels were not compiled before
    assert said == "", "no progress bar when nobody watches"


def test_showing_a_game_that_ends_before_the_flop() -> None:
    shown = run("-m", "env", "hulh:stack=10", "--line", "c")
    assert shown.returncode == 0, shown.stderr
    assert "pre-flop 1, flop 0, turn 0, river 0" in shown.stdout


def test_the_seed_decides() -> None:
    first, again, other = (run("-m", "env", "leduc", "--seed", seed) for seed in "112")
    assert first.stdout == again.stdout != other.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["omaha"], "unknown game 'omaha'"),
        (["hulh:stack=5"], "a stack of 5 cannot pay the big blind of 10"),
        (["kuhn", "--line", "rr"], "raise is not legal after 'r'"),
        (["kuhn", "--seed", "-1"], "--seed"),
    ],
)
def test_bad_requests_get_one_line(arguments: list[str], complaint: str) -> None:
    refused = run("-m", "env", *arguments)
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert complaint in refused.stderr.splitlines()[-1]
    assert "Traceback" not in refused.stderr


def test_the_examples_of_the_documents_run_without_noise() -> None:
    """The pretrained model's answer; the game."""
    for name, shown in (("README.md", "raise"), ("docs/reference/commands.md", "pot 40")):
        (example,) = re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)
        done = run("-c", example)
        assert done.returncode == 0, done.stderr
        assert done.stderr.replace(COMPILING + "\n", "") == "", "an answer and no noise"
        assert shown in done.stdout
