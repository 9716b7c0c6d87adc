"""How fast models are judged: exact best response in flop hold'em, local best response in hulh.

Both evaluate a `paper` network with random weights. The exact best response visits all flops and
takes about a minute; with --seconds below 1 it visits a few and the time is scaled up.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np

from benchmarks.measuring import Figure, measure, parse_arguments, rate, report
from deep_cfr.networks import device
from deep_cfr.networks.encoding import make_encoding
from deep_cfr.networks.network import make_network
from deep_cfr.networks.network_policy import NetworkPolicy, average_strategy_policy
from env.boards import num_board_classes
from env.game import Game, load_game
from env.rules import FHP, HULH, Rules
from evaluation.best_response import exploitability
from evaluation.local_best_response import local_best_response

WIDTH, FEW_BOARDS, LBR_HANDS = 64, 4, 2_048


def game_and_policy(rules: Rules) -> tuple[Game, NetworkPolicy]:
    """A game and a network that plays it somehow."""
    game = load_game(rules)
    network = make_network(make_encoding("paper", game), WIDTH, is_strategy=True)
    rng = np.random.default_rng(0)
    weights = network.get_weights()
    network.set_weights([rng.normal(0, 0.1, w.shape).astype(np.float32) for w in weights])
    return game, average_strategy_policy(network)


def exact(seconds: float) -> list[Figure]:
    """The whole best response of flop hold'em, or a few flops of it."""
    game, policy = game_and_policy(FHP)
    total = num_board_classes(FHP)
    visited = total if seconds >= 1 else FEW_BOARDS
    exploitability(game, policy, sample=(FEW_BOARDS, np.random.default_rng(0)))  # warms up
    start = time.perf_counter()
    exploitability(game, policy, sample=(visited, np.random.default_rng(0)))
    took = (time.perf_counter() - start) * total / visited
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # kilobytes on Linux
    how = "all flops" if visited == total else "scaled up from a few flops"
    return [
        Figure("fhp_exact_s", f"exact best response in fhp, {how}", took, "s", 120, at_most=True),
        Figure("fhp_exact_peak_gb", "its process's peak memory", peak, "GB", 3, at_most=True),
    ]


def local(seconds: float) -> list[Figure]:
    """Hands that a local best response plays per second."""
    game, policy = game_and_policy(HULH)
    rng = np.random.default_rng(1)

    def work() -> int:
        return local_best_response(game, policy, LBR_HANDS, rng).hands

    per_s = rate(work, seconds)
    return [Figure("lbr_hands_per_s", "local best response in hulh", per_s, "hands/s")]


def main(arguments: argparse.Namespace) -> None:
    device.prepare(0, "paper")
    seconds = arguments.seconds
    figures = measure([lambda: exact(seconds), lambda: local(seconds)])
    report(figures, arguments.json)


if __name__ == "__main__":
    main(parse_arguments((__doc__ or "").splitlines()[0]))
