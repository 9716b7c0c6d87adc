"""`train.py --from RUN`: a new run with another run's networks, memories and iteration."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commands.train_options import parse
from commands.train_places import claimed
from deep_cfr.config import Config, ConfigError
from deep_cfr.solver import Solver
from models.layout import read_info
from models.publish import publish
from models.run_state import RunProgress, RunState, latest_state
from models.starting_points import StartingPoint
from models.storage import StorageError, file_digest
from tests.small_runs import (
    SMALL_DEFAULT_PATH,
    SMALL_LEDUC,
    as_flags,
    assert_same_arrays,
    latest_arrays,
    metrics,
    small_config,
    solver_of,
)
from train import main
from training import checkpoint
from training.checkpoint import save_latest, start_from
from training.takeover import config_of_new_run, problems

LEDUC = small_config("leduc", SMALL_LEDUC, keep_advantage_nets=False)
DEFAULT_PATH = small_config("smoke", SMALL_DEFAULT_PATH, keep_advantage_nets=False)


def saved_after(folder: Path, config: Config, iterations: int) -> Solver:
    solver = solver_of(config)
    for _ in range(iterations):
        solver.iterate()
    save_latest(folder, solver, RunProgress(wall_s=2.5))
    return solver


def digests(folder: Path) -> dict[str, tuple[str, int]]:
    """Every file below a folder: its contents and when it was written."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(file): (file_digest(file), file.stat().st_mtime_ns) for file in files}


@pytest.mark.parametrize("config", [LEDUC, DEFAULT_PATH], ids=["leduc", "default path"])
def test_with_the_same_settings_it_goes_on_like_the_other_run(
    tmp_path: Path, config: Config
) -> None:
    source, new = saved_after(tmp_path, config, 3), solver_of(config)
    before = digests(tmp_path)
    progress = start_from(tmp_path, new)
    assert (new.t, new.nodes_touched) == (3, source.nodes_touched)
    assert progress == RunProgress(
        wall_s=2.5, started_from=(StartingPoint(tmp_path.as_posix(), 3, ()),)
    )
    assert digests(tmp_path) == before
    for name, solver in (("source", source), ("new", new)):
        solver.iterate()
        save_latest(tmp_path / name, solver, RunProgress())
    assert_same_arrays(latest_arrays(tmp_path / "source"), latest_arrays(tmp_path / "new"))


def test_changed_settings_hold_from_the_next_iteration_on(tmp_path: Path) -> None:
    source = saved_after(tmp_path, LEDUC, 3)
    changed = dataclasses.replace(
        LEDUC, traversals=240, advantage_memory=300, learning_rate=1e-3, seed=9, iterations=9
    )
    new = solver_of(changed)
    (point,) = start_from(tmp_path, new).started_from
    assert set(point.changed) == {
        "traversals: 60 → 240",
        "advantage_memory: 600 → 300",
        "learning_rate: 0.008 → 0.001",
        "seed: 0 → 9",
    }, "what earlier iterations did not depend on is left out"
    for weights in zip(new.weights(), source.weights(), strict=True):
        for array, other in zip(*weights, strict=True):
            np.testing.assert_array_equal(array, other)
    for player, memory in enumerate(new.advantage_memories):
        theirs = source.advantage_memories[player]
        assert len(theirs) == min(theirs.seen, 600) > len(memory) == 300
        assert memory.seen == theirs.seen
        assert {row.tobytes() for row in memory.rows} <= {row.tobytes() for row in theirs.rows}
    np.testing.assert_array_equal(new.strategy_memory.rows, source.strategy_memory.rows)
    done = new.iterate()
    assert done.t == new.t == 4
    assert done.infosets > 2 * source.iterate().infosets
    assert set(new.advantage_memories[0].rows["t"]) == {1, 2, 3, 4}, "the others are not forgotten"


def test_the_strategy_regression_can_be_left_behind(tmp_path: Path) -> None:
    saved_after(tmp_path, DEFAULT_PATH, 1)
    new = solver_of(dataclasses.replace(DEFAULT_PATH, strategy_regression=False))
    start_from(tmp_path, new)
    assert new.strategy_regression is None
    assert new.iterate().t == 2


