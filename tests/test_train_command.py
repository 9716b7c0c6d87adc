"""`python train.py` as people use it."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from deep_cfr.checkpoint import load_model
from deep_cfr.command import parse
from deep_cfr.config import DEFAULT_PRESET, PRESETS, Config, ConfigError
from env.compiler import compile
from env.emulator import make_emulator
from env.rules import parse_rules
from evaluation.best_response import exploitability

ROOT = Path(__file__).parent.parent
TINY = [
    "--preset=leduc", "--traversals=60", "--updates=15", "--batch-size=64", "--width=16",
    "--threads=1", "--strategy-updates=15", "--strategy-batch-size=64",
    "--advantage-memory=600", "--strategy-memory=400", "--checkpoint-every=2", "--resume-every=1",
]  # fmt: skip


def command(folder: Path, *arguments: str) -> list[str]:
    places = ["--logdir", str(folder / "runs"), "--checkpoints", str(folder / "checkpoints")]
    return [sys.executable, str(ROOT / "train.py"), *places, *arguments]


def train(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = command(folder, *arguments)
    return subprocess.run(done, cwd=ROOT, capture_output=True, text=True, check=False)


def saved(folder: Path, run: str) -> dict[str, np.ndarray]:
    """Memories and networks of a run's latest state."""
    latest = folder / "checkpoints" / run / "latest"
    arrays = {path.name: np.load(path) for path in latest.glob("*.npy")}
    nets = np.load(latest / "advantage_nets.npz")
    return arrays | {name: nets[name] for name in nets}


def assert_same_state(first: dict[str, np.ndarray], second: dict[str, np.ndarray]) -> None:
    assert first.keys() == second.keys()
    for name, array in first.items():
        np.testing.assert_array_equal(array, second[name], err_msg=name)


