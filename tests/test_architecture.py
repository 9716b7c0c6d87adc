"""The rooms of the house: who may import whom."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
THIRD_PARTY_OF_ENV = {"numba", "numpy", "pypokerengine", "tqdm"}


def imports(path: Path) -> set[str]:
    """The top-level names that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("path", sorted((ROOT / "env").glob("*.py")), ids=lambda path: path.name)
def test_the_game_stands_alone(path: Path) -> None:
    foreign = imports(path) - set(sys.stdlib_module_names) - THIRD_PARTY_OF_ENV - {"env"}
    assert not foreign


def test_one_module_knows_pypokerengine() -> None:
    importers = [
        str(path.relative_to(ROOT))
        for folder in ("env", "benchmarks")
        for path in sorted((ROOT / folder).glob("*.py"))
        if "pypokerengine" in imports(path)
    ]
    assert importers == ["env/emulator.py"]
