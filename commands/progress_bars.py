"""Progress bars of the commands: on a terminal only, with rate and time left."""

from __future__ import annotations

import sys
from typing import Any

from tqdm import tqdm

from env.progress import Advance


class Bars:
    """One progress bar at a time: `bars(what, total)` opens it and returns what moves it on."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._bar: tqdm[Any] | None = None

    def __call__(self, what: str, total: int) -> Advance:
        self.close()
        bar = self._bar = tqdm(
            total=total,
            desc=f"{self._prefix}{what}",
            disable=not sys.stderr.isatty(),
            dynamic_ncols=True,
            leave=False,
            smoothing=0.1,
        )

        def advance(done: int) -> None:
            bar.update(done)

        return advance

    def close(self) -> None:
        """Wipe the bar away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
