"""The coach's values against enumeration of every card and action, and against each other."""

from __future__ import annotations

import numpy as np
import pytest

from agents.bots import make_bot
from env.actions import CALL, FOLD, RAISE
from env.arrays import Floats, Nodes
from env.cards import Cards, canonical
from env.game import load_game
from interfaces.coach.equity import equity
from interfaces.coach.last_street import last_street_values, subtree
from interfaces.coach.reference import Reference
from interfaces.coach.rollouts import Sampling, roll_out
from interfaces.coach.situation import Situation
from interfaces.coach.values import action_values
from policies.fixed import TabularPolicy, always
from policies.unbeatable import never_folding
from search.policy import SearchPolicy
from search.settings import parse_settings
from tests.coaching import SlowTable, cards_of, random_situation
from tests.policies import AlwaysFold, Hashed

SMALL_HOLDEM = "fhp:ranks=QKA,suits=cdh"
GAMES = ("kuhn", "leduc", SMALL_HOLDEM)


@pytest.mark.parametrize("name", GAMES)
def test_last_street_values_are_those_of_enumeration(name: str) -> None:
    game = load_game(name)
    policy = Hashed(game.tree, 3, unplayed=0)
    reference, table = Reference(game, policy), SlowTable(game, policy)
    rng = np.random.default_rng(1)
    for _ in range(12):
        situation = random_situation(game, game.rules.streets - 1, rng)
        expected = table.action_values(situation)
        found = action_values(reference, situation)
        assert found.method == "exact"
        chips = found.values_bb * game.rules.big_blind_chips
        assert chips == pytest.approx(expected, abs=1e-4, nan_ok=True)
        assert found.losses_bb == pytest.approx(
            (np.nanmax(expected) - expected) / game.rules.big_blind_chips, abs=1e-4, nan_ok=True
        )
        assert (np.isnan(found.values_bb) == ~situation.legal).all()


@pytest.mark.parametrize("name", ["leduc", SMALL_HOLDEM])
def test_sampled_values_lie_in_their_intervals_as_often_as_they_should(name: str) -> None:
    game = load_game(name)
    policy = Hashed(game.tree, 4)
    reference, table = Reference(game, policy), SlowTable(game, policy)
    rng = np.random.default_rng(2)
    inside, losses_inside = [], []
    for _ in range(4 if name == "leduc" else 2):
        situation = random_situation(game, 0, rng)
        expected = np.array(table.action_values(situation)) / game.rules.big_blind_chips
        for seed in range(60):
            found = action_values(reference, situation, Sampling(200, 4000, seed, repeats=2))
            assert not found.is_exact
            for action in (CALL, RAISE):
                if situation.legal[action]:
                    error = abs(found.values_bb[action] - expected[action])
                    inside.append(error <= found.intervals_bb[action])
            if situation.legal[FOLD]:
                assert found.values_bb[FOLD] == pytest.approx(expected[FOLD])
                assert found.intervals_bb[FOLD] == pytest.approx(0, abs=1e-6)
            other = CALL if found.best == RAISE else RAISE
            if found.best != FOLD and situation.legal[other]:
                gap = expected[found.best] - expected[other]
                error = abs(found.losses_bb[other] - gap)
                losses_inside.append(error <= found.loss_intervals_bb[other])
    assert 0.92 < np.mean(inside) < 0.98, len(inside)
    assert 0.9 < np.mean(losses_inside) < 0.99, len(losses_inside)


def test_the_showdown_narrows_the_interval() -> None:
    """Against two callers the showdown is all there is, so nothing of the noise may be left."""
    game = load_game("fhp")
    reference = Reference(game, always(game.tree, CALL))
    situation = Situation(game, 0, cards_of("AhKd", 2), cards_of("", 5))
    sample = roll_out(reference, situation, situation.opponent_range(reference), Sampling())
    _, interval = sample.mean(sample.chips[:, CALL])
    alone = 1.96 * sample.chips[:, CALL].std() / np.sqrt(len(sample.chips))
    assert interval < 0.4 * alone
    values = action_values(reference, situation)
    assert values.values_bb[CALL] == pytest.approx(2 * values.equity - 1, abs=1e-9)


def test_the_same_question_gets_the_same_answer() -> None:
    game = load_game("leduc")
    reference = Reference(game, Hashed(game.tree, 5))
    situation = random_situation(game, 0, np.random.default_rng(0))
    first, again = (action_values(reference, situation).values_bb for _ in range(2))
    other = action_values(reference, situation, Sampling(seed=1)).values_bb
    assert first == pytest.approx(again, abs=0, rel=0, nan_ok=True)
    assert np.nanmax(abs(first - other)) > 0


