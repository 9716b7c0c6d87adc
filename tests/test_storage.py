"""Folders are written whole or not at all, and damage is noticed."""

from __future__ import annotations

import shutil
from pathlib import Path
from unittest import mock

import pytest

from models.storage import StorageError, checked_folder, whole_file, whole_folder


def write(path: Path, text: str) -> None:
    with whole_folder(path) as folder:
        (folder / "a.txt").write_text(text)
        (folder / "b.bin").write_bytes(b"\0" * 1000)


def test_a_folder_replaces_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "run" / "latest"
    write(path, "one")
    write(path, "two")
    assert (checked_folder(path) / "a.txt").read_text() == "two"
    assert [entry.name for entry in path.parent.iterdir()] == ["latest"], "nothing stays behind"


def test_a_failed_write_leaves_the_folder_before(tmp_path: Path) -> None:
    path = tmp_path / "latest"
    write(path, "one")

    def fail() -> None:
        with whole_folder(path) as folder:
            (folder / "a.txt").write_text("half")
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        fail()
    assert (checked_folder(path) / "a.txt").read_text() == "one"
    assert [entry.name for entry in tmp_path.iterdir()] == ["latest"]


def test_a_crash_between_the_renames_leaves_the_backup(tmp_path: Path) -> None:
    path = tmp_path / "latest"
    write(path, "one")
    path.rename(tmp_path / ".latest.old")
    assert (checked_folder(path) / "a.txt").read_text() == "one"
    write(path, "two")
    assert (checked_folder(path) / "a.txt").read_text() == "two"


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [("flip", "b.bin is damaged"), ("remove", "a.txt is missing"), ("manifest", "no readable")],
)
def test_damage_is_noticed(tmp_path: Path, damage: str, complaint: str) -> None:
    path = tmp_path / "latest"
    write(path, "one")
    if damage == "flip":
        (path / "b.bin").write_bytes(b"\0" * 999 + b"\1")
    elif damage == "remove":
        (path / "a.txt").unlink()
    else:
        (path / "manifest.json").write_text("[]")
    with pytest.raises(StorageError, match=complaint):
        checked_folder(path)


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="there is no folder"):
        checked_folder(tmp_path / "nothing")


def test_files_are_replaced_at_once(tmp_path: Path) -> None:
    whole_file(tmp_path / "x", b"one")
    whole_file(tmp_path / "x", b"two")
    assert (tmp_path / "x").read_bytes() == b"two"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_full_disk_is_told_with_the_file(tmp_path: Path) -> None:
    """The system's own error of a write names no file."""
    whole_file(tmp_path / "x", b"one")
    full = OSError(28, "No space left on device")
    with (
        mock.patch("os.fsync", side_effect=full),
        pytest.raises(StorageError, match=r"could not write .*x: No space left on device"),
    ):
        whole_file(tmp_path / "x", b"two")
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"one"]


def test_a_damaged_folder_never_costs_its_backup(tmp_path: Path) -> None:
    """A whole backup beside a damaged folder is kept until the new folder is in place."""
    path, backup = tmp_path / "latest", tmp_path / ".latest.old"
    write(path, "one")
    shutil.copytree(path, backup)
    (path / "a.txt").write_text("damaged")
    assert checked_folder(path) == backup

    def fail() -> None:
        with mock.patch.object(Path, "rename", side_effect=OSError(5, "lost")):
            write(path, "two")

    with pytest.raises(StorageError, match="could not write"):
        fail()
    assert (checked_folder(path) / "a.txt").read_text() == "one"
    write(path, "three")
    assert (checked_folder(path) / "a.txt").read_text() == "three"
    assert [entry.name for entry in tmp_path.iterdir()] == ["latest"]


def test_what_another_process_is_writing_is_left_alone(tmp_path: Path) -> None:
    with whole_folder(tmp_path / "latest") as theirs:
        (theirs / "a.txt").write_text("half")
        write(tmp_path / "latest", "one")
        assert (theirs / "a.txt").read_text() == "half"
    assert (checked_folder(tmp_path / "latest") / "a.txt").read_text() == "half"


def test_a_failed_write_says_truly_what_was_there_before(tmp_path: Path) -> None:
    def fail() -> None:
        with whole_folder(tmp_path / "latest"):
            raise OSError(28, "No space left on device")

    with pytest.raises(StorageError, match="nothing was saved there before"):
        fail()
    write(tmp_path / "latest", "one")
    with pytest.raises(StorageError, match="what was saved before is intact"):
        fail()


class Crash(BaseException):
    """The process ends here, and nothing after it happens."""


def write_until(path: Path, text: str, last_step: int) -> bool:
    """Write a folder, but crash at the so-manieth rename; whether that was ever reached."""
    rename, steps = Path.rename, iter(range(100))

    def crashing(self: Path, target: Path) -> Path:
        if next(steps) == last_step:
            raise Crash
        return rename(self, target)

    with mock.patch.object(Path, "rename", crashing):
        try:
            write(path, text)
        except Crash:
            return True
    return False


def test_two_crashes_never_bring_an_older_folder_back(tmp_path: Path) -> None:
    """Wherever two writes in a row crash, what is found is what was found after the first."""
    for first in range(4):
        for second in range(4):
            path = tmp_path / f"{first}{second}" / "latest"
            write(path, "1")
            write_until(path, "2", first)
            found = (checked_folder(path) / "a.txt").read_text()
            write_until(path, "3", second)
            assert (checked_folder(path) / "a.txt").read_text() >= found
            write_until(path, "4", 1)
            assert (checked_folder(path) / "a.txt").read_text() >= found
