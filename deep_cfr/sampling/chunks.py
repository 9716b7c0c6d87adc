"""The traversals of a round in chunks, each with a generator of its own.

A chunk can be sampled by any process, now or again later, and comes out the same: its generator is
keyed by (seed, purpose, t, player, round, chunk), and networks come as plain arrays whose answers
do not depend on who computes them. How many chunks there are is a setting of the run and has
nothing to do with how many workers there are. The boards of a round are one systematic sample over
all of its chunks: each chunk deals the flops of the whole round and takes its part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from deep_cfr.config import Config
from deep_cfr.networks.numpy_policy import NumpyPolicy
from deep_cfr.networks.plain_network import PlainNetwork
from deep_cfr.sampling.external_sampling import traverse
from deep_cfr.sampling.played_table import PlayedTable
from deep_cfr.sampling.range_dealing import deal_first_cards
from deep_cfr.sampling.range_sampling import RangeSampling, traverse_ranges
from deep_cfr.sampling.samples import Pairs, Samples, joined
from env.arrays import Bytes, Floats, Nodes
from env.cards import Cards
from env.game import Game
from env.progress import Advance
from policies.drawing import in_batches
from policies.policy import Policy

TRAVERSALS_AT_ONCE = 30_000  # single deals walked level by level together; bounds memory
TRAVERSAL, FLOPS = 0, 5  # purposes of randomness; the solver has others


class Chunk(NamedTuple):
    """Names a chunk. What is sampled depends on nothing else, besides the networks."""

    t: int
    traverser: int
    round: int
    number: int


class ChunkSamples(NamedTuple):
    """The samples of a chunk, and what its strength regressions are to take in."""

    samples: Samples
    num_traversals: float
    advantage_pairs: list[Pairs]
    strategy_pairs: list[Pairs]


class Seat(NamedTuple):
    """A player: a network as arrays with its strength table, or any policy."""

    network: PlainNetwork | Policy
    strength_table: PlayedTable | None

    @property
    def policy(self) -> Policy:
        if isinstance(self.network, PlainNetwork):
            table = self.strength_table
            return NumpyPolicy(self.network, None if table is None else table.values)
        return self.network


@dataclass(frozen=True, eq=False)
class ChunkSampler:
    """Makes the chunks of one run."""

    config: Config
    game: Game

    def chunks(self, t: int, traverser: int, number: int) -> list[Chunk]:
        """All chunks of a round, in the order in which their samples are added."""
        available = self._boards(number) if self.config.boards else self.traversals(number)
        count = min(self.config.chunks, available)
        return [Chunk(t, traverser, number, chunk) for chunk in range(count)]

    def traversals(self, number: int) -> int:
        """How many traversals a round has."""
        return share(self.config.traversals, number, self.config.rounds)

    def size(self, chunk: Chunk) -> int:
        """How many traversals of its round a chunk is reported as."""
        count = len(self.chunks(*chunk[:3]))
        return share(self.traversals(chunk.round), chunk.number, count)

    def first_cards(self, chunk: Chunk) -> Cards:
        """The flops of a chunk: its part of a systematic sample for the whole round. [b, f]"""
        num_boards, count = self._boards(chunk.round), len(self.chunks(*chunk[:3]))
        flops = deal_first_cards(self.game.rules, num_boards, self._rng(FLOPS, *chunk[:3]))
        edges = (num_boards * edge // count for edge in (chunk.number, chunk.number + 1))
        return flops[slice(*edges)]

    def sample(self, seats: tuple[Seat, Seat], chunk: Chunk, advance: Advance) -> ChunkSamples:
        """Everything that is sampled in a chunk."""
        policies = (seats[0].policy, seats[1].policy)
        rng = self._rng(TRAVERSAL, *chunk)
        if self.config.boards:
            return self._on_boards(policies, chunk, rng, advance)
        return self._of_deals(policies, chunk, rng, advance)

    def _on_boards(
        self,
        policies: tuple[Policy, Policy],
        chunk: Chunk,
        rng: np.random.Generator,
        advance: Advance,
    ) -> ChunkSamples:
        config, first_cards = self.config, self.first_cards(chunk)
        total = self.traversals(chunk.round) * len(first_cards) / self._boards(chunk.round)
        advantages, strategies = _PairList(), _PairList()
        sampling = RangeSampling(
            traverser=chunk.traverser,
            t=chunk.t,
            num_traversals=total,
            num_boards=len(first_cards),
            num_hands=config.board_hands,
            keep_strength=config.strength,
            on_advantages=advantages.add if config.strength_regression else None,
            on_strategies=strategies.add if config.strategy_regression else None,
            on_progress=_Steps(self.size(chunk), len(first_cards), advance).boards_done,
        )
        samples = traverse_ranges(self.game, policies, sampling, rng, first_cards)
        return ChunkSamples(samples, total, advantages.pairs, strategies.pairs)

    def _of_deals(
        self,
        policies: tuple[Policy, Policy],
        chunk: Chunk,
        rng: np.random.Generator,
        advance: Advance,
    ) -> ChunkSamples:
        parts, sizes, total = [], [], self.size(chunk)
        for count in in_batches(total, TRAVERSALS_AT_ONCE):
            parts.append(
                traverse(
                    self.game,
                    policies,
                    chunk.traverser,
                    chunk.t,
                    count,
                    rng,
                    self.config.strength,
                )
            )
            sizes.append(count)
            advance(count)
        return ChunkSamples(joined(parts, sizes), total, [], [])

    def _boards(self, number: int) -> int:
        return share(self.config.boards, number, self.config.rounds)

    def _rng(self, *key: int) -> np.random.Generator:
        return np.random.default_rng([self.config.seed, *key])


def sample_chunk(
    sampler: ChunkSampler,
    first_network: PlainNetwork | Policy,
    first_table: PlayedTable | None,
    second_network: PlainNetwork | Policy,
    second_table: PlayedTable | None,
    chunk: Chunk,
    advance: Advance,
) -> ChunkSamples:
    """`ChunkSampler.sample` as workers call it: what changes apart is shared apart."""
    seats = Seat(first_network, first_table), Seat(second_network, second_table)
    return sampler.sample(seats, chunk, advance)


def share(total: int, number: int, parts: int) -> int:
    """How many of `total` fall to a part."""
    return total * (number + 1) // parts - total * number // parts


class _PairList:
    """Collects the pairs that range sampling hands out."""

    def __init__(self) -> None:
        self.pairs: list[Pairs] = []

    def add(
        self, nodes: Nodes, buckets: Bytes, strengths: Bytes, weights: Floats, targets: Floats
    ) -> None:
        self.pairs.append(Pairs(nodes.astype(np.uint16), buckets, strengths, weights, targets))


class _Steps:
    """Boards that are done, as traversals of a progress bar."""

    def __init__(self, size: int, num_boards: int, advance: Advance) -> None:
        self._size, self._num_boards, self._advance = size, num_boards, advance
        self._boards = 0

    def boards_done(self, count: int) -> None:
        before, self._boards = self._boards, self._boards + count
        ends = (self._size * boards // self._num_boards for boards in (before, self._boards))
        start, end = ends
        self._advance(end - start)
