"""The local best response equals a plain recursion over all deals, and what the literature says."""

from __future__ import annotations

import numpy as np
import pytest

from env.actions import CALL, FOLD
from env.arrays import Floats, Nodes
from env.betting_tree import BettingTree
from env.cards import Cards
from env.game import Game
from env.rules import HULH, KUHN, LEDUC, Rules, parse_rules
from evaluation.best_response import exploitability
from evaluation.local_best_response import (
    LocalBestResponse,
    local_best_response,
    street_parts,
)
from models import load
from models.records import EXACT_STREET, LAST_STREETS
from policies.fixed import TabularPolicy, uniform_policy
from policies.policy import Policy
from tests.games import tree_of
from tests.plain_local_best_response import PlainLBR
from tests.policies import Hashed


def fixed_policy(tree: BettingTree, preferred: tuple[float, float, float]) -> TabularPolicy:
    """One row of probabilities everywhere; what is not legal goes to calling."""
    table = np.where(tree.legal, np.array(preferred), 0)
    table[:, CALL] += 1 - table.sum(axis=1)
    table32 = table.astype(np.float32)
    return TabularPolicy(lambda cards, nodes: table32[nodes])


def always_fold(tree: BettingTree) -> TabularPolicy:
    return fixed_policy(tree, (1.0, 0.0, 0.0))


def run(
    rules: Rules,
    policy: Policy,
    num_hands: int,
    seed: int,
    boards_per_batch: int = 0,
    last_street: str = EXACT_STREET,
    by_street: bool = False,
) -> LocalBestResponse:
    """A run with a seed of its own; large batches for small games unless told otherwise."""
    return local_best_response(
        Game(rules, tree_of(rules)),
        policy,
        num_hands,
        np.random.default_rng(seed),
        boards_per_batch=boards_per_batch or (16 if rules.is_holdem else 500),
        last_street=last_street,
        by_street=by_street,
    )


def check_against_recursion(
    text: str, policy_seeds: list[int | None], num_hands: int, last_street: str
) -> None:
    """The bound, and what each street brings."""
    rules = parse_rules(text)
    tree = tree_of(rules)
    for seed in policy_seeds:
        policy: Policy = uniform_policy(tree) if seed is None else Hashed(tree, seed)
        won = [
            [PlainLBR(rules, tree, policy, last_street == EXACT_STREET, start).value_mbb(seat)]
            for seat in (0, 1)
            for start in range(rules.streets + 1)
        ]
        expected = np.array(won).reshape(2, -1)
        assert expected[:, -1].sum() == pytest.approx(0, abs=1e-6), "from itself"
        found = run(rules, policy, num_hands, seed or 0, last_street=last_street, by_street=True)
        standard_error = found.interval_mbb / 1.96
        assert abs(found.bound_mbb - expected[:, 0].mean()) < 4 * standard_error + 1e-9
        # A seat's error is at most twice that of both if seats do not work against each other.
        for seat in (0, 1):
            assert abs(found.br_mbb[seat] - expected[seat, 0]) < 8 * standard_error + 1e-9
        parts = street_parts(rules, found)
        assert [part.street for part in parts] == list(rules.street_names)
        for part, brought in zip(parts, -np.diff(expected.mean(axis=0)), strict=True):
            assert abs(part.mbb - brought) < 4 * part.interval_mbb / 1.96 + 1e-9


@pytest.mark.parametrize("last_street", LAST_STREETS)
@pytest.mark.parametrize(
    "text", ["kuhn", "leduc", "leduc:stack=4", "leduc:board_cards=1/0,max_raises=1/1"]
)
def test_equals_the_plain_recursion_in_toy_games(text: str, last_street: str) -> None:
    check_against_recursion(text, [None, 1, 2], 8000, last_street)


