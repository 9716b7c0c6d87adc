"""Deep CFR (Brown et al. 2019, Algorithm 1) with Linear CFR weights.

For t = 1, 2, …: for each player, traverse, add the samples to the memories and fit that player's
advantage network from scratch. The average-strategy network is fitted on demand, from the
strategy memory.

Given a frozen policy, both players train against it in the other seat instead of against each
other, and the strategy memory stays empty: the advantages then are those of a best response.

Every random choice comes from a generator keyed by (seed, purpose, t, player), so what happens at
iteration t depends on the memories and networks alone and not on when the run was interrupted or
how often it was looked at.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from deep_cfr.config import Config, ConfigError
from deep_cfr.encoding import Floats, make_encoding
from deep_cfr.linear_part import STEPS, LinearPart, has_linear_part, strategy_part, without
from deep_cfr.memory import Reservoir
from deep_cfr.networks import Network, initial_weights, make_network
from deep_cfr.policy import (
    NetworkPolicy,
    Policy,
    average_strategy_policy,
    regret_matching_policy,
)
from deep_cfr.progress import Steps, silent
from deep_cfr.public_sampling import MAX_STREETS, traverse_boards
from deep_cfr.range_sampling import traverse_ranges
from deep_cfr.training import FitResult, Trainer
from deep_cfr.traversal import Samples, in_batches, traverse
from env.betting_tree import BettingTree
from env.rules import Rules

PLAYERS = (0, 1)
_TRAVERSAL, _FIT, _STRATEGY_FIT = range(3)  # purposes of randomness


@dataclass
class Iteration:
    """What one iteration did."""

    t: int
    infosets: int = 0
    nodes: int = 0
    seconds_traversing: float = 0.0
    seconds_fitting: float = 0.0
    values: list[float] = field(default_factory=lambda: [0.0, 0.0])  # mean root value, big blinds
    fits: list[FitResult] = field(default_factory=list)
    action_counts: list[NDArray[np.float64]] = field(default_factory=list)  # opponent's, [S, 3]
    # each by traverser

    @property
    def action_shares(self) -> list[NDArray[np.float64]]:
        """How often the opponent took each action on each street, by traverser. [S, 3]"""
        return [c / np.maximum(c.sum(axis=1, keepdims=True), 1) for c in self.action_counts]


class Solver:
    """The state of a run between iterations, and the step from one to the next."""

    def __init__(
        self,
        config: Config,
        rules: Rules,
        tree: BettingTree,
        steps: Steps = silent,
        towers: int = 1,
        frozen: Policy | None = None,
    ) -> None:
        if config.boards and not config.board_hands and rules.streets > MAX_STREETS:
            raise ConfigError(
                f"boards is {config.boards}, but all hands can meet only in games of at most "
                f"{MAX_STREETS} streets and {rules.name} has {rules.streets}; say how many with "
                "board_hands"
            )
        self.config, self.rules, self.tree = config, rules, tree
        self._frozen = frozen
        self._towers = towers
        self._steps = steps
        self.encoding = make_encoding(
            config.network, rules, tree, config.literal_bets, config.strength
        )
        self.t = 0  # iterations done
        self.nodes_touched = 0
        self.advantage_memories = tuple(Reservoir(config.advantage_memory) for _ in PLAYERS)
        self.strategy_memory = Reservoir(config.strategy_memory)
        solved = has_linear_part(config, rules)
        self.linear_parts = tuple(LinearPart(self.encoding) for _ in PLAYERS if solved)
        averages = solved and config.strategy_part and frozen is None
        self.strategy_part = strategy_part(self.encoding) if averages else None
        self.advantage_nets = tuple(self._untrained() for _ in PLAYERS)
        self.policies = tuple(regret_matching_policy(net, towers) for net in self.advantage_nets)
        self._advantage_trainer = self._trainer(is_strategy=False)
        self._strategy_trainer = self._trainer(is_strategy=True)
        self._average_policy = average_strategy_policy(self._strategy_trainer.network, towers)

    def iterate(self) -> Iteration:
        """One CFR iteration: both players traverse and learn."""
        done = Iteration(self.t + 1)
        done.action_counts = [np.zeros((self.rules.streets, 3)) for _ in PLAYERS]
        rounds = self.config.rounds if self.linear_parts else 1
        for number in range(rounds):
            for player in PLAYERS:
                self._traverse(done, player, number, rounds)
                self._fit(done, player, number == rounds - 1)
        self.t = done.t
        self.nodes_touched += done.nodes
        return done

    def fit_strategy(self) -> tuple[NetworkPolicy, FitResult]:
        """The average strategy so far, fitted from scratch; changes nothing that iterating reads.

        The returned policy is overwritten by the next call.
        """
        settings = self.config.strategy_fit()
        if self.strategy_part:
            self._strategy_trainer.network.set_table(self.strategy_part.solve(self.t, STEPS))
        result = self._strategy_trainer.fit(
            self.strategy_memory.rows,
            settings,
            self._rng(_STRATEGY_FIT, self.t),
            self._steps("average strategy", settings.updates),
        )
        return self._average_policy, result

    def weights(self) -> list[list[Floats]]:
        """Both advantage networks' weights."""
        return [net.get_weights() for net in self.advantage_nets]

    def _traverse(self, done: Iteration, player: int, number: int, rounds: int) -> None:
        """This round's share of a player's traversals."""
        start = time.perf_counter()
        rng = self._rng(_TRAVERSAL, done.t, player, *([number] if number else []))
        total = _share(self.config.traversals, number, rounds)
        boards = _share(self.config.boards, number, rounds)
        tell = self._steps(f"traversals p{player}", total)
        for count, samples in self._samples(done.t, player, total, boards, rng):
            self.advantage_memories[player].add(samples.advantages, rng)
            if self._frozen is None:
                self.strategy_memory.add(samples.strategies, rng)
            done.infosets += samples.infosets
            done.nodes += samples.nodes
            done.values[player] += samples.value * count / self.config.traversals
            done.action_counts[player] += self._action_counts(samples)
            tell(count)
        done.seconds_traversing += time.perf_counter() - start

    def _samples(
        self, t: int, player: int, total: int, boards: int, rng: np.random.Generator
    ) -> Iterator[tuple[int, Samples]]:
        """What so many traversals leave behind, batch by batch with their number."""
        config, game = self.config, (self.rules, self.tree, self._seats(player), player, t)
        part = self.linear_parts[player] if self.linear_parts else None
        if config.boards and config.board_hands:
            batch = (total, boards, config.board_hands)
            listeners = [known.add if known else None for known in (part, self.strategy_part)]
            yield total, traverse_ranges(*game, *batch, rng, *listeners)
            return
        counts = [total] if config.boards else in_batches(total, config.traversal_batch)
        for count in counts:
            if config.boards:
                samples = traverse_boards(*game, count, boards, rng)
            else:
                samples = traverse(*game, count, rng)
            if part:
                part.add_rows(samples.advantages)
            if self.strategy_part:
                self.strategy_part.add_rows(samples.strategies)
            yield count, samples

    def _seats(self, traverser: int) -> tuple[Policy, Policy]:
        """Who sits where when this player traverses."""
        opponent = self.policies[1 - traverser] if self._frozen is None else self._frozen
        own = self.policies[traverser]
        return (own, opponent) if traverser == 0 else (opponent, own)

    def _fit(self, done: Iteration, player: int, is_last_round: bool) -> None:
        """Solve the linear part, if there is one; at the end of an iteration fit the network."""
        start = time.perf_counter()
        network = self.advantage_nets[player]
        rows = self.advantage_memories[player].rows
        if self.linear_parts:
            table = self.linear_parts[player].solve(done.t)
            network.set_table(table)
            if is_last_round and self.config.refits(done.t):
                left = without(rows, table, self.encoding)
                network.set_learned(self._learned(done, player, left))
            elif is_last_round:
                done.fits.append(FitResult())
        else:
            network.set_learned(self._learned(done, player, rows))
        done.seconds_fitting += time.perf_counter() - start

    def _learned(self, done: Iteration, player: int, rows: NDArray[np.void]) -> list[Floats]:
        """Weights fitted to some rows."""
        settings = self.config.advantage_fit(done.t)
        tell = self._steps(f"advantage net p{player}", settings.updates)
        # A network that was never fitted is no place to go on from.
        goes_on = self.config.warm_start and self.t > 0
        start_from = self.advantage_nets[player].get_learned() if goes_on else None
        trainer = self._advantage_trainer
        done.fits.append(
            trainer.fit(rows, settings, self._rng(_FIT, done.t, player), tell, start_from)
        )
        return trainer.network.get_learned()

    def _action_counts(self, samples: Samples) -> NDArray[np.float64]:
        """Expected actions of the opponent, by street. [S, 3]"""
        counts = np.zeros((self.rules.streets, 3))
        streets = self.tree.street[samples.strategies["node"]]
        for action in range(3):
            weights = samples.strategies["targets"][:, action]
            counts[:, action] = np.bincount(streets, weights, minlength=self.rules.streets)
        return counts

    def _rng(self, *key: int) -> np.random.Generator:
        return np.random.default_rng([self.config.seed, *key])

    def _network(self, table: bool = False, logs: bool = False) -> Network:
        return make_network(self.encoding, self.config.width, self.config.precision, table, logs)

    def _untrained(self) -> Network:
        network = self._network(bool(self.linear_parts))
        network.set_learned(initial_weights(network, np.random.default_rng(0), zero=True))
        return network

    def _trainer(self, is_strategy: bool) -> Trainer:
        config = self.config
        batch_size = config.strategy_batch_size if is_strategy else config.batch_size
        network = self._network(is_strategy and self.strategy_part is not None, logs=is_strategy)
        return Trainer(network, is_strategy, batch_size, config.clip_norm, self._towers)


def _share(total: int, number: int, rounds: int) -> int:
    """How many of `total` fall to a round."""
    return total * (number + 1) // rounds - total * number // rounds
