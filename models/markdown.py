"""Tables, figures, text and code in Markdown.

Names of rules, methods and opponents come from files and command lines. Whatever they contain, a
reader sees just that: `text`, `code` and `fenced` let none of it become markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

NOTHING = "—"  # in a cell that has nothing to say


def table_head(*columns: str) -> Iterator[str]:
    """Names and alignment of a table's columns; `>` after a name puts numbers to the right."""
    yield table_row(*(column.removesuffix(" >") for column in columns))
    yield "|" + "|".join("---:" if column.endswith(" >") else "---" for column in columns) + "|"


def table_row(*cells: str) -> str:
    """One row of a table."""
    return "| " + " | ".join(map(text, cells)) + " |"


def text(words: str) -> str:
    """Words that are shown as they are: one line, no HTML, no markup, no end of a table's cell."""
    line = escape(" ".join(_printable(words).split()), quote=False)
    return re.sub(r"([\\`*\[\]|])", r"\\\1", line)


def code(words: str) -> str:
    """Words as code within a line, whatever backticks they contain."""
    line = " ".join(_printable(words).split())
    fence = "`" * (_longest_ticks(line) + 1)
    return f"{fence} {line} {fence}" if "`" in line else f"{fence}{line}{fence}"


def fenced(lines: str, language: str = "") -> Iterator[str]:
    """Lines as a block of code, which no line of their own can end."""
    fence = "`" * max(3, _longest_ticks(lines) + 1)
    yield f"{fence}{language}"
    yield _printable(lines)
    yield fence


def mbb(value: float, interval: float | None = None, signed: bool = False) -> str:
    """`1,234.6`, or `12.5 ± 1.0`, or `+12.5 ± 1.0`."""
    sign = "+" if signed else ""
    return f"{value:{sign},.1f}" + (f" ± {interval:,.1f}" if interval else "")


def _longest_ticks(words: str) -> int:
    return max(map(len, re.findall("`+", words)), default=0)


def _printable(words: str) -> str:
    """Control characters and bytes that are no UTF-8 are shown as a replacement character."""
    return "".join(
        c if c.isprintable() or c in "\n\t " else "\N{REPLACEMENT CHARACTER}" for c in words
    )


def count(number: int | None) -> str:
    """A whole number, or that it is not known."""
    return NOTHING if number is None else f"{number:,}"
