"""Learning the last streets of an average strategy anew, from solved subgames.

A network that is fitted to samples is at its worst where the game is largest, on the last streets.
There the rest of a hand is small enough to be solved, with ranges that the average strategy brings,
and solutions carry no noise of sampled cards. Earlier streets are learned first: the ranges with
which subgames of the last street begin are then those of what is played on the street before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from deep_cfr.config import Config
from deep_cfr.endgame.fitting import EndgameFit
from deep_cfr.endgame.grid import Grid, grid_of
from deep_cfr.endgame.network import EndgameNetwork, make_endgame_network
from deep_cfr.endgame.policy import ByStreet
from deep_cfr.endgame.shape import subgames_by_street
from deep_cfr.endgame.solutions import SolvedRows, chosen_rows, joined, solved_rows_problem
from deep_cfr.endgame.teacher import Teacher, solve_chunk
from deep_cfr.networks.encoding import Encoding
from deep_cfr.networks.network_policy import NetworkPolicy
from env.betting_tree import BettingTree
from env.progress import NewBar
from policies.policy import Policy
from workers.in_process import InProcess
from workers.tasks import Job, Shared, Task, Workers

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

    def __init__(
        self, config: Config, encoding: Encoding, new_bar: NewBar, workers: Workers | None = None
    ) -> None:
        self._config, self._encoding, self._new_bar = config, encoding, new_bar
        self._workers: Workers = workers or InProcess()
        self._counts = subgames_by_street(config, encoding.game.rules)
        self._fits: dict[int, EndgameFit] = {}

    def learn(self, policy: Policy, key: list[int]) -> LearnedEndgames:
        """Solve and fit, street by street; all randomness comes from generators with this key."""
        game = self._encoding.game
        base = policy = policy.network.policy() if isinstance(policy, NetworkPolicy) else policy
        networks, distances = {}, {}
        for street, count in self._counts.items():
            rng = np.random.default_rng([*key, street])
            unseen_count = max(round(count * UNSEEN_SHARE), LEAST_UNSEEN)
            unseen, rows = self._solved(policy, street, (unseen_count, count), key)
            fit, settings = self._fit(street), self._config.endgame_fit()
            name = f"{game.rules.street_names[street]} network"
            fit.fit(rows, settings, rng, self._new_bar(name, settings.updates))
            networks[street] = fit.network
            distances[street] = Distance(
                seen=_mean_error(fit, rows, rng), unseen=_mean_error(fit, unseen, rng)
            )
            taught = {street: network.policy() for street, network in networks.items()}
            policy = ByStreet(game.tree, base, taught)
        return LearnedEndgames(policy, networks, distances)

    def _solved(
        self, policy: Policy, street: int, counts: tuple[int, int], key: list[int]
    ) -> list[SolvedRows]:
        """Rows of so many subgames of a street that are held back, and of so many to learn from."""
        game = self._encoding.game
        teacher = Shared(Teacher(game, policy, street))
        check = partial(_problem, game.tree, grid_of(game.rules, street))
        job = Job(solve_chunk, (teacher,), check)
        progress = self._new_bar(f"{game.rules.street_names[street]} subgames", sum(counts))
        found = []
        for part, count in enumerate(counts, start=1):
            sizes = enumerate(teacher.value.sizes(count))
            tasks = [Task((size, [*key, street, part, number]), size) for number, size in sizes]
            found.append(joined(list(self._workers.run(job, tasks, progress))))
        return found

    def _fit(self, street: int) -> EndgameFit:
        """The compiled loop of a street's network, made once."""
        if street not in self._fits:
            grid = grid_of(self._encoding.game.rules, street)
            network = make_endgame_network(self._encoding, street, grid, self._config.endgame_width)
            self._fits[street] = EndgameFit(network, self._config.endgame_fit().batch_size)
        return self._fits[street]


def _problem(tree: BettingTree, grid: Grid, task: Task, found: object) -> str | None:
    """What is wrong with the rows of solved subgames that came back; None if nothing is."""
    if not isinstance(found, SolvedRows):
        return f"an answer that is no rows of subgames but {type(found).__name__}"
    return solved_rows_problem(found, tree, grid)


def _mean_error(fit: EndgameFit, rows: SolvedRows, rng: np.random.Generator) -> float:
    """The mean squared distance over rows, or many of them, weighted as play comes to them."""
    some = rng.permutation(len(rows.nodes))[:SEEN_ROWS]
    part = chosen_rows(rows, some)
    return float(np.average(fit.errors(part), weights=part.weights))
