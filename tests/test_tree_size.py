"""Counting the nodes of a betting tree from its rules alone."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from env.compiler import TreeTooLarge, compile_tree
from env.emulator import make_emulator
from env.game import load_game
from env.rules import HULH, LEDUC, PRESETS, Rules, parse_rules
from env.tree_size import count_nodes
from tests.direct_tree import direct_tree


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_presets_have_as_many_nodes_as_their_trees(rules: Rules) -> None:
    assert count_nodes(rules) == len(load_game(rules).tree)


@pytest.mark.parametrize("seed", range(24))
def test_random_rules_have_as_many_nodes_as_a_tree_written_down(seed: int) -> None:
    rng = np.random.default_rng(seed)
    like = HULH if seed % 2 else LEDUC
    streets = int(rng.integers(1, like.streets + 1))
    rules = dataclasses.replace(
        like,
        streets=streets,
        bet_sizes=tuple(rng.integers(like.big_blind_chips, 40, streets)),
        max_raises=tuple(rng.integers(0, 5, streets)),
        stack=int(rng.integers(10, 200)),
    )
    assert count_nodes(rules) == len(direct_tree(rules))


def test_too_large_a_tree_is_refused_before_a_hand_is_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    emulator = make_emulator(parse_rules("hulh:max_raises=9/9/9/9"))
    monkeypatch.setattr(type(emulator), "act", None)
    with pytest.raises(TreeTooLarge, match="405,442 betting sequences, more than the 65,536"):
        compile_tree(emulator)


@pytest.mark.parametrize(
    "text", ["hulh:max_raises=99999999/1/1/1", "leduc:max_raises=40000/40000,bet_sizes=1/1"]
)
def test_caps_without_end_are_refused_at_once(text: str) -> None:
    with pytest.raises(TreeTooLarge, match="at least"):
        compile_tree(make_emulator(parse_rules(text)))
