"""How a model card names folders: as one types them at the project's root.

A published model is read on other machines, so its card names no folder of this one.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path, PurePosixPath, PureWindowsPath

ROOT = Path(__file__).resolve().parent.parent  # of the project: where commands are typed
_WHOLE_PATH = re.compile(r"(?:(?<=^)|(?<=[\s='\"]))(?:/|[A-Za-z]:\\)[^\s'\"]*")


def typed(folder: Path) -> str:
    """A folder as one types it at the project's root."""
    return _in_project(folder) or folder.as_posix()


def portable(folder: Path) -> str:
    """The same without anything of this machine: of a folder elsewhere only the name is left."""
    return _in_project(folder) or f"path/to/{folder.resolve().name}"


def portable_text(words: str) -> str:
    """A name or a command in which whole paths are shortened to what others can make sense of."""
    try:
        parts = shlex.split(words)
    except ValueError:  # no command
        return _WHOLE_PATH.sub(lambda found: _shortened(found[0]), words)
    shortened = [_portable_word(word) for word in parts]
    return words if shortened == parts else shlex.join(shortened)


def _portable_word(word: str) -> str:
    option, equals, value = word.partition("=")
    if equals and _is_whole(value):
        return f"{option}={_shortened(value)}"
    prefix, colon, path = word.partition(":")
    if colon and path.startswith("/") and not _is_whole(word):  # such as sdcfr:/some/run
        return f"{prefix}:{_shortened(path)}"
    return _shortened(word) if _is_whole(word) else word


def _is_whole(word: str) -> bool:
    return PurePosixPath(word).is_absolute() or PureWindowsPath(word).is_absolute()


def _shortened(path: str) -> str:
    name = PureWindowsPath(path).name  # knows both kinds of slashes
    return _in_project(Path(path)) or f"path/to/{name}"


def _in_project(folder: Path) -> str | None:
    try:
        return folder.resolve().relative_to(ROOT).as_posix()
    except (ValueError, OSError, RuntimeError):
        return None
