"""Best responses equal OpenSpiel's, brute force over explicit deals, and what theory says."""

from __future__ import annotations

import numpy as np
import pyspiel
import pytest

from env.arrays import Floats, Nodes
from env.boards import boards, hand_classes, private_hands, sampled
from env.cards import NO_CARD, Cards
from env.game import Game, load_game
from env.rules import FHP, HULH, KUHN, LEDUC, Rules, parse_rules
from evaluation.best_response import (
    Exploitability,
    GameTooLarge,
    expected_value,
    exploitability,
)
from tests.brute_force import OPENSPIEL, BruteForce, InOpenSpiel
from tests.equilibrium import Equilibrium
from tests.games import tree_of
from tests.policies import AlwaysFold, Fixed, Hashed, KuhnEquilibrium, Stateless, Uniform

SMALL_FLOP_HOLDEM = "fhp:ranks=TJQKA,suits=cd"


# OpenSpiel


@pytest.fixture(scope="module")
def openspiel() -> dict[str, InOpenSpiel]:
    return {preset: InOpenSpiel(preset) for preset in OPENSPIEL}


@pytest.mark.parametrize(("preset", "policies"), [("kuhn", 50), ("leduc", 15)])
def test_equals_openspiel(preset: str, policies: int, openspiel: dict[str, InOpenSpiel]) -> None:
    theirs = openspiel[preset]
    rules, tree = theirs.rules, theirs.tree
    tested: list[Stateless] = [Uniform(tree), *(Hashed(tree, i) for i in range(policies))]
    for policy in tested:
        ours = exploitability(Game(rules, tree), policy)
        assert ours.br_chips == pytest.approx(theirs.best_response_values(policy), abs=1e-9)
        assert ours.value_chips == pytest.approx(theirs.value(policy, policy), abs=1e-9)
        nash_conv = pyspiel.nash_conv(theirs.game, theirs.policy(policy))
        assert 2 * ours.exploitability_chips == pytest.approx(nash_conv, abs=1e-6)
        against = Hashed(tree, 100)
        value = expected_value(Game(rules, tree), policy, against)
        assert value == pytest.approx(theirs.value(policy, against), abs=1e-9)


# Known values


def test_uniform_policies_lose_what_the_literature_says() -> None:
    kuhn, leduc = (
        exploitability(load_game(rules), Uniform(tree_of(rules))) for rules in (KUHN, LEDUC)
    )
    assert kuhn.exploitability_chips == pytest.approx(11 / 24, abs=1e-12)
    assert kuhn.value_chips == pytest.approx(1 / 8, abs=1e-12)
    assert 2 * leduc.exploitability_chips == pytest.approx(4.7472, abs=5e-5)


@pytest.mark.parametrize("alpha", [0, 0.1, 0.25, 1 / 3])
def test_kuhn_equilibria_cannot_be_exploited(alpha: float) -> None:
    tree = tree_of(KUHN)
    result = exploitability(Game(KUHN, tree), KuhnEquilibrium(tree, alpha))
    assert result.exploitability_chips == pytest.approx(0, abs=1e-7)
    assert result.br_chips == pytest.approx((-1 / 18, 1 / 18), abs=1e-7)
    assert result.value_chips == pytest.approx(-1 / 18, abs=1e-7)
    # Calling more with the queen stops the jack from bluffing and pays the king: 1/6 more calls
    # of one chip, king against queen one deal in six.
    loose = exploitability(Game(KUHN, tree), KuhnEquilibrium(tree, alpha, queen_calls=1 / 2))
    assert loose.br_chips == pytest.approx((-1 / 18 + 1 / 36, 1 / 18), abs=1e-7)


def test_always_folding_loses_three_quarters_of_a_big_blind() -> None:
    rules = parse_rules(SMALL_FLOP_HOLDEM)
    tree = tree_of(rules)
    result = exploitability(Game(rules, tree), AlwaysFold(tree))
    assert result.br_chips == pytest.approx((10, 5), abs=1e-9)
    assert result.exploitability_mbb == pytest.approx(750, abs=1e-6)
    assert result.value_chips == pytest.approx(-5, abs=1e-9)


def test_units() -> None:
    result = Exploitability(br_chips=(3.0, 2.0), value_chips=-1.0, big_blind_chips=10)
    assert result.exploitability_chips == 2.5
    assert result.exploitability_mbb == 250
    assert result.br_mbb == (300, 200)
    assert result.value_mbb == -100
    tree = tree_of(KUHN)
    assert exploitability(Game(KUHN, tree), Uniform(tree)).big_blind_chips == KUHN.ante


# Brute force


