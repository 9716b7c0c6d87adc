"""How many infosets a second the traversals visit, and how many the ways they replace.

Single deals (external sampling): the `paper` network with random weights answers for both players.
Compared with it: the recursion through PyPokerEngine that serves the tests as oracle (one network
call per infoset), and OpenSpiel's Deep CFR on `universal_poker` with the same rules, if PyTorch is
installed (requirements-benchmark.txt).

Range sampling: one round of the default preset `standard`, with networks and strength regressions
after a few iterations of it. Both seats and the collector of samples share one `Views`, so that
hand strengths and buckets are computed once. Compared with it, on the same deals and by turns: each
of the three computes its own; and only the seats compute their own, whose features are then
collected, as an earlier version did.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import pyspiel

from benchmarks.env import OPENSPIEL_HULH
from benchmarks.measuring import (
    Figure,
    alternating_rates,
    measure,
    parse_arguments,
    rate,
    report,
)
from deep_cfr.config import Config
from deep_cfr.networks import device
from deep_cfr.networks.encoding import make_encoding
from deep_cfr.networks.network import initial_weights, make_network
from deep_cfr.networks.network_policy import NetworkPolicy, regret_matching_policy
from deep_cfr.presets import DEFAULT_PRESET, PRESETS
from deep_cfr.sampling.external_sampling import traverse
from deep_cfr.sampling.range_sampling import RangeSampling, traverse_ranges
from deep_cfr.sampling.samples import Samples
from deep_cfr.solver import Solver
from env.arrays import Floats, Nodes
from env.cards import Cards
from env.emulator import make_emulator
from env.game import Game, load_game
from env.rules import FHP, HULH, Rules
from env.views import Views
from policies.policy import Policy, ViewStrategies
from tests.recursive_traversal import Recursion

BATCH = 10_000  # traversals of single deals at once
LEARNING_ITERATIONS = 2  # of the preset, before its range sampling is measured
LEARNING_UPDATES = 100  # of their fits, which take most of an iteration's time otherwise
DEALS = 0  # the seed of what range sampling deals
PLAYERS = (0, 1)


def random_policies(game: Game, towers: int | None = None) -> tuple[NetworkPolicy, NetworkPolicy]:
    """Two paper networks whose weights are random in every layer."""
    policies = []
    for player in PLAYERS:
        rng = np.random.default_rng(player)
        network = make_network(make_encoding("paper", game), 64)
        weights = initial_weights(network, rng)
        weights[-2] = rng.normal(size=weights[-2].shape).astype(np.float32)
        network.set_weights(weights)
        policies.append(regret_matching_policy(network, towers))
    return policies[0], policies[1]


def batched(rules: Rules, seconds: float) -> float:
    """Infosets per second of the production traversal of single deals, both seats in turn."""
    game, rng = load_game(rules), np.random.default_rng(0)
    policies = random_policies(game)

    def work() -> int:
        return sum(traverse(game, policies, p, 1, BATCH, rng).infosets for p in PLAYERS)

    return rate(work, seconds)


def recursive(seconds: float) -> float:
    """Infosets per second of the recursion through the emulator."""
    emulator, game, rng = make_emulator(HULH), load_game(HULH), np.random.default_rng(0)
    policies = random_policies(game, towers=1)

    def work() -> int:
        salt = int(rng.integers(1 << 60))
        walk = Recursion(emulator, game.tree, policies, traverser=0, salt=salt)
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
        game,
        advantage_network_layers=(64, 64, 64),
        num_traversals=1,
        memory_capacity=100_000,
        batch_size_advantage=64,
        batch_size_strategy=64,
    )

    def work() -> int:
        before = asked
        for player in PLAYERS:
            solver._traverse_game_tree(game.new_initial_state(), player)
        return asked - before

    return rate(work, seconds)


class OwnViews:
    """A policy that is not given the shared views but computes the features of its own."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        return self._policy.strategies(cards, nodes)

    def for_views(self, views: Views) -> ViewStrategies:
        return self._policy.for_views(Views(views.game, views.cards))


def learned_solver(config: Config) -> Solver:
    """A run of these settings after a few iterations with short fits."""
    config = dataclasses.replace(config, updates=LEARNING_UPDATES, updates_growth=0)
    solver = Solver(config, load_game(config.game))
    for _ in range(LEARNING_ITERATIONS):
        solver.iterate()
    return solver


def sample_one_round(
    solver: Solver, policies: tuple[Policy, Policy], traverser: int, seed: int
) -> Samples:
    """A player's share of one round, sampled as the solver does it."""
    config = solver.config
    sampling = RangeSampling(
        traverser=traverser,
        t=solver.t + 1,
        num_traversals=config.traversals // config.rounds,
        num_boards=config.boards // config.rounds,
        num_hands=config.board_hands,
        keep_strength=config.strength,
        on_advantages=solver.advantage_regressions[traverser].add,
        on_strategies=solver.strategy_regression.add if solver.strategy_regression else None,
    )
    return traverse_ranges(solver.game, policies, sampling, np.random.default_rng(seed))


class Seatings(NamedTuple):
    """The same two policies, by whom they share views with."""

    shared: tuple[Policy, Policy]  # with each other and the collector: features computed once
    apart: tuple[Policy, Policy]  # with nobody: three times
    by_seat: tuple[Policy, Policy]  # one of them with the collector: twice


def make_seatings(first: Policy, second: Policy) -> Seatings:
    return Seatings(
        shared=(first, second),
        apart=(OwnViews(first), OwnViews(second)),
        by_seat=(OwnViews(first), second),
    )


def range_sampling(config: Config, seconds: float) -> list[Figure]:
    """Range sampling with shared views beside the same with views of everybody's own."""
    solver = learned_solver(config)
    seatings = make_seatings(*solver.policies)

    def sample(policies: tuple[Policy, Policy]) -> int:
        """Both players' share of a round, always of the same deals; (hand, node) pairs visited."""
        return sum(sample_one_round(solver, policies, p, DEALS).infosets for p in PLAYERS)

    ways = [partial(sample, policies) for policies in seatings]
    shared, apart, by_seat = alternating_rates(ways, seconds)
    boards = len(PLAYERS) * (solver.config.boards // solver.config.rounds)
    boards_per_s = shared * boards / sample(seatings.shared)
    about = f"range sampling, {solver.config.boards // solver.config.rounds} boards at once"
    return [
        Figure("range_pairs_per_s", f"hulh, {about}: (hand, node) pairs", shared, "/s"),
        Figure("range_boards_per_s", "  boards", boards_per_s, "/s"),
        Figure("range_apart_pairs_per_s", "  pairs, features computed 3 times", apart, "/s"),
        Figure("range_sharing_ratio", "    ratio", shared / apart, "×"),
        Figure("range_by_seat_pairs_per_s", "  pairs, features computed twice", by_seat, "/s"),
        Figure("range_by_seat_ratio", "    ratio", shared / by_seat, "×"),
    ]


def single_deals(seconds: float) -> list[Figure]:
    """External sampling beside the recursion and OpenSpiel."""
    hulh, fhp = batched(HULH, seconds), batched(FHP, seconds)
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


def main() -> None:
    arguments = parse_arguments((__doc__ or "").splitlines()[0])
    seconds = arguments.seconds
    _, config = PRESETS[DEFAULT_PRESET]
    device.prepare(0, config.network)
    figures = measure([lambda: single_deals(seconds), lambda: range_sampling(config, seconds)])
    report(figures, arguments.json)


if __name__ == "__main__":
    main()
