"""The batched traversal against the recursion, and its samples against exact regrets."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest

from deep_cfr.sampling.external_sampling import traverse, traverse_deals
from env.arrays import Floats
from env.betting_tree import FOLDED, BettingTree
from env.cards import canonical
from env.compiler import compile_tree
from env.deals import deal, visible_cards
from env.emulator import make_emulator
from env.game import Game, load_game
from env.rules import FHP, HULH, HULH_80, KUHN, LEDUC, Rules
from policies.drawing import draw, sample_action
from policies.fixed import uniform_policy
from policies.policy import Policy
from tests.policies import Hashed, hashed_pair
from tests.recursive_traversal import Key, Recursion, Sample, as_samples


@pytest.mark.parametrize("traverser", [0, 1])
@pytest.mark.parametrize(
    ("rules", "deals"),
    [(KUHN, 60), (LEDUC, 60), (FHP, 25), (HULH, 3), (HULH_80, 6)],
    ids=lambda value: value.name if isinstance(value, Rules) else None,
)
def test_equals_the_recursion_through_the_emulator(
    rules: Rules, deals: int, traverser: int
) -> None:
    emulator = make_emulator(rules)
    tree = compile_tree(emulator)
    policies = hashed_pair(tree)
    dealt, salt = deal(rules, deals, np.random.default_rng(3)), 12345
    batched = traverse_deals(Game(rules, tree), policies, traverser, 7, dealt, salt)
    oracle = Recursion(emulator, tree, policies, traverser, salt)
    values = [oracle.traverse(i, emulator.start(cards)) for i, cards in enumerate(dealt)]
    assert batched.value == pytest.approx(np.mean(values), abs=1e-5)
    assert batched.infosets == len(oracle.advantages) + len(oracle.strategies)
    for rows, expected in (
        (batched.advantages, oracle.advantages),
        (batched.strategies, oracle.strategies),
    ):
        assert (rows["t"] == 7).all()
        ours, theirs = by_infoset(as_samples(rows)), by_infoset(expected)
        assert ours.keys() == theirs.keys()
        for key, (count, total, squares) in ours.items():
            assert count == theirs[key][0]
            np.testing.assert_allclose(total, theirs[key][1], atol=1e-4)
            np.testing.assert_allclose(squares, theirs[key][2], atol=1e-3, rtol=1e-5)


def by_infoset(samples: list[Sample]) -> dict[Key, tuple[int, np.ndarray, np.ndarray]]:
    """How many samples each infoset has, their sum and the sum of their squares."""
    found: dict[Key, tuple[int, np.ndarray, np.ndarray]] = {}
    for key, targets in samples:
        row = np.array(targets, np.float64)
        count, total, squares = found.get(key, (0, np.zeros(3), np.zeros(3)))
        found[key] = (count + 1, total + row, squares + row**2)
    return found


def kuhn_value(
    tree: BettingTree, policy: Policy, cards: tuple[int, ...], node: int, player: int
) -> float:
    """The exact value of a node for a player, both following the policy; cards are fixed."""
    if not tree.is_decision[node]:
        stake = float(min(tree.contributions[node]))
        if tree.node_type[node] == FOLDED:
            winner = 1 - int(tree.actor[tree.parent[node]])
        else:
            winner = 0 if cards[0] > cards[2] else 1
        return stake if winner == player else -stake
    strategy = kuhn_strategy(tree, policy, cards, node)
    return sum(
        float(strategy[a]) * kuhn_value(tree, policy, cards, int(tree.children[node, a]), player)
        for a in range(3)
        if tree.legal[node, a]
    )


def kuhn_strategy(tree: BettingTree, policy: Policy, cards: tuple[int, ...], node: int) -> Floats:
    row = np.array([cards], np.uint8)
    seen = canonical(visible_cards(KUHN, row, int(tree.actor[node]), 0))
    return policy.strategies(seen, np.array([node]))[0]


@pytest.mark.parametrize("traverser", [0, 1])
def test_mean_samples_are_exact_counterfactual_regrets_over_reach(traverser: int) -> None:
    """Kuhn: per infoset, Σ over deals of reach · (value of action − value), over Σ of reach."""
    tree = load_game(KUHN).tree
    policy = Hashed(tree, 4, unplayed=0)
    exact: dict[tuple[bytes, int], np.ndarray] = {}
    reach_sums: dict[tuple[bytes, int], float] = {}
    for first, second in permutations(KUHN.deck, 2):
        cards = (first, 52, second, 52, 52, 52, 52, 52, 52)
        for node in np.flatnonzero(tree.actor == traverser).tolist():
            reach = 1.0  # of chance and the opponent
            path = list(tree.path(int(node)))
            for before, after in pairwise(path):
                if tree.actor[before] != traverser:
                    reach *= float(kuhn_strategy(tree, policy, cards, before)[tree.action[after]])
            value = kuhn_value(tree, policy, cards, int(node), traverser)
            below = [
                kuhn_value(tree, policy, cards, int(child), traverser) if child >= 0 else value
                for child in tree.children[node]
            ]
            regrets = np.array(below) - value
            seen = canonical(visible_cards(KUHN, np.array([cards], np.uint8), traverser, 0))
            key = (seen[0].tobytes(), int(node))
            exact[key] = exact.get(key, 0) + reach * regrets
            reach_sums[key] = reach_sums.get(key, 0) + reach
    rows = traverse(
        Game(KUHN, tree), (policy, policy), traverser, 1, 60_000, np.random.default_rng(6)
    ).advantages
    for (cards_bytes, node), total in exact.items():
        own = (rows["node"] == node) & (rows["cards"] == np.frombuffer(cards_bytes, np.uint8)).all(
            axis=1
        )
        targets = rows["targets"][own].astype(np.float64)
        error = targets.std(axis=0) / np.sqrt(own.sum())
        difference = targets.mean(axis=0) - total / reach_sums[cards_bytes, node]
        assert own.sum() > 500
        assert (np.abs(difference) <= 4.5 * error + 1e-6).all()


def test_value_of_uniform_play_is_right() -> None:
    """Kuhn under uniform play is worth 1/8 to the first player."""
    tree = load_game(KUHN).tree
    uniform = uniform_policy(tree)
    samples = traverse(
        Game(KUHN, tree), (uniform, uniform), 0, 1, 100_000, np.random.default_rng(0)
    )
    assert samples.value == pytest.approx(0.125, abs=0.02)


def test_batches_of_other_sizes_leave_the_same_samples() -> None:
    tree = load_game(FHP).tree
    policies = hashed_pair(tree)
    deals = deal(FHP, 20, np.random.default_rng(0))
    whole = traverse_deals(Game(FHP, tree), policies, 0, 1, deals, salt=9)
    once = traverse_deals(Game(FHP, tree), policies, 0, 1, deals[:10], salt=9)
    ours, theirs = as_samples(whole.advantages), as_samples(once.advantages)
    for sample in theirs:
        assert sample in ours


def test_draws_are_uniform_and_independent() -> None:
    numbers = np.array([[draw(np.uint64(5), d, n) for n in range(200)] for d in range(200)])
    assert abs(numbers.mean() - 0.5) < 0.01
    assert abs(np.corrcoef(numbers[:, :-1].ravel(), numbers[:, 1:].ravel())[0, 1]) < 0.02
    assert abs(np.corrcoef(numbers[:-1].ravel(), numbers[1:].ravel())[0, 1]) < 0.02
    assert np.abs(np.histogram(numbers, 20, (0, 1))[0] - 2000).max() < 250


def test_illegal_actions_are_never_sampled() -> None:
    children = np.array([-1, 4, 5], np.int32)
    strategy = np.array([0, 0.999999, 0], np.float32)  # rounding left a gap at the end
    assert sample_action(strategy, children, 0.9999999) == 1
    strategy = np.array([0, 0.25, 0.75], np.float32)
    picks = [sample_action(strategy, children, n) for n in np.linspace(0, 1, 400, endpoint=False)]
    assert picks.count(1) == 100
    assert picks.count(2) == 300