@pytest.mark.parametrize(
    "text",
    [
        "kuhn:ranks=9TJQK,max_raises=2,stack=3",
        "leduc:suits=cdh,max_raises=1/2",
        "leduc:stack=4",  # all-in in the first round, the board card still to come
        "leduc:board_cards=0/2,max_raises=1/1",
        "leduc:board_cards=1/0,max_raises=1/1",  # the board card comes before the first bet
        "leduc:streets=3,bet_sizes=2/4/8,max_raises=1/1/1,board_cards=0/1/0,first_to_act=0/0/0",
        "leduc:streets=3,bet_sizes=2/4/8,max_raises=1/1/1,board_cards=0/0/1,first_to_act=0/0/0",
        "fhp:ranks=JQKA,suits=cd,max_raises=1/1",
        "fhp:ranks=TJQKA,suits=cd,max_raises=1/1",
        "fhp:ranks=JQKA,suits=cd,max_raises=1/1,stack=15",  # all-in before the flop
        "fhp:ranks=JQKA,suits=cd,streets=1,bet_sizes=10,max_raises=2",
        "fhp:ranks=JQKA,suits=cd,stack=10",  # player 1 never acts
    ],
)
def test_equals_brute_force(text: str) -> None:
    rules = parse_rules(text)
    tree = tree_of(rules)
    policy, other = Hashed(tree, 1), Hashed(tree, 2)
    result = exploitability(Game(rules, tree), policy)
    by_force = BruteForce(rules, tree, policy, policy)
    best = (by_force.value(best_responder=0), -by_force.value(best_responder=1))
    assert result.br_chips == pytest.approx(best, abs=1e-9)
    assert result.value_chips == pytest.approx(by_force.value(), abs=1e-9)
    value = expected_value(Game(rules, tree), other, policy)
    assert value == pytest.approx(BruteForce(rules, tree, other, policy).value(), abs=1e-9)
    assert abs(value - result.value_chips) > 1e-3, "the two policies differ"


def test_best_responses_to_equilibria_gain_nothing() -> None:
    for rules, value in ((KUHN, -1 / 18), (LEDUC, -0.085606)):
        tree = tree_of(rules)
        equilibrium = Equilibrium(rules, tree)
        assert equilibrium.value == pytest.approx(value, abs=1e-6)
        found = exploitability(Game(rules, tree), equilibrium)
        assert found.exploitability_chips == pytest.approx(0, abs=1e-6)
        assert found.br_chips == pytest.approx((value, -value), abs=2e-6)


# By hand


def test_values_by_hand_add_up() -> None:
    rules = parse_rules(SMALL_FLOP_HOLDEM)
    tree = tree_of(rules)
    found = exploitability(Game(rules, tree), Hashed(tree, 5))
    by_hand = found.by_hand
    assert by_hand is not None
    assert by_hand.shares.sum() == pytest.approx(1)
    assert by_hand.br_mbb @ by_hand.shares == pytest.approx(found.br_mbb)
    values = by_hand.value_mbb @ by_hand.shares
    assert values == pytest.approx([found.value_mbb, -found.value_mbb])
    assert by_hand.gains_mbb @ by_hand.shares == pytest.approx(found.exploitability_mbb)
    assert (by_hand.br_mbb >= by_hand.value_mbb - 1e-9).all(), "a best response does not lose"


def test_kuhn_by_hand() -> None:
    """Against the caller who never bets, a king bets and wins 2, a queen gains on average 0."""
    tree = tree_of(KUHN)
    by_hand = exploitability(Game(KUHN, tree), Fixed([0.0, 1.0, 0.0])).by_hand
    assert by_hand is not None
    assert by_hand.br_mbb.tolist() == [[-1000, 0, 2000], [-1000, 0, 2000]]
    assert by_hand.value_mbb.tolist() == [[-1000, 0, 1000], [-1000, 0, 1000]]


# Suits


class LooksAtSuits(Stateless):
    """Plays clubs as it plays nothing else: not a strategy of the game with suits renamed."""

    def __init__(self, rules: Rules) -> None:
        self.hashed = Hashed(tree_of(rules), 9)

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        legal = self.hashed.tree.legal[nodes].astype(np.float32)
        clubs = (cards[:, :1] & 3 == 0) & (cards[:, :1] != NO_CARD)
        plain = legal / legal.sum(axis=1, keepdims=True)
        return np.where(clubs, self.hashed.strategies(cards, nodes), plain).astype(np.float32)


@pytest.mark.parametrize("text", ["leduc", "fhp:ranks=QKA,suits=cdh,max_raises=1/1"])
def test_policies_that_look_at_suits_are_symmetrised(text: str) -> None:
    """They see canonical cards as they do in play, and are scored as they play."""
    rules = parse_rules(text)
    tree = tree_of(rules)
    policy = LooksAtSuits(rules)
    found = exploitability(Game(rules, tree), policy)
    by_force = BruteForce(rules, tree, policy, policy)
    assert found.br_chips[0] == pytest.approx(by_force.value(best_responder=0), abs=1e-9)
    assert found.br_chips[1] == pytest.approx(-by_force.value(best_responder=1), abs=1e-9)


# Sampled boards


