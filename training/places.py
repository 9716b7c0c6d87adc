"""The two folders of a run, and how one process takes them for itself.

A run writes its models to checkpoints/<name>/ and its logs to runs/<name>/. Both are locked from
before the first file is written until the process ends, however it ends.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from deep_cfr.config import ConfigError
from models.locks import exclusive_lock
from models.storage import StorageError

LOCK_FILE = ".lock"
UNFINISHED = (".latest.*.tmp", ".iter_*.tmp")  # folders that a killed process was writing


@dataclass(frozen=True)
class Places:
    """Where a run keeps its files."""

    name: str
    logs: Path
    checkpoints: Path


@contextmanager
def new_places(name: str, logdir: Path, checkpoints: Path) -> Iterator[Places]:
    """The folders of a new run of this name, for this process alone; used names are refused."""
    places = Places(name, logdir / name, checkpoints / name)
    with _made(places), _locked(places):
        if any(_contents(places.checkpoints)):
            raise ConfigError(_name_is_used(places))
        if any(_contents(places.logs)):
            raise ConfigError(
                f"{places.logs} holds logs of an earlier run; remove that folder or choose "
                "another --run-name"
            )
        yield places


@contextmanager
def unnamed_places(stem: str, logdir: Path, checkpoints: Path) -> Iterator[Places]:
    """The folders of a new run with a name that nobody else has: the stem, or stem-2, stem-3, …"""
    for number in count(1):
        name = stem if number == 1 else f"{stem}-{number}"
        if (logdir / name).exists():
            continue
        _make(checkpoints)
        try:
            (checkpoints / name).mkdir()  # of two processes only one succeeds
        except FileExistsError:
            continue
        try:
            with new_places(name, logdir, checkpoints) as places:
                yield places
        finally:
            with suppress(OSError):  # nothing was written
                (checkpoints / name).rmdir()
        return


@contextmanager
def resumed_places(folder: Path, logdir: Path) -> Iterator[Places]:
    """The folders of a run that goes on, for this process alone."""
    name = folder.name if folder.name not in ("", "..") else folder.resolve().name
    places = Places(name, logdir / name, folder)
    with _made(places), _locked(places):
        yield places


def find_run(named: str, checkpoints: Path, *, is_source: bool = False) -> Path:
    """The folder of a run given by name or by path, to resume it or to start another from it."""
    purpose, way_out = (
        ("to start from", "name the folder of a run; those have networks and memories in latest/")
        if is_source
        else ("to resume", "start a run with another --run-name")
    )
    for candidate in (checkpoints / named, Path(named)):
        if candidate.is_dir():
            if not (candidate / "latest").is_dir() and not (candidate / ".latest.old").is_dir():
                raise ConfigError(
                    f"{candidate} holds nothing {purpose}, since no run was saved in it; {way_out}"
                )
            return candidate
    raise ConfigError(f"there is no run {named!r} in {checkpoints}/ {purpose}")


@contextmanager
def _made(places: Places) -> Iterator[None]:
    """Both folders exist; those that were made for this and stayed empty are removed again."""
    made = [folder for folder in (places.checkpoints, places.logs) if not folder.exists()]
    for folder in made:
        _make(folder)
    try:
        yield
    finally:
        for folder in made:
            with suppress(OSError):  # what is not empty stays
                folder.rmdir()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"could not make {folder}: {error.strerror}") from error


@contextmanager
def _locked(places: Places) -> Iterator[None]:
    """Both folders belong to this process; what a killed one was writing is cleared away."""
    with ExitStack() as stack:
        # Always in this order, so that of two processes one gets both; they may be one folder.
        for folder in dict.fromkeys([places.checkpoints.resolve(), places.logs.resolve()]):
            stack.enter_context(exclusive_lock(folder / LOCK_FILE, wait=False))
        for pattern in UNFINISHED:
            for left_behind in places.checkpoints.glob(pattern):
                shutil.rmtree(left_behind, ignore_errors=True)
        yield


def _contents(folder: Path) -> Iterator[Path]:
    return (path for path in folder.iterdir() if path.name != LOCK_FILE)


def _name_is_used(places: Places) -> str:
    if (places.checkpoints / "latest").exists():
        return (
            f"there is a run {places.name!r} already; --resume {places.name} goes on with it, "
            "another --run-name starts a new one"
        )
    return (
        f"{places.checkpoints} is not empty, but holds nothing to resume; remove that folder or "
        "choose another --run-name"
    )
