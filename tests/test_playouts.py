"""Compiled random hands are the emulator's hands."""

from __future__ import annotations

import numpy as np
import pytest

from env.betting_tree import DECISION
from env.compiler import compile_tree
from env.emulator import make_emulator
from env.game import Game, load_game
from env.playouts import random_playouts
from env.rules import HULH, PRESETS, Rules


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_playouts_pay_what_the_emulator_pays(rules: Rules) -> None:
    emulator = make_emulator(rules)
    tree = compile_tree(emulator)
    hands = random_playouts(Game(rules, tree), 150, np.random.default_rng(0))
    for cards, node, payoff in zip(*hands, strict=True):
        state = emulator.start(cards)
        for step in list(tree.path(node))[1:]:
            state = emulator.act(state, int(tree.action[step]))
        assert state.is_terminal
        assert emulator.payoffs(state) == (payoff, -payoff)
        assert state.history == tree.text(node)


def test_actions_are_uniform_among_the_legal() -> None:
    tree = load_game(HULH).tree
    n = 200_000
    nodes = random_playouts(Game(HULH, tree), n, np.random.default_rng(1)).nodes
    assert (tree.node_type[nodes] != DECISION).all()
    reached = np.zeros(len(tree))
    np.add.at(reached, nodes, 1)
    for node in range(len(tree) - 1, 0, -1):  # children before parents
        reached[tree.parent[node]] += reached[node]
    expected = np.zeros(len(tree))
    expected[0] = n
    for node in range(1, len(tree)):
        parent = tree.parent[node]
        expected[node] = expected[parent] / tree.legal[parent].sum()
    common = expected > 50
    deviation = (reached - expected)[common] / np.sqrt(expected[common])
    assert common.sum() > 300
    assert np.abs(deviation).max() < 5
    assert 0.8 < (deviation**2).mean() < 1.2, "neither too random nor too regular"
