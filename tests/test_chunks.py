"""Traversals in chunks: the same samples whoever makes them, and nonsense is found out."""

from __future__ import annotations

import dataclasses
import os
import signal
from typing import Any

import numba
import numpy as np
import pytest

from deep_cfr.memory import ROW
from deep_cfr.networks.network import initial_weights
from deep_cfr.networks.network_policy import regret_matching_policy
from deep_cfr.sampling.chunk_check import chunk_problem
from deep_cfr.sampling.chunks import Chunk, ChunkSampler, ChunkSamples, Seat
from deep_cfr.sampling.played_table import PlayedTable, own_rows
from deep_cfr.sampling.range_dealing import deal_first_cards
from deep_cfr.solver import Solver
from env.game import load_game
from tests.same_runs import DEALS, IN_CHUNKS, after_iterations
from tests.small_runs import assert_same_arrays, infosets, solver_of
from workers.local import LocalWorker
from workers.packing import pack, unpack
from workers.pool import Pool


@pytest.fixture(scope="module")
def solver() -> Solver:
    """A solver whose networks answer something."""
    solver = solver_of(IN_CHUNKS)
    for player, network in enumerate(solver.advantage_nets):
        rng = np.random.default_rng(player)
        weights = initial_weights(network, rng)
        weights[-2] = rng.normal(size=weights[-2].shape).astype(np.float32)
        network.set_learned(weights)
        table = network.strength_table
        assert table is not None
        network.set_strength_table(rng.normal(size=tuple(table.shape)).astype(np.float32))
    return solver


def seats(solver: Solver) -> tuple[Seat, Seat]:
    first, second = (
        Seat(played.network, PlayedTable(table, own_rows(solver.encoding, player)))
        for player, played in enumerate(solver.policies)
        if (table := played.strength_table) is not None
    )
    return first, second


def sampled(solver: Solver, number: int, config: Any = IN_CHUNKS) -> ChunkSamples:
    sampler = ChunkSampler(config, solver.game)
    return sampler.sample(seats(solver), Chunk(2, 0, 0, number), lambda done: None)


def flat(found: ChunkSamples) -> dict[str, Any]:
    pairs = (*found.advantage_pairs, *found.strategy_pairs)
    columns = {f"{n}": value for n, value in enumerate(value for part in pairs for value in part)}
    rows = {"advantages": found.samples.advantages, "strategies": found.samples.strategies}
    return {**rows, **columns}


@pytest.mark.parametrize("config", [IN_CHUNKS, DEALS], ids=["boards", "deals"])
def test_a_chunk_is_the_same_on_one_thread_and_after_a_journey(solver: Solver, config: Any) -> None:
    here = sampled(solver, 1, config)
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        alone = sampled(solver, 1, config)
    finally:
        numba.set_num_threads(threads)
    sampler, places = unpack(pack((ChunkSampler(config, solver.game), seats(solver))))
    away = sampler.sample(places, Chunk(2, 0, 0, 1), lambda done: None)
    assert_same_arrays(flat(here), flat(alone))
    assert_same_arrays(flat(here), flat(away))
    assert len(here.samples.advantages)
    other = sampled(solver, 0, config)
    assert here.samples.advantages.tobytes() != other.samples.advantages.tobytes()


def test_the_chunks_of_a_round_share_one_systematic_sample_of_flops() -> None:
    game = load_game(IN_CHUNKS.game)
    config = dataclasses.replace(IN_CHUNKS, boards=7, rounds=1, chunks=3)
    sampler = ChunkSampler(config, game)
    assert len(sampler.chunks(1, 0, 0)) == 3
    assert sum(map(sampler.size, sampler.chunks(1, 0, 0))) == config.traversals
    few = dataclasses.replace(config, boards=2)
    assert len(ChunkSampler(few, game).chunks(1, 0, 0)) == 2, "none is empty"
    rng = np.random.default_rng([config.seed, 5, 1, 0, 0])
    flops = deal_first_cards(game.rules, 7, rng)
    seen = [sampler.first_cards(chunk) for chunk in sampler.chunks(1, 0, 0)]
    np.testing.assert_array_equal(np.concatenate(seen), flops)


def test_plain_networks_answer_as_keras_does_and_in_any_company(solver: Solver) -> None:
    network = solver.advantage_nets[0]
    cards, nodes = infosets(solver.game, 500, np.random.default_rng(0))
    plain = network.policy()
    wanted = regret_matching_policy(network).strategies(cards, nodes)
    found = plain.strategies(cards, nodes)
    np.testing.assert_allclose(found, wanted, atol=1e-4)
    for part in (slice(0, 1), slice(3, 70), slice(401, 500)):
        np.testing.assert_array_equal(plain.strategies(cards[part], nodes[part]), found[part])


def broken(found: ChunkSamples, name: str) -> object:
    """Samples with one thing wrong."""
    samples = found.samples
    rows, pairs = samples.advantages.copy(), found.advantage_pairs
    if name == "form":
        return samples
    if name == "t":
        rows["t"] = 1
    elif name == "node":
        rows["node"] = 60_000
    elif name == "actor":
        rows = samples.strategies
    elif name == "target":
        rows["targets"][0, 0] = np.nan
    elif name == "rows":
        rows = rows.view(np.uint8)
    elif name == "pairs":
        part = pairs[0]
        pairs = [part._replace(weights=-1 - part.weights), *pairs[1:]]
    elif name == "bucket":
        pairs = [pairs[0]._replace(buckets=np.full_like(pairs[0].buckets, 200))]
    elif name == "lengths":
        pairs = [pairs[0]._replace(nodes=pairs[0].nodes[:-1])]
    elif name == "count":
        return found._replace(num_traversals=1e9)
    elif name == "value":
        return found._replace(samples=samples._replace(value=float("nan")))
    return found._replace(samples=samples._replace(advantages=rows), advantage_pairs=pairs)


def test_nonsense_is_found_out(solver: Solver) -> None:
    found, sampler = sampled(solver, 0), ChunkSampler(IN_CHUNKS, solver.game)
    chunk = Chunk(2, 0, 0, 0)
    assert found.samples.advantages.dtype == ROW
    assert chunk_problem(found, chunk, sampler, solver.encoding) is None
    assert chunk_problem(found, chunk._replace(t=3), sampler, solver.encoding)
    for name in (
        *("form", "t", "node", "actor", "target", "rows"),
        *("pairs", "bucket", "lengths", "count", "value"),
    ):
        assert chunk_problem(broken(found, name), chunk, sampler, solver.encoding), name


def test_any_number_of_workers_and_their_deaths_change_nothing() -> None:
    """Two processes, one of which is killed at the beginning of every iteration."""
    alone, _ = after_iterations(IN_CHUNKS, None, 2)
    members = [LocalWorker("one"), LocalWorker("two")]
    warnings: list[str] = []
    pool = Pool(members, 300.0, warnings.append)

    def kill() -> None:
        pid = members[0].pid
        if pid is not None:
            os.kill(pid, signal.SIGKILL)

    try:
        together, reports = after_iterations(IN_CHUNKS, pool, 2, kill)
    finally:
        pool.close()
    assert_same_arrays(alone, together)
    assert all(report.workers == 2 and report.chunks for report in reports)
