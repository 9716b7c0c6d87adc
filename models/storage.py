"""Folders that are written whole or not at all, and checked when they are read.

A folder is filled under a temporary name, given a manifest of checksums, flushed to disk and only
then renamed into place. A crash or a full disk at any moment leaves the previous folder, or its
backup, as it was.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import secrets
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MANIFEST = "manifest.json"


class StorageError(OSError):
    """A folder that is missing, incomplete or damaged; the message says which file."""


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A temporary folder to fill; takes the place of `path` once filled without an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A name that no other process has, nor one that was killed, whatever its id.
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    is_first = not path.exists() and not _backup(path).exists()
    try:
        temporary.mkdir()
        yield temporary
        _seal(temporary)
        _swap(temporary, path)
    except OSError as error:
        shutil.rmtree(temporary, ignore_errors=True)
        kept = "nothing was saved there before" if is_first else "what was saved before is intact"
        raise StorageError(f"could not write {path}: {error}; {kept}") from error
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def checked_folder(path: Path) -> Path:
    """The folder, or the backup a crash left behind, if every file is as it was written."""
    problem = _problem(path)
    if problem is None:
        return path
    if _problem(_backup(path)) is None:
        return _backup(path)
    raise StorageError(problem)


def whole_file(path: Path, content: bytes) -> None:
    """Write one file so that it is replaced at once or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:  # a full disk, for one, names no file
        temporary.unlink(missing_ok=True)
        raise StorageError(f"could not write {path}: {error.strerror or error}") from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def digest_of(pieces: Iterable[bytes]) -> str:
    """The checksum that manifests keep of a file that consists of these pieces."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def file_digest(file: Path) -> str:
    """The checksum that manifests keep of a file, however large."""
    with file.open("rb") as content:
        return digest_of(iter(lambda: content.read(1 << 22), b""))


def known_json(file: Path) -> dict[str, Any]:
    """A JSON object from a file, or an empty one if the file is missing or not readable."""
    try:
        content = json.loads(file.read_text())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def deflate(archive: Path, replaced: Mapping[str, bytes] | None = None) -> None:
    """Compress the parts of a ZIP archive, which Keras stores as they are; without their dates.

    `replaced` holds new contents of some parts.
    """
    content, new = io.BytesIO(), replaced or {}
    with zipfile.ZipFile(archive) as stored, zipfile.ZipFile(content, "w") as packed:
        for name in stored.namelist():
            part = zipfile.ZipInfo(name)  # dated 1980, whenever it was written
            part.external_attr = 0o600 << 16  # readable when people unpack it
            packed.writestr(part, new.get(name) or stored.read(name), zipfile.ZIP_DEFLATED)
    whole_file(archive, content.getvalue())


def _backup(path: Path) -> Path:
    return path.with_name(f".{path.name}.old")


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.is_file() and file.name != MANIFEST)


def _seal(folder: Path) -> None:
    manifest = {file.name: file_digest(file) for file in _files(folder)}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1))
    for file in [*_files(folder), folder / MANIFEST]:
        with file.open("rb") as handle:
            os.fsync(handle.fileno())


def _swap(temporary: Path, path: Path) -> None:
    """At every moment the folder or its backup is whole; `checked_folder` looks at both."""
    backup, trash = _backup(path), path.with_name(f".{path.name}.trash")
    shutil.rmtree(trash, ignore_errors=True)
    if path.exists():
        if backup.exists() and _problem(path) is None:
            backup.rename(trash)  # left by a crash: the whole folder is newer
            shutil.rmtree(trash, ignore_errors=True)
        # A backup that is still there is the whole one, since the folder itself is damaged.
        path.rename(trash if backup.exists() else backup)
    temporary.rename(path)
    if os.name == "posix":
        _flush_names(path.parent)
    if backup.exists():
        shutil.rmtree(trash, ignore_errors=True)
        backup.rename(trash)  # so that no half-deleted folder is ever called a backup
    shutil.rmtree(trash, ignore_errors=True)


def _flush_names(folder: Path) -> None:
    """Make renames inside a folder outlast a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _problem(folder: Path) -> str | None:
    """What is wrong with a folder, if anything."""
    if not folder.is_dir():
        return f"there is no folder {folder}"
    try:
        manifest = json.loads((folder / MANIFEST).read_text())
        expected = {str(name): str(digest) for name, digest in manifest.items()}
    except (OSError, ValueError, AttributeError):
        return f"{folder} has no readable {MANIFEST}"
    for name, digest in expected.items():
        file = folder / name
        if not file.is_file():
            return f"{file} is missing"
        if file_digest(file) != digest:
            return f"{file} is damaged: its checksum is not the one recorded"
    return None
