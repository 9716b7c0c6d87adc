"""Every iteration's advantage networks of a run, and the single-Deep-CFR player made of them.

checkpoints/<run>/advantage_nets/t_0007.npz holds both players' weights after iteration 7,
which run and iteration they are of, and a checksum.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from deep_cfr.config import Config
from deep_cfr.networks.encoding import make_encoding
from deep_cfr.networks.network import Network, make_network
from deep_cfr.networks.network_policy import StoredPolicy, regret_matching_policy
from deep_cfr.networks.weight_check import weights_problem
from deep_cfr.single_deep_cfr import SingleDeepCFR
from deep_cfr.solver import PLAYERS, Solver
from env.arrays import Floats
from env.game import Game, load_game
from env.own_game import names_own_game
from models.arrays import read_arrays
from models.description import checked_config
from models.messages import one_line
from models.run_state import RunState, latest_state
from models.storage import StorageError, whole_file

ABOUT, CHECKSUM = "about", "checksum"  # what the networks are of, and that they are as saved
ROOM_FOR_NAMES = 1 << 17  # bytes of the names, shapes and settings beside the weights


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
    arrays = named(solver.weights())
    about = {"t": solver.t, "config": dataclasses.asdict(solver.config)}
    arrays[ABOUT] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    arrays[CHECKSUM] = _checksum(arrays)
    np.savez_compressed(content, **arrays)  # half of every table is zeros
    whole_file(folder / _net_file(solver.t), content.getvalue())


def load_single(run: Path, game: Game | None = None) -> SavedSingle:
    """The single-Deep-CFR player of a run whose networks were kept, up to the newest one.

    `game` is needed only if the run plays a game of the user's own.
    """
    state = latest_state(run)
    try:
        return _load_single(run, state, game)
    except StorageError:
        raise
    except Exception as error:  # Keras and TensorFlow raise errors of all kinds
        raise StorageError(f"{run} holds no readable networks: {one_line(error)}") from None


def _load_single(run: Path, state: RunState, own_game: Game | None) -> SavedSingle:
    game = _game_of(state.config, own_game)
    config = state.config.for_game(game.rules)
    encoding = make_encoding(config.network, game, config.strength)
    network = make_network(encoding, config.width, has_strength_table=config.strength_regression)
    policy = regret_matching_policy(network)
    iterations = []
    for t in range(1, state.t + 1):
        nets = _load_nets(run, t, state.config, network)
        first, second = (StoredPolicy(policy, weights) for weights in nets)
        iterations.append((first, second))
    if not iterations:
        raise StorageError(f"{run} has not finished an iteration yet")
    return SavedSingle(game, SingleDeepCFR(game, iterations, config.average_power), state.t)


def _game_of(config: Config, own_game: Game | None) -> Game:
    """The game of a run; one of the user's own must be the one that the user has named."""
    if not names_own_game(config.game):
        return load_game(config.game)
    if own_game is None or own_game.own != config.game:
        raise ValueError(f"it plays {config.game}; name that game yourself: --game {config.game}")
    return own_game


def named(weights: list[list[Floats]]) -> dict[str, Any]:
    """Both players' weights by name, as an .npz file holds them."""
    return {f"p{p}_{i:03d}": w for p in PLAYERS for i, w in enumerate(weights[p])}


def unnamed(stored: Any) -> list[list[Floats]]:
    """Both players' weights from an open .npz file."""
    return [[stored[name] for name in sorted(stored) if name.startswith(f"p{p}_")] for p in PLAYERS]


def _load_nets(run: Path, t: int, config: Config, network: Network) -> list[list[Floats]]:
    """Both players' weights after iteration t, checked."""
    file = run / "advantage_nets" / _net_file(t)
    if not file.exists():
        raise StorageError(
            f"{file} is missing; only runs with --keep-advantage-nets keep every iteration's"
        )
    most_bytes = 2 * sum(value.nbytes for value in network.get_weights()) + ROOM_FOR_NAMES
    stored = read_arrays(file, most_bytes)
    _check_identity(file, stored, t, config)
    weights = unnamed(stored)
    for values in weights:
        problem = weights_problem(network, values)
        if problem:
            raise StorageError(f"{file} is damaged: {problem}")
    return weights


def _check_identity(file: Path, stored: dict[str, Any], t: int, config: Config) -> None:
    """Refuse damaged networks, and those of another run or iteration.

    Earlier versions kept neither a checksum nor what the networks are of.
    """
    if ABOUT not in stored and CHECKSUM not in stored:
        return
    checksum = stored.pop(CHECKSUM, None)
    if checksum is None or not np.array_equal(checksum, _checksum(stored)):
        raise StorageError(f"{file} is damaged: its checksum is not the one recorded")
    about = json.loads(stored[ABOUT].tobytes())
    changed = checked_config(about["config"]).differences(config)
    if changed or about["t"] != t:
        raise StorageError(f"{file} is of another run or another iteration")


def _checksum(arrays: dict[str, Any]) -> Any:
    """The SHA-256 of named arrays. [32]"""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return np.frombuffer(digest.digest(), np.uint8)


def _net_file(t: int) -> str:
    return f"t_{t:04d}.npz"
