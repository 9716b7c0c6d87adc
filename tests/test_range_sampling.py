"""Many hands on each board produce the samples of single deals, in expectation, with less noise.

Means are compared with their measured standard errors: with expectations worked out over every deal
where there are few enough deals, and with single deals in limit hold'em itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pytest

from deep_cfr.sampling import range_sampling
from deep_cfr.sampling.external_sampling import traverse
from deep_cfr.sampling.range_dealing import (
    RangeTable,
    deal_first_cards,
    deal_ranges,
)
from deep_cfr.sampling.range_kernels import Level, PublicTree, expand
from deep_cfr.sampling.range_sampling import RangeSampling, traverse_ranges
from deep_cfr.sampling.samples import Samples
from env.arrays import Doubles, Floats, Ints, Nodes
from env.cards import Cards
from env.game import Game, load_game
from env.rules import Rules
from tests.policies import hashed_pair
from tests.sample_means import (
    Exact,
    Expected,
    Groups,
    Means,
    by_hand_and_board,
    by_highest_card,
    estimate,
)

BATCHES = 64
MIN_SAMPLES = 500  # of a group in all batches together: means of rarer ones are too skewed
MAX_ERRORS = 5.5  # standard errors that the worst of some thousand comparisons may be off
MAX_SHARE = 0.2  # of comparisons beyond two standard errors; about 0.05, but they are correlated


class Setting(NamedTuple):
    """A game, and how it is sampled in each batch."""

    text: str
    hands: int
    boards: int
    traversals: int
    groups: Groups


LEDUC = Setting("leduc", 4, 32, 2_000, by_hand_and_board)
SETTINGS = {
    "leduc": LEDUC,
    "all-in before the board card": LEDUC._replace(text="leduc:stack=4"),
    "two streets": Setting(
        "fhp:ranks=JQKA,suits=cdh,max_raises=1/1", 8, 64, 2_000, by_hand_and_board
    ),
    "four streets": Setting(
        "hulh:ranks=TJQKA,suits=cd,max_raises=1/1/1/1", 6, 64, 1_000, by_highest_card
    ),
}


@lru_cache
def exact(text: str, traverser: int, groups: Groups) -> Expected:
    game = load_game(text)
    return Exact(game, hashed_pair(game.tree), traverser, groups).expected


def with_ranges(setting: Setting, traverser: int, num_batches: int = BATCHES) -> Expected:
    game = load_game(setting.text)
    sampling = RangeSampling(traverser, 1, setting.traversals, setting.boards, setting.hands)

    def sample(rng: np.random.Generator) -> Samples:
        return traverse_ranges(game, hashed_pair(game.tree), sampling, rng)

    return estimate(sample, setting.traversals, num_batches, setting.groups, seed=1)


def with_single_deals(setting: Setting, traverser: int) -> Expected:
    game = load_game(setting.text)

    def sample(rng: np.random.Generator) -> Samples:
        return traverse(game, hashed_pair(game.tree), traverser, 1, setting.traversals, rng)

    return estimate(sample, setting.traversals, BATCHES, setting.groups, seed=2)


def off_by(found: Means, expected: Means, num_traversals: int) -> Doubles:
    """By how many standard errors the numbers of every group that is not too rare differ."""
    nothing, off = np.zeros((2, 4)), []
    for group in found.keys() | expected.keys():
        mine, theirs = (means.get(group, nothing) for means in (found, expected))
        if max(mine[0, 0], theirs[0, 0]) * num_traversals >= MIN_SAMPLES:
            error = np.hypot(mine[1], theirs[1])
            # Rounding is allowed for what does not vary from batch to batch.
            off.append(np.maximum(abs(mine[0] - theirs[0]) - 1e-5, 0) / np.maximum(error, 1e-5))
    return np.array(off)


def assert_close(found: Expected, expected: Expected, num_traversals: int) -> None:
    """All groups' numbers agree within a few standard errors, most of them within two."""
    for mine, theirs in (
        (found.advantages, expected.advantages),
        (found.strategies, expected.strategies),
    ):
        off = off_by(mine, theirs, num_traversals * BATCHES)
        assert off.size >= 100
        share = (off > 2).mean()
        assert off.max() < MAX_ERRORS, f"off by {off.max():.1f} standard errors"
        assert share < MAX_SHARE, f"{share:.0%} are off by more than two standard errors"
    difference = found.value[0] - expected.value[0]
    assert abs(difference) < 4.5 * np.hypot(found.value[1], expected.value[1])


