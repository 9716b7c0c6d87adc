"""Deep CFR converges, through the production command, by the exact measure."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deep_cfr.checkpoint import load_model
from deep_cfr.layout import model_folders
from deep_cfr.policy import uniform_policy
from env.compiler import compile
from env.emulator import make_emulator
from env.rules import PRESETS
from evaluation.best_response import exploitability

ROOT = Path(__file__).parent.parent
THRESHOLDS = {"kuhn": 0.03, "leduc": 0.35}  # chips per hand


@pytest.mark.slow
@pytest.mark.parametrize(("preset", "iterations"), [("kuhn", None), ("leduc", 20)])
def test_training_reaches_the_threshold(
    tmp_path: Path, preset: str, iterations: int | None
) -> None:
    arguments = ["--preset", preset, "--run-name", "run", "--logdir", str(tmp_path / "runs")]
    arguments += ["--checkpoints", str(tmp_path), "--threads", "1"]
    arguments += ["--iterations", str(iterations)] if iterations else []
    done = subprocess.run(
        [sys.executable, str(ROOT / "train.py"), *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rules, policy, info = load_model(model_folders(tmp_path / "run")[-1])
    found = exploitability(rules, compile(make_emulator(rules)), policy)
    assert found.exploitability_chips < THRESHOLDS[preset]
    assert found.exploitability_mbb == pytest.approx(
        info["metrics"]["exploitability_mbb"], rel=1e-3
    )


@pytest.mark.parametrize(("game", "known"), [("kuhn", 0.4583), ("leduc", 2.3736)])
def test_uniform_play_fails_the_thresholds(game: str, known: float) -> None:
    tree = compile(make_emulator(PRESETS[game]))
    found = exploitability(PRESETS[game], tree, uniform_policy(tree))
    assert found.exploitability_chips == pytest.approx(known, abs=1e-4)
    assert found.exploitability_chips > THRESHOLDS[game]
