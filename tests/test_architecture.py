"""The rooms of the house: who may import whom."""

from __future__ import annotations

import ast
import subprocess
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


def test_two_modules_know_pypokerengine() -> None:
    """The emulator plays on it; the player sits down at somebody else's table."""
    importers = [
        str(path.relative_to(ROOT))
        for folder in ("env", "deep_cfr", "agents", "evaluation", "benchmarks")
        for path in sorted((ROOT / folder).glob("*.py"))
        if "pypokerengine" in imports(path)
    ]
    assert importers == ["env/emulator.py", "agents/pypokerengine_player.py"]


WITHOUT_TENSORFLOW = {
    "config.py", "command.py", "memory.py", "merging.py", "regret_matching.py", "encoding.py",
    "storage.py", "traversal.py", "solver.py", "charts.py", "layout.py", "progress.py",
}  # fmt: skip


@pytest.mark.parametrize(
    "path", sorted((ROOT / "deep_cfr").glob("*.py")), ids=lambda path: path.name
)
def test_the_learner_knows_no_evaluators_and_imports_tensorflow_in_few_places(path: Path) -> None:
    found = imports(path)
    assert not found & {"evaluation", "agents", "train", "tests", "benchmarks"}
    if path.name in WITHOUT_TENSORFLOW:
        assert not found & {"tensorflow", "keras", "tensorboard"}


def test_help_and_games_load_without_tensorflow() -> None:
    code = (
        "import sys; import agents.names, env.strength; "
        "import env, deep_cfr.command, deep_cfr.merging, train; "
        "sys.exit('tensorflow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