@pytest.mark.parametrize("last_street", LAST_STREETS)
@pytest.mark.parametrize(
    "text",
    [
        "fhp:ranks=JQKA,suits=cd,max_raises=1/1",
        "fhp:ranks=JQKA,suits=cd,max_raises=2/1,stack=15",  # all-in before the flop
        "hulh:ranks=JQKA,suits=cd,streets=3,bet_sizes=10/10/20,max_raises=1/0/1,stack=35",
    ],
)
def test_equals_the_plain_recursion_with_two_hole_cards_and_all_ins(
    text: str, last_street: str
) -> None:
    check_against_recursion(text, [1], 10_000, last_street)


def test_never_wins_more_than_a_best_response() -> None:
    for rules in (KUHN, LEDUC):
        tree = tree_of(rules)
        for seed in range(4):
            policy = Hashed(tree, seed)
            found = run(rules, policy, 4000, seed)
            most = exploitability(Game(rules, tree), policy).exploitability_mbb
            assert found.bound_mbb < most + 1.5 * found.interval_mbb + 1e-9
            assert found.bound_mbb == pytest.approx(np.mean(found.br_mbb), abs=1e-9)


def test_intervals_cover_the_true_value_as_often_as_they_should() -> None:
    tree = tree_of(LEDUC)
    policy = Hashed(tree, 7)
    plain = PlainLBR(LEDUC, tree, policy, exact=True)
    exact = (plain.value_mbb(0) + plain.value_mbb(1)) / 2
    errors = []
    for seed in range(60):
        found = run(LEDUC, policy, 1000, seed)
        errors.append((found.bound_mbb - exact) / (found.interval_mbb / 1.96))
    assert 0.7 < np.std(errors) < 1.35
    assert abs(np.mean(errors)) < 4 / np.sqrt(60), "no bias"
    assert np.mean(np.abs(errors) < 1.96) > 0.85


# The last street


@pytest.mark.parametrize("text", ["kuhn", "leduc:max_raises=0/2"])
def test_is_a_best_response_where_the_last_street_decides(text: str) -> None:
    rules = parse_rules(text)
    for seed in (2, 3):
        policy = Hashed(tree_of(rules), seed)
        most = exploitability(Game(rules, tree_of(rules)), policy)
        found = run(rules, policy, 4000, seed)
        for seat in (0, 1):
            gap = abs(found.br_mbb[seat] - most.br_mbb[seat])
            assert gap < 8 * found.interval_mbb / 1.96 + 1e-6
        plain = PlainLBR(rules, tree_of(rules), policy, exact=False)
        rough = [plain.value_mbb(seat) for seat in (0, 1)]
        assert np.mean(rough) < most.exploitability_mbb - 5


def test_lies_between_checking_down_and_a_best_response() -> None:
    game = Game(LEDUC, tree_of(LEDUC))
    for seed in range(4):
        policy = Hashed(game.tree, seed)
        rough, exact = (
            np.mean([PlainLBR(LEDUC, game.tree, policy, form).value_mbb(seat) for seat in (0, 1)])
            for form in (False, True)
        )
        assert rough < exact < exploitability(game, policy).exploitability_mbb


def test_is_not_below_checking_down_on_the_same_boards_and_less_noisy() -> None:
    policy = Hashed(tree_of(HULH), 3)
    exact, rough = (run(HULH, policy, 1024, 0, last_street=form) for form in LAST_STREETS)
    gains = exact.board_mbb - rough.board_mbb
    assert gains.mean() > -2 * gains.std(ddof=1) / np.sqrt(len(gains))
    assert exact.interval_mbb < 0.9 * rough.interval_mbb


# By street


def test_streets_add_up_to_the_same_bound() -> None:
    policy = Hashed(tree_of(HULH), 3)
    found = run(HULH, policy, 256, 0, by_street=True)
    assert found == run(HULH, policy, 256, 0)
    assert found.street_mbb is not None
    np.testing.assert_allclose(found.street_mbb.sum(axis=1), found.board_mbb)
    total = sum(part.mbb for part in street_parts(HULH, found))
    assert total == pytest.approx(found.bound_mbb)


