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
    "workers",
    "search",
    "deep_cfr",
    "models",
    "training",
    "agents",
    "arena",
    "evaluation",
    "interfaces",
    "commands",
)
THIRD_PARTY_OF_ENV = {"llvmlite", "numba", "numpy", "pypokerengine", "tqdm"}
HEAVY = ("tensorflow", "keras")
# The only modules that may load TensorFlow when they are imported: whatever computes with Keras'
# networks, and whoever trains or evaluates through it. All others must do without.
MAY_LOAD_TENSORFLOW = {
    "commands.evaluate",
    "commands.tournament_scalars",
    "commands.train",
    "commands.train_evaluation",
    "deep_cfr.endgame.fitting",
    "deep_cfr.endgame.learner",
    "deep_cfr.endgame.network",
    "deep_cfr.fitting.descent",
    "deep_cfr.fitting.squared_errors",
    "deep_cfr.fitting.trainer",
    "deep_cfr.networks.device",
    "deep_cfr.networks.graph_features",
    "deep_cfr.networks.network",
    "deep_cfr.networks.network_policy",
    "deep_cfr.networks.own_network",
    "deep_cfr.networks.strategy_model",
    "deep_cfr.solver",
    "evaluation.exploiter",
    "evaluation.summaries",
    "models.advantage_nets",
    "models.saving",
    "training.checkpoint",
    "training.figures",
    "training.forecast",
    "training.metrics",
    "training.run",
    "training.telemetry",
}
SCRIPTS = ("train", "evaluate", "tournament", "play")


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
    later = set(ROOMS[ROOMS.index(room) + 1 :]) | {*SCRIPTS, "tests"}
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


def test_all_other_modules_do_without_tensorflow() -> None:
    """All at once first; one by one only to say which is to blame."""
    modules = [module for room in ROOMS for module in modules_of(room)]
    assert set(modules) >= MAY_LOAD_TENSORFLOW
    light = [*(module for module in modules if module not in MAY_LOAD_TENSORFLOW), *SCRIPTS]
    assert {"env.game", "policies.policy", "arena.match", "evaluation.best_response"} <= {*light}
    if loaded_by(", ".join(light)) & set(HEAVY):
        blamed = [module for module in light if loaded_by(module) & set(HEAVY)]
        pytest.fail(f"these load TensorFlow: {', '.join(blamed)}")


def test_the_check_sees_what_is_loaded_through_others() -> None:
    """A module that imports no TensorFlow itself but loads it all the same is found out."""
    assert "tensorflow" not in imports(ROOT / "models" / "advantage_nets.py")
    assert "tensorflow" in loaded_by("models.advantage_nets")


def test_training_knows_no_evaluators() -> None:
    assert not loaded_by("training.run") & {"evaluation", "arena", "agents"}
