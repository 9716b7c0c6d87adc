"""Files and folders that a command is asked to write: checked before the work, written after it."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from pathlib import Path

from models.storage import whole_file

STDOUT = Path("-")


def named_path(text: str) -> Path:
    """The path that an option names. An empty text is refused: it would mean the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("an empty text names no file or folder")
    return Path(text)


def file_complaint(file: Path) -> str | None:
    """Why a file cannot be written, or None if nothing speaks against it."""
    try:
        if file.is_dir():
            return f"{file} is a folder; name a file"
        place = Path(os.path.realpath(file))
        if not place.parent.is_dir():
            missing = place if file.is_symlink() else file
            return f"there is no folder {missing.parent} to write {missing.name} into"
        _stat(file)  # an error for links in a circle and for names that are too long
        if not os.access(place if place.exists() else place.parent, os.W_OK):
            return f"{file} cannot be written: permission denied"
    except (OSError, ValueError) as error:
        return f"{file} cannot be written: {getattr(error, 'strerror', None) or error}"
    return None


def folder_complaint(folder: Path) -> str | None:
    """Why a folder cannot be made or written into, or None if nothing speaks against it."""
    try:
        for place in (folder, *folder.parents):
            if _stat(place) is not None:
                return None if place.is_dir() else f"{place} is not a folder; name a folder"
            if place.is_symlink():
                return f"{place} is a symbolic link that leads nowhere; name a folder"
    except (OSError, ValueError) as error:
        return f"{folder} cannot be a folder: {getattr(error, 'strerror', None) or error}"
    return None


def is_stdout(file: Path | None) -> bool:
    """Whether a file stands for the standard output, by `-` or by a name such as /dev/stdout."""
    if file is None or file == STDOUT:
        return file is not None
    try:
        return os.path.samestat(file.stat(), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):
        return False


def write_output(file: Path, content: bytes) -> None:
    """Replace a regular file at once or not at all; write into a device or a pipe as it is."""
    found = _stat(file)
    if found is None or stat.S_ISREG(found.st_mode):
        whole_file(Path(os.path.realpath(file)), content)  # a link goes on leading there
    else:
        with file.open("wb") as device:
            device.write(content)


def _stat(path: Path) -> os.stat_result | None:
    """What a path leads to; None if there is nothing."""
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
