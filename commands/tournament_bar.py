"""The progress bar of a tournament: hands over all pairs, on a terminal only."""

from __future__ import annotations

import sys
from typing import Any

from tqdm import tqdm


class TournamentBar:
    """Counts the hands of all pairs. Pairs to come are taken to be as long as the present one."""

    def __init__(self, num_pairs: int, most_hands: int) -> None:
        self._num_pairs = num_pairs
        self._pairs_done = self._hands_done = 0
        self._bar: tqdm[Any] = tqdm(
            total=num_pairs * most_hands,
            unit=" hands",
            unit_scale=True,
            dynamic_ncols=True,
            leave=False,
            smoothing=0.1,
            disable=not sys.stderr.isatty(),
        )

    def begin_pair(self) -> None:
        """Say which pair is played now."""
        self._bar.set_description(f"pair {self._pairs_done + 1} of {self._num_pairs}")

    def advance(self, hands: int, expected: int) -> None:
        """Show that so many hands of the pair are played, out of so many expected."""
        self._bar.total = self._hands_done + expected * (self._num_pairs - self._pairs_done)
        self._bar.update(self._hands_done + hands - self._bar.n)

    def add(self, hands: int) -> None:
        """Show hands that were played elsewhere, of any pair."""
        self._bar.update(hands)

    def end_pair(self, hands: int, line: str) -> None:
        """Count a finished pair and print a line about it above the bar."""
        self._pairs_done += 1
        self._hands_done += hands
        self._bar.write(line, file=sys.stdout)

    def close(self) -> None:
        """Wipe the bar away."""
        self._bar.close()
