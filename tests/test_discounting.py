"""Discounted CFR from samples: against a plain loop over iterations, and against OpenSpiel's."""

from __future__ import annotations

import numpy as np
import pyspiel
import pytest
from numpy.typing import NDArray
from open_spiel.python.algorithms import discounted_cfr

from deep_cfr.config import Config, ConfigError
from deep_cfr.fitting.discounting import discounted_regrets
from deep_cfr.fitting.merging import merge
from deep_cfr.memory import make_rows
from deep_cfr.memory_average import memory_average
from env.game import load_game
from env.rules import HULH, KUHN, LEDUC

ALL_LEGAL = np.ones((8, 3), np.float32)


def samples(seed: int, n: int = 900, infosets: int = 7, last: int = 25) -> NDArray[np.void]:
    """Rows of some infosets from random iterations, in random order; node = infoset."""
    rng = np.random.default_rng(seed)
    nodes = rng.integers(0, infosets, n)
    cards = np.full((n, 7), 52, np.uint8)
    rows = make_rows(cards, nodes, 1, rng.normal(0.2, 2, (n, 3)).astype(np.float32))
    rows["t"] = rng.integers(1, last + 1, n)
    rows["t"][rows["node"] == 3] = rng.choice([4, 17])  # seldom met
    return rows


def plainly(rows: NDArray[np.void], infoset: int) -> NDArray[np.float64]:
    """The regrets of an infoset, iteration by iteration as DCFR is printed."""
    regrets = np.zeros(3)
    for t in range(1, int(rows["t"].max()) + 1):
        here = rows[(rows["t"] == t) & (rows["node"] == infoset)]
        regrets = regrets + here["targets"].astype(np.float64).sum(axis=0)
        regrets *= np.where(regrets > 0, t**1.5 / (t**1.5 + 1), 0.5)
    return regrets


@pytest.mark.parametrize("seed", range(4))
def test_regrets_are_those_of_a_plain_loop_up_to_their_scale(seed: int) -> None:
    rows = samples(seed)
    merged = discounted_regrets(rows, ALL_LEGAL)
    assert sorted(merged.rows["node"]) == sorted(set(rows["node"]))
    for row, weight in zip(merged.rows, merged.weights, strict=True):
        expected = plainly(rows, int(row["node"]))
        np.testing.assert_allclose(row["targets"], expected / np.abs(expected).max(), atol=1e-5)
        share = np.mean(rows["node"] == row["node"])
        assert weight == pytest.approx(share + 1 / len(merged.rows))


def test_illegal_actions_do_not_set_the_scale() -> None:
    rows = samples(9)
    legal = ALL_LEGAL.copy()
    legal[:, 0] = 0
    merged = discounted_regrets(rows, legal)
    assert not merged.rows["targets"][:, 0].any()
    np.testing.assert_allclose(np.abs(merged.rows["targets"]).max(axis=1), 1, rtol=1e-6)


def test_exact_regrets_lead_to_the_strategies_of_openspiel() -> None:
    """Kuhn without sampling: OpenSpiel's instantaneous regrets as samples, its regrets back."""
    game = pyspiel.load_game("kuhn_poker")
    solver = discounted_cfr.DCFRSolver(game, alpha=1.5, beta=0, gamma=2)
    nodes = solver._info_state_nodes
    numbers = {name: number for number, name in enumerate(nodes)}
    memory: list[NDArray[np.void]] = []
    before = {name: np.zeros(2) for name in nodes}
    for t in range(1, 30):
        solver.evaluate_and_update_policy()
        for name, node in nodes.items():
            after = np.array([node.cumulative_regret[a] for a in range(2)])
            undone = after / np.where(after > 0, t**1.5 / (t**1.5 + 1), 0.5)
            target = np.append(undone - before[name], 0).astype(np.float32)
            row = make_rows(np.full((1, 7), 52, np.uint8), np.array([numbers[name]]), t, target)
            memory.append(row)
            before[name] = after
    legal = np.tile(np.array([1, 1, 0], np.float32), (len(nodes), 1))
    merged = discounted_regrets(np.concatenate(memory), legal)
    for row in merged.rows:
        (name,) = (name for name, number in numbers.items() if number == row["node"])
        theirs = before[name] / np.abs(before[name]).max()
        np.testing.assert_allclose(row["targets"][:2], theirs, atol=1e-3)


def test_averages_weight_iterations_by_t_squared() -> None:
    rows = samples(3)
    merged = merge(rows, ALL_LEGAL, power=2)
    for row in merged.rows:
        own = rows[rows["node"] == row["node"]]
        weights = own["t"].astype(float) ** 2
        mean = weights @ own["targets"].astype(float) / weights.sum()
        np.testing.assert_allclose(row["targets"], mean, atol=1e-5)
    tree = load_game("kuhn").tree
    answers = memory_average(rows, tree, power=2)
    asked = merged.rows[merged.rows["node"] == 0]
    found = answers.strategies(np.ascontiguousarray(asked["cards"]), np.array([0]))
    np.testing.assert_allclose(found, asked["targets"], atol=1e-6)


def test_where_the_strength_regression_weights_by_t_it_is_off_or_refused() -> None:
    discounted = Config(weighting="dcfr")
    assert discounted.for_game(HULH).weighting == "linear"
    with pytest.raises(ConfigError, match="strength regression weights iterations by t"):
        discounted.for_game(HULH, named=["weighting"])
    alone = Config(weighting="dcfr", strength_regression=False)
    assert alone.for_game(HULH, named=["weighting"]).weighting == "dcfr"
    for rules in (KUHN, LEDUC):
        assert discounted.for_game(rules, named=["weighting"]).average_power == 2
    with pytest.raises(ConfigError, match="validation_fraction must be 0"):
        Config(weighting="dcfr", validation_fraction=0.1)
