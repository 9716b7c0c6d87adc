"""Ranges for the terminal: a square of hand classes with the share that is still there."""

from __future__ import annotations

from interfaces.coach.range_grid import RangeGrid


def range_text(grid: RangeGrid, title: str) -> str:
    """One player's range, a row of the square in each line.

    Behind the name of a class stands how much of it is left, in tenths of the class of which most
    is left: 9 is nearly as much and a dot nothing. A class is blank if the cards leave none of it.
    """
    width = max(map(len, grid.cells.names)) + 3
    rows: dict[int, list[str]] = {}
    largest = max(grid.shares.max(), 1e-300)
    columns = int(grid.cells.place[:, 1].max()) + 1
    for i, name in enumerate(grid.cells.names):
        row, column = grid.cells.place[i].tolist()
        text = f"{name}={_tenths(grid.shares[i] / largest)}" if grid.combos[i] else ""
        rows.setdefault(row, [""] * columns)[column] = text
    lines = [
        f"{title}: {grid.total_combos:.1f} hands",
        "(how much of each class is left, in tenths of the most)",
    ]
    lines += ["".join(f"{text:<{width}}" for text in rows[row]).rstrip() for row in sorted(rows)]
    return "\n".join(lines)


def _tenths(share: float) -> str:
    """A digit from 0 to 9, or a dot for as good as nothing."""
    return "." if share < 0.005 else str(min(int(10 * share), 9))
