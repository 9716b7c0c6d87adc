"""Recording results beside models, where a failure is a warning in one line and not an error.

When results are recorded they have been printed and written already. A model folder that cannot be
written, or a model card that cannot, therefore does not end the command.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from models.measurements import Published
from models.messages import one_line


class Recorder:
    """Records results and remembers which model folders took them."""

    def __init__(self) -> None:
        self.recorded_in: list[Path] = []
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
            if folder not in self.recorded_in:
                self.recorded_in.append(folder)


def attempt(what: str, write: Callable[[], object]) -> bool:
    """Whether something could be written; a warning if not."""
    try:
        write()
    except (OSError, ValueError) as error:
        print(f"warning: {what} not written: {one_line(error)}", file=sys.stderr)
        return False
    return True
