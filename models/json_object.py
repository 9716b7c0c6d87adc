"""Reading a small JSON object that somebody else may have written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from models.messages import one_line
from models.storage import StorageError

MAX_BYTES = 1 << 28  # far above what a long run writes, far below what a machine holds


def read_object(file: Path) -> dict[str, Any]:
    """The object in a file, or a `StorageError` of one line.

    Only regular files are opened: reading a pipe would wait for somebody who writes into it.
    """
    try:
        if not file.is_file():
            reason = "is not a file" if file.exists() else "is missing"
            raise StorageError(f"no readable {file.name}: {file} {reason}")
        if file.stat().st_size > MAX_BYTES:
            raise StorageError(f"no readable {file.name}: {file} is too large to be a description")
        content = json.loads(file.read_text(encoding="utf-8"))
    except StorageError:
        raise
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        raise StorageError(f"no readable {file.name}: {file}: {one_line(error)}") from None
    if not isinstance(content, dict):
        raise StorageError(f"{file} is not of this program: it holds no JSON object")
    return content


def whole_number(fields: dict[str, Any], name: str, at_most: int, at_least: int = 0) -> int:
    """A number that JSON holds under a name, or a `ValueError`; true and false are refused."""
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{name} must be a whole number, not {value!r:.40}")
    if not at_least <= value <= at_most:
        raise ValueError(f"{name} is {value:.6g}, but must be between {at_least} and {at_most}")
    return value
