"""Pictures of evaluations: exploitability along a run, and what each starting hand gives away."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from env.cards import Cards
from env.rules import FHP, Rules
from evaluation.best_response import ByHand
from evaluation.results import EvaluatedModel
from models.charts import hand_name, preflop_hands

PAPER_FHP_MBB = 37.0  # Brown et al. 2019, figure 2: Deep CFR in flop hold'em
LINE, REFERENCE = "#3b6fb6", "#c8442f"


def draw_curve(
    models: list[EvaluatedModel], rules: Rules, title: str, file: Path | BinaryIO
) -> None:
    """Exploitability against iterations and against nodes touched, with intervals, as PNG."""
    figure = Figure(figsize=(10, 4.2), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title, parse_math=False)
    claim = models[0].record.claim
    by_iteration, by_nodes = figure.subplots(1, 2, sharey=True)
    _draw_panel(by_iteration, [model.iteration for model in models], models)
    counted = [model for model in models if model.nodes_touched is not None]
    _draw_panel(by_nodes, [model.nodes_touched or 0 for model in counted], counted)
    for panel in (by_iteration, by_nodes):
        if rules == FHP:
            label = f"Brown et al. 2019: {PAPER_FHP_MBB:.0f}"
            panel.axhline(PAPER_FHP_MBB, color=REFERENCE, linestyle="--", label=label)
        panel.set_ylim(bottom=0)
    by_iteration.set(
        xlabel="CFR iteration",
        ylabel="exploitability, mbb/g" if claim == "exact" else f"{claim}, mbb/g",
    )
    by_nodes.set(xlabel="nodes touched")
    (by_nodes if counted else by_iteration).legend(frameon=False)
    figure.savefig(file, format="png")


def _draw_panel(panel: Axes, at: list[int], models: list[EvaluatedModel]) -> None:
    """One point per model, with its interval."""
    records = [model.record for model in models]
    panel.errorbar(
        at,
        [record.exploitability_mbb for record in records],
        yerr=[record.interval_mbb or 0.0 for record in records],
        color=LINE,
        marker="o",
        capsize=3,
        label=records[0].claim if records else None,
    )
    panel.grid(alpha=0.3)
    panel.xaxis.set_major_formatter(EngFormatter())


def draw_gains(by_hand: ByHand, title: str, file: Path | BinaryIO) -> None:
    """What a best response gains over the policy with each starting hand, as PNG."""
    gains = _grid(by_hand.hands, by_hand.gains_mbb)
    figure = Figure(figsize=(8.6, 8), dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    image = axes.imshow(gains, cmap="Reds", vmin=0)
    _label_cells(axes, gains)
    axes.set(xticks=[], yticks=[])
    axes.set_title(title, parse_math=False)
    figure.colorbar(image, label="gain of a best response with this hand, mbb", shrink=0.8)
    figure.savefig(file, format="png")


def _grid(hands: Cards, values: np.ndarray) -> np.ndarray:
    """Values by class as the usual 13 × 13 grid."""
    place = {hand.tobytes(): i for i, hand in enumerate(hands)}
    cells = preflop_hands()[:, :, :2]
    return np.array([[values[place[cell.tobytes()]] for cell in row] for row in cells])


def _label_cells(axes: Axes, gains: np.ndarray) -> None:
    """The hand's name and its gain in every cell."""
    dark = gains.max() * 0.6
    for row in range(13):
        for column in range(13):
            gain = gains[row, column]
            text = f"{hand_name(row, column)}\n{gain:.0f}"
            colour = "white" if gain > dark else "black"
            axes.text(column, row, text, ha="center", va="center", size=7.5, color=colour)
