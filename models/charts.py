"""Pictures for people: the 13 × 13 chart of a pre-flop strategy."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from env.cards import NO_CARD, NUM_SLOTS, RANKS, canonical
from policies.policy import Policy

COLOURS = ("#3b6fb6", "#e8e3d3", "#c8442f")  # fold, call, raise: readable without colour vision
LABELS = ("fold", "call or check", "raise")
# [169] hands of each class of the chart: pairs on the diagonal, suited ones above it
COMBOS = np.array([6 if r == c else 4 if c > r else 12 for r in range(13) for c in range(13)])


def preflop_hands() -> NDArray[np.uint8]:
    """A hand of each class, as a grid: pairs on the diagonal, suited above it. [13, 13, 7]"""
    hands = np.full((13, 13, NUM_SLOTS), NO_CARD, np.uint8)
    for row in range(13):
        for column in range(13):
            high, low = 12 - min(row, column), 12 - max(row, column)
            hands[row, column, 0] = high * 4
            hands[row, column, 1] = low * 4 + (0 if column > row else 1)
    return canonical(hands)


def hand_name(row: int, column: int) -> str:
    """`AKs`, `AKo`, `AA`."""
    high, low = RANKS[12 - min(row, column)], RANKS[12 - max(row, column)]
    return high + low + ("" if row == column else "s" if column > row else "o")


def preflop_chart(policy: Policy, node: int, title: str) -> NDArray[np.uint8]:
    """The strategy at a pre-flop node as an RGB image. [H, W, 3]"""
    hands = preflop_hands()
    strategies = policy.strategies(hands.reshape(-1, NUM_SLOTS), np.full(169, node))
    figure = Figure(figsize=(9, 10.1), dpi=120, layout="constrained")
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for cell, strategy in enumerate(strategies):
        _draw_cell(axes, cell // 13, cell % 13, strategy)
    axes.set(xlim=(0, 13), ylim=(13, 0), xticks=[], yticks=[], aspect="equal")
    axes.set_title(title, parse_math=False, pad=8)
    swatches = [Rectangle((0, 0), 1, 1, facecolor=c, edgecolor="black") for c in COLOURS]
    shares = zip(LABELS, preflop_totals(strategies), strict=True)
    labels = [f"{name} {share:.1%}" for name, share in shares]
    legend = figure.legend(swatches, labels, loc="outside lower center", ncols=3, frameon=False)
    legend.set_title(f"Of all {COMBOS.sum():,} hands; in the cells per cent fold / call / raise")
    canvas.draw()  # type: ignore[no-untyped-call]
    pixels = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
    return pixels[:, :, :3].copy()


def preflop_totals(strategies: NDArray[np.float32]) -> NDArray[np.float64]:
    """What all hands do together: each class counts as often as it is dealt. [169, 3] → [3]"""
    return np.asarray(COMBOS @ strategies.astype(np.float64) / COMBOS.sum(), np.float64)


def _draw_cell(axes: Axes, row: int, column: int, strategy: NDArray[np.float32]) -> None:
    left = float(column)
    for share, colour in zip(strategy, COLOURS, strict=True):
        axes.add_patch(Rectangle((left, row), float(share), 1, facecolor=colour, linewidth=0))
        left += float(share)
    axes.add_patch(Rectangle((column, row), 1, 1, fill=False, edgecolor="#555555", linewidth=0.5))
    percent = " / ".join(f"{100 * float(share):.0f}" for share in strategy)
    middle = column + 0.5
    axes.text(middle, row + 0.38, hand_name(row, column), ha="center", va="center", size=9)
    axes.text(middle, row + 0.76, percent, ha="center", va="center", size=5.5)
