"""Pictures of evaluations: exploitability along a run, and what each starting hand gives away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from deep_cfr.charts import hand_name, preflop_hands
from env.cards import Cards
from env.rules import FHP, Rules
from evaluation.best_response import ByHand

PAPER_FHP_MBB = 37.0  # Brown et al. 2019, figure 2: Deep CFR in flop hold'em
LINE, REFERENCE = "#3b6fb6", "#c8442f"


def draw_curve(entries: list[dict[str, Any]], rules: Rules, title: str, file: Path) -> None:
    """Exploitability against iterations and against nodes touched, with intervals, as PNG."""
    figure = Figure(figsize=(10, 4.2), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title)
    values = [entry["exploitability_mbb"] for entry in entries]
    intervals = [entry["interval_mbb"] or 0.0 for entry in entries]
    kind = entries[0]["kind"]
    axes = figure.subplots(1, 2, sharey=True)
    for panel, key, label in zip(
        axes, ("iteration", "nodes_touched"), ("CFR iteration", "nodes touched"), strict=True
    ):
        steps = [entry[key] for entry in entries]
        panel.errorbar(steps, values, yerr=intervals, color=LINE, marker="o", capsize=3, label=kind)
        panel.set(xlabel=label)
        panel.grid(alpha=0.3)
        if rules == FHP:
            panel.axhline(
                PAPER_FHP_MBB, color=REFERENCE, linestyle="--",
                label=f"Brown et al. 2019: {PAPER_FHP_MBB:.0f}",
            )  # fmt: skip
        panel.set_ylim(bottom=0)
        panel.xaxis.set_major_formatter(EngFormatter())
    axes[0].set(ylabel="exploitability, mbb/g" if kind == "exact" else f"{kind}, mbb/g")
    axes[1].legend(frameon=False)
    figure.savefig(file, format="png")


def draw_gains(by_hand: ByHand, title: str, file: Path) -> None:
    """What a best response gains over the policy with each starting hand, as PNG."""
    gains = _grid(by_hand.hands, by_hand.gains_mbb)
    figure = Figure(figsize=(8.6, 8), dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    image = axes.imshow(gains, cmap="Reds", vmin=0)
    _label_cells(axes, gains)
    axes.set(xticks=[], yticks=[], title=title)
    figure.colorbar(image, label="gain of a best response with this hand, mbb", shrink=0.8)
    figure.savefig(file, format="png")


def _grid(hands: Cards, values: np.ndarray) -> np.ndarray:
    """Values by class as the usual 13 × 13 grid."""
    place = {hand.tobytes(): i for i, hand in enumerate(hands)}
    cells = preflop_hands()[:, :, :2]
    return np.array([[values[place[cell.tobytes()]] for cell in row] for row in cells])


def _label_cells(axes: Axes, gains: np.ndarray) -> None:
    dark = gains.max() * 0.6
    for row in range(13):
        for column in range(13):
            gain = gains[row, column]
            text = f"{hand_name(row, column)}\n{gain:.0f}"
            colour = "white" if gain > dark else "black"
            axes.text(column, row, text, ha="center", va="center", size=7.5, color=colour)
