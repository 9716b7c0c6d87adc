"""The pages of docs/how-to as a reader would follow them: files to save, commands to type."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from tests.documents import ROOT, blocks, fenced_commands, snippets


class Page(NamedTuple):
    """What a page asks for."""

    files: dict[str, str]  # by name, the parts of one put together
    commands: list[list[str]]  # words as they are typed
    snippets: list[str]  # Python to try once the commands have run


def page(name: str) -> Page:
    """The blocks of a page, in their order."""
    document = ROOT / "docs" / name
    files: dict[str, str] = {}
    for block in blocks(document):
        if block.language == "python" and (found := re.match(r"# (\w+\.py)", block.text)):
            files[found[1]] = files.get(found[1], "") + block.text
        elif block.language == "toml":
            files["my-leduc.toml"] = block.text
    return Page(files, fenced_commands(document), snippets(document))


def save(found: Page, folder: Path) -> None:
    """Write a page's files where a reader would save them."""
    for name, text in found.files.items():
        (folder / name).write_text(text)
