"""Every iteration's advantage networks of a run, and the single-Deep-CFR player made of them.

checkpoints/<run>/advantage_nets/t_0007.npz holds both players' weights after iteration 7.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from deep_cfr.networks.encoding import make_encoding
from deep_cfr.networks.network import make_network
from deep_cfr.networks.network_policy import StoredPolicy, regret_matching_policy
from deep_cfr.single_deep_cfr import SingleDeepCFR
from deep_cfr.solver import PLAYERS, Solver
from env.game import Game, load_game
from models.run_state import latest_state
from models.storage import StorageError, whole_file
from policies.policy import Floats


class SavedSingle(NamedTuple):
    """A single-Deep-CFR player and the game it plays."""

    game: Game
    policy: SingleDeepCFR
    iteration: int  # the last one it averages over


def save_advantage_nets(run: Path, solver: Solver) -> None:
    """Both players' networks after this iteration."""
    folder = run / "advantage_nets"
    folder.mkdir(parents=True, exist_ok=True)
    content = io.BytesIO()
    np.savez_compressed(content, **named(solver.weights()))  # half of every table is zeros
    whole_file(folder / _net_file(solver.t), content.getvalue())


def load_single(run: Path) -> SavedSingle:
    """The single-Deep-CFR player of a run whose networks were kept, up to the newest one."""
    state = latest_state(run)
    game = load_game(state.config.game)
    config = state.config.for_game(game.rules)
    encoding = make_encoding(config.network, game, config.strength)
    network = make_network(encoding, config.width, has_strength_table=config.strength_regression)
    policy = regret_matching_policy(network)
    iterations = []
    for t in range(1, state.t + 1):
        first, second = (StoredPolicy(policy, weights) for weights in _load_nets(run, t))
        iterations.append((first, second))
    if not iterations:
        raise StorageError(f"{run} has not finished an iteration yet")
    return SavedSingle(game, SingleDeepCFR(game, iterations), state.t)


def named(weights: list[list[Floats]]) -> dict[str, Any]:
    """Both players' weights by name, as an .npz file holds them."""
    return {f"p{p}_{i:03d}": w for p in PLAYERS for i, w in enumerate(weights[p])}


def unnamed(stored: Any) -> list[list[Floats]]:
    """Both players' weights from an open .npz file."""
    return [[stored[name] for name in sorted(stored) if name.startswith(f"p{p}_")] for p in PLAYERS]


def _load_nets(run: Path, t: int) -> list[list[Floats]]:
    """Both players' weights after iteration t."""
    file = run / "advantage_nets" / _net_file(t)
    try:
        with np.load(file) as stored:
            return unnamed(stored)
    except FileNotFoundError:
        raise StorageError(
            f"{file} is missing; only runs with --keep-advantage-nets keep every iteration's"
        ) from None
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, zlib.error):
        raise StorageError(f"{file} is damaged") from None


def _net_file(t: int) -> str:
    return f"t_{t:04d}.npz"