def metrics(logs: Path) -> list[dict[str, str]]:
    with (logs / "metrics.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    done = train(folder, *TINY, "--iterations", "6", "--run-name", "whole")
    assert done.returncode == 0, done.stderr
    return folder


def test_a_run_leaves_what_it_promises(uninterrupted: Path) -> None:
    run = uninterrupted / "checkpoints" / "whole"
    assert sorted(path.name for path in run.glob("iter_*")) == [
        "iter_0002", "iter_0004", "iter_0006",
    ]  # fmt: skip
    assert len(list((run / "advantage_nets").glob("t_*.npz"))) == 6
    info = json.loads((run / "iter_0006" / "model.json").read_text())
    assert info["metrics"]["exploitability_mbb"] > 0
    logs = uninterrupted / "runs" / "whole"
    config = json.loads((logs / "config.json").read_text())
    assert config["config"]["traversals"] == 60
    assert "train.py" in config["command"]
    rows = metrics(logs)
    assert [int(row["t"]) for row in rows] == [1, 2, 3, 4, 5, 6]
    assert float(rows[-1]["exploitability_mbb"]) == pytest.approx(
        info["metrics"]["exploitability_mbb"], abs=1e-3
    )
    assert rows[0]["exploitability_mbb"] == ""


def test_tensorboard_shows_what_it_promises(uninterrupted: Path) -> None:
    events = EventAccumulator(str(uninterrupted / "runs" / "whole"), {"tensors": 0})
    events.Reload()
    tags = set(events.Tags()["tensors"])
    assert tags >= {
        "loss/p0", "loss/p1", "loss/average_strategy", "fit/p0", "fit/p1", "infosets_per_s",
        "nodes_touched", "value_mbb", "exploitability_mbb", "by_nodes/exploitability_mbb",
        "memory_fill/strategies", "memory_seen/advantages_p0", "seconds/traversal", "seconds/fit",
        "advantages/p0", "actions_first round/call", "actions_second round/raise",
    }  # fmt: skip
    assert [event.step for event in events.Tensors("loss/p0")] == [1, 2, 3, 4, 5, 6]
    assert [event.step for event in events.Tensors("fit/p0")] == [15 * t for t in range(1, 7)]
    assert [event.step for event in events.Tensors("exploitability_mbb")] == [2, 4, 6]


def test_stopping_and_resuming_changes_nothing(uninterrupted: Path, tmp_path: Path) -> None:
    for arguments in (
        [*TINY, "--iterations", "3", "--run-name", "parts"],
        ["--resume", "parts", "--iterations", "6"],
    ):
        done = train(tmp_path, *arguments)
        assert done.returncode == 0, done.stderr
    assert_same_state(saved(tmp_path, "parts"), saved(uninterrupted, "whole"))
    config = json.loads((tmp_path / "runs" / "parts" / "config.json").read_text())
    assert "--run-name parts" in config["command"]
    assert "--resume parts" in config["resumed_with"]
    card = (tmp_path / "checkpoints" / "parts" / "README.md").read_text()
    assert config["command"] in card
    assert config["resumed_with"] in card
    rows = [
        metrics(folder / "runs" / name)
        for folder, name in ((tmp_path, "parts"), (uninterrupted, "whole"))
    ]
    for mine, theirs in zip(*rows, strict=True):
        for column in ("t", "nodes_touched", "loss_p0", "loss_p1", "value_mbb"):
            assert mine[column] == theirs[column]


@pytest.mark.slow
def test_kills_at_random_moments_change_nothing(uninterrupted: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(int(os.environ.get("KILL_SEED", "0")))
    arguments, kills = [*TINY, "--iterations", "6", "--run-name", "killed"], 0
    latest = tmp_path / "checkpoints" / "killed" / "latest"
    while True:
        process = subprocess.Popen(
            command(tmp_path, *arguments), cwd=ROOT, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        if kills == 4:
            _, errors = process.communicate()
            assert process.returncode == 0, errors
            break
        before = latest.stat().st_ino if latest.exists() else 0
        while process.poll() is None and (not latest.exists() or latest.stat().st_ino == before):
            time.sleep(0.02)
        time.sleep(float(rng.uniform(0, 0.8)))
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL, "killed before it was done"
        kills += 1
        arguments = ["--resume", "killed", "--iterations", "6"]
    assert_same_state(saved(tmp_path, "killed"), saved(uninterrupted, "whole"))
    assert (tmp_path / "checkpoints" / "killed" / "iter_0006" / "strategy.keras").exists()


def test_a_run_killed_at_its_start_can_be_resumed(uninterrupted: Path, tmp_path: Path) -> None:
    latest = tmp_path / "checkpoints" / "early" / "latest"
    process = subprocess.Popen(
        command(tmp_path, *TINY, "--iterations", "6", "--run-name", "early"), cwd=ROOT,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while process.poll() is None and not latest.exists():
        time.sleep(0.02)
    process.kill()
    process.communicate()
    done = train(tmp_path, "--resume", "early")
    assert done.returncode == 0, done.stderr
    assert_same_state(saved(tmp_path, "early"), saved(uninterrupted, "whole"))


def test_a_missing_last_model_is_made_on_resume(uninterrupted: Path, tmp_path: Path) -> None:
    shutil.copytree(uninterrupted / "checkpoints", tmp_path / "checkpoints")
    model = tmp_path / "checkpoints" / "whole" / "iter_0006"
    shutil.rmtree(model)
    before = saved(tmp_path, "whole")
    done = train(tmp_path, "--resume", "whole", "--strategy-updates", "17")
    assert done.returncode == 0, done.stderr
    assert "6 iterations are done already" in done.stdout
    assert (model / "strategy.keras").exists()
    made_with = json.loads((model / "model.json").read_text())["config"]
    assert made_with["strategy_updates"] == 17, "how the average is fitted may change on resume"
    assert_same_state(saved(tmp_path, "whole"), before)


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_interrupts_save_and_say_how_to_go_on(tmp_path: Path, sig: signal.Signals) -> None:
    process = subprocess.Popen(
        command(tmp_path, *TINY, "--iterations=9999", "--run-name=r", "--resume-every=999"),
        cwd=ROOT,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout
    for line in process.stdout:
        if line.startswith("iteration 2:"):
            break
    process.send_signal(sig)
    rest, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    assert f"python train.py --resume r --checkpoints {tmp_path / 'checkpoints'}" in rest
    state = json.loads((tmp_path / "checkpoints" / "r" / "latest" / "state.json").read_text())
    assert state["t"] >= 2
    assert "Traceback" not in errors


def test_time_limits_stop_cleanly_with_a_model(tmp_path: Path) -> None:
    done = train(
        tmp_path, *TINY, "--iterations", "9999", "--run-name", "short", "--max-minutes", "0.02"
    )
    assert done.returncode == 0, done.stderr
    run = tmp_path / "checkpoints" / "short"
    t = json.loads((run / "latest" / "state.json").read_text())["t"]
    assert 1 <= t < 9999
    assert (run / f"iter_{t:04d}" / "strategy.keras").exists()


def test_flop_holdem_is_watched_by_estimates_on_the_same_flops(tmp_path: Path) -> None:
    game = ["--game=fhp", "--iterations=2", "--eval-every=1", "--eval-boards=3", "--run-name=r"]
    done = train(tmp_path, *TINY, *game)
    assert done.returncode == 0, done.stderr
    assert "estimate, too high on average" in done.stdout
    first, second = metrics(tmp_path / "runs/r")
    assert float(first["exploitability_estimate_mbb"]) > 0
    assert first["exploitability_mbb"] == "", "an estimate never passes for exact"
    model = tmp_path / "checkpoints/r/iter_0002"
    recorded = json.loads((model / "model.json").read_text())["metrics"]
    value = recorded["exploitability_estimate_mbb"]
    assert value == pytest.approx(float(second["exploitability_estimate_mbb"]), abs=1e-3)
    rules, policy, _ = load_model(model)
    tree = compile(make_emulator(rules))
    again = exploitability(rules, tree, policy, sample=(3, np.random.default_rng(0)))
    assert again.exploitability_mbb == pytest.approx(value, rel=1e-4)


def test_changed_settings_are_refused_by_name(uninterrupted: Path) -> None:
    refused = train(uninterrupted, "--resume", "whole", "--traversals", "61", "--seed", "5")
    assert refused.returncode == 2
    assert "seed: 0 → 5; traversals: 60 → 61" in refused.stderr.splitlines()[-1]


def test_a_run_is_never_overwritten(uninterrupted: Path) -> None:
    before = saved(uninterrupted, "whole")
    refused = train(uninterrupted, *TINY, "--iterations", "1", "--run-name", "whole")
    assert refused.returncode == 2
    assert "there is a run 'whole' already" in refused.stderr
    assert_same_state(saved(uninterrupted, "whole"), before)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--game", "omaha"], "unknown game 'omaha'"),
        (["--game", "hulh:stack=3"], "cannot pay the big blind"),
        (["--traversals", "0"], "traversals is 0, but must be positive"),
        (["--learning-rate", "-1"], "learning_rate is -1.0, but must be positive"),
        (["--validation-fraction", "1"], "validation_fraction is 1.0"),
        (["--resume", "nowhere"], "there is no run 'nowhere'"),
        (["--resume", "x", "--preset", "kuhn"], "leave out --preset"),
        (["--max-minutes", "-2"], "must be positive"),
        (["--max-minutes", "nan"], "must be positive"),
        (["--learning-rate", "nan"], "learning_rate is nan, but must be a number"),
        (["--literal-bets"], "concerns the thesis network only"),
        (["--resume", ""], "--resume needs the name"),
        (["--run-name", "a/b"], "a plain name"),
        (["--network", "transformer"], "invalid choice"),
        (["--no-such-flag"], "unrecognized arguments"),
    ],
)
def test_bad_requests_get_one_line_and_touch_nothing(
    tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    refused = train(tmp_path, *arguments)
    assert refused.returncode == 2
    assert complaint in refused.stderr.splitlines()[-1]
    assert "Traceback" not in refused.stderr
    assert not list(tmp_path.iterdir())


def test_every_setting_is_a_flag() -> None:
    for field in dataclasses.fields(Config):
        flag = "--" + field.name.replace("_", "-")
        if isinstance(field.default, bool):
            expected: object = not field.default
            arguments = [flag] if expected else ["--no-" + flag[2:]]
        else:
            choices = field.metadata["choices"]
            text = choices[-1] if choices else "fhp" if field.name == "game" else "0.5"
            text = "7" if isinstance(field.default, int) else text
            default: Any = field.default
            arguments, expected = [flag, text], type(default)(text)
        assert parse(arguments).overrides == {field.name: expected}


def test_help_names_every_setting_and_preset() -> None:
    shown = subprocess.run(
        [sys.executable, str(ROOT / "train.py"), "--help"],
        capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "200"},
    ).stdout  # fmt: skip
    for field in dataclasses.fields(Config):
        assert f"--{field.name.replace('_', '-')} " in shown.replace(",", " ")
        assert f"[{getattr(PRESETS[DEFAULT_PRESET][1], field.name)}]" in shown
    for name in PRESETS:
        assert f"\n  {name} " in shown


def test_presets_are_playable_games() -> None:
    for _, config in PRESETS.values():
        parse_rules(config.game)
    thesis = PRESETS["thesis"][1]
    assert (thesis.game, thesis.iterations, thesis.traversals) == ("hulh80", 50, 250)
    assert (thesis.advantage_memory, thesis.strategy_memory) == (100_000, 200_000)
    assert (thesis.updates, thesis.batch_size, thesis.learning_rate) == (16_000, 500, 1e-4)
    assert (thesis.patience, thesis.checkpoint_every) == (10, 10)
    with pytest.raises(ConfigError, match="nothing would be learned"):
        Config(updates=0, updates_growth=0)
