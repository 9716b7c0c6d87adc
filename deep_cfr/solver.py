"""Deep CFR (Brown et al. 2019, Algorithm 1) with Linear CFR weights or Discounted CFR.

For t = 1, 2, …: for each player, traverse, add the samples to the memories and fit that player's
advantage network from scratch. The average-strategy network is fitted on demand, from the
strategy memory. Algorithm 2, the traversal, is in `deep_cfr.sampling`.

Given a frozen policy, both players train against it in the other seat instead of against each
other, and the strategy memory stays empty: the advantages then are those of a best response.

Every random choice comes from a generator keyed by (seed, purpose, t, player, …), so what happens
at iteration t depends on the memories and networks alone and not on when the run was interrupted or
how often it was evaluated. Traversals are made in chunks (`deep_cfr.sampling.chunks`), by this
process or by `workers`; their samples are added in the order of the chunks, so the result does not
depend on who made them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deep_cfr.config import DCFR, Config
from deep_cfr.endgame.learner import EndgameLearner, LearnedEndgames
from deep_cfr.fitting.discounting import discounted_regrets
from deep_cfr.fitting.merging import merge
from deep_cfr.fitting.strength_regression import (
    ADVANTAGE_RIDGE,
    STRATEGY_RIDGE,
    StrengthRegression,
    rounded_strategy_table,
)
from deep_cfr.fitting.trainer import FitResult, Trainer
from deep_cfr.memory import Reservoir
from deep_cfr.networks.encoding import make_encoding
from deep_cfr.networks.network import Network, initial_weights, make_network
from deep_cfr.networks.network_policy import NetworkPolicy, average_strategy_policy
from deep_cfr.networks.numpy_policy import NumpyPolicy
from deep_cfr.networks.plain_network import PlainNetwork
from deep_cfr.sampling.chunk_check import chunk_problem
from deep_cfr.sampling.chunks import ChunkSampler, ChunkSamples, sample_chunk
from deep_cfr.sampling.played_table import PlayedTable, own_rows
from deep_cfr.sampling.samples import Samples
from env.arrays import Bools, Floats
from env.game import Game
from env.progress import NewBar, no_bar
from policies.policy import Policy
from workers.in_process import InProcess
from workers.tasks import Job, Report, Shared, Task, Workers

PLAYERS = (0, 1)
# Purposes of randomness; those of the traversals are in `deep_cfr.sampling.chunks`.
_FIT, _STRATEGY_FIT, _ENDGAME, _RESERVOIR, SHRINKING = 1, 2, 3, 6, 7


@dataclass
class Iteration:
    """What one iteration did. Lists are by traverser."""

    t: int
    infosets: int = 0
    nodes: int = 0
    seconds_traversing: float = 0.0
    seconds_fitting: float = 0.0
    values: list[float] = field(default_factory=lambda: [0.0, 0.0])  # mean root value, big blinds
    fits: list[FitResult] = field(default_factory=list)
    action_counts: list[NDArray[np.float64]] = field(default_factory=list)  # opponent's, [S, 3]
    work: Report = field(default_factory=Report)  # of whoever made the traversals

    @property
    def action_shares(self) -> list[NDArray[np.float64]]:
        """How often the opponent took each action on each street, by traverser. [S, 3]"""
        return [c / np.maximum(c.sum(axis=1, keepdims=True), 1) for c in self.action_counts]


class Solver:
    """The state of a run between iterations, and the step from one to the next.

    `new_bar` opens a progress bar for a piece of work; `frozen` is a policy to exploit; `workers`
    make the traversals and solve subgames, without them this process does; `runs_own_code` allows
    a network of the user's own (`deep_cfr.networks.own_network`).
    """

    def __init__(
        self,
        config: Config,
        game: Game,
        new_bar: NewBar = no_bar,
        frozen: Policy | None = None,
        workers: Workers | None = None,
        runs_own_code: bool = False,
    ) -> None:
        self.config, self.game = config.for_game(game.rules), game
        self._frozen, self._new_bar, self._runs_own_code = frozen, new_bar, runs_own_code
        self.workers: Workers = workers or InProcess()
        self._sampler = Shared(ChunkSampler(self.config, game))
        self.encoding = make_encoding(self.config.network, game, self.config.strength)
        self.t = 0  # iterations done
        self.nodes_touched = 0
        self.advantage_memories = tuple(Reservoir(self.config.advantage_memory) for _ in PLAYERS)
        self.strategy_memory = Reservoir(self.config.strategy_memory)
        self.advantage_regressions = tuple(
            StrengthRegression(self.encoding, ADVANTAGE_RIDGE)
            for _ in PLAYERS
            if self.config.strength_regression
        )
        self.strategy_regression = (
            StrengthRegression(self.encoding, STRATEGY_RIDGE)
            if self.config.strategy_regression and frozen is None
            else None
        )
        self.advantage_nets = tuple(self._untrained() for _ in PLAYERS)
        self._played: list[_Played] = []  # by player, while iterating
        self._own_rows = tuple(own_rows(self.encoding, player) for player in PLAYERS)
        self._advantage_trainer = self._advantage_loop()
        self._strategy_trainer = Trainer(
            self._strategy_net(),
            self.config.strategy_batch_size,
            merging=partial(merge, power=self.config.average_power),
        )
        self._average_policy = average_strategy_policy(self._strategy_trainer.network)
        self._endgames = EndgameLearner(self.config, self.encoding, new_bar, self.workers)

    def iterate(self) -> Iteration:
        """One CFR iteration: both players traverse and learn.

        If it is ended by an exception, such as one that `new_bar` raises to stop it, the solver
        stays what it was before.
        """
        done = Iteration(self.t + 1)
        done.action_counts = [np.zeros((self.game.rules.streets, 3)) for _ in PLAYERS]
        rounds, before = self.config.rounds, self.workers.report()
        with self._all_or_nothing():
            self._played = [
                _Played.of(net, own)
                for net, own in zip(self.advantage_nets, self._own_rows, strict=True)
            ]
            for number in range(rounds):
                for player in PLAYERS:
                    self._traverse(done, player, number)
                    self._fit(done, player, is_last_round=number == rounds - 1)
        done.work = self.workers.report().since(before)
        self.t = done.t
        self.nodes_touched += done.nodes
        return done

    def fit_strategy(self) -> tuple[NetworkPolicy, FitResult]:
        """The average strategy so far, fitted from scratch; changes nothing that iterating reads.

        The returned policy is overwritten by the next call.
        """
        settings, trainer = self.config.strategy_fit(), self._strategy_trainer
        if self.strategy_regression:
            table = self.strategy_regression.solve(self.t)
            trainer.network.set_strength_table(rounded_strategy_table(table))
        rng = self._rng(_STRATEGY_FIT, self.t)
        progress = self._new_bar("average strategy", settings.updates)
        result = trainer.fit(self.strategy_memory.rows, settings, rng, progress)
        return self._average_policy, result

    def learn_endgames(self, average: Policy) -> LearnedEndgames:
        """The average strategy with its last streets learned from solved subgames, if any are.

        Changes nothing that iterating reads; what is returned is overwritten by the next call.
        """
        return self._endgames.learn(average, [self.config.seed, _ENDGAME, self.t])

    @property
    def policies(self) -> tuple[NumpyPolicy, NumpyPolicy]:
        """What both players play now."""
        first, second = (net.policy() for net in self.advantage_nets)
        return first, second

    def weights(self) -> list[list[Floats]]:
        """Both advantage networks' weights."""
        return [net.get_weights() for net in self.advantage_nets]

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Whatever an iteration changes is taken back if it ends in an exception."""
        with ExitStack() as stack:
            for memory in (*self.advantage_memories, self.strategy_memory):
                stack.enter_context(memory.all_or_nothing())
            for regression in (*self.advantage_regressions, self.strategy_regression):
                if regression is not None:
                    stack.enter_context(regression.all_or_nothing())
            for network in self.advantage_nets:
                stack.enter_context(network.all_or_nothing())
            yield

    def _traverse(self, done: Iteration, player: int, number: int) -> None:
        """One round's share of a player's traversals."""
        start = time.perf_counter()
        sampler = self._sampler.value
        tasks = [
            Task((chunk,), sampler.size(chunk)) for chunk in sampler.chunks(done.t, player, number)
        ]
        progress = self._new_bar(f"traversals p{player}", sampler.traversals(number))
        rng = self._rng(_RESERVOIR, done.t, player, number)
        for chunk in self.workers.run(self._sampling(player), tasks, progress):
            self._add(chunk, player, rng)
            samples = chunk.samples
            done.infosets += samples.infosets
            done.nodes += samples.nodes
            done.values[player] += samples.value * chunk.num_traversals / self.config.traversals
            done.action_counts[player] += self._action_counts(samples)
        done.seconds_traversing += time.perf_counter() - start

    def _sampling(self, traverser: int) -> Job[ChunkSamples]:
        """What a round's chunks share: who sits where when this player traverses."""
        shared: list[Shared[Any]] = [self._sampler]
        for player in PLAYERS:
            if player == traverser or self._frozen is None:
                shared += [self._played[player].network, self._played[player].table]
            else:
                shared += [Shared(self._frozen), Shared(None)]
        return Job(sample_chunk, tuple(shared), self._chunk_problem)

    def _chunk_problem(self, task: Task, result: object) -> str | None:
        (chunk,) = task.arguments
        return chunk_problem(result, chunk, self._sampler.value, self.encoding)

    def _add(self, chunk: ChunkSamples, player: int, rng: np.random.Generator) -> None:
        """Take a chunk's samples into the memories and strength regressions."""
        samples = chunk.samples
        self.advantage_memories[player].add(samples.advantages, rng)
        if self._frozen is None:
            self.strategy_memory.add(samples.strategies, rng)
        own = self.advantage_regressions[player] if self.advantage_regressions else None
        for regression, rows, pairs in (
            (own, samples.advantages, chunk.advantage_pairs),
            (self.strategy_regression, samples.strategies, chunk.strategy_pairs),
        ):
            if regression and self.config.boards:
                for part in pairs:
                    regression.add(*part)
            elif regression:
                regression.add_memory_rows(rows)

    def _fit(self, done: Iteration, player: int, is_last_round: bool) -> None:
        """Solve the strength regression, if any; at the end of an iteration fit the network."""
        start = time.perf_counter()
        network, trainer = self.advantage_nets[player], self._advantage_trainer
        if self.advantage_regressions:
            table = self.advantage_regressions[player].solve(done.t)
            network.set_strength_table(table)
            trainer.network.set_strength_table(table)
            self._played[player].set_table(table)
        if is_last_round and self.config.refits(done.t):
            settings = self.config.advantage_fit(done.t)
            rng, rows = self._rng(_FIT, done.t, player), self.advantage_memories[player].rows
            progress = self._new_bar(f"advantage net p{player}", settings.updates)
            done.fits.append(trainer.fit(rows, settings, rng, progress))
            network.set_learned(trainer.network.get_learned())
            self._played[player].network = Shared(network.plain())
        elif is_last_round:
            done.fits.append(FitResult())
        done.seconds_fitting += time.perf_counter() - start

    def _action_counts(self, samples: Samples) -> NDArray[np.float64]:
        """Expected actions of the opponent, by street. [S, 3]"""
        counts = np.zeros((self.game.rules.streets, 3))
        streets = self.game.tree.street[samples.strategies["node"]]
        for action in range(3):
            weights = samples.strategies["targets"][:, action]
            counts[:, action] = np.bincount(streets, weights, minlength=len(counts))
        return counts

    def _rng(self, *key: int) -> np.random.Generator:
        return np.random.default_rng([self.config.seed, *key])

    def _advantage_net(self) -> Network:
        has_table = bool(self.advantage_regressions)
        return self._network(False, has_table)

    def _strategy_net(self) -> Network:
        has_table = self.strategy_regression is not None
        return self._network(True, has_table)

    def _network(self, is_strategy: bool, has_table: bool) -> Network:
        width, own = self.config.width, self._runs_own_code
        return make_network(self.encoding, width, is_strategy, has_table, own)

    def _advantage_loop(self) -> Trainer:
        """What fits both players' advantage networks."""
        merging = discounted_regrets if self.config.weighting == DCFR else merge
        return Trainer(self._advantage_net(), self.config.batch_size, merging=merging)

    def _untrained(self) -> Network:
        network = self._advantage_net()
        network.set_learned(initial_weights(network, np.random.default_rng(0), zero=True))
        return network


@dataclass
class _Played:
    """A player's network and strength table as traversals share them."""

    network: Shared[PlainNetwork]
    own_rows: Bools  # [R]
    table: Shared[PlayedTable | None]

    @classmethod
    def of(cls, network: Network, own: Bools) -> _Played:
        played = cls(Shared(network.plain()), own, Shared(None))
        if network.strength_table is not None:
            played.set_table(network.strength_table.numpy())
        return played

    def set_table(self, table: Floats) -> None:
        """What traversals play from now on."""
        self.table = Shared(PlayedTable(table, self.own_rows))
