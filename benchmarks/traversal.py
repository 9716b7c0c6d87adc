"""How many infosets a second the traversal visits, and how many the ways it replaces.

The `paper` network with random weights answers for both players. Compared with it: the recursion
through PyPokerEngine that serves the tests as oracle (one network call per infoset), and
OpenSpiel's Deep CFR on `universal_poker` with the same rules, if PyTorch is installed
(requirements-benchmark.txt).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import pyspiel

from benchmarks.env import OPENSPIEL_HULH
from benchmarks.measuring import Figure, measure, parse_arguments, rate, report
from deep_cfr import device
from deep_cfr.encoding import make_encoding
from deep_cfr.networks import initial_weights, make_network
from deep_cfr.policy import NetworkPolicy, regret_matching_policy
from deep_cfr.traversal import traverse
from env.betting_tree import BettingTree
from env.compiler import compile
from env.emulator import make_emulator
from env.rules import FHP, HULH, Rules
from tests.recursive_traversal import Recursion

BATCH = 10_000


def random_policies(
    rules: Rules, tree: BettingTree, towers: int
) -> tuple[NetworkPolicy, NetworkPolicy]:
    """Two paper networks whose weights are random in every layer."""
    policies = []
    for player in (0, 1):
        rng = np.random.default_rng(player)
        network = make_network(make_encoding("paper", rules, tree), 64)
        weights = initial_weights(network, rng)
        weights[-2] = rng.normal(size=weights[-2].shape).astype(np.float32)
        network.set_weights(weights)
        policies.append(regret_matching_policy(network, towers))
    return policies[0], policies[1]


def batched(rules: Rules, towers: int, seconds: float) -> float:
    """Infosets per second of the production traversal, both seats in turn."""
    tree = compile(make_emulator(rules))
    policies, rng = random_policies(rules, tree, towers), np.random.default_rng(0)

    def work() -> int:
        return sum(
            traverse(rules, tree, policies, player, 1, BATCH, rng).infosets for player in (0, 1)
        )

    return rate(work, seconds)


def recursive(seconds: float) -> float:
    """Infosets per second of the recursion through the emulator."""
    emulator = make_emulator(HULH)
    tree, rng = compile(emulator), np.random.default_rng(0)
    policies = random_policies(HULH, tree, 1)

    def work() -> int:
        walk = Recursion(emulator, tree, policies, traverser=0, salt=int(rng.integers(1 << 60)))
        walk.traverse(0, emulator.start(rng))
        return len(walk.advantages) + len(walk.strategies)

    return rate(work, seconds)


def openspiel(seconds: float) -> float | None:
    """Infosets per second of OpenSpiel's Deep CFR traversals; None without PyTorch."""
    try:
        from open_spiel.python.pytorch import deep_cfr  # noqa: PLC0415
    except ImportError:
        return None
    game = pyspiel.load_game(OPENSPIEL_HULH)
    asked = 0

    class Counting(deep_cfr.DeepCFRSolver):
        def _sample_action_from_advantage(self, state: Any, player: int) -> Any:
            nonlocal asked
            asked += 1
            return super()._sample_action_from_advantage(state, player)

    solver = Counting(
        game, advantage_network_layers=(64, 64, 64), num_traversals=1, memory_capacity=100_000,
        batch_size_advantage=64, batch_size_strategy=64,
    )  # fmt: skip

    def work() -> int:
        before = asked
        for player in (0, 1):
            solver._traverse_game_tree(game.new_initial_state(), player)
        return asked - before

    return rate(work, seconds)


def main() -> None:
    arguments = parse_arguments(__doc__ or "")
    seconds = arguments.seconds
    towers, _ = device.prepare(0, "paper")

    def ours() -> list[Figure]:
        hulh, fhp = batched(HULH, towers, seconds), batched(FHP, towers, seconds)
        slow, theirs = recursive(seconds), openspiel(seconds)
        if theirs is None:
            print("OpenSpiel's Deep CFR left out: pip install -r requirements-benchmark.txt")
        return [
            Figure("hulh_infosets_per_s", f"hulh, {BATCH:,} traversals at once", hulh, "/s", 4e5),
            Figure("fhp_infosets_per_s", f"fhp, {BATCH:,} traversals at once", fhp, "/s", 4e5),
            Figure("oracle_infosets_per_s", "hulh, recursion through PyPokerEngine", slow, "/s"),
            Figure("oracle_ratio", "  ratio", hulh / slow, "×"),
            Figure("openspiel_infosets_per_s", "hulh, OpenSpiel's PyTorch Deep CFR", theirs, "/s"),
            Figure("openspiel_ratio", "  ratio", theirs and hulh / theirs, "×", 100),
        ]

    report(measure([ours]), arguments.json)


if __name__ == "__main__":
    main()
