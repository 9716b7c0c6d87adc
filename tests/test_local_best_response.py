"""The local best response equals a plain recursion over all deals, and what the literature says."""

from __future__ import annotations

import numpy as np
import pytest

from env.actions import CALL
from env.betting_tree import BettingTree
from env.game import Game
from env.rules import HULH, KUHN, LEDUC, Rules, parse_rules
from evaluation.best_response import exploitability
from evaluation.local_best_response import LocalBestResponse, local_best_response
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
    rules: Rules, policy: Policy, num_hands: int, seed: int, boards_per_batch: int = 0
) -> LocalBestResponse:
    """A run with a seed of its own; large batches for small games unless told otherwise."""
    size = boards_per_batch or (16 if rules.is_holdem else 500)
    rng = np.random.default_rng(seed)
    return local_best_response(
        Game(rules, tree_of(rules)), policy, num_hands, rng, boards_per_batch=size
    )


def check_against_recursion(text: str, policy_seeds: list[int | None], num_hands: int) -> None:
    rules = parse_rules(text)
    tree = tree_of(rules)
    for seed in policy_seeds:
        policy: Policy = uniform_policy(tree) if seed is None else Hashed(tree, seed)
        plain = PlainLBR(rules, tree, policy)
        exact = [plain.value_mbb(seat) for seat in (0, 1)]
        found = run(rules, policy, num_hands, seed or 0)
        standard_error = found.interval_mbb / 1.96
        assert abs(found.bound_mbb - np.mean(exact)) < 4 * standard_error + 1e-9
        # A seat's error is at most twice that of both if seats do not work against each other.
        for seat in (0, 1):
            assert abs(found.br_mbb[seat] - exact[seat]) < 8 * standard_error + 1e-9


@pytest.mark.parametrize(
    "text", ["kuhn", "leduc", "leduc:stack=4", "leduc:board_cards=1/0,max_raises=1/1"]
)
def test_equals_the_plain_recursion_in_toy_games(text: str) -> None:
    check_against_recursion(text, [None, 1, 2], 8000)


@pytest.mark.parametrize(
    "text",
    [
        "fhp:ranks=JQKA,suits=cd,max_raises=1/1",
        "fhp:ranks=JQKA,suits=cd,max_raises=2/1,stack=15",  # all-in before the flop
        "hulh:ranks=JQKA,suits=cd,streets=3,bet_sizes=10/10/20,max_raises=1/0/1,stack=35",
    ],
)
def test_equals_the_plain_recursion_with_two_hole_cards_and_all_ins(text: str) -> None:
    check_against_recursion(text, [1], 10_000)


def test_never_wins_more_than_a_best_response() -> None:
    for rules in (KUHN, LEDUC):
        tree = tree_of(rules)
        for seed in range(4):
            policy = Hashed(tree, seed)
            found = run(rules, policy, 4000, seed)
            most = exploitability(Game(rules, tree), policy).exploitability_mbb
            assert found.bound_mbb < most + 1.5 * found.interval_mbb
            assert found.bound_mbb == pytest.approx(np.mean(found.br_mbb), abs=1e-9)


def test_intervals_cover_the_true_value_as_often_as_they_should() -> None:
    tree = tree_of(LEDUC)
    policy = Hashed(tree, 7)
    plain = PlainLBR(LEDUC, tree, policy)
    exact = (plain.value_mbb(0) + plain.value_mbb(1)) / 2
    errors = []
    for seed in range(60):
        found = run(LEDUC, policy, 1000, seed)
        errors.append((found.bound_mbb - exact) / (found.interval_mbb / 1.96))
    assert 0.7 < np.std(errors) < 1.35
    assert abs(np.mean(errors)) < 4 / np.sqrt(60), "no bias"
    assert np.mean(np.abs(errors) < 1.96) > 0.85


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
        results = {run(rules, policy, num_hands, 3, boards_per_batch=size) for size in sizes}
        assert len(results) == 1
        assert run(rules, policy, num_hands, 4) not in results


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