@pytest.fixture(scope="module")
def small_state(tmp_path_factory: pytest.TempPathFactory) -> RunState:
    """A run whose strategy memory is full and whose advantage memories are not."""
    folder = tmp_path_factory.mktemp("saved")
    saved_after(folder, dataclasses.replace(LEDUC, advantage_memory=50_000), 1)
    return latest_state(folder)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"game": "kuhn"}, "keeps the game .* memories hold .*: 'leduc' → 'kuhn'"),
        ({"network": "thesis"}, "keeps the network .*: 'paper' → 'thesis'"),
        ({"width": 32}, "keeps the width .*: 16 → 32"),
        ({"strength": True}, "keeps the strength .* made with it: False → True"),
        ({"strength_regression": True}, "keeps the strength_regression"),
        ({"strategy_regression": True}, "strategy_regression cannot be switched on"),
        ({"strategy_memory": 401}, "strategy_memory: 400 → 401, but of .* rows only 400"),
        ({"advantage_memory": 60_000, "seed": 3, "updates": 7, "threads": 2}, None),
        ({"strategy_memory": 1, "advantage_memory": 1, "batch_size": 1}, None),
    ],
)
def test_what_cannot_change_is_refused(
    small_state: RunState, changes: dict[str, Any], complaint: str | None
) -> None:
    wanted = dataclasses.replace(small_state.config, **changes)
    if complaint is None:
        assert not list(problems(small_state, wanted))
        assert config_of_new_run(small_state, wanted, changes) == wanted
    else:
        with pytest.raises(ConfigError, match=complaint):
            config_of_new_run(small_state, wanted, changes)


def test_networks_of_all_iterations_are_not_kept(small_state: RunState) -> None:
    wanted = dataclasses.replace(small_state.config, keep_advantage_nets=True)
    assert not config_of_new_run(small_state, wanted, {}).keep_advantage_nets
    with pytest.raises(ConfigError, match="no networks of its first 1 iterations"):
        config_of_new_run(small_state, wanted, {"keep_advantage_nets"})


def test_a_memory_that_holds_everything_may_grow(tmp_path: Path) -> None:
    source = saved_after(tmp_path, dataclasses.replace(LEDUC, advantage_memory=50_000), 1)
    new = solver_of(dataclasses.replace(LEDUC, advantage_memory=70_000))
    start_from(tmp_path, new)
    assert new.advantage_memories[0].capacity == 70_000
    np.testing.assert_array_equal(new.advantage_memories[0].rows, source.advantage_memories[0].rows)


