"""Reading arrays that were saved earlier, from regular files only; every error has one line."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from models.messages import one_line
from models.storage import StorageError

Array = NDArray[Any]
Shapes = dict[str, tuple[int, ...]]


def read_array(file: Path, dtype: np.dtype[Any], most_rows: int) -> Array:
    """The rows in an .npy file, which stay on disk until they are read. [n]"""
    _check_regular(file)
    try:
        rows = np.load(file, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # NumPy raises errors of all kinds for files that are not its own
        raise _unreadable(file, error) from None
    if not isinstance(rows, np.ndarray) or rows.dtype != dtype or rows.ndim != 1:
        raise StorageError(f"{file} does not hold rows of a memory")
    if len(rows) > most_rows:
        raise StorageError(f"{file} holds {len(rows):,} rows, but there is room for {most_rows:,}")
    return rows


def read_arrays(file: Path, most_bytes: int) -> dict[str, Array]:
    """All arrays in an .npz file, which may unpack to so many bytes at most."""
    _check_regular(file)
    try:
        with zipfile.ZipFile(file) as archive:
            total = sum(part.file_size for part in archive.infolist())
            if total > most_bytes:
                raise StorageError(f"{file} unpacks to {total:,} bytes, more than it should hold")
            for part in archive.infolist():
                _check_announced(archive, part)
        with np.load(file, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except StorageError:
        raise
    except Exception as error:  # so do ZIP archives
        raise _unreadable(file, error) from None


def _check_announced(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    """A `ValueError` if the header of an array announces more than its part holds.

    NumPy takes the memory that a header asks for before it reads on.
    """
    with archive.open(part) as stored:
        version = npy.read_magic(stored)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read(stored)
    if dtype.itemsize * int(np.prod([1, *shape], dtype=object)) > part.file_size:
        raise ValueError(f"{part.filename} announces more numbers than it holds")


def _check_regular(file: Path) -> None:
    if not file.is_file():
        raise StorageError(f"{file} is not a file" if file.exists() else f"{file} is missing")


def _unreadable(file: Path, error: Exception) -> StorageError:
    return StorageError(f"{file} is damaged: {one_line(error)}")