def test_a_sample_of_boards_is_fair_and_its_best_response_too_good() -> None:
    rules = parse_rules("fhp:ranks=9TJQKA,suits=cdh,max_raises=1/1")
    tree = tree_of(rules)
    policy = Hashed(tree, 6)
    exact = exploitability(Game(rules, tree), policy)
    estimates = [
        exploitability(Game(rules, tree), policy, sample=(8, np.random.default_rng(seed)))
        for seed in range(60)
    ]
    values = np.array([estimate.value_mbb for estimate in estimates])
    error = values.std(ddof=1) / np.sqrt(len(values))
    assert abs(values.mean() - exact.value_mbb) < 4 * error
    assert np.mean([e.exploitability_mbb for e in estimates]) > exact.exploitability_mbb
    whole = exploitability(Game(rules, tree), policy, sample=(10_000, np.random.default_rng(0)))
    assert whole == exact


def test_samples_count_every_board_as_often_as_they_should() -> None:
    multiplicities = np.array([1, 4, 12, 24, 24, 4, 12])
    rng = np.random.default_rng(7)
    drawn = np.array([sampled(multiplicities, 3, rng) for _ in range(4000)])
    assert drawn.sum(axis=1) == pytest.approx(multiplicities.sum())
    assert drawn.mean(axis=0) == pytest.approx(multiplicities, rel=0.15)


# Boards


def test_starting_hands_fall_into_169_classes() -> None:
    classes, members = hand_classes(private_hands(FHP))
    assert len(classes) == 169
    assert sorted(set(np.bincount(members).tolist())) == [4, 6, 12]


def test_boards_stand_for_all_boards() -> None:
    cards, multiplicities = boards(LEDUC, 1)
    assert multiplicities.tolist() == [2, 2, 2]
    assert (cards[:, 1:] == NO_CARD).all()
    assert len(boards(LEDUC, 1, merge_suits=False)[0]) == 6
    cards, multiplicities = boards(FHP, 1)
    assert (len(cards), multiplicities.sum()) == (1755, 22100)
    cards, multiplicities = boards(KUHN, 0)
    assert cards.tolist() == [[NO_CARD] * 5]
    assert multiplicities.tolist() == [1]


@pytest.mark.parametrize(
    "text", ["leduc", "leduc:suits=cdhs", SMALL_FLOP_HOLDEM, "fhp:ranks=QKA,suits=cdh"]
)
def test_merged_boards_give_what_all_boards_give(text: str) -> None:
    rules = parse_rules(text)
    tree = tree_of(rules)
    for policy in (Hashed(tree, 3), Hashed(tree, 4)):
        merged = exploitability(Game(rules, tree), policy)
        alone = exploitability(Game(rules, tree), policy, merge_suits=False)
        assert merged.br_chips == pytest.approx(alone.br_chips, abs=1e-11)
        assert merged.value_chips == pytest.approx(alone.value_chips, abs=1e-11)
    value = expected_value(Game(rules, tree), Hashed(tree, 3), Hashed(tree, 4))
    alone_value = expected_value(
        Game(rules, tree), Hashed(tree, 3), Hashed(tree, 4), merge_suits=False
    )
    assert value == pytest.approx(alone_value, abs=1e-11)


def test_one_call_per_board_and_street() -> None:
    tree = tree_of(LEDUC)
    policy = Uniform(tree)
    exploitability(Game(LEDUC, tree), policy)
    assert policy.calls == [3 * 6] + 3 * [5 * 30]  # hands that look different × decisions


# Refusals


@pytest.mark.parametrize(
    "rules", [HULH, parse_rules("hulh:streets=3,bet_sizes=10/10/10,max_raises=1/1/1")]
)
def test_large_games_are_refused_at_once(rules: Rules) -> None:
    policy = Uniform(tree_of(KUHN))  # neither tree nor policy is looked at
    with pytest.raises(GameTooLarge, match="exact best response is for kuhn, leduc and fhp-sized"):
        exploitability(Game(rules, policy.tree), policy)
    with pytest.raises(GameTooLarge, match=r"two streets and 22,100 boards.*local best response"):
        expected_value(Game(rules, policy.tree), policy, policy)
    assert not policy.calls


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ([0.2, 0.4, 0.4], "the policy plays fold after '' with Jc, which is not legal there"),
        ([0.0, 0.5, 0.4], r"not a distribution: .* after '' with Jc"),
        ([0.0, 1.5, -0.5], "not a distribution"),
        ([0.0, np.nan, 1.0], "not a distribution"),
        ([0.0, 0.0, 0.0], "not a distribution"),
        ([0.5, 0.5], r"strategies must have shape \(12, 3\), not \(12, 2\)"),
    ],
)
def test_policies_that_are_none_are_refused(row: list[float], complaint: str) -> None:
    tree = tree_of(KUHN)
    with pytest.raises(ValueError, match=complaint):
        exploitability(Game(KUHN, tree), Fixed(row))
    with pytest.raises(ValueError, match=r"not legal|not a distribution|must have shape"):
        expected_value(Game(KUHN, tree), Uniform(tree), Fixed(row))