@pytest.mark.parametrize("street", [0, 1])
def test_a_street_that_is_played_badly_shows(street: int) -> None:
    """A near equilibrium that folds to every bet of one street."""
    model = load("checkpoints/pretrained/leduc")
    tree = model.game.tree

    def folding(cards: Cards, nodes: Nodes) -> Floats:
        folds = (tree.street[nodes] == street) & tree.legal[nodes, FOLD]
        answers = model.policy.strategies(cards, nodes)
        return np.where(folds[:, None], np.eye(3, dtype=np.float32)[FOLD], answers)

    good, bad = (
        street_parts(LEDUC, run(LEDUC, policy, 4000, 0, by_street=True))
        for policy in (model.policy, TabularPolicy(folding))
    )
    gains = [worse.mbb - better.mbb for worse, better in zip(bad, good, strict=True)]
    assert gains[street] > 500
    assert gains[1 - street] < 100


# Limit hold'em. Exploitabilities from Johanson et al. 2011, table 1


def test_always_folding_loses_three_quarters_of_a_big_blind() -> None:
    found = run(HULH, always_fold(tree_of(HULH)), 512, 0)
    assert found.br_mbb == pytest.approx((1000, 500), abs=1e-9)
    assert found.bound_mbb == pytest.approx(750, abs=1e-9)
    assert found.interval_mbb == pytest.approx(0, abs=1e-9)


def test_is_a_best_response_to_always_calling() -> None:
    found = run(HULH, fixed_policy(tree_of(HULH), (0, 1, 0)), 10_000, 1)
    assert abs(found.bound_mbb - 1163.48) < 1.5 * found.interval_mbb
    assert 5 < found.interval_mbb < 60


@pytest.mark.parametrize(("raising", "most_mbb"), [(1.0, 3697.69), (0.5, 2406.55)])
def test_stays_below_the_best_response_to_raising(raising: float, most_mbb: float) -> None:
    found = run(HULH, fixed_policy(tree_of(HULH), (0, 1 - raising, raising)), 2048, 2)
    assert 0.7 * most_mbb < found.bound_mbb < most_mbb + 1.5 * found.interval_mbb


def test_big_blind_stacks_leave_a_choice_between_folding_and_a_coin_flip() -> None:
    rules = parse_rules("hulh:stack=10")
    calling = run(rules, fixed_policy(tree_of(rules), (0, 1, 0)), 4000, 0)
    # Nobody folds a hand that wins more than a quarter of the time, so all is luck.
    assert abs(calling.bound_mbb) < 1.5 * calling.interval_mbb
    folding = run(rules, always_fold(tree_of(rules)), 1024, 0)
    assert folding.br_mbb[1] == 500


# Batches


def test_batches_make_no_difference() -> None:
    for rules, num_hands, sizes in ((LEDUC, 500, (1, 7, 500)), (HULH, 384, (1, 3))):
        policy = Hashed(tree_of(rules), 5)
        found = [run(rules, policy, num_hands, 3, size, by_street=True) for size in sizes]
        assert len(set(found)) == 1
        for one in found[1:]:
            assert one.street_mbb is not None
            np.testing.assert_array_equal(one.street_mbb, found[0].street_mbb)
        assert run(rules, policy, num_hands, 4) not in found


def test_progress_counts_hands() -> None:
    calls: list[int] = []
    rng = np.random.default_rng(0)
    policy = uniform_policy(tree_of(LEDUC))
    found = local_best_response(Game(LEDUC, tree_of(LEDUC)), policy, 95, rng, calls.append, 3, 4)
    assert (found.hands, found.boards) == (96, 16)
    assert calls == [24, 24, 24, 24]


def test_refuses_what_is_no_strategy() -> None:
    tree = tree_of(LEDUC)
    wrong = TabularPolicy(lambda cards, nodes: np.eye(3, dtype=np.float32)[nodes * 0])
    with pytest.raises(ValueError, match="not legal"):
        run(LEDUC, wrong, 100, 0)
    wrong = TabularPolicy(lambda cards, nodes: tree.legal[nodes].astype(np.float32))
    with pytest.raises(ValueError, match="not a distribution"):
        run(LEDUC, wrong, 100, 0)