def test_a_run_that_is_saved_while_it_is_read_is_not_mixed_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = saved_after(tmp_path, LEDUC, 1)
    read, new = checkpoint._read, solver_of(LEDUC)

    def slowly(*given: Any) -> Any:
        found = read(*given)
        source.iterate()
        save_latest(tmp_path, source, RunProgress())
        return found

    monkeypatch.setattr(checkpoint, "_read", slowly)
    with pytest.raises(StorageError, match="saved again while it was read"):
        start_from(tmp_path, new)
    assert new.t == len(new.strategy_memory) == 0


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a whole run by train.py, which is called `first`."""
    folder = tmp_path_factory.mktemp("runs")
    settings = as_flags(SMALL_LEDUC | {"iterations": 2, "checkpoint_every": 9})
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        assert main(["--preset=leduc", "--run-name=first", *settings]) == 0
    return folder


def test_the_same_run_again_and_a_run_from_it(
    source: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(source)
    first, before = source / "checkpoints" / "first", digests(source)
    assert main(["--config=runs/first/config.json", "--run-name=again"]) == 0
    again = source / "checkpoints" / "again"
    assert_same_arrays(latest_arrays(again), latest_arrays(first))
    models = [run / "iter_0002" / "strategy.keras" for run in (first, again)]
    assert file_digest(models[0]) == file_digest(models[1])

    words = ["--run-name=new", "--iterations=3", "--traversals=30", "--checkpoint-every=3"]
    assert main(["--from=first", *words]) == 0
    assert main(["--resume=new", "--iterations=4"]) == 0
    assert "started from iteration 2 of checkpoints/first" in capfd.readouterr().out
    assert {name: digests(source)[name] for name in before} == before, "the first run is untouched"

    new, logs = source / "checkpoints" / "new", source / "runs" / "new"
    point = {"run": "checkpoints/first", "iteration": 2, "changed": ["traversals: 60 → 30"]}
    assert json.loads((logs / "config.json").read_text())["started_from"] == [point]
    assert read_info(new / "iter_0004")["started_from"] == [point]
    assert [row["t"] for row in metrics(logs)] == ["3", "4"]
    assert sorted(path.name for path in new.glob("iter_*")) == ["iter_0003", "iter_0004"]
    card = (new / "README.md").read_text()
    assert "Iterations up to 2 are those of the run `checkpoints/first`" in card
    assert "Settings that changed then: `traversals: 60 → 30`." in card
    assert "30 per player and iteration |" in card, "how many in all is not known"

    assert main(["--from=new", "--run-name=third", "--iterations=5"]) == 0
    points = latest_state(source / "checkpoints" / "third").progress.started_from
    assert [point.run for point in points] == ["checkpoints/first", "checkpoints/new"]
    assert "is of a run that started from iteration 2" in refusal(
        ["--config=runs/new/config.json"], capfd
    )
    published = publish(source / "checkpoints" / "new", source / "published")
    assert "the run `checkpoints/first`" in published.read_text()


def test_paths_of_this_machine_are_not_handed_on(source: Path, tmp_path: Path) -> None:
    saved = {"checkpoints": str(source / "checkpoints"), "logdir": str(tmp_path / "runs")}
    words = [*as_flags(saved), "--from", str(source / "checkpoints" / "first"), "--run-name=far"]
    assert main(words) == 0
    run = source / "checkpoints" / "far"
    assert str(source) in (run / "README.md").read_text()
    publish(run, tmp_path / "published")
    assert read_info(tmp_path / "published")["started_from"][0]["run"] == "path/to/first"
    assert str(source) not in (tmp_path / "published" / "README.md").read_text()


def test_runs_without_a_name_are_called_after_the_run_or_game_they_start_from(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(source)
    for arguments, start in (
        (["--from=first"], "first-2"),
        (["--config=runs/first/config.json"], "leduc-2"),
        (["--preset=kuhn"], "kuhn-2"),
    ):
        with claimed(parse(arguments)) as claim:
            assert claim.places.name.startswith(start)
            assert (claim.source is not None) == ("--from=first" in arguments)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--from=nowhere"], "there is no run 'nowhere' in checkpoints/ to start from"),
        (["--from="], "--from needs the name or the folder of a run"),
        (["--from=checkpoints/first/iter_0002"], "holds nothing to start from"),
        (["--from=first", "--game=kuhn"], "keeps the game of the run"),
        (["--from=first", "--width=32"], "keeps the width"),
        (["--from=first", "--strategy-memory=500"], "strategy_memory: 400 → 500"),
        (["--from=first", "--keep-advantage-nets"], "keep_advantage_nets is True"),
        (["--from=first", "--preset=leduc"], "leave out --preset"),
        (["--from=first", "--resume=first"], "leave out --preset, --run-name and --from"),
        (["--from=first", "--run-name=first"], "there is a run 'first' already"),
        (["--from=first", "--traversals=0"], "traversals is 0, but must be positive"),
    ],
)
def test_bad_requests_get_one_line_and_touch_nothing(
    source: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    arguments: list[str],
    complaint: str,
) -> None:
    monkeypatch.chdir(source)
    before = digests(source)
    assert complaint in refusal(arguments, capfd)
    assert digests(source) == before


def test_a_damaged_run_is_refused(
    source: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(source)
    file = source / "checkpoints" / "first" / "latest" / "strategies.npy"
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    try:
        assert "strategies.npy is damaged" in refusal(["--from=first"], capfd)
    finally:
        file.write_bytes(whole)
    assert not list((source / "checkpoints").glob("first-*"))


def refusal(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> str:
    """The one line that refuses a command line."""
    capfd.readouterr()
    assert main(arguments) == 2
    (line,) = capfd.readouterr().err.strip().splitlines()
    assert line.startswith("error: ")
    return line
