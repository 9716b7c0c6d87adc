"""How many hands a second two networks play against each other, and how many a plain loop.

Two `paper` networks with random weights play limit hold'em in duplicate matches on all cores.
Compared with it: the same networks and strategies, hands played one after the other through the
emulator, the Keras model called for one row at each decision, as one would write it first.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
from numpy.typing import NDArray

from arena.match import match
from arena.schedule import BATCH
from benchmarks.measuring import Figure, measure, parse_arguments, rate, report
from benchmarks.traversal import random_policies
from deep_cfr.networks import device
from deep_cfr.networks.infoset_inputs import infoset_features
from deep_cfr.regret_matching import regret_matching
from env.cards import canonical
from env.emulator import make_emulator
from env.game import load_game
from env.rules import HULH


def batched(seconds: float) -> float:
    """Hands per second of a match."""
    game = load_game(HULH)
    a, b = random_policies(game)
    return rate(lambda: match(game, a, b, 2 * BATCH, 0).hands, seconds)


def naive(seconds: float) -> float:
    """Hands per second of the plain loop."""
    emulator, game, rng = make_emulator(HULH), load_game(HULH), np.random.default_rng(0)
    networks = [policy.network for policy in random_policies(game)]

    def work() -> int:
        state = emulator.start(rng)
        while not state.is_terminal:
            network = networks[state.actor]
            view = canonical(emulator.visible_cards(state, state.actor)[None])
            nodes = np.array([game.tree.node(state.history)])
            cards, bets, legal = infoset_features(network.encoding, view, nodes)
            hidden = network.cards(cards, training=False) + network.bets(bets, training=False)
            strategy = regret_matching(network.head(hidden, training=False).numpy(), legal)[0]
            state = emulator.act(state, _drawn(strategy, rng))
        return 1

    return rate(work, seconds)


def _drawn(strategy: NDArray[np.float32], rng: np.random.Generator) -> int:
    exact = strategy.astype(np.float64)  # choice wants a sum of 1 to more digits than float32 has
    return int(rng.choice(len(exact), p=exact / exact.sum()))


def main() -> None:
    arguments = parse_arguments(__doc__ or "")
    device.prepare(0, "paper")

    def figures() -> list[Figure]:
        ours, plain = batched(arguments.seconds), naive(arguments.seconds)
        return [
            Figure("hands_per_s", "hulh, paper against paper network", ours, "hands/s", 5e4),
            Figure("naive_hands_per_s", "one row at a time, through the emulator", plain, "/s"),
            Figure("naive_ratio", "  ratio", ours / plain, "×", 1_000),
        ]

    report(measure([figures]), arguments.json)


if __name__ == "__main__":
    main()
