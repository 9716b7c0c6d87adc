"""Command lines that make no sense end the program with one line on stderr and exit code 2."""

from __future__ import annotations

import argparse
from typing import NoReturn

from models.messages import one_line


class Parser(argparse.ArgumentParser):
    """A parser of command lines that complains in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {one_line(message)}\n")

    def refuse_out_of_range(
        self, given: argparse.Namespace, limits: dict[str, tuple[int, int]]
    ) -> None:
        """End the program if an option is not within its limits, both included."""
        for name, (least, most) in limits.items():
            value = getattr(given, name)
            if isinstance(value, int) and not least <= value <= most:
                option = f"--{name.replace('_', '-')}"
                self.error(f"{option} is {value}, but must be between {least} and {most}")

    def refuse_unreadable_words(self, words: list[str]) -> None:
        """End the program if a word is empty or could not be written into a result."""
        for word in words:
            if not word:
                self.error("an empty name or path stands on the command line")
            if not word.isprintable():  # bytes that are no UTF-8 are not printable either
                self.error(f"{word!a} has characters that cannot be printed; rename it")
