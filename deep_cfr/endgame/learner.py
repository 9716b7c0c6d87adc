"""Learning the last streets of an average strategy anew, from solved subgames.

A network that is fitted to samples is at its worst where the game is largest, on the last streets.
There the rest of a hand is small enough to be solved, with ranges that the average strategy brings,
and solutions carry no noise of sampled cards. Earlier streets are learned first: the ranges with
which subgames of the last street begin are then those of what is played on the street before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from deep_cfr.config import Config
from deep_cfr.endgame.fitting import EndgameFit
from deep_cfr.endgame.grid import grid_of
from deep_cfr.endgame.network import EndgameNetwork, make_endgame_network
from deep_cfr.endgame.policy import ByStreet
from deep_cfr.endgame.shape import subgames_by_street
from deep_cfr.endgame.solutions import SolvedRows, chosen_rows
from deep_cfr.endgame.teacher import Teacher
from deep_cfr.networks.encoding import Encoding
from env.progress import NewBar
from policies.policy import Policy

UNSEEN_SHARE, LEAST_UNSEEN = 0.02, 16  # subgames held back to see how well others are answered
SEEN_ROWS = 10_000  # of the subgames learned from, to compare with


@dataclass(frozen=True)
class Distance:
    """How far strategies are from solutions: Σ_a (σ(a) − σ̂(a))², weighted by reach."""

    seen: float  # in subgames learned from
    unseen: float  # in others


@dataclass(frozen=True)
class LearnedEndgames:
    """An average strategy with its last streets learned anew. By street."""

    policy: Policy
    networks: dict[int, EndgameNetwork] = field(default_factory=dict)
    distances: dict[int, Distance] = field(default_factory=dict)


class EndgameLearner:
    """Endgame networks of one run, which are fitted again for each of its models."""

    def __init__(self, config: Config, encoding: Encoding, new_bar: NewBar) -> None:
        self._config, self._encoding, self._new_bar = config, encoding, new_bar
        self._counts = subgames_by_street(config, encoding.game.rules)
        self._fits: dict[int, EndgameFit] = {}

    def learn(
        self, policy: Policy, generator: Callable[[int], np.random.Generator]
    ) -> LearnedEndgames:
        """Solve and fit, street by street; a street's randomness comes from `generator(street)`."""
        game, base = self._encoding.game, policy
        networks, distances = {}, {}
        for street, count in self._counts.items():
            name, rng = game.rules.street_names[street], generator(street)
            unseen_count = max(round(count * UNSEEN_SHARE), LEAST_UNSEEN)
            teacher = Teacher(game, policy, street, rng)
            progress = self._new_bar(f"{name} subgames", count + unseen_count)
            unseen, rows = (teacher.solve(size, progress) for size in (unseen_count, count))
            fit = self._fit(street)
            settings = self._config.endgame_fit()
            fit.fit(rows, settings, rng, self._new_bar(f"{name} network", settings.updates))
            networks[street] = fit.network
            distances[street] = Distance(
                seen=_mean_error(fit, rows, rng), unseen=_mean_error(fit, unseen, rng)
            )
            taught = {street: network.policy() for street, network in networks.items()}
            policy = ByStreet(game.tree, base, taught)
        return LearnedEndgames(policy, networks, distances)

    def _fit(self, street: int) -> EndgameFit:
        """The compiled loop of a street's network, made once."""
        if street not in self._fits:
            grid = grid_of(self._encoding.game.rules, street)
            network = make_endgame_network(self._encoding, street, grid, self._config.endgame_width)
            self._fits[street] = EndgameFit(network, self._config.endgame_fit().batch_size)
        return self._fits[street]


def _mean_error(fit: EndgameFit, rows: SolvedRows, rng: np.random.Generator) -> float:
    """The mean squared distance over rows, or many of them, weighted as play comes to them."""
    some = rng.permutation(len(rows.nodes))[:SEEN_ROWS]
    part = chosen_rows(rows, some)
    return float(np.average(fit.errors(part), weights=part.weights))