@pytest.mark.parametrize("traverser", [0, 1])
@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
def test_samples_are_those_expected_over_all_deals(setting: Setting, traverser: int) -> None:
    expected = exact(setting.text, traverser, setting.groups)
    assert_close(with_ranges(setting, traverser), expected, setting.traversals)
    assert_close(with_single_deals(setting, traverser), expected, setting.traversals)


def no_compensation(
    tree: PublicTree, level: Level, boards: Ints, nodes: Ints, weights: Floats, reach: Floats
) -> None:
    """As `expand`, but rows that roulette has spared count no more than others."""
    expand(tree, level, boards, nodes, weights, reach)
    row, action = np.nonzero(level.children >= 0)
    weights[level.children[row, action]] = level.weights[row]


def equal_pairs(
    rules: Rules, first_cards: Cards, num_hands: int, rng: np.random.Generator
) -> RangeTable:
    """As `deal_ranges`, but all pairs of hands count alike."""
    table = deal_ranges(rules, first_cards, num_hands, rng)
    disjoint = (table.disjoint > 0).astype(np.float32)
    return dataclasses.replace(table, disjoint=disjoint, results=np.sign(table.results))


def equal_flops(rules: Rules, num_boards: int, rng: np.random.Generator) -> Cards:
    """As `deal_first_cards`, but flops of all looks are equally likely, however many there are."""
    looks = np.unique(deal_first_cards(rules, 500, rng), axis=0)
    return looks[np.sort(rng.integers(len(looks), size=num_boards))]


@pytest.mark.parametrize(
    ("name", "wrong", "setting"),
    [
        ("expand", no_compensation, SETTINGS["four streets"]),
        ("deal_ranges", equal_pairs, SETTINGS["two streets"]),
        ("deal_first_cards", equal_flops, SETTINGS["two streets"]),
    ],
)
def test_wrong_weights_are_noticed(
    monkeypatch: pytest.MonkeyPatch, name: str, wrong: Callable[..., Any], setting: Setting
) -> None:
    """The comparison above is fine enough to find each of the factors that keep means right."""
    expected = exact(setting.text, 0, setting.groups)
    monkeypatch.setattr(range_sampling, name, wrong)
    found = with_ranges(setting, traverser=0)
    with pytest.raises(AssertionError, match="standard errors"):
        assert_close(found, expected, setting.traversals)


def test_values_do_not_depend_on_how_boards_are_shared_out() -> None:
    """Boards are walked in parts, in order of their flops; the last part may be a small one."""
    setting = LEDUC._replace(boards=33, traversals=10)
    value, error = with_ranges(setting, traverser=0, num_batches=400).value
    assert abs(value - exact(LEDUC.text, 0, LEDUC.groups).value[0]) < 4.5 * error


def by_street_and_first_nodes(game: Game) -> Groups:
    """The first decisions one by one, later ones by street, player and last action."""
    tree = game.tree
    nodes = np.arange(len(tree))
    later = (tree.street.astype(np.int64) * 2 + tree.actor) * 3 + tree.action
    place = np.where(tree.depth < 4, nodes, len(tree) + later)

    def groups(cards: Cards, nodes: Nodes) -> Nodes:
        by_hand = place[nodes] * 4 + (cards[:, :2] >> 2).max(axis=1) // 4
        return np.stack([by_hand, -1 - tree.street[nodes]])

    return groups


@pytest.mark.parametrize("traverser", [0, 1])
def test_samples_in_holdem_are_those_of_single_deals(traverser: int) -> None:
    """The settings of the default path: 16 hands on each board of limit hold'em."""
    setting = Setting("hulh", 16, 16, 400, by_street_and_first_nodes(load_game("hulh")))
    found, expected = with_ranges(setting, traverser), with_single_deals(setting, traverser)
    assert_close(found, expected, setting.traversals)
