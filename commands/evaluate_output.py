"""Where the results of `evaluate.py` go: the terminal, and the files that were asked for."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from commands.evaluate_options import Request
from commands.outputs import write_output
from models.messages import one_line

JsonObject = dict[str, Any]  # of the file that --json names
Draw = Callable[[BinaryIO], None]  # writes a picture


class Output:
    """Shows results and writes the files asked for; one that fails does not keep others back."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self.exit_code = 0

    def say(self, text: str) -> None:
        """Print a text, past standard output where that is for JSON."""
        print(text, file=sys.stderr if self._request.prints_json else sys.stdout, flush=True)

    def json(self, content: JsonObject | list[JsonObject]) -> None:
        """Write what --json asks for."""
        text = json.dumps(content, indent=1) + "\n"
        if self._request.prints_json:
            sys.stdout.write(text)
            sys.stdout.flush()
        elif self._request.json is not None:
            self._write("json", self._request.json, text.encode())

    def chart(self, file: Path | None, draw: Draw) -> None:
        """Write a picture to a file, if there is one to write to."""
        if file is not None:
            self._write("chart", file, drawn(draw))

    def _write(self, what: str, file: Path, content: bytes) -> None:
        try:
            write_output(file, content)
        except OSError as error:
            self.exit_code = 2
            print(f"error: {what} not written: {one_line(error)}", file=sys.stderr)
        else:
            self.say(f"{what:<8}{file}")


def drawn(draw: Draw) -> bytes:
    """The bytes of a picture."""
    picture = io.BytesIO()
    draw(picture)
    return picture.getvalue()
