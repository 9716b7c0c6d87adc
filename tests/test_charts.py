"""Pictures of evaluations and ranges: what they show, and when there is none."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from env.game import load_game
from env.rules import FHP, LEDUC, Rules
from evaluation.charts import curve_figure, draw_curve
from evaluation.results import EvaluatedModel, Evaluation
from interfaces.coach.range_chart import draw_ranges, overall
from interfaces.coach.range_grid import range_grids
from interfaces.coach.reference import Reference
from models.charts import COMBOS, hand_name, preflop_totals
from models.records import ExploitabilityRecord
from policies.fixed import uniform_policy


def record(value: float, interval: float = 0.0) -> ExploitabilityRecord:
    return ExploitabilityRecord(
        method="exact", claim="exact", exploitability_mbb=value, interval_mbb=interval
    )


def models(values: list[float], nodes: int | None = 1_000) -> list[EvaluatedModel]:
    return [
        EvaluatedModel(
            Path(f"iter_{t:04d}"),
            t,
            None if nodes is None else nodes * t,
            Evaluation(record(value)),
        )
        for t, value in enumerate(values, start=1)
    ]


@pytest.mark.parametrize("rules", [FHP, LEDUC], ids=lambda rules: rules.name)
def test_the_curve_is_one_picture_on_a_logarithmic_axis(rules: Rules) -> None:
    figure = curve_figure(models([400, 90, 31.9]), rules, "run", record(2_500))
    (axes,) = figure.axes
    assert axes.get_yscale() == "log"
    legend = axes.get_legend()
    assert legend is not None
    labels = [text.get_text() for text in legend.get_texts()]
    assert "uniformly random play: 2,500" in labels
    assert any("at the end 31.9" in label for label in labels)
    assert ("Deep CFR of Brown et al. 2019: 37" in labels) == (rules == FHP)
    (above,) = axes.child_axes
    assert [tick.get_text() for tick in above.get_xticklabels()] == ["1k", "2k", "3k"]


def test_bounds_that_are_not_positive_are_drawn() -> None:
    figure = curve_figure(models([300, -4, 20], nodes=None), LEDUC, "$run", None)
    (axes,) = figure.axes
    assert axes.get_yscale() == "symlog"
    assert not axes.child_axes, "nobody knows how many nodes were touched"
    picture = io.BytesIO()
    draw_curve(models([300, -4]), LEDUC, "run", picture)
    assert picture.getvalue().startswith(b"\x89PNG")


def test_totals_of_the_preflop_chart_count_hands() -> None:
    assert COMBOS.sum() == 1_326
    assert COMBOS.reshape(13, 13)[0, 0] == 6
    names = [hand_name(row, column) for row in range(13) for column in range(13)]
    strategies = np.zeros((169, 3), np.float32)
    for number, name in enumerate(names):
        strategies[number, 2 if len(name) == 2 else 0] = 1
    assert preflop_totals(strategies) == pytest.approx([1 - 78 / 1_326, 0, 78 / 1_326])


def test_ranges_on_a_board_are_drawn_for_both() -> None:
    """After a bet and a call of somebody who plays at random, a quarter of each range is left."""
    game = load_game(LEDUC)
    node = game.tree.node("rc/")
    board = np.array([40, 52, 52, 52, 52], np.uint8)  # Qc
    grids = range_grids(Reference(game, uniform_policy(game.tree)), board, node)
    assert overall(grids[0]) == pytest.approx([0, 0.5, 0.5], abs=1e-6)
    assert overall(grids[1]) == pytest.approx([0, 0, 0]), "the other player is not to act"
    assert grids[0].total_combos == pytest.approx(5 / 2, abs=1e-5)
    assert grids[1].total_combos == pytest.approx(5 / 3, abs=1e-5)
    picture = io.BytesIO()
    draw_ranges(grids, 0, ("first", "second"), ("", "check", "bet"), "$title", picture)
    picture.seek(0)
    pixels = imread(picture, format="png")
    assert pixels.shape[1] > 1_000
    assert len(np.unique(pixels.reshape(-1, pixels.shape[2]), axis=0)) > 20
