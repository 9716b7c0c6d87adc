"""Tables and figures in Markdown."""

from __future__ import annotations

from collections.abc import Iterator

NOTHING = "—"  # in a cell that has nothing to say


def table_head(*columns: str) -> Iterator[str]:
    """Names and alignment of a table's columns; `>` after a name puts numbers to the right."""
    yield table_row(*(column.removesuffix(" >") for column in columns))
    yield "|" + "|".join("---:" if column.endswith(" >") else "---" for column in columns) + "|"


def table_row(*cells: str) -> str:
    """One row of a table."""
    return "| " + " | ".join(map(cell, cells)) + " |"


def cell(text: str) -> str:
    """Text that stays within its cell: one line, and no bar that would end it."""
    return " ".join(text.split()).replace("|", "\\|")


def mbb(value: float, interval: float | None = None, signed: bool = False) -> str:
    """`1,234.6`, or `12.5 ± 1.0`, or `+12.5 ± 1.0`."""
    sign = "+" if signed else ""
    return f"{value:{sign},.1f}" + (f" ± {interval:,.1f}" if interval else "")
