"""The pages of docs/how-to as a reader would follow them: files to save, commands to type."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import NamedTuple

from tests.small_runs import ROOT

PAGES = ROOT / "docs" / "how-to"


class Page(NamedTuple):
    """What a page asks for."""

    files: dict[str, str]  # by name, the parts of one put together
    commands: list[list[str]]  # words behind `python`
    snippets: list[str]  # Python to try once the commands have run


def page(name: str) -> Page:
    """The blocks of a page, in their order."""
    text = (PAGES / name).read_text()
    files: dict[str, str] = {}
    commands, snippets = [], []
    for language, block in re.findall(
        r"^```(\w*)\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL
    ):
        if language != "python":
            commands += [shlex.split(line)[1:] for line in block.splitlines()]
        elif found := re.match(r"# (\w+\.py)", block):
            files[found[1]] = files.get(found[1], "") + block
        else:
            snippets.append(block)
    return Page(files, commands, snippets)


def save(found: Page, folder: Path) -> None:
    """Write a page's files where a reader would save them."""
    for name, text in found.files.items():
        (folder / name).write_text(text)
