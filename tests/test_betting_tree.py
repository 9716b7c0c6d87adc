"""The compiled tree: known sizes, equality with a tree written from the rules, text forms."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from env.actions import ACTION_LETTERS
from env.betting_tree import DECISION, FOLDED, NONE, SHOWDOWN, BettingTree, HistoryError
from env.compiler import TreeTooLarge, walk
from env.emulator import make_emulator
from env.rules import FHP, HULH, HULH_80, KUHN, LEDUC, PRESETS, Rules
from tests.direct_tree import DirectNode, direct_tree
from tests.games import tree_of


@pytest.mark.parametrize(
    ("rules", "decisions", "nodes"),
    [
        (HULH, [8, 70, 630, 5670], 16584),
        (HULH_80, [8, 70, 342, 826], 2812),
        (FHP, [8, 56], 162),
        (LEDUC, [6, 30], 85),
        (KUHN, [4], 9),
        (dataclasses.replace(HULH, name="only the big blind", stack=10), [1, 0, 0, 0], 3),
    ],
    ids=lambda value: value.name if isinstance(value, Rules) else None,
)
def test_known_sizes(rules: Rules, decisions: list[int], nodes: int) -> None:
    tree = tree_of(rules)
    assert tree.decisions_by_street(rules.streets) == decisions
    assert len(tree) == nodes


def as_direct(tree: BettingTree) -> dict[str, DirectNode]:
    """The compiled tree in the oracle's form."""
    return {
        tree.text(node): DirectNode(
            actor=int(tree.actor[node]),
            street=int(tree.street[node]),
            contributions=(int(tree.contributions[node, 0]), int(tree.contributions[node, 1])),
            legal="".join(np.array(list(ACTION_LETTERS))[tree.legal[node]]),
            fold=bool(tree.node_type[node] == FOLDED),
        )
        for node in range(len(tree))
    }


def random_rules(seed: int) -> Rules:
    """Hold'em rules within what PyPokerEngine carries, with stacks that often bind."""
    rng = np.random.default_rng(seed)
    streets = int(rng.integers(1, 5))
    small = int(rng.integers(1, 8))
    return Rules(
        f"random {seed}",
        small_blind=small,
        big_blind=2 * small,
        bet_sizes=tuple((2 * small + rng.integers(0, 3 * small, streets)).tolist()),
        max_raises=tuple(rng.integers(0, 4, streets).tolist()),
        stack=2 * small + int(rng.integers(0, 30 * small)),
        streets=streets,
    )


@pytest.mark.parametrize(
    "rules",
    [
        *PRESETS.values(),
        dataclasses.replace(HULH, name="only the big blind", stack=10),
        dataclasses.replace(HULH, name="short", stack=13),
        dataclasses.replace(LEDUC, name="short leduc", stack=4),
        *map(random_rules, range(12)),
    ],
    ids=lambda rules: rules.name,
)
def test_walked_tree_equals_tree_built_from_the_rules(rules: Rules) -> None:
    assert as_direct(tree_of(rules)) == direct_tree(rules)


@pytest.mark.parametrize("rules", [HULH, HULH_80, LEDUC], ids=lambda rules: rules.name)
def test_structure(rules: Rules) -> None:
    tree = tree_of(rules)
    nodes = np.arange(len(tree))
    assert tree.parent[0] == NONE
    assert tree.action[0] == NONE
    assert (tree.parent[1:] < nodes[1:]).all(), "parents come before children"
    assert (tree.children[tree.parent[1:], tree.action[1:]] == nodes[1:]).all()
    assert (np.diff(tree.depth) >= 0).all()
    for level in range(len(tree.level_starts) - 1):
        level_nodes = slice(tree.level_starts[level], tree.level_starts[level + 1])
        assert (tree.depth[level_nodes] == level).all()
    assert tree.level_starts[-1] == len(tree)
    assert ((tree.node_type == DECISION) == tree.legal.any(axis=1)).all()
    assert (tree.legal[:, 1] == (tree.node_type == DECISION)).all(), "one may always call"
    showdown = tree.node_type == SHOWDOWN
    assert (tree.contributions[showdown, 0] == tree.contributions[showdown, 1]).all()


def test_arrays_are_read_only() -> None:
    tree = tree_of(KUHN)
    for array in (tree.children, tree.legal, tree.is_decision, tree.level_starts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_histories_parse_back_to_their_node(rules: Rules) -> None:
    tree = tree_of(rules)
    for node in range(len(tree)):
        text = tree.text(node)
        assert tree.node(text) == node
        assert tree.node(text.replace("/", "")) == node


def test_a_history_known_by_hand() -> None:
    tree = tree_of(HULH)
    node = tree.node("crc/cc/rrc/")
    assert tree.street[node] == 3
    assert tree.actor[node] == 1
    assert tree.contributions[node].tolist() == [60, 60]
    assert tree.text(node) == "crc/cc/rrc/"
    assert tree.text(0) == ""


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("crx", "'x' is no action"),
        ("rrrr", "raise is not legal after 'rrr'; legal: fold, call"),
        ("cf", "fold is not legal after 'c'; legal: call, raise"),
        ("fc", "the hand is over after 'f'"),
        ("c/c", "no street ends after 'c'"),
        ("/", "no street ends after ''"),
        ("cc//", "no street ends after 'cc/'"),
        ("cc/cc/cc/ccc", "the hand is over"),
    ],
)
def test_impossible_histories_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(HistoryError, match=complaint):
        tree_of(HULH).node(text)


def test_rules_with_too_large_a_tree_are_refused() -> None:
    wide = dataclasses.replace(LEDUC, stack=9999, max_raises=(150, 150), name="wide")
    with pytest.raises(TreeTooLarge, match="betting sequences, more than the 65,536"):
        walk(make_emulator(wide))
