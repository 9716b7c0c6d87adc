"""The documents as a reader would use them: blocks of code, and command lines to type."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
DRAWINGS = "architecture.md"  # its blocks without a language show how things hang together
PYTHON = ("python", "python3", ".venv/bin/python")
PLACEHOLDER = re.compile(r"[…<]|\bFORM\b")


class Block(NamedTuple):
    """What stands between two fences."""

    language: str  # none: command lines; `text`: nothing to type
    text: str


def blocks(document: Path) -> list[Block]:
    """The fenced blocks of a document, in their order, those in a list item included."""
    found = re.findall(
        r"^ *```(\w*)\n(.*?)^ *```", document.read_text(), flags=re.MULTILINE | re.DOTALL
    )
    return [Block(language, text) for language, text in found]


def command_lines(block: Block) -> Iterator[list[str]]:
    """The words of each command; what follows two spaces or more, or #, is for the reader."""
    for line in block.text.replace("\\\n", " ").splitlines():
        words = shlex.split(re.split(r"\s{2,}", line.strip())[0], comments=True)
        if words:
            yield words[: words.index(">")] if ">" in words else words


def fenced_commands(document: Path) -> list[list[str]]:
    """Every command line of a document's blocks."""
    found = [] if document.name == DRAWINGS else blocks(document)
    return [words for block in found if not block.language for words in command_lines(block)]


def inline_commands(document: Path) -> list[list[str]]:
    """The commands of Python within sentences, but for bare names and those with a word open."""
    text = re.sub(r"^ *```.*?^ *```", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"`(python[^`]* [^`]*)`", text)
    lines = [shlex.split(line) for line in found if not PLACEHOLDER.search(line)]
    return [words for words in lines if len(words) > 2]


def snippets(document: Path) -> list[str]:
    """The Python of a document that is to be run, and not to be saved as a file."""
    found = [block.text for block in blocks(document) if block.language == "python"]
    return [text for text in found if not re.match(r"# \w+\.py", text)]
