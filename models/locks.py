"""One process at a time: a lock that the operating system releases when its holder ends.

The lock belongs to an open file, not to the existence of a file: a process that is killed at once
leaves a file behind that locks nothing. The file holds the id of the process that has the lock.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from models.storage import StorageError

_FIRST_TRIES = 3  # the holder writes its id a moment after it has the lock
_PAUSE = 0.05  # seconds between two looks


class Locked(StorageError):  # noqa: N818 - the name says what happened
    """Another process holds the lock; the message names it."""


@contextmanager
def exclusive_lock(path: Path, wait: bool) -> Iterator[None]:
    """Hold the lock file at `path`; if another process does, wait for it or raise `Locked`.

    The file is removed at the end, while the lock is still held. A process that had opened it
    before finds that it locked a file without a name, and opens the new one.
    """
    handle = _opened(path)
    while not _try_lock(handle) or not _is_still(handle, path):
        if not wait and _is_still(handle, path):
            holder = _holder(path)
            os.close(handle)
            raise Locked(f"{path.parent} is in use by process {holder}; wait for it or stop it")
        os.close(handle)
        time.sleep(_PAUSE)
        handle = _opened(path)
    try:
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, str(os.getpid()).encode())
        yield
    finally:
        with suppress(OSError):  # Windows keeps files that another process has open
            path.unlink()
        os.close(handle)


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise StorageError(f"could not write in {path.parent}: {error}") from error


def _is_still(handle: int, path: Path) -> bool:
    """Whether the name still belongs to the file that was opened."""
    try:
        named = path.stat()
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(handle), named)


def _holder(path: Path) -> str:
    """The id of the process that has the lock, as it wrote it into the file."""
    for _ in range(_FIRST_TRIES):
        with suppress(OSError):
            if found := path.read_text()[:20].strip():
                return found
        time.sleep(_PAUSE)
    return "(unknown)"


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30  # Windows hides locked bytes from readers; the id at the start stays readable

    def _try_lock(handle: int) -> bool:
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
