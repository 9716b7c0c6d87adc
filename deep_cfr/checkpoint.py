"""What a run leaves on disk: strategy models for people, and all that an exact resume needs.

checkpoints/<run>/
  iter_0010/strategy.keras, model.json    the average strategy after iteration 10
  advantage_nets/t_0007.npz               both players' networks, for a single-Deep-CFR policy
  latest/                                 memories, networks, counters; see `save_latest`
"""

from __future__ import annotations

import dataclasses
import io
import json
import platform
import shutil
import zipfile
import zlib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import keras
import numpy as np

from deep_cfr.config import Config, ConfigError
from deep_cfr.encoding import Floats, make_encoding
from deep_cfr.layout import MODEL_FILE, MODEL_INFO, model_folder, model_folders
from deep_cfr.linear_part import LinearPart, has_linear_part
from deep_cfr.networks import Network, make_network, network_of, strategy_model
from deep_cfr.policy import (
    NetworkPolicy,
    StoredPolicy,
    average_strategy_policy,
    regret_matching_policy,
)
from deep_cfr.single import SingleDeepCFR
from deep_cfr.solver import PLAYERS, Solver
from deep_cfr.storage import (
    MANIFEST,
    StorageError,
    checked_folder,
    deflate,
    whole_file,
    whole_folder,
)
from env.compiler import compile
from env.emulator import make_emulator
from env.rules import Rules, RulesError, parse_rules

STRATEGY_SUMS = "strategy_part.npz"
ENCODING_NOTE = (
    "inputs cards, bets, legal and, where there is a table, cell; output: probabilities "
    "of fold, call, raise (0 where illegal). cards: suit-canonical cards as deep_cfr.encoding "
    "describes; bets: betting features of the node; legal: 1 where the action exists; cell: number "
    "of node and kind of hand. deep_cfr.policy.infoset_features makes all four."
)


def versions() -> dict[str, str]:
    """What a result may depend on."""
    packages = ("tensorflow", "keras", "numpy", "numba", "PyPokerEngine")
    return {"python": platform.python_version()} | {name: version(name) for name in packages}


def save_model(run: Path, solver: Solver, network: Network, metrics: dict[str, Any]) -> Path:
    """The average-strategy network as a model that plain Keras opens, with what to know of it."""
    folder = model_folder(run, solver.t)
    info = {
        "kind": "average strategy",
        "rules": solver.rules.as_dict(),
        "iteration": solver.t,
        "nodes_touched": solver.nodes_touched,
        "parameters": network.num_parameters,
        "encoding": {"name": network.encoding.name, "note": ENCODING_NOTE},
        "config": dataclasses.asdict(solver.config),
        "metrics": metrics,
        "versions": versions(),
    }
    with whole_folder(folder) as temporary:
        strategy_model(network).save(temporary / MODEL_FILE)
        deflate(temporary / MODEL_FILE)
        (temporary / MODEL_INFO).write_text(json.dumps(info, indent=1))
    if solver.config.keep:
        # Models later than this one are of a run that was killed and will come again.
        past = [path for path in model_folders(run) if path.name <= folder.name]
        for old in past[: -solver.config.keep]:
            shutil.rmtree(old, ignore_errors=True)
    return folder


def load_model(path: Path, towers: int = 1) -> tuple[Rules, NetworkPolicy, dict[str, Any]]:
    """Rules, policy and description of a saved model, from its folder or its file."""
    folder = path.parent if path.name == MODEL_FILE else path
    if (folder / MANIFEST).exists():
        folder = checked_folder(folder)
    try:
        info = json.loads((folder / MODEL_INFO).read_text())
        rules, config = Rules.from_dict(info["rules"]), Config(**info["config"])
        tree = compile(make_emulator(rules))
        encoding = make_encoding(config.network, rules, tree, config.literal_bets, config.strength)
        network = network_of(keras.models.load_model(folder / MODEL_FILE), encoding)
    except (OSError, ValueError, KeyError, TypeError, RulesError, ConfigError) as error:
        raise StorageError(f"{folder} holds no readable model: {error}") from None
    return rules, average_strategy_policy(network, towers), info


def save_advantage_nets(run: Path, solver: Solver) -> None:
    """Both players' networks after this iteration."""
    folder = run / "advantage_nets"
    folder.mkdir(parents=True, exist_ok=True)
    content = io.BytesIO()
    np.savez_compressed(content, **_named(solver.weights()))  # half of every table is zeros
    whole_file(folder / _net_file(solver.t), content.getvalue())