def test_whole_ranges_and_single_hands_agree() -> None:
    """Cards are removed hand by hand in one and before the sums in the other."""
    game = load_game(SMALL_HOLDEM)
    reference = Reference(game, Hashed(game.tree, 6))
    rng = np.random.default_rng(3)
    situation = random_situation(game, 1, rng)
    ranges = reference.ranges(situation.board, situation.node)
    every = last_street_values(reference, situation.board, situation.node, ranges)
    met = 0
    for hand, chips in zip(reference.hands, every, strict=True):
        if not np.isin(hand, situation.board).any():
            one = Situation(game, situation.node, hand, situation.board)
            values = action_values(reference, one).values_bb * game.rules.big_blind_chips
            assert chips == pytest.approx(values, abs=1e-6, nan_ok=True)
            met += 1
        else:
            assert np.isnan(chips).all()
    assert met == 15  # pairs of the six cards left


def test_a_line_that_the_model_never_plays_leaves_the_range_as_it_was() -> None:
    game = load_game("leduc")
    reference = Reference(game, AlwaysFold(game.tree))
    node = game.tree.node("crc/")
    board = cards_of("Kd", 5)
    assert (reference.ranges(board, node).sum(axis=1) < 1e-6).all()
    situation = Situation(game, node, cards_of("Kc", 2), board)
    assert situation.opponent_range(reference).round(6).tolist() == [0.25] * 4 + [0, 0]
    values = action_values(reference, situation)
    # Behind a check the opponent checks, behind a bet it folds.
    assert values.values_bb == pytest.approx([np.nan, 3, 3], nan_ok=True)


def test_search_values_come_from_its_solutions() -> None:
    game = load_game("leduc")
    settings, blueprint = parse_settings(game.rules, "iterations=50"), Hashed(game.tree, 7)
    policy = never_folding(game, SearchPolicy(game, blueprint, settings))
    reference = Reference(game, policy)
    table = SlowTable(game, policy)
    rng = np.random.default_rng(4)
    for _ in range(6):
        situation = random_situation(game, 1, rng)
        found = action_values(reference, situation).values_bb
        assert found == pytest.approx(table.action_values(situation), abs=1e-3, nan_ok=True)
    assert reference.blueprint is blueprint, "which rollouts can ask about thousands of boards"


def test_rollouts_ask_search_on_this_street_only() -> None:
    """The street that is searched is played as searched, and later ones by the blueprint."""
    game = load_game("leduc")
    now, later = Hashed(game.tree, 8), always(game.tree, RAISE)
    reference = Reference(game, now)
    vars(reference)["blueprint"] = later  # as if the first round were searched

    def by_street(cards: Cards, nodes: Nodes) -> Floats:
        first = game.tree.street[nodes] == 0
        return np.where(
            first[:, None], now.strategies(cards, nodes), later.strategies(cards, nodes)
        )

    table = SlowTable(game, TabularPolicy(by_street))
    situation = random_situation(game, 0, np.random.default_rng(6))
    found = action_values(reference, situation, Sampling(4_000, 20_000))
    expected = table.action_values(situation)
    assert found.values_bb == pytest.approx(expected, abs=0.15, nan_ok=True)
    plain = action_values(Reference(game, now), situation, Sampling(4_000, 20_000))
    assert np.nanmax(abs(plain.values_bb - expected)) > 0.3, "so a difference would be seen"


def test_equity_is_the_share_of_all_showdowns() -> None:
    game = load_game("hulh")
    reference = Reference(game, make_bot("call", game))
    hands, everyone = reference.hands, np.ones(len(reference.hands))
    aces = cards_of("AsAh", 2)
    board = cards_of("KdKc2s7h", 5)
    kings = np.zeros(len(hands))
    kings[(np.sort(hands, axis=1) == np.sort(cards_of("KhKs", 2))).all(axis=1)] = 1
    assert equity(game.rules, aces, hands, kings, board) == 0
    queens = np.zeros(len(hands))
    queens[(np.sort(hands, axis=1) == np.sort(cards_of("QhQs", 2))).all(axis=1)] = 1
    assert equity(game.rules, aces, hands, queens, board) == pytest.approx(1 - 2 / 44)
    strength = game.strengths
    assert strength is not None
    river = cards_of("KdKc2s7h9d", 5)
    view = canonical(np.concatenate([aces, river])[None])
    against_all = equity(game.rules, aces, hands, everyone, river)
    assert against_all == pytest.approx(float(strength.expected(view)[0]), abs=1e-6)
    before = equity(game.rules, aces, hands, everyone, cards_of("", 5))
    assert before == pytest.approx(0.852, abs=0.01), "a sample of boards"


def test_a_subtree_holds_all_that_can_follow() -> None:
    tree = load_game("hulh").tree
    below = subtree(tree, tree.node("rc/cc/cc/"))
    assert len(below.decisions) == 10
    assert tree.text(int(below.nodes[-1])).startswith("rc/cc/cc/")
    for place, node in enumerate(below.nodes):
        for action in (FOLD, CALL, RAISE):
            child = below.children[place, action]
            assert (child < 0) == (tree.children[node, action] < 0)
            if child >= 0:
                assert below.nodes[child] == tree.children[node, action]
