"""A public state has one strategy: whatever was asked before, in any batch, on any threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numba
import numpy as np
import pytest

from env.arrays import Floats, Nodes
from env.boards import private_hands
from env.cards import NO_CARD, Cards, canonical
from env.deals import canonical_views, deal
from env.game import Game, load_game
from evaluation.best_response import exploitability
from evaluation.local_best_response import local_best_response
from models.loading import SavedAnswers, load_answers
from search.policy import SearchPolicy
from search.settings import parse_settings
from search.solutions import Cache, PublicState, Solution
from tests.policies import Hashed, Stateless

HULH = Path(__file__).parent.parent / "checkpoints" / "pretrained" / "hulh"
SMALL = "hulh:ranks=9TJQKA,suits=cdh,max_raises=1/1/2/2"
SUITS = np.array([2, 3, 1, 0])  # what each suit is renamed to


@lru_cache
def pretrained() -> SavedAnswers:
    return load_answers(HULH)


def searcher(options: str) -> SearchPolicy:
    model = pretrained()
    return SearchPolicy(model.game, model.policy, parse_settings(model.game.rules, options))


def small_searcher(options: str) -> SearchPolicy:
    game = load_game(SMALL)
    return SearchPolicy(game, Hashed(game.tree, 6), parse_settings(game.rules, options))


def situations(game: Game, street: int, count: int, seed: int = 0) -> tuple[Cards, Nodes]:
    """Infosets of a street, two of each deal's public state."""
    rng = np.random.default_rng(seed)
    here = game.tree.is_decision & (game.tree.street == street)
    nodes = rng.choice(np.flatnonzero(here & (game.tree.actor == 0)), count)
    views = canonical_views(game.rules, deal(game.rules, count, rng))
    return views[np.arange(count), 0, street], nodes


@contextmanager
def threads(count: int) -> Iterator[None]:
    """So many threads for kernels, if there are."""
    before = numba.get_num_threads()
    numba.set_num_threads(min(count, before))
    try:
        yield
    finally:
        numba.set_num_threads(before)