def load_single(run: Path) -> tuple[Rules, SingleDeepCFR]:
    """The single-Deep-CFR player of a run whose networks were kept, up to the newest one."""
    state = latest_state(run)
    config = Config(**state["config"])
    rules = parse_rules(config.game)
    tree = compile(make_emulator(rules))
    encoding = make_encoding(config.network, rules, tree, config.literal_bets, config.strength)
    has_table = has_linear_part(config, rules)
    network = make_network(encoding, config.width, config.precision, has_table)
    policy = regret_matching_policy(network)
    iterations = []
    for t in range(1, state["t"] + 1):
        first, second = (StoredPolicy(policy, weights) for weights in _load_nets(run, t))
        iterations.append((first, second))
    if not iterations:
        raise StorageError(f"{run} has not finished an iteration yet")
    return rules, SingleDeepCFR(rules, tree, iterations)


def _load_nets(run: Path, t: int) -> list[list[Floats]]:
    """Both players' weights after iteration t."""
    file = run / "advantage_nets" / _net_file(t)
    try:
        with np.load(file) as stored:
            return _unnamed(stored)
    except FileNotFoundError:
        raise StorageError(
            f"{file} is missing; only runs with --keep-advantage-nets keep every iteration's"
        ) from None
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, zlib.error):
        raise StorageError(f"{file} is damaged") from None


def save_latest(run: Path, solver: Solver, extra: dict[str, Any]) -> None:
    """Memories with their counters, networks, iteration; `extra` comes back from `load_latest`.

    Randomness needs no state: every generator is keyed by seed and iteration.
    """
    state = {
        "config": dataclasses.asdict(solver.config),
        "t": solver.t,
        "nodes_touched": solver.nodes_touched,
        "seen": [memory.seen for memory in solver.advantage_memories],
        "strategy_seen": solver.strategy_memory.seen,
        "extra": extra,
        "versions": versions(),
    }
    with whole_folder(run / "latest") as folder:
        for player in PLAYERS:
            np.save(folder / f"advantages_{player}.npy", solver.advantage_memories[player].rows)
        np.save(folder / "strategies.npy", solver.strategy_memory.rows)
        np.savez(folder / "advantage_nets.npz", **_named(solver.weights()))
        for player, part in enumerate(solver.linear_parts):
            _save_sums(folder / f"linear_part_{player}.npz", part)
        if solver.strategy_part:
            _save_sums(folder / STRATEGY_SUMS, solver.strategy_part)
        (folder / "state.json").write_text(json.dumps(state, indent=1))


def latest_state(run: Path) -> dict[str, Any]:
    """The settings, counters and extras a run was last saved with."""
    folder = checked_folder(run / "latest")
    try:
        state: dict[str, Any] = json.loads((folder / "state.json").read_text())
        Config(**state["config"])
    except (ValueError, KeyError, TypeError) as error:
        raise StorageError(f"{folder / 'state.json'} is not of this program: {error}") from None
    return state


def load_latest(run: Path, solver: Solver) -> dict[str, Any]:
    """Put a fresh solver where the saved one stood."""
    folder = checked_folder(run / "latest")
    state = json.loads((folder / "state.json").read_text())
    weights = _unnamed(np.load(folder / "advantage_nets.npz"))
    for player in PLAYERS:
        rows = np.load(folder / f"advantages_{player}.npy", mmap_mode="r")
        solver.advantage_memories[player].restore(rows, state["seen"][player])
        solver.advantage_nets[player].set_weights(weights[player])
    for player, part in enumerate(solver.linear_parts):
        part.restore(np.load(folder / f"linear_part_{player}.npz"))
    if solver.strategy_part:
        solver.strategy_part.restore(np.load(folder / STRATEGY_SUMS))
    rows = np.load(folder / "strategies.npy", mmap_mode="r")
    solver.strategy_memory.restore(rows, state["strategy_seen"])
    solver.t, solver.nodes_touched = state["t"], state["nodes_touched"]
    extra: dict[str, Any] = state["extra"]
    return extra


def _save_sums(file: Path, part: LinearPart) -> None:
    sums: dict[str, Any] = dict(part.sums())
    np.savez(file, **sums)


def _net_file(t: int) -> str:
    return f"t_{t:04d}.npz"


def _named(weights: list[list[Floats]]) -> dict[str, Any]:
    return {f"p{p}_{i:03d}": w for p in PLAYERS for i, w in enumerate(weights[p])}


def _unnamed(stored: Any) -> list[list[Floats]]:
    return [[stored[name] for name in sorted(stored) if name.startswith(f"p{p}_")] for p in PLAYERS]
