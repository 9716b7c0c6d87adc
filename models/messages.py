"""Messages in one line, however long or odd the words that they complain about."""

from __future__ import annotations

LONGEST_WORD, LONGEST_LINE = 160, 500  # characters; longer ones lose their middle


def one_line(message: object) -> str:
    """A message without line breaks and control characters, of bearable length, never empty.

    Some libraries write many lines into an error, and some errors say nothing at all.
    """
    words = [_shortened(word, LONGEST_WORD) for word in str(message).split()]
    text = " ".join(words) or type(message).__name__
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return _shortened(line, LONGEST_LINE)


def _shortened(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    half = (longest - 1) // 2
    return f"{text[:half]}…{text[-half:]}"
