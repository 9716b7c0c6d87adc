"""Stopping work that takes long: Ctrl-C, SIGTERM and a limit of time.

Long work reports its progress all the time. Whoever asked for a stop is heard then: the report
raises `Stopped`, and the work is abandoned.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from env.progress import Advance, NewBar
from training.console import complain


class Stopped(Exception):  # noqa: N818 - the name says what happened
    """Work that was abandoned because a stop was asked for or the time is up."""


class Stopping:
    """Hears signals and watches the clock."""

    def __init__(self) -> None:
        self.is_requested = False  # by a signal
        self._doing = "starting"
        self._is_late: Callable[[], bool] | None = None

    def check(self) -> None:
        """Raise `Stopped` if a stop was asked for, or if the work in hand is late."""
        if self.is_requested or (self._is_late is not None and self._is_late()):
            raise Stopped

    def watched(self, new_bar: NewBar) -> NewBar:
        """The same progress bars, except that they also end the work they show when asked to."""

        def new_watched_bar(what: str, total: int) -> Advance:
            self.check()
            self._doing = what
            advance = new_bar(what, total)

            def advance_and_check(done: int) -> None:
                advance(done)
                self.check()

            return advance_and_check

        return new_watched_bar

    @contextmanager
    def until(self, end: Callable[[], float] | None) -> Iterator[None]:
        """Work inside is late once `end()`, on the clock of `time.perf_counter`, has passed."""
        self._is_late = None if end is None else lambda: time.perf_counter() > end()
        try:
            yield
        finally:
            self._is_late = None

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """Ctrl-C and SIGTERM ask to stop; a second one stops at once."""

        def ask(signum: int, frame: FrameType | None) -> None:
            if self.is_requested:
                raise KeyboardInterrupt
            self.is_requested = True
            complain(
                f"\nstopping: this step of {self._doing!r} ends, then finished iterations are "
                "saved; once more to stop at once"
            )

        before = {sig: signal.signal(sig, ask) for sig in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for sig, handler in before.items():
                signal.signal(sig, handler)