def renamed(cards: Cards) -> Cards:
    """The same cards in other suits."""
    return np.where(cards == NO_CARD, NO_CARD, cards // 4 * 4 + SUITS[cards % 4]).astype(np.uint8)


def ask_in_parts(policy: SearchPolicy, cards: Cards, nodes: Nodes, sizes: list[int]) -> Floats:
    """Answers asked for in a random order, a few at a time."""
    order = np.random.default_rng(len(sizes)).permutation(len(nodes))
    out = np.empty((len(nodes), 3), np.float32)
    for part in np.split(order, np.cumsum(sizes)):
        out[part] = policy.strategies(cards[part], nodes[part])
    return out


@pytest.mark.parametrize("gadget", ["resolve", "unsafe"])
def test_rivers_have_one_strategy(gadget: str) -> None:
    """Asked together, one by one, from a cache too small to keep anything, on one thread."""
    options = f"iterations=4,gadget={gadget}"
    cards, nodes = situations(pretrained().game, 3, 10)
    whole = searcher(options).strategies(cards, nodes)
    assert len(np.unique(whole, axis=0)) > 5
    forgetful = searcher(options)
    forgetful.resolver._solved = Cache(1)
    with threads(1):
        np.testing.assert_array_equal(ask_in_parts(forgetful, cards, nodes, [1, 1, 3, 2]), whole)
    with threads(2):
        again = ask_in_parts(forgetful, cards, nodes, [4, 1])
    np.testing.assert_array_equal(again, whole)


def test_turns_have_one_strategy() -> None:
    """So have the rivers behind them, whether the turn itself was asked about or not."""
    game = pretrained().game
    river, node = situations(game, 3, 1)
    with threads(2):
        found = searcher("from=turn,iterations=2").strategies(river, node)
    other = searcher("from=turn,iterations=2")
    turn, before = canonical_of_turn(river), last_turn_node(game, int(node[0]))
    with threads(1):
        other.strategies(turn, before)
        np.testing.assert_array_equal(other.strategies(river, node), found)


def canonical_of_turn(river: Cards) -> Cards:
    turn = river.copy()
    turn[:, -1] = NO_CARD
    return canonical(turn)


def last_turn_node(game: Game, node: int) -> Nodes:
    """The last decision of the same player on the turn."""
    path = [step for step in game.tree.path(node) if game.tree.street[step] == 2]
    own = [step for step in path if game.tree.actor[step] == game.tree.actor[node]]
    return np.array(own[-1:])


@pytest.mark.parametrize("gadget", ["resolve", "max-margin"])
def test_small_games_have_one_strategy_from_the_turn_on(gadget: str) -> None:
    options = f"from=turn,iterations=5,gadget={gadget}"
    game = small_searcher(options).resolver.game
    turns, turn_nodes = situations(game, 2, 12)
    rivers, river_nodes = situations(game, 3, 20)
    cards = np.concatenate([turns, rivers])
    nodes = np.concatenate([turn_nodes, river_nodes])
    whole = small_searcher(options).strategies(cards, nodes)
    forgetful = small_searcher(options)
    forgetful.resolver._solved, forgetful.resolver._continued = Cache(1), Cache(1)
    with threads(1):
        parts = ask_in_parts(forgetful, cards, nodes, [5, 1, 1, 7, 1])
    np.testing.assert_array_equal(parts, whole)
    one_by_one = ask_in_parts(small_searcher(options), cards, nodes, [1] * (len(nodes) - 1))
    np.testing.assert_array_equal(one_by_one, whole)


@pytest.mark.parametrize("options", ["iterations=6", "from=turn,iterations=3"])
def test_infosets_get_what_public_states_get(options: str) -> None:
    policy = small_searcher(options)
    game = policy.resolver.game
    hands = private_hands(game.rules)
    for street in (1, 2, 3):
        deals = deal(game.rules, 3, np.random.default_rng(street))
        boards = deals[:, 4:].copy()
        boards[:, game.rules.visible_board[street] :] = NO_CARD
        nodes = situations(game, street, 3)[1]
        by_state = small_searcher(options).range_strategies(boards, hands, nodes)
        for board, node, found in zip(boards, nodes, by_state, strict=True):
            free = ~np.isin(hands, board[board != NO_CARD]).any(axis=1)
            views = np.column_stack([hands, np.tile(board, (len(hands), 1))])[free]
            answers = policy.strategies(canonical(views), np.full(len(views), node))
            if street < policy.settings.first_street:
                np.testing.assert_allclose(found[free], answers, atol=1e-6)
            else:
                np.testing.assert_array_equal(found[free], answers)
            assert found[free].sum(axis=1) == pytest.approx(np.ones(len(views)), abs=1e-5)
            assert (found[free][:, ~game.tree.legal[node]] == 0).all()


@dataclass
class ByInfoset(Stateless):
    """A policy that cannot be asked about public states."""

    policy: SearchPolicy

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        return self.policy.strategies(cards, nodes)


def test_evaluators_find_the_same_by_infoset() -> None:
    small = small_searcher("from=turn,iterations=3")
    game = small.resolver.game
    bounds = [
        local_best_response(
            game, policy, 12, np.random.default_rng(0), boards_per_batch=3, by_street=True
        )
        for policy in (small, ByInfoset(small))
    ]
    streets = [bound.street_mbb for bound in bounds]
    assert streets[0] is not None
    assert streets[1] is not None
    np.testing.assert_allclose(streets[0], streets[1], rtol=1e-4, atol=1e-2)
    assert bounds[0].bound_mbb == pytest.approx(bounds[1].bound_mbb, rel=1e-4)
    flop = load_game("fhp:ranks=QKA,suits=cdh,max_raises=1/1")
    settings = parse_settings(flop.rules, "iterations=10")
    policy = SearchPolicy(flop, Hashed(flop.tree, 1), settings)
    found = [exploitability(flop, one).br_chips for one in (policy, ByInfoset(policy))]
    assert found[0] == pytest.approx(found[1], abs=1e-5)


def test_renaming_suits_changes_nothing() -> None:
    """The board's suits and the hands' renamed together, and asked of somebody else."""
    game = pretrained().game
    boards = deal(game.rules, 4, np.random.default_rng(2))[:, 4:]
    boards[0] = [48, 44, 40, 49, 45]  # clubs and diamonds only: hearts and spades look alike
    nodes = situations(game, 3, 4)[1]
    hands = private_hands(game.rules)
    found = searcher("iterations=4").range_strategies(boards, hands, nodes)
    other = searcher("iterations=4").range_strategies(renamed(boards), renamed(hands), nodes)
    for board, first, second in zip(boards, found, other, strict=True):
        free = ~np.isin(hands, board).any(axis=1)
        np.testing.assert_array_equal(first[free], second[free])
    swapped = np.array([0, 1, 3, 2])[hands % 4] + hands // 4 * 4
    number = {tuple(sorted(hand)): row for row, hand in enumerate(hands.tolist())}
    twins = [number[tuple(sorted(hand))] for hand in swapped.tolist()]
    free = ~np.isin(hands, boards[0]).any(axis=1)
    np.testing.assert_array_equal(found[0][free], found[0][twins][free])


def test_before_the_searched_streets_the_blueprint_plays() -> None:
    model = pretrained()
    policy = searcher("iterations=2")
    for street in (0, 1, 2):
        cards, nodes = situations(model.game, street, 20)
        expected = model.policy.strategies(cards, nodes)
        np.testing.assert_array_equal(policy.strategies(cards, nodes), expected)
    assert not policy.resolver._solved._kept, "nothing was solved for that"


def test_time_instead_of_iterations() -> None:
    """However long a solve may take, the least it does is a few iterations."""
    policy = searcher("ms=1")
    game = policy.resolver.game
    cards, nodes = situations(game, 3, 2)
    found = policy.strategies(cards, nodes)
    assert found.sum(axis=1) == pytest.approx([1, 1], abs=1e-5)
    assert (found[~game.tree.legal[nodes]] == 0).all()
    legal = game.tree.legal[nodes]
    assert not np.allclose(found, legal / legal.sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(policy.strategies(cards, nodes), found, "solved once")


def test_caches_keep_the_latest_and_stay_small() -> None:
    strategies = np.zeros((10, 1, 3), np.float32)
    solution = Solution(np.zeros(1, np.int64), np.zeros(10, np.int32), strategies)
    states = [PublicState(bytes([i]), 0, 0) for i in range(5)]
    cache: Cache[Solution] = Cache(3 * solution.num_bytes)
    for state in states[:3]:
        cache.put(state, solution)
    assert cache.get(states[0]) is solution
    cache.put(states[3], solution)
    assert cache.get(states[1]) is None, "the longest unused"
    assert all(cache.get(states[i]) is solution for i in (0, 2, 3))
    tiny: Cache[Solution] = Cache(1)
    tiny.put(states[0], solution)
    assert tiny.get(states[0]) is solution, "the latest is always kept"
    tiny.put(states[1], solution)
    assert tiny.get(states[0]) is None
