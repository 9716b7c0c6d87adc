"""Both players' ranges on a board as one picture: two squares of hand classes side by side.

A cell is filled as high as the share of the class that is still there, and in the square of the
player to act coloured by what the class does next.
"""

from __future__ import annotations

from typing import BinaryIO

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from env.actions import NUM_ACTIONS
from env.arrays import Doubles
from interfaces.coach.range_grid import RangeGrid
from models.charts import COLOURS

HELD = "#7a9a6a"  # what is there, where nothing is known of what it does next
GONE = "#f4f4f4"


def draw_ranges(
    grids: tuple[RangeGrid, RangeGrid],
    actor: int,
    titles: tuple[str, str],
    action_names: tuple[str, ...],
    title: str,
    file: BinaryIO,
) -> None:
    """Write the picture as PNG; the player to act comes first."""
    order = (actor, 1 - actor)
    size = int(grids[0].cells.place.max()) + 1
    rows = int(grids[0].cells.place[:, 0].max()) + 1
    figure = Figure(figsize=(13.5, 2.6 + 5.2 * rows / size), dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title, parse_math=False)
    panels = figure.subplots(1, 2)
    for axes, player in zip(panels, order, strict=True):
        _draw_square(axes, grids[player], size, rows)
        axes.set_title(f"{titles[player]}: {_held(grids[player])}", parse_math=False, size=11)
    mix = overall(grids[actor])
    labels = [f"{name} {share:.1%}" for name, share in zip(action_names, mix, strict=True) if name]
    colours = [colour for name, colour in zip(action_names, COLOURS, strict=True) if name]
    swatches = [Rectangle((0, 0), 1, 1, facecolor=c, edgecolor="black") for c in (*colours, HELD)]
    labels.append("held by the other player")
    legend = figure.legend(swatches, labels, loc="outside lower center", ncols=4, frameon=False)
    legend.set_title("Height and number: per cent of the class that is still there")
    figure.savefig(file, format="png")


def overall(grid: RangeGrid) -> Doubles:
    """What the whole range does next. [3]"""
    weights = grid.combos * grid.shares
    if not weights.sum() or "" not in grid.plays:
        return np.zeros(NUM_ACTIONS)
    return np.asarray(weights @ grid.plays[""] / weights.sum(), np.float64)


def _held(grid: RangeGrid) -> str:
    possible = grid.combos.sum()
    share = grid.total_combos / possible if possible else 0.0
    return f"{grid.total_combos:,.1f} of {possible:,.0f} hands ({share:.1%})"


def _draw_square(axes: Axes, grid: RangeGrid, size: int, rows: int) -> None:
    plays = grid.plays.get("")
    for number, (row, column) in enumerate(grid.cells.place.tolist()):
        axes.add_patch(Rectangle((column, row), 1, 1, facecolor=GONE, linewidth=0))
        left, height = float(column), float(grid.shares[number])
        parts = [(1.0, HELD)] if plays is None else zip(plays[number], COLOURS, strict=True)
        for width, colour in parts:
            place = (left, row + 1 - height)
            axes.add_patch(Rectangle(place, float(width), height, facecolor=colour, linewidth=0))
            left += float(width)
        axes.add_patch(
            Rectangle((column, row), 1, 1, fill=False, edgecolor="#555555", linewidth=0.5)
        )
        name = grid.cells.names[number]
        middle = column + 0.5
        if not grid.combos[number]:
            axes.text(middle, row + 0.5, name, ha="center", va="center", size=8, color="#b0b0b0")
            continue
        axes.text(middle, row + 0.38, name, ha="center", va="center", size=8)
        share = f"{100 * height:.0f}"
        axes.text(middle, row + 0.76, share, ha="center", va="center", size=6)
    axes.set(xlim=(0, size), ylim=(rows, 0), xticks=[], yticks=[], aspect="equal")
