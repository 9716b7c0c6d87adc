"""Pictures of evaluations: exploitability along a run, and what each starting hand gives away."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import (
    EngFormatter,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    SymmetricalLogLocator,
)

from env.cards import Cards
from env.rules import FHP, Rules
from evaluation.best_response import ByHand
from evaluation.results import EvaluatedModel
from models.charts import hand_name, preflop_hands
from models.records import ExploitabilityRecord

PAPER_FHP_MBB = 37.0  # Brown et al. 2019, figure 2: Deep CFR in flop hold'em
LINE, REFERENCE, UNIFORM = "#3b6fb6", "#c8442f", "#6f6f6f"
LINEAR_MBB = 10.0  # below it an axis with negative values is linear
MOST_TICKS = 6  # of nodes touched, above the picture


def draw_curve(
    models: list[EvaluatedModel],
    rules: Rules,
    title: str,
    file: Path | BinaryIO,
    uniform: ExploitabilityRecord | None = None,
) -> None:
    """Exploitability along a run as PNG (`curve_figure`)."""
    curve_figure(models, rules, title, uniform).savefig(file, format="png")


def curve_figure(
    models: list[EvaluatedModel],
    rules: Rules,
    title: str,
    uniform: ExploitabilityRecord | None = None,
) -> Figure:
    """Exploitability against iterations, with intervals and on a logarithmic axis.

    Above the picture stand the nodes that training had touched by then. Two lines to compare with:
    `uniform`, the exploitability of uniformly random play by the same method, and in flop hold'em
    the exploitability that the paper reports.
    """
    figure = Figure(figsize=(8, 4.8), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title, parse_math=False)
    axes, records = figure.add_subplot(), [model.record for model in models]
    values = [record.exploitability_mbb for record in records]
    intervals = [record.interval_mbb or 0.0 for record in records]
    claim = records[0].claim
    axes.errorbar(
        [model.iteration for model in models],
        values,
        yerr=intervals if any(intervals) else None,
        color=LINE,
        marker="o",
        capsize=3,
        label=f"average strategy ({claim}), at the end {values[-1]:,.1f}",
    )
    heights = values
    if uniform is not None:
        heights = [*heights, uniform.exploitability_mbb]
        label = f"uniformly random play: {uniform.exploitability_mbb:,.0f}"
        axes.axhline(uniform.exploitability_mbb, color=UNIFORM, linestyle=":", label=label)
    if rules == FHP:
        heights = [*heights, PAPER_FHP_MBB]
        label = f"Deep CFR of Brown et al. 2019: {PAPER_FHP_MBB:.0f}"
        axes.axhline(PAPER_FHP_MBB, color=REFERENCE, linestyle="--", label=label)
    _scale(axes, heights)
    axes.set(xlabel="CFR iteration")
    axes.set_ylabel("exploitability, mbb/g" if claim == "exact" else f"{claim}, mbb/g")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(alpha=0.3, which="both")
    axes.legend(frameon=False)
    _nodes_above(axes, models)
    return figure


def _scale(axes: Axes, heights: list[float]) -> None:
    """A logarithmic axis; where bounds are 0 or less, linear near 0."""
    if min(heights) > 0:
        axes.set_yscale("log", nonpositive="clip")
        axes.set_ylim(min(heights) / 1.6, max(heights) * 1.6)
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    else:
        axes.set_yscale("symlog", linthresh=LINEAR_MBB)
        axes.yaxis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=LINEAR_MBB))
    axes.yaxis.set_major_formatter(lambda value, place: f"{value:,.10g}")
    axes.yaxis.set_minor_formatter(NullFormatter())


def _nodes_above(axes: Axes, models: list[EvaluatedModel]) -> None:
    """The nodes touched by some of the models, as the numbers of a second axis."""
    known = [(one.iteration, one.nodes_touched) for one in models if one.nodes_touched is not None]
    if not known:
        return
    every = -(-len(known) // MOST_TICKS)
    shown = known[::-1][::every][::-1]  # the last one among them
    above = axes.secondary_xaxis("top")
    write = EngFormatter(sep="")
    above.set_xticks([at for at, _ in shown], [write(count) for _, count in shown])
    above.set_xlabel("nodes touched")


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
