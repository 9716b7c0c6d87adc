"""Small solvers, random infosets and runs of `train.py` that several tests share."""

from __future__ import annotations

import csv
import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deep_cfr.config import Config
from deep_cfr.networks.network import Network
from deep_cfr.networks.network_policy import NetworkPolicy
from deep_cfr.presets import PRESETS
from deep_cfr.solver import Solver
from env.arrays import Nodes
from env.cards import Cards
from env.deals import canonical_views, deal
from env.game import Game, load_game
from policies.policy import Policy

ROOT = Path(__file__).parent.parent
Arrays = dict[str, NDArray[Any]]

# The default path in small (many hands on each board, rounds, strength regression of the
# advantages), and the strategy regression on top.
SMALL_DEFAULT_PATH: dict[str, Any] = {
    "traversals": 60,
    "boards": 6,
    "board_hands": 6,
    "rounds": 3,
    "refit_every": 2,
    "strategy_regression": True,
    "width": 16,
    "updates": 10,
    "batch_size": 64,
    "strategy_updates": 10,
    "strategy_batch_size": 64,
    "advantage_memory": 5_000,
    "strategy_memory": 3_000,
    "eval_hands": 0,
    "eval_match_hands": 0,
    "threads": 1,
}
# Deep CFR as printed: single deals, and the networks alone.
SMALL_LEDUC: dict[str, Any] = {
    "traversals": 60,
    "boards": 0,
    "board_hands": 0,
    "updates": 15,
    "batch_size": 64,
    "width": 16,
    "strategy_updates": 15,
    "strategy_batch_size": 64,
    "advantage_memory": 600,
    "strategy_memory": 400,
    "threads": 1,
}


def small_config(preset: str, settings: dict[str, Any], **changes: Any) -> Config:
    """A preset with small settings and further changes."""
    return dataclasses.replace(PRESETS[preset][1], **{**settings, **changes})


def solver_of(config: Config) -> Solver:
    return Solver(config, load_game(config.game))


def infosets(game: Game, count: int, rng: np.random.Generator) -> tuple[Cards, Nodes]:
    """Random infosets: a decision each, and what whoever acts there sees. [n, 7], [n]"""
    nodes = rng.choice(np.flatnonzero(game.tree.is_decision), count)
    return seen_at(game, nodes, rng), nodes


def seen_at(game: Game, nodes: Nodes, rng: np.random.Generator) -> Cards:
    """What whoever acts at the nodes sees of random deals. [n] → [n, 7]"""
    views = canonical_views(game.rules, deal(game.rules, len(nodes), rng))
    return views[np.arange(len(nodes)), game.tree.actor[nodes], game.tree.street[nodes]]


def as_flags(settings: dict[str, Any]) -> list[str]:
    """Settings as train.py takes them."""
    flags = []
    for name, value in settings.items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            flags.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            flags.append(f"--{flag}={value}")
    return flags


def command(folder: Path, *arguments: str) -> list[str]:
    """The command line of a run that keeps all its files in a folder."""
    places = ["--logdir", str(folder / "runs"), "--checkpoints", str(folder / "checkpoints")]
    return [sys.executable, str(ROOT / "train.py"), *places, *arguments]


def train(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    words = command(folder, *arguments)
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


def latest_arrays(run: Path) -> Arrays:
    """Every array of a run's latest state, by file and name."""
    arrays: Arrays = {}
    for path in sorted((run / "latest").glob("*.np[yz]")):
        loaded = np.load(path)
        if isinstance(loaded, np.ndarray):
            arrays[path.name] = loaded
        else:
            arrays |= {f"{path.name}/{name}": loaded[name] for name in loaded}
    return arrays


def assert_same_arrays(first: Arrays, second: Arrays) -> None:
    assert first.keys() == second.keys()
    for name, array in first.items():
        np.testing.assert_array_equal(array, second[name], err_msg=name)


def metrics(logs: Path) -> list[dict[str, str]]:
    """The lines of a run's metrics.csv."""
    with (logs / "metrics.csv").open() as file:
        return list(csv.DictReader(file))


def network_of(policy: Policy) -> Network:
    """The network of a policy that is nothing else."""
    assert isinstance(policy, NetworkPolicy)
    return policy.network
