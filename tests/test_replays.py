"""Random hands replayed step by step in OpenSpiel and PokerKit, chip for chip.

Each hand is played by our emulator and by the oracles at once: same actor, same legal actions,
same payoffs. The compiled tree must agree at the end too.
"""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from env.actions import FOLD
from env.compiler import compile_tree
from env.deals import deal, showdown_results
from env.emulator import make_emulator
from env.rules import FHP, HULH, HULH_80, Rules, parse_rules
from tests.oracles import OpenSpiel, PokerKit

HANDS = 20_000  # per game
SHARDS = 4  # so that several processes share the work

HAS_POKERKIT = importlib.util.find_spec("pokerkit") is not None
needs_pokerkit = pytest.mark.skipif(not HAS_POKERKIT, reason="PokerKit needs Python 3.11")


def choose(legal: tuple[bool, ...], rng: np.random.Generator) -> int:
    """Uniform but for folding, which is rarer, so that hands get long."""
    weights = np.array(legal, float) * [0.4, 1.0, 1.0]
    return int(np.searchsorted(weights.cumsum(), rng.random() * weights.sum(), side="right"))


def replay(
    rules: Rules, oracles: list[OpenSpiel | PokerKit], seed: int, hands: int = HANDS // SHARDS
) -> None:
    emulator = make_emulator(rules)
    tree = compile_tree(emulator)
    rng = np.random.default_rng(seed)
    deals = deal(rules, hands, rng)
    results = showdown_results(deals)
    showdowns = 0
    for row, result in zip(deals, results, strict=True):
        state, node = emulator.start(row), 0
        others = [oracle.start(state.deal) for oracle in oracles]
        while not state.is_terminal:
            legal = emulator.legal(state)
            for other in others:
                assert other.actor() == state.actor, state
                assert other.legal() == legal, state
            action = choose(legal, rng)
            state, node = emulator.act(state, action), tree.children[node, action]
            for other in others:
                other.act(action)
        payoffs = emulator.payoffs(state)
        assert tree.payoffs(np.array([node]), np.array([result]))[0] == payoffs[0]
        for other in others:
            assert other.actor() is None, state
            assert other.payoffs() == payoffs, state
        showdowns += state.moves[-1].action != FOLD
    assert showdowns > hands / 10, "a good part of the hands is played to the end"


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(SHARDS))
def test_hulh_in_openspiel_and_pokerkit(shard: int) -> None:
    replay(HULH, [OpenSpiel(HULH), *([PokerKit(HULH)] if HAS_POKERKIT else [])], 100 + shard)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(SHARDS))
def test_fhp_in_openspiel(shard: int) -> None:
    replay(FHP, [OpenSpiel(FHP)], 200 + shard)


@pytest.mark.slow
@needs_pokerkit
@pytest.mark.parametrize("shard", range(SHARDS))
def test_hulh80_in_pokerkit(shard: int) -> None:
    replay(HULH_80, [PokerKit(HULH_80)], 300 + shard)


@needs_pokerkit
@pytest.mark.parametrize(
    "game",
    [
        "hulh-paper",
        "hulh:stack=10",
        "hulh:stack=33",
        "hulh:small_blind=3,big_blind=6,bet_sizes=7/6/11/9,max_raises=2/1/3/0,stack=50",
    ],
)
def test_other_rules_in_pokerkit(game: str) -> None:
    rules = parse_rules(game)
    replay(rules, [PokerKit(rules)], 400, hands=400)


@pytest.mark.parametrize(
    "game",
    [
        "hulh-paper",
        "hulh:streets=3,bet_sizes=10/15/25,max_raises=1/2/3",
        "hulh:streets=1,bet_sizes=10,max_raises=4",
    ],
)
def test_other_rules_in_openspiel(game: str) -> None:
    rules = parse_rules(game)
    replay(rules, [OpenSpiel(rules)], 500, hands=400)
