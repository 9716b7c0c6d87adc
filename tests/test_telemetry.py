"""What a run shows of itself, in games that lack something."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from deep_cfr.config import Config
from deep_cfr.fitting.trainer import FitResult
from deep_cfr.solver import Iteration
from policies.fixed import uniform_policy
from policies.policy import Policy
from tests.small_runs import solver_of
from training.figures import Figure
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


def test_iterations_of_a_toy_game_do_not_flood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line for every saved model, and otherwise one of each kind every few seconds."""
    config = Config(game="kuhn", width=8)
    solver = solver_of(config)
    monkeypatch.setattr("training.telemetry.time.perf_counter", lambda: float(solver.t))  # 1 s each
    telemetry = Telemetry(tmp_path, config, [])
    for t in range(1, 21):
        solver.t = t
        done = Iteration(t, fits=[FitResult(), FitResult()], action_counts=[np.ones((1, 3))] * 2)
        telemetry.iteration(solver, done, 1.0, always=t == 20)
        telemetry.strength(solver, [Figure("exploitability_of_memory_mbb", t, "x")], always=False)
    telemetry.close()
    lines = capsys.readouterr().out.splitlines()
    said = [line.split(":")[0].removeprefix("iteration ") for line in lines]
    assert said == ["1", "1", "6", "6", "11", "11", "16", "16", "20"]
    assert len((tmp_path / "metrics.csv").read_text().splitlines()) == 21
