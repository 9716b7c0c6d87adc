"""Keeping results where that can fail without harm: what is not kept is said in one line.

By then results are printed and written, so a model folder that takes no records, or a card that
cannot be written, is a warning and no error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from models.measurements import Published
from models.messages import one_line


class Keeper:
    """Records results and remembers which model folders took them."""

    def __init__(self) -> None:
        self.kept_in: list[Path] = []
        self._refused: set[Path] = set()

    def record(self, folder: Path, write: Callable[[], None]) -> None:
        """Write a result beside the model of a folder, or say once why that is not done."""
        if folder in self._refused:
            return
        try:
            write()
        except Published as reason:
            self._refused.add(folder)
            print(f"not recorded: {one_line(reason)}", file=sys.stderr)
        except (OSError, ValueError) as error:
            self._refused.add(folder)
            print(
                f"warning: not recorded in {one_line(folder)}: {one_line(error)}", file=sys.stderr
            )
        else:
            if folder not in self.kept_in:
                self.kept_in.append(folder)


def attempt(what: str, write: Callable[[], object]) -> bool:
    """Whether something could be written; a warning if not."""
    try:
        write()
    except (OSError, ValueError) as error:
        print(f"warning: {what} not written: {one_line(error)}", file=sys.stderr)
        return False
    return True
