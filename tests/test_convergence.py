"""Deep CFR converges, through the production command, by the exact measure."""

from __future__ import annotations

from pathlib import Path

import pytest

from env.game import load_game
from evaluation.best_response import exploitability
from models.layout import model_folders
from models.loading import load_model
from models.measurements import Measurements
from policies.fixed import uniform_policy
from tests.small_runs import train

THRESHOLDS = {"kuhn": 0.03, "leduc": 0.35}  # chips per hand


@pytest.mark.slow
@pytest.mark.parametrize(("preset", "iterations"), [("kuhn", None), ("leduc", 20)])
def test_training_reaches_the_threshold(
    tmp_path: Path, preset: str, iterations: int | None
) -> None:
    length = [f"--iterations={iterations}"] if iterations else []
    done = train(tmp_path, f"--preset={preset}", "--run-name=run", "--threads=1", *length)
    assert done.returncode == 0, done.stderr
    folder = model_folders(tmp_path / "checkpoints" / "run")[-1]
    game, policy, _ = load_model(folder)
    found = exploitability(game, policy)
    assert found.exploitability_chips < THRESHOLDS[preset]
    (recorded,) = Measurements.of(folder).training
    assert found.exploitability_mbb == pytest.approx(recorded.exploitability_mbb, rel=1e-3)


@pytest.mark.parametrize(("game", "known"), [("kuhn", 0.4583), ("leduc", 2.3736)])
def test_uniform_play_fails_the_thresholds(game: str, known: float) -> None:
    rules = load_game(game)
    found = exploitability(rules, uniform_policy(rules.tree))
    assert found.exploitability_chips == pytest.approx(known, abs=1e-4)
    assert found.exploitability_chips > THRESHOLDS[game]
