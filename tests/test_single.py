"""Single Deep CFR: drawing an iteration per hand and its view from outside are one player."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from deep_cfr.presets import PRESETS
from deep_cfr.single_deep_cfr import SingleDeepCFR
from deep_cfr.solver import Solver
from env.arrays import Floats, Nodes
from env.betting_tree import BettingTree
from env.cards import Cards
from env.deals import canonical_views, deal, showdown_results
from env.game import Game, load_game
from env.rules import KUHN, LEDUC, Rules
from evaluation.best_response import expected_value, exploitability
from models.advantage_nets import load_single, save_advantage_nets
from models.run_state import RunProgress
from policies.fixed import TabularPolicy, uniform_policy
from tests.policies import Hashed
from training.checkpoint import save_latest


def iterations_of(tree: BettingTree, count: int) -> list[tuple[Hashed, Hashed]]:
    return [(Hashed(tree, 2 * t), Hashed(tree, 2 * t + 1)) for t in range(count)]


def test_one_iteration_is_played_as_it_is() -> None:
    tree = load_game(LEDUC).tree
    both = (Hashed(tree, 0, unplayed=0), Hashed(tree, 1, unplayed=0))
    nodes = np.flatnonzero(tree.is_decision)
    views = canonical_views(LEDUC, deal(LEDUC, len(nodes), np.random.default_rng(0)))
    cards = views[np.arange(len(nodes)), tree.actor[nodes], tree.street[nodes]]
    found = SingleDeepCFR(Game(LEDUC, tree), [both]).strategies(cards, nodes)
    for row, node in enumerate(nodes):
        expected = both[tree.actor[node]].strategies(cards[row : row + 1], nodes[row : row + 1])
        np.testing.assert_allclose(found[row], expected[0], atol=1e-6)


@pytest.mark.parametrize("rules", [KUHN, LEDUC], ids=lambda rules: rules.name)
def test_both_views_of_the_player_win_the_same(rules: Rules) -> None:
    """Simulated with an iteration per hand, and exactly by the reach-weighted average."""
    tree = load_game(rules).tree
    single = SingleDeepCFR(Game(rules, tree), iterations_of(tree, 4))
    uniform = uniform_policy(tree)
    exact = expected_value(Game(rules, tree), single, uniform)
    rng, n = np.random.default_rng(1), 60_000
    deals = deal(rules, n, rng)
    views, player = canonical_views(rules, deals), single.for_hands(n, rng)
    nodes = np.zeros(n, np.int32)
    active = np.arange(n)
    while len(active):
        here = nodes[active]
        cards = views[active, tree.actor[here], tree.street[here]]
        mine = tree.actor[here] == 0
        strategies = uniform.strategies(cards, here)
        strategies[mine] = player.strategies(cards[mine], here[mine], active[mine])
        draws = rng.random((len(active), 1))
        actions = (strategies.cumsum(axis=1) < draws * strategies.sum(axis=1, keepdims=True)).sum(1)
        nodes[active] = tree.children[here, np.minimum(actions, 2)]
        active = active[tree.is_decision[nodes[active]]]
    payoffs = tree.payoffs(nodes, showdown_results(deals))
    assert abs(payoffs.mean() - exact) < 4 * payoffs.std() / np.sqrt(n)


def test_iterations_are_drawn_in_proportion_to_t() -> None:
    tree = load_game(KUHN).tree
    single = SingleDeepCFR(Game(KUHN, tree), iterations_of(tree, 4))
    drawn = single.for_hands(100_000, np.random.default_rng(0)).drawn
    np.testing.assert_allclose(np.bincount(drawn) / 100_000, np.arange(1, 5) / 10, atol=0.01)


def test_a_short_run_on_kuhn_converges_without_a_strategy_network(tmp_path: Path) -> None:
    config = dataclasses.replace(PRESETS["kuhn"][1], iterations=25)
    tree = load_game(KUHN).tree
    solver = Solver(config, Game(KUHN, tree))
    for _ in range(config.iterations):
        solver.iterate()
        save_advantage_nets(tmp_path, solver)
    save_latest(tmp_path, solver, RunProgress())
    loaded = load_single(tmp_path)
    assert (loaded.game.rules, loaded.iteration) == (KUHN, 25)
    assert exploitability(loaded.game, loaded.policy).exploitability_chips < 0.06


def test_what_is_never_reached_is_uniform() -> None:
    """In Leduc a player who always calls never comes to a decision after its own raise."""
    tree = load_game(LEDUC).tree

    def always_call(cards: Cards, nodes: Nodes) -> Floats:
        return np.tile(np.array([0, 1, 0], np.float32), (len(nodes), 1))

    policy = TabularPolicy(always_call)
    single = SingleDeepCFR(Game(LEDUC, tree), [(policy, policy)])
    cards = canonical_views(LEDUC, deal(LEDUC, 2, np.random.default_rng(0)))[:, 0, 0]
    nodes = np.array([tree.node("cr"), tree.node("rr")])
    np.testing.assert_allclose(single.strategies(cards, nodes), [[0.0, 1.0, 0.0], [0.5, 0.5, 0.0]])
