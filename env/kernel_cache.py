"""Where compiled kernels are kept, and a word to whoever waits while they are compiled.

Numba keeps compiled kernels beside the source files or in the home folder, and refuses to load a
module when it can write to neither. A temporary folder serves then. Numba compiles a kernel again
when its own file has changed, but not when a kernel that it calls has changed in another file. So
all are compiled again when any file with kernels is not what it was. This module is imported before
any other that has kernels.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

import numba
from numba.core import event

PROJECT = Path(__file__).resolve().parent.parent
COMPILING = "compiling kernels, once; this takes about a minute"


@lru_cache(maxsize=1)
def temporary_root() -> Path:
    """A folder for caches when no other place can be written; prints on stderr where it is.

    Numba's files can hold code, so the folder must belong to this user alone. If a folder of the
    usual name does not, it is left alone and a new folder is made for this process.
    """
    own = getattr(os, "getuid", lambda: 0)()
    root = Path(tempfile.gettempdir()) / f"deep_cfr_cache_{own}"
    try:
        root.mkdir(mode=0o700, exist_ok=True)
        found = root.lstat()
        is_private = root.is_dir() and not root.is_symlink() and found.st_uid == own
        is_private &= os.name != "posix" or not found.st_mode & 0o077
    except OSError:
        is_private = False
    if not is_private:
        root = Path(tempfile.mkdtemp(prefix="deep_cfr_cache_"))
    print(f"no cache can be written beside the program; {root} is used instead", file=sys.stderr)
    return root


def is_writable(folder: Path) -> bool:
    """Whether files can be made in a folder, which is made itself if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def ensure_kernel_cache() -> None:
    """See that numba finds a folder for compiled kernels."""
    try:
        numba.njit(cache=True)(_probe)  # looks for a folder; compiles nothing
    except RuntimeError:
        place = str(temporary_root() / "kernels")
        numba.config.CACHE_DIR = place  # type: ignore[attr-defined]
        os.environ["NUMBA_CACHE_DIR"] = place  # for processes started from here


def forget_stale_kernels() -> None:
    """Remove the indexes of compiled kernels if some source of theirs has changed since."""
    stamp = PROJECT / ".cache" / "kernels"
    packages = [path.parent for path in PROJECT.glob("*/__init__.py")]
    try:
        now = _kernel_digest(packages)
        if stamp.is_file() and stamp.read_text() == now:
            return
        for package in packages:
            for index in package.rglob("__pycache__/*.nbi"):
                index.unlink(missing_ok=True)
        stamp.parent.mkdir(exist_ok=True)
        new = stamp.with_name(f"kernels.{os.getpid()}")
        new.write_text(now)
        new.replace(stamp)
    except OSError:
        return  # nothing can be written beside the program, so no index can be removed there


def _kernel_digest(packages: list[Path]) -> str:
    """Changes with every source file that has kernels."""
    digest = hashlib.sha256()
    for file in sorted(path for package in packages for path in package.rglob("*.py")):
        content = file.read_bytes()
        if b"numba" in content:
            digest.update(str(file.relative_to(PROJECT)).encode() + content)
    return digest.hexdigest()


def announce_compilation() -> None:
    """Print one line when the first kernel of this project is compiled, not read from the cache."""
    event.register("numba:compile", _Announcement())  # type: ignore[no-untyped-call]


class _Announcement(event.Listener):
    def on_start(self, event_: event.Event) -> None:
        source = event_.data["dispatcher"].py_func.__code__.co_filename
        if Path(source).is_relative_to(PROJECT):
            event.unregister("numba:compile", self)  # type: ignore[no-untyped-call]
            print(COMPILING, file=sys.stderr, flush=True)

    def on_end(self, event_: event.Event) -> None:
        """Numba requires this method; the end of a compilation is not announced."""


def _probe() -> None:
    """A function for numba to compile, so that it looks for its folder."""


forget_stale_kernels()
ensure_kernel_cache()
announce_compilation()
