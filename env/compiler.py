"""`compile_tree`: from an emulator to its betting tree, walked once and then loaded from disk.

A walk plays every action sequence and costs seconds; loading costs milliseconds. A cached tree is
used only if everything it depends on is unchanged (rules, engine, the source of this package) and
its checksum holds; anything else is walked anew and overwritten.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections import deque
from dataclasses import fields
from functools import lru_cache
from pathlib import Path

import numpy as np
from tqdm import tqdm

from env.actions import FOLD, NUM_ACTIONS
from env.betting_tree import DECISION, FOLDED, NONE, SHOWDOWN, BettingTree
from env.kernel_cache import is_writable, temporary_root
from env.states import Emulator, State
from env.tree_size import EXACT_UP_TO, count_nodes

MAX_NODES = 1 << 16  # a node id must fit the two bytes it has in a memory row

_FORMAT = 1
_PACKAGE = Path(__file__).resolve().parent


class TreeTooLarge(ValueError):  # noqa: N818 - the name says what is wrong
    """Rules whose betting tree exceeds what a node id can number."""


def cache_directory() -> Path:
    """`.cache/trees` beside the package, or below $DEEP_CFR_CACHE."""
    root = os.environ.get("DEEP_CFR_CACHE") or Path(__file__).resolve().parent.parent / ".cache"
    return Path(root).expanduser() / "trees"


def compile_tree(emulator: Emulator, directory: Path | str | None = None) -> BettingTree:
    """The emulator's betting tree, walked once and then loaded from `directory`."""
    key = _key(emulator)
    path = Path(directory or cache_directory()) / f"{key[:32]}.npz"
    tree = _load(path, key)
    if tree is None and directory is None and not is_writable(path.parent):
        path = temporary_root() / "trees" / path.name
        tree = _load(path, key)
    if tree is None:
        tree = walk(emulator)
        _save(tree, path, key)
    return tree


def walk(emulator: Emulator, *, counts_first: bool = True) -> BettingTree:
    """The tree of an emulator, found by playing every action sequence level by level.

    `counts_first`: the rules say how many there are, so that too many are refused at once.
    """
    nodes = count_nodes(emulator.rules) if counts_first else 0
    if nodes > MAX_NODES:
        raise _too_large(emulator, nodes)
    rng = np.random.default_rng(0)  # any deal does: the betting does not depend on it
    start = emulator.start(rng)
    facts, parents, actions, depths = [_facts(start)], [NONE], [NONE], [0]
    children: list[list[int]] = []
    frontier = deque([start])
    with tqdm(desc=f"walking {emulator.rules.name}", unit=" nodes", disable=None, delay=2) as bar:
        while frontier:
            state = frontier.popleft()
            node = len(children)
            children.append([NONE] * NUM_ACTIONS)
            for action in np.flatnonzero(emulator.legal(state)).tolist():
                children[node][action] = len(facts)
                frontier.append(emulator.act(state, action))
                facts.append(_facts(frontier[-1]))
                parents.append(node)
                actions.append(action)
                depths.append(depths[node] + 1)
            if len(facts) > MAX_NODES:
                raise _too_large(emulator, EXACT_UP_TO + 1)
            bar.update()
    node_types, actors, streets, contributions = zip(*facts, strict=True)
    return BettingTree(
        node_type=np.array(node_types, np.int8),
        actor=np.array(actors, np.int8),
        street=np.array(streets, np.int8),
        parent=np.array(parents, np.int32),
        action=np.array(actions, np.int8),
        children=np.array(children, np.int32),
        contributions=np.array(contributions, np.int32),
        depth=np.array(depths, np.int32),
    )


def _too_large(emulator: Emulator, nodes: int) -> TreeTooLarge:
    known = f"at least {MAX_NODES + 1:,}" if nodes > EXACT_UP_TO else f"{nodes:,}"
    return TreeTooLarge(
        f"{emulator.rules.describe()}: {known} betting sequences, more than the "
        f"{MAX_NODES:,} that a memory can number; lower the raise caps or the number of streets"
    )


def _facts(state: State) -> tuple[int, int, int, tuple[int, int]]:
    """Node type, actor, street and contributions of a state: what the tree keeps of it."""
    node_type = DECISION
    if state.is_terminal:
        node_type = FOLDED if state.moves[-1].action == FOLD else SHOWDOWN
    return node_type, state.actor, state.street, state.contributions


def _key(emulator: Emulator) -> str:
    """A digest of all that the tree depends on; the name of the rules is not part of it."""
    rules = {name: value for name, value in emulator.rules.as_dict().items() if name != "name"}
    parts = [_FORMAT, type(emulator).__name__, emulator.version, rules, source_digest(_PACKAGE)]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@lru_cache(maxsize=1)
def source_digest(package: Path) -> str:
    """A digest of every source file of a package, those in folders below it included."""
    digest = hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        digest.update(str(file.relative_to(package)).encode() + file.read_bytes())
    return digest.hexdigest()


def _checksum(arrays: dict[str, np.ndarray]) -> str:
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _load(path: Path, key: str) -> BettingTree | None:
    """The tree in a file; None if there is none, or a damaged or stale one."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {field.name: stored[field.name] for field in fields(BettingTree)}
            if str(stored["key"]) != key or str(stored["checksum"]) != _checksum(arrays):
                return None
        return BettingTree(**arrays)
    except Exception:  # whatever is wrong with the file, the answer is the same
        return None


def _save(tree: BettingTree, path: Path, key: str) -> None:
    """Writes a temporary file and renames it, so that no reader ever sees half a file."""
    arrays = {field.name: getattr(tree, field.name) for field in fields(tree)}
    temporary = path.with_name(f"{path.stem}.{os.getpid()}.tmp.npz")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(temporary, key=key, checksum=_checksum(arrays), **arrays)
        temporary.replace(path)
    except OSError:  # a cache that cannot be written only costs time
        with contextlib.suppress(OSError):
            temporary.unlink()
