"""Callbacks of range sampling receive every (hand, node) pair; shared views change nothing."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from deep_cfr.networks.encoding import make_encoding
from deep_cfr.networks.network import initial_weights, make_network
from deep_cfr.networks.network_policy import NetworkPolicy, regret_matching_policy
from deep_cfr.sampling import range_sampling
from deep_cfr.sampling.range_dealing import (
    RangeTable,
    deal_ranges,
)
from deep_cfr.sampling.range_sampling import RangeSampling, traverse_ranges
from env.arrays import Doubles, Floats, Nodes
from env.game import Game, load_game
from env.views import Views
from policies.fixed import TabularPolicy
from policies.policy import Policy
from tests.policies import hashed_pair


class Heard(NamedTuple):
    """What a callback was given: one row for every hand at every node."""

    nodes: Nodes
    buckets: NDArray[np.uint8]
    strength_bytes: NDArray[np.uint8]
    weights: Floats
    targets: Floats


def sample(what: str, sampling: RangeSampling, game: Game) -> tuple[NDArray[np.void], Heard]:
    """The memory rows of advantages or strategies, and what its callback was given."""
    calls: list[Heard] = []

    def callback(*columns: Any) -> None:
        calls.append(Heard(*columns))

    if what == "advantages":
        sampling = sampling._replace(on_advantages=callback)
    else:
        sampling = sampling._replace(on_strategies=callback)
    samples = traverse_ranges(game, hashed_pair(game.tree), sampling, np.random.default_rng(0))
    heard = Heard(*(np.concatenate(column) for column in zip(*calls, strict=True)))
    return getattr(samples, what), heard


@pytest.mark.parametrize("what", ["advantages", "strategies"])
def test_callbacks_receive_every_pair_in_the_proportions_in_which_rows_are_drawn(
    monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """With very many rows drawn from few boards, both say the same of each node and each hand."""
    game, tables = load_game("hulh:max_raises=1/1/1/1"), []

    def remembered(*arguments: Any) -> RangeTable:
        tables.append(deal_ranges(*arguments))
        return tables[-1]

    monkeypatch.setattr(range_sampling, "deal_ranges", remembered)
    sampling = RangeSampling(
        traverser=1, t=3, num_traversals=400_000, num_boards=5, num_hands=6, keep_strength=True
    )
    rows, heard = sample(what, sampling, game)
    drawn_per_weight = sampling.num_traversals / 5 / tables[0].pairs * 6 / sampling.t
    buckets = Views(game, rows["cards"]).buckets(np.arange(len(rows)))
    drawn = Heard(rows["node"], buckets, rows["strength"], np.ones(len(rows), "f"), rows["targets"])
    weight_of, count_of = sums_by_hand(heard), sums_by_hand(drawn)
    assert len(count_of) > 500
    for hand, (count, *sums) in count_of.items():
        weight, *weighted = weight_of[hand]
        # Each of the few rows that look alike is drawn as often as expected, up or down.
        assert count == pytest.approx(weight * drawn_per_weight, abs=5)
        np.testing.assert_allclose(
            np.array(sums) / count, np.array(weighted) / weight, atol=20 / count + 1e-4
        )


def sums_by_hand(rows: Heard) -> dict[int, Doubles]:
    """Σ weight and Σ weight · target of rows with the same node, bucket and strength. [4] each"""
    keys = (rows.nodes.astype(np.int64) * 256 + rows.buckets) * 256 + rows.strength_bytes
    distinct, group = np.unique(keys, return_inverse=True)
    weights = rows.weights.astype(np.float64)
    columns = [weights, *(weights * rows.targets[:, action] for action in range(3))]
    sums = np.stack([np.bincount(group, column) for column in columns], axis=1)
    return dict(zip(distinct.tolist(), sums, strict=True))


def network_with_table(game: Game, seed: int) -> NetworkPolicy:
    """A small network of random weights over a random strength table."""
    rng = np.random.default_rng(seed)
    encoding = make_encoding("paper", game, strength=True)
    network = make_network(encoding, 16, has_strength_table=True)
    weights = initial_weights(network, rng)
    network.set_learned([w + rng.normal(0, 0.3, w.shape).astype(np.float32) for w in weights])
    assert network.strength_table is not None
    network.set_strength_table(rng.normal(size=network.strength_table.shape).astype(np.float32))
    return regret_matching_policy(network)


def test_networks_that_share_views_play_as_each_would_alone() -> None:
    """Strengths and buckets are worked out once for both seats and the samples."""
    game = load_game("hulh80")
    networks = (network_with_table(game, 1), network_with_table(game, 2))
    alone: tuple[Policy, Policy] = (
        TabularPolicy(networks[0].strategies),
        TabularPolicy(networks[1].strategies),
    )
    sampling = RangeSampling(0, 1, 500, num_boards=3, num_hands=6, keep_strength=True)
    shared, single = (
        traverse_ranges(game, seats, sampling, np.random.default_rng(5))
        for seats in (networks, alone)
    )
    for mine, theirs in (
        (shared.advantages, single.advantages),
        (shared.strategies, single.strategies),
    ):
        for name in ("cards", "node", "strength"):
            np.testing.assert_array_equal(mine[name], theirs[name])
        np.testing.assert_allclose(mine["targets"], theirs["targets"], atol=1e-3)
        levels = Views(game, mine["cards"]).strength_bytes(np.arange(len(mine)))
        np.testing.assert_array_equal(mine["strength"], levels)
    assert len(shared.advantages) > 1000
