"""The rooms of the house: who may import whom, and who loads TensorFlow."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Every room imports from rooms before it only.
ROOMS = (
    "env",
    "policies",
    "deep_cfr",
    "models",
    "training",
    "agents",
    "arena",
    "evaluation",
    "commands",
)
THIRD_PARTY_OF_ENV = {"numba", "numpy", "pypokerengine", "tqdm"}
HEAVY = ("tensorflow", "keras")
# Modules of the later rooms that must stay light; env and policies are light as a whole.
LIGHT = (
    "agents.bots",
    "agents.names",
    "agents.styles",
    "arena.match",
    "arena.round_robin",
    "arena.standings",
    "arena.statistics",
    "commands.evaluate_options",
    "commands.tournament_options",
    "commands.train_options",
    "commands.train_places",
    "deep_cfr.config",
    "deep_cfr.fitting.merging",
    "deep_cfr.memory",
    "deep_cfr.networks.encoding",
    "deep_cfr.networks.strength_table",
    "deep_cfr.presets",
    "deep_cfr.regret_matching",
    "deep_cfr.sampling.external_sampling",
    "deep_cfr.sampling.range_sampling",
    "deep_cfr.single_deep_cfr",
    "evaluation.best_response",
    "evaluation.local_best_response",
    "models.layout",
    "models.loading",
    "models.model",
    "models.measurements",
    "models.locks",
    "models.records",
    "models.storage",
    "evaluate",
    "tournament",
    "train",
)


def modules_of(room: str) -> list[str]:
    """Every module of a room, those in folders below it included."""
    files = sorted((ROOT / room).rglob("*.py"))
    names = [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files]
    return [name.removesuffix(".__init__") for name in names if not name.endswith("__main__")]


def imports(path: Path) -> set[str]:
    """The top-level names that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


def loaded_by(module: str) -> set[str]:
    """The top-level names that importing a module loads, directly or not."""
    code = f"import sys, json, {module}; print(json.dumps([m.split('.')[0] for m in sys.modules]))"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return set(json.loads(result.stdout.splitlines()[-1]))


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_import_only_rooms_before_them(room: str) -> None:
    later = set(ROOMS[ROOMS.index(room) + 1 :]) | {"train", "evaluate", "tournament", "tests"}
    for path in sorted((ROOT / room).rglob("*.py")):
        assert not imports(path) & later, path


def test_every_room_is_listed() -> None:
    folders = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert folders - {"tests", "benchmarks"} == set(ROOMS)


def test_the_game_stands_alone() -> None:
    for path in sorted((ROOT / "env").rglob("*.py")):
        foreign = imports(path) - set(sys.stdlib_module_names) - THIRD_PARTY_OF_ENV - {"env"}
        assert not foreign, path


def test_two_modules_know_pypokerengine() -> None:
    """The emulator plays on it; the player sits down at somebody else's table."""
    importers = [
        str(path.relative_to(ROOT))
        for room in ROOMS
        for path in sorted((ROOT / room).rglob("*.py"))
        if "pypokerengine" in imports(path)
    ]
    assert importers == ["env/emulator.py", "agents/pypokerengine_player.py"]


@pytest.mark.parametrize("room", ["env", "policies"])
def test_games_and_policies_never_load_tensorflow(room: str) -> None:
    loaded = loaded_by(", ".join(modules_of(room)))
    assert not loaded & set(HEAVY)


def test_light_modules_do_not_load_tensorflow() -> None:
    """All at once first; one by one only to say which is to blame."""
    if loaded_by(", ".join(LIGHT)) & set(HEAVY):
        blamed = [module for module in LIGHT if loaded_by(module) & set(HEAVY)]
        pytest.fail(f"these load TensorFlow: {', '.join(blamed)}")


def test_the_check_sees_what_is_loaded_through_others() -> None:
    """A module that imports no TensorFlow itself but loads it all the same is found out."""
    assert "tensorflow" not in imports(ROOT / "models" / "advantage_nets.py")
    assert "tensorflow" in loaded_by("models.advantage_nets")


def test_training_knows_no_evaluators() -> None:
    assert not loaded_by("training.run") & {"evaluation", "arena", "agents"}
