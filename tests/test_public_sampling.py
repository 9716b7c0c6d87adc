"""Whole ranges on boards leave what single deals leave, without their noise."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from deep_cfr.config import Config, ConfigError
from deep_cfr.merging import merge
from deep_cfr.public_sampling import traverse_boards
from deep_cfr.range_dealing import dealt_first, spread
from deep_cfr.range_sampling import traverse_ranges
from deep_cfr.solver import Solver
from deep_cfr.traversal import Samples, traverse
from env.rules import Rules, parse_rules
from tests.brute_force import BruteForce, tree_of
from tests.policies import Hashed

TRAVERSALS = 60_000
GAMES = [  # and hands per board, 0 = all
    ("kuhn", 0),
    ("leduc", 0),
    ("leduc:stack=4", 0),  # all-in before the board card
    ("fhp:ranks=JQKA,suits=cd,max_raises=1/1", 0),
    ("kuhn", 3),
    ("leduc", 3),
    ("leduc:stack=4", 5),
    ("fhp:ranks=JQKA,suits=cd,max_raises=1/1", 10),
    ("fhp:ranks=9TJQKA,suits=cd,max_raises=1/1", 15),
]


def both(rules: Rules, traverser: int, num_hands: int) -> tuple[Samples, Samples]:
    """Samples of single deals and of many hands, under the same policies."""
    tree = tree_of(rules)
    policies = (Hashed(tree, 1), Hashed(tree, 2))
    rng = np.random.default_rng(3)
    single = traverse(rules, tree, policies, traverser, 1, TRAVERSALS, rng)
    game = (rules, tree, policies, traverser, 1, TRAVERSALS)
    if num_hands:
        return single, traverse_ranges(*game, 3000, num_hands, rng)
    return single, traverse_boards(*game, 10_000, rng)


def by_infoset(
    rows: NDArray[np.void], legal: NDArray[np.float32]
) -> dict[tuple[bytes, int], tuple[int, NDArray[np.float32]]]:
    """How many samples there are of each infoset, and their mean."""
    counts = Counter(zip(map(bytes, rows["cards"]), rows["node"].tolist(), strict=True))
    means = {
        (bytes(row["cards"]), int(row["node"])): row["targets"] for row in merge(rows, legal).rows
    }
    return {key: (count, means[key]) for key, count in counts.items()}


@pytest.mark.parametrize(("text", "num_hands"), GAMES)
@pytest.mark.parametrize("traverser", [0, 1])
def test_samples_are_those_of_single_deals(text: str, traverser: int, num_hands: int) -> None:
    rules = parse_rules(text)
    tree = tree_of(rules)
    legal = tree.legal.astype(np.float32)
    single, whole = both(rules, traverser, num_hands)
    for noisy, exact in ((single.advantages, whole.advantages),
                         (single.strategies, whole.strategies)):  # fmt: skip
        ours, theirs = by_infoset(exact, legal), by_infoset(noisy, legal)
        common = [key for key in theirs if theirs[key][0] > 400]
        assert len(common) >= 5
        for key in common:
            count, mean = theirs[key]
            # Visits of one infoset in different deals are independent, those in one deal are one.
            assert ours[key][0] == pytest.approx(count, abs=6 * np.sqrt(count))
            largest = 2 * rules.stack / rules.big_blind_chips
            assert ours[key][1] == pytest.approx(mean, abs=6 * largest / np.sqrt(count))
    assert whole.value == pytest.approx(single.value, abs=0.1)


@pytest.mark.parametrize("text", ["kuhn", "leduc", "fhp:ranks=JQKA,suits=cd,max_raises=1/1"])
def test_the_value_is_exact(text: str) -> None:
    rules = parse_rules(text)
    tree = tree_of(rules)
    policies = (Hashed(tree, 1), Hashed(tree, 2))
    exact = BruteForce(rules, tree, *policies).value() / rules.big_blind_chips
    for traverser, sign in ((0, 1), (1, -1)):
        rng = np.random.default_rng(0)
        whole = traverse_boards(rules, tree, policies, traverser, 1, 100, 10_000, rng)
        assert whole.value == pytest.approx(sign * exact, abs=1e-6)


def test_targets_carry_no_noise_on_the_last_street() -> None:
    """Another seed draws other samples, but the same infoset has the same advantages."""
    rules = parse_rules("leduc")
    tree = tree_of(rules)
    policies = (Hashed(tree, 1), Hashed(tree, 2))
    seen: dict[tuple[bytes, int], NDArray[np.float32]] = {}
    for seed in range(3):
        rng = np.random.default_rng(seed)
        rows = traverse_boards(rules, tree, policies, 0, 1, 300, 10_000, rng).advantages
        for row in rows:
            key = (row["cards"].tobytes(), int(row["node"]))
            assert row["targets"] == pytest.approx(seen.setdefault(key, row["targets"]), abs=1e-5)
    assert len(seen) > 100


def test_few_boards_are_fair_on_average() -> None:
    rules = parse_rules("fhp:ranks=TJQKA,suits=cdh,max_raises=1/1")
    tree = tree_of(rules)
    policies = (Hashed(tree, 1), Hashed(tree, 2))
    all_boards = traverse_boards(rules, tree, policies, 0, 1, 10, 10_000, np.random.default_rng(0))
    values = [
        traverse_boards(rules, tree, policies, 0, 1, 10, 6, np.random.default_rng(seed)).value
        for seed in range(40)
    ]
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    assert error > 0
    assert abs(np.mean(values) - all_boards.value) < 4 * error


def test_the_solver_takes_boards_where_it_can() -> None:
    config = Config(game="leduc", traversals=50, updates=5, batch_size=32, width=8, boards=3)
    rules = parse_rules("leduc")
    solver = Solver(config, rules, tree_of(rules))
    done = solver.iterate()
    assert done.infosets == 2 * (3 * 6 + 3 * 5 * 30)  # hands that look different × decisions
    hulh = parse_rules("hulh")
    with pytest.raises(ConfigError, match="boards"):
        Solver(dataclasses.replace(config, game="hulh"), hulh, tree_of(hulh))


@pytest.mark.parametrize("what", ["advantages", "strategies"])
def test_a_listener_hears_of_every_hand_with_the_weight_it_is_drawn_with(what: str) -> None:
    """With very many samples drawn from few boards, both say the same of each node."""
    rules = parse_rules("leduc")
    tree = tree_of(rules)
    heard: list[tuple[NDArray[np.integer], NDArray[np.float32], NDArray[np.float32]]] = []
    boards, hands, t = 5, 4, 3

    def listen(nodes: Any, _kinds: Any, _marks: Any, weights: Any, targets: Any) -> None:
        heard.append((nodes, weights, targets))

    listener = {"advantages": "tell", "strategies": "tell_strategies"}[what]
    samples = traverse_ranges(
        rules, tree, (Hashed(tree, 1), Hashed(tree, 2)), 1, t, 400_000, boards, hands,
        np.random.default_rng(0), **{listener: listen},
    )  # fmt: skip
    drawn = getattr(samples, what)
    nodes, weights, gains = (np.concatenate(parts) for parts in zip(*heard, strict=True))
    assert (tree.actor[nodes] == (1 if what == "advantages" else 0)).all()
    assert len(nodes) > boards * hands
    share = 400_000 / boards / (hands * (hands - 1))  # samples drawn per pair of hands
    for node in np.unique(drawn["node"]):
        mine, theirs = nodes == node, drawn[drawn["node"] == node]
        total = weights[mine].sum() / t * hands
        assert share * total == pytest.approx(len(theirs), rel=0.01, abs=20)
        mean = (weights[mine, None] * gains[mine]).sum(axis=0) / weights[mine].sum()
        np.testing.assert_allclose(mean, theirs["targets"].mean(axis=0), rtol=0.02, atol=0.02)


def test_hands_drawn_from_strata_meet_as_often_as_any_others() -> None:
    """Hands are drawn equally often, and so are pairs, counted as the deal counts them."""
    rng, hands, strata, draws = np.random.default_rng(3), 13, 3, 60_000
    size = hands // strata
    strength = rng.permutation(hands).astype(np.int32)
    met = np.zeros((hands, hands))
    pair = np.arange(2 * strata) // 2
    counts = np.where(pair[:, None] == pair, 2 * (size - 1) / size, 1.0)
    for _ in range(draws):
        drawn = spread(strength, strata, rng)
        met[np.ix_(drawn, drawn)] += counts
    met = met[~np.eye(hands, dtype=bool)] / draws
    expected = 2 * strata * (2 * strata - 2 / size) / (hands * (hands - 1))
    np.testing.assert_allclose(met, expected, rtol=0.06)


def test_every_flop_is_as_likely_as_any_other_and_they_are_spread() -> None:
    rules, rng = parse_rules("leduc"), np.random.default_rng(4)
    cards = np.concatenate([dealt_first(rules, 4, rng) for _ in range(3_000)])
    ranks = np.bincount(cards[:, 0] // 4, minlength=13)
    np.testing.assert_allclose(ranks[ranks > 0] / len(cards), 1 / 3, atol=0.01)
    assert len(np.unique(dealt_first(rules, 6, rng))) == 3, "each rank, whatever the draw"
