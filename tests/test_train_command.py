"""`python train.py` as people use it."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray

from commands.train_options import parse
from deep_cfr.config import Config
from deep_cfr.presets import DEFAULT_PRESET, PRESETS
from evaluation.best_response import exploitability
from models.loading import load_model
from tests.small_runs import (
    ROOT,
    SMALL_LEDUC,
    as_flags,
    assert_same_arrays,
    latest_arrays,
    metrics,
    train,
)

LEDUC = ["--preset=leduc", "--checkpoint-every=2", "--resume-every=1", *as_flags(SMALL_LEDUC)]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    done = train(folder, *LEDUC, "--iterations", "6", "--run-name", "whole")
    assert done.returncode == 0, done.stderr
    return folder


def test_a_run_leaves_what_it_promises(uninterrupted: Path) -> None:
    run = uninterrupted / "checkpoints" / "whole"
    assert sorted(path.name for path in run.glob("iter_*")) == [
        "iter_0002",
        "iter_0004",
        "iter_0006",
    ]
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
        "1_strength/exploitability_mbb",
        "1_strength/exploitability_of_memory_mbb",
        "1_strength_by_nodes/exploitability_mbb",
        "2_learning/loss_p0",
        "2_learning/loss_p1",
        "2_learning/loss_average_strategy",
        "2_learning/value_mbb",
        "2_learning/advantages_p0",
        "2_learning_in_fits/p0",
        "2_learning_in_fits/p1",
        "3_play/first_round_call",
        "3_play/second_round_raise",
        "4_speed/infosets_per_s",
        "4_speed/nodes_touched",
        "4_speed/seconds_traversing",
        "4_speed/seconds_fitting",
        "5_memory/fill_strategies",
        "5_memory/seen_advantages_p0",
    }
    assert min(tags - {"_hparams_/experiment", "_hparams_/session_start_info"}) == (
        "1_strength/exploitability_mbb"
    ), "what TensorBoard shows first"
    steps = {tag: [event.step for event in events.Tensors(tag)] for tag in tags}
    assert steps["2_learning/loss_p0"] == [1, 2, 3, 4, 5, 6]
    assert steps["2_learning_in_fits/p0"] == [15 * t for t in range(1, 7)]
    assert steps["1_strength/exploitability_mbb"] == [0, 2, 4, 6]
    uniform = make_ndarray(events.Tensors("1_strength/exploitability_mbb")[0].tensor_proto)
    assert uniform == pytest.approx(2373.61, abs=0.01)


def test_flop_holdem_is_watched_by_estimates_on_the_same_flops(tmp_path: Path) -> None:
    game = ["--game=fhp", "--iterations=2", "--eval-every=1", "--eval-boards=3", "--run-name=r"]
    done = train(tmp_path, *LEDUC, *game)
    assert done.returncode == 0, done.stderr
    assert "estimate, too high on average" in done.stdout
    first, second = metrics(tmp_path / "runs/r")
    assert float(first["exploitability_estimate_mbb"]) > 0
    assert first["exploitability_mbb"] == "", "an estimate never passes for exact"
    model = tmp_path / "checkpoints/r/iter_0002"
    recorded = json.loads((model / "model.json").read_text())["metrics"]
    value = recorded["exploitability_estimate_mbb"]
    assert value == pytest.approx(float(second["exploitability_estimate_mbb"]), abs=1e-3)
    saved = load_model(model)
    alone = saved.policy.raw  # training judges the network without the rule of loaded models
    again = exploitability(saved.game, alone, sample=(3, np.random.default_rng(0)))
    assert again.exploitability_mbb == pytest.approx(value, rel=1e-4)


def test_changed_settings_are_refused_by_name(uninterrupted: Path) -> None:
    refused = train(uninterrupted, "--resume", "whole", "--traversals", "61", "--seed", "5")
    assert refused.returncode == 2
    assert "seed: 0 → 5; traversals: 60 → 61" in refused.stderr.splitlines()[-1]


def test_a_run_is_never_overwritten(uninterrupted: Path) -> None:
    before = latest_arrays(uninterrupted / "checkpoints" / "whole")
    refused = train(uninterrupted, *LEDUC, "--iterations", "1", "--run-name", "whole")
    assert refused.returncode == 2
    assert "there is a run 'whole' already" in refused.stderr
    assert_same_arrays(latest_arrays(uninterrupted / "checkpoints" / "whole"), before)


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
        (["--preset=leduc", "--strength-regression"], "leduc has no hand strengths"),
        (["--preset=leduc", "--rounds=3"], "it has no effect without the strength regression"),
        (["--preset=thesis", "--width=32"], "the thesis network has widths of its own"),
        (
            ["--eval-every=5", "--eval-hands=0", "--eval-match-hands=0"],
            "eval_every is 5, but eval_hands and eval_match_hands are 0",
        ),
        (["--preset=leduc", "--eval-hands=9"], "the exploitability of leduc is computed"),
        (["--patience=3"], "no fit is validated"),
        (["--resume", ""], "--resume needs the name"),
        (["--run-name", "a/b"], "a plain name"),
        (["--network", "transformer"], "choose from paper, thesis, or MODULE:NAME"),
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
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "200"},
    ).stdout
    for field in dataclasses.fields(Config):
        assert f"--{field.name.replace('_', '-')} " in shown.replace(",", " ")
        assert f"[{getattr(PRESETS[DEFAULT_PRESET][1], field.name)}]" in shown
    for name in PRESETS:
        assert f"\n  {name} " in shown
