"""What a run shows of itself, in games that lack something."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from deep_cfr.config import Config
from deep_cfr.fitting.trainer import FitResult
from policies.fixed import uniform_policy
from policies.policy import Policy
from tests.small_runs import solver_of
from training.telemetry import Telemetry


@pytest.mark.parametrize(
    ("game", "charts"),
    [("hulh:stack=10", [0]), ("fhp:max_raises=0/0", [0]), ("fhp", [0, 3])],
)
def test_only_decisions_that_exist_have_a_chart(
    game: str, charts: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def chart(policy: Policy, node: int, title: str) -> np.ndarray:
        asked.append(node)
        return np.zeros((2, 2, 3), np.uint8)

    monkeypatch.setattr("training.telemetry.preflop_chart", chart)
    config = Config(game=game, width=8)
    solver = solver_of(config)
    telemetry = Telemetry(tmp_path, config, [])
    telemetry.model(solver, uniform_policy(solver.game.tree), FitResult())
    telemetry.close()
    assert asked == charts
    assert solver.game.tree.is_decision[asked].all()
