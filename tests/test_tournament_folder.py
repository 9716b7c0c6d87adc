"""A tournament's folder belongs to one process at a time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import tournament
from arena.folder import RESULTS_JSON, claimed
from models.locks import Locked


def test_tournaments_of_one_second_do_not_meet(tmp_path: Path) -> None:
    stem = tmp_path / "tournaments" / "20260101-000000"
    with claimed(stem, is_new=True) as first, claimed(stem, is_new=True) as second:
        assert [first.name, second.name] == ["20260101-000000", "20260101-000000-2"]
        (first / "kept").touch()
    assert list(stem.parent.iterdir()) == [first], "what stayed empty is removed"
    assert list(first.iterdir()) == [first / "kept"], "and no lock is left"


def test_a_named_folder_in_use_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["call", "fold", "--game", "kuhn", "--hands", "40", "--games", "2"]
    with claimed(tmp_path, is_new=False):
        with pytest.raises(Locked), claimed(tmp_path, is_new=False):
            pass
        assert tournament.main([*words, "--out", str(tmp_path)]) == 2
        assert f"in use by process {os.getpid()}" in capsys.readouterr().err
    assert tournament.main([*words, "--out", str(tmp_path)]) == 0
    assert (tmp_path / RESULTS_JSON).exists()


def test_the_second_of_two_tournaments_without_a_name_has_its_own_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("commands.tournament_options.time.strftime", lambda form: "now")
    for bot in ("fold", "raise"):
        words = ["call", bot, "--game", "kuhn", "--hands", "40", "--games", "2"]
        assert tournament.main(words) == 0, capsys.readouterr().err
    folders = sorted(path.name for path in (tmp_path / "runs" / "tournaments").iterdir())
    assert folders == ["now", "now-2"]
