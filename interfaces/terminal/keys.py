"""Reading keys: single ones on a terminal, the first letter of each line in a pipe."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

END_OF_INPUT = "\x04"  # what Ctrl-D sends


def read_key() -> str:
    """The next key in lower case, `END_OF_INPUT` when there is no more input."""
    terminal = _terminal_control() if sys.stdin.isatty() else None
    if terminal is None:
        line = sys.stdin.readline()
        return line.strip().lower() if line else END_OF_INPUT
    termios, tty = terminal
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        # Ctrl-C still interrupts, and what was typed before is not thrown away.
        tty.setcbreak(descriptor, termios.TCSADRAIN)
        return os.read(descriptor, 1).decode(errors="replace").lower() or END_OF_INPUT
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _terminal_control() -> tuple[Any, Any] | None:
    """The modules that switch a terminal to single keys; Windows has none, lines serve there."""
    try:
        return importlib.import_module("termios"), importlib.import_module("tty")
    except ImportError:
        return None
