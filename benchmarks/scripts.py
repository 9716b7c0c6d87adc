"""Running the project's own scripts from a benchmark, one after the other."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
INTERRUPTED = 130  # the exit code of a script that Ctrl-C ended


class ScriptError(Exception):
    """A script that ended with an error; the message is one line."""


class Stopped(Exception):  # noqa: N818 - the name says what happened
    """The user has asked to stop, and the run in hand is saved."""


def call_script(words: list[str]) -> None:
    """Run one of the project's scripts; its output is not shown, its complaint is.

    The script gets a session of its own and each Ctrl-C is handed on to it once, so that it saves
    what it has before this process ends.
    """
    process = subprocess.Popen(
        [sys.executable, str(ROOT / words[0]), *words[1:]],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )

    def hand_on(signum: int, frame: FrameType | None) -> None:
        process.send_signal(signum)

    before = {sig: signal.signal(sig, hand_on) for sig in (signal.SIGINT, signal.SIGTERM)}
    try:
        _, complaint = process.communicate()
    finally:
        for sig, handler in before.items():
            signal.signal(sig, handler)
    if process.returncode == INTERRUPTED:
        raise Stopped
    if process.returncode:
        lines = complaint.strip().splitlines() or [f"exit code {process.returncode}"]
        raise ScriptError(f"{words[0]}: {lines[-1].removeprefix('error: ')}")
