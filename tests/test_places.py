"""The folders of a run belong to one process at a time, and every refusal names a way out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from commands.train_options import parse
from commands.train_places import claimed
from deep_cfr.config import ConfigError
from models.locks import Locked
from models.messages import LONGEST_LINE
from models.storage import StorageError
from tests.small_runs import ROOT
from train import main
from training.places import find_run, new_places, resumed_places, unnamed_places


def test_a_second_process_is_told_who_has_the_run(tmp_path: Path) -> None:
    runs, checkpoints = tmp_path / "runs", tmp_path / "checkpoints"
    with new_places("r", runs, checkpoints) as places:
        (places.checkpoints / "latest").mkdir()
        in_use = f"in use by process {os.getpid()}"
        with pytest.raises(Locked, match=in_use), new_places("r", runs, checkpoints):
            pass
        with pytest.raises(Locked, match=in_use), resumed_places(places.checkpoints, runs):
            pass
        with (  # the same logs, models elsewhere
            pytest.raises(Locked, match=in_use),
            new_places("r", runs, tmp_path / "elsewhere"),
        ):
            pass
        assert not (tmp_path / "elsewhere" / "r").exists(), "nothing is left of the refused one"
    with pytest.raises(ConfigError, match="--resume r goes on"), new_places("r", runs, checkpoints):
        pass
    with resumed_places(checkpoints / "r", runs) as places:
        assert places.name == "r"


def test_runs_without_a_name_never_meet(tmp_path: Path) -> None:
    runs, checkpoints = tmp_path / "runs", tmp_path / "checkpoints"
    with (
        unnamed_places("p-1", runs, checkpoints) as first,
        unnamed_places("p-1", runs, checkpoints) as second,
        unnamed_places("p-1", runs, checkpoints) as third,
    ):
        assert [places.name for places in (first, second, third)] == ["p-1", "p-1-2", "p-1-3"]
    assert not list(checkpoints.iterdir()), "what stayed empty is removed"


def test_folders_that_cannot_be_made_are_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(StorageError, match=r"could not make .*file"),
        unnamed_places("kuhn", tmp_path / "runs", tmp_path / "file"),
    ):
        pass


def test_names_do_not_get_stuck(tmp_path: Path) -> None:
    runs, checkpoints = tmp_path / "runs", tmp_path / "checkpoints"
    (checkpoints / "r" / ".latest.17-ab.tmp").mkdir(parents=True)  # killed during its first save
    (checkpoints / "r" / ".lock").write_text("17")
    with pytest.raises(ConfigError, match="holds nothing to resume"):
        find_run("r", checkpoints)
    with new_places("r", runs, checkpoints) as places:
        assert [path.name for path in places.checkpoints.iterdir()] == [".lock"]
    (runs / "r").mkdir(parents=True)
    (runs / "r" / "metrics.csv").write_text("t")
    with (
        pytest.raises(ConfigError, match="remove that folder or choose another --run-name"),
        new_places("r", runs, checkpoints),
    ):
        pass
    (runs / "r" / "metrics.csv").unlink()
    with new_places("r", runs, checkpoints):
        pass


def test_logs_go_below_the_log_folder_whatever_was_saved(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoints" / "r"
    folder.mkdir(parents=True)
    with resumed_places(folder / "x" / "..", tmp_path / "runs") as places:
        assert places.logs == tmp_path / "runs" / "r"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--width", "2147483648"], "width is 2147483648, but can be 8192 at most"),
        (["--advantage-memory", "9223372036854775807"], "but can be 2147483647 at most"),
        (["--game", "x" * 5_000], "unknown game"),
        (["--resume", "x" * 5_000], "too long"),
        (["--run-name", "x" * 5_000], "too long"),
    ],
)
def test_silly_arguments_get_one_line_of_bearable_length(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    places = ["--checkpoints", str(tmp_path / "c"), "--logdir", str(tmp_path / "l")]
    assert main([*places, *arguments]) == 2
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 1
    assert complaint in lines[0]
    assert len(lines[0]) <= LONGEST_LINE + 10


def test_what_cannot_be_read_at_all_is_cut_too(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["--iterations", "9" * 4_000 + "x"])
    assert max(map(len, capfd.readouterr().err.splitlines())) < 2 * LONGEST_LINE


def test_bad_settings_leave_no_folder(tmp_path: Path) -> None:
    request = parse(["--traversals=0", f"--checkpoints={tmp_path / 'c'}", "--run-name=r"])
    with pytest.raises(ConfigError), claimed(request):
        pass
    assert not list(tmp_path.iterdir())


TALK = """
from training.console import complain, open_closed_streams, say
open_closed_streams()
for line in range(3000):
    say("a line")
    complain("a complaint")
open("done", "w").write("to the end")
"""


@pytest.mark.parametrize("words", ["{} -c '{}' 2>&1 | head -1", "{} -c '{}' >&- 2>&-"])
def test_nobody_listening_stops_nothing(tmp_path: Path, words: str) -> None:
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", words.format(sys.executable, TALK.replace("'", '"'))],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert (tmp_path / "done").read_text() == "to the end"
