"""The local best response equals a plain recursion over all deals, and what the literature says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from env.actions import CALL, FOLD, RAISE
from env.arrays import Nodes
from env.betting_tree import FOLDED, BettingTree
from env.cards import NO_CARD, NUM_SLOTS, Cards, canonical
from env.deals import showdown_result
from env.game import Game, load_game
from env.rules import HULH, KUHN, LEDUC, Rules, parse_rules
from evaluation.best_response import exploitability
from evaluation.local_best_response import LocalBestResponse, local_best_response
from policies.fixed import TabularPolicy, uniform_policy

Hand = tuple[int, ...]


def tree_of(rules: Rules) -> BettingTree:
    return load_game(rules).tree


def random_policy(tree: BettingTree, seed: int) -> TabularPolicy:
    """Random and suit-symmetric; about a third of folds and raises is never played."""
    rng = np.random.default_rng(seed)
    by_node = rng.random((len(tree), 3))
    by_card = rng.random((NUM_SLOTS, NO_CARD + 1, 3))

    def strategies(cards: Cards, nodes: Nodes) -> NDArray[np.float32]:
        assert (canonical(cards) == cards).all()
        weights = by_node[nodes].copy()
        for slot in range(NUM_SLOTS):
            weights += by_card[slot, cards[:, slot]]
        weights %= 1
        weights[:, [FOLD, RAISE]] *= weights[:, [FOLD, RAISE]] > 1 / 3
        weights[:, CALL] += 1e-3
        weights *= tree.legal[nodes]
        return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)

    return TabularPolicy(strategies)


def fixed_policy(tree: BettingTree, preferred: tuple[float, float, float]) -> TabularPolicy:
    """One row of probabilities everywhere; what is not legal goes to calling."""
    table = np.where(tree.legal, np.array(preferred), 0)
    table[:, CALL] += 1 - table.sum(axis=1)
    table32 = table.astype(np.float32)
    return TabularPolicy(lambda cards, nodes: table32[nodes])


def always_fold(tree: BettingTree) -> TabularPolicy:
    return fixed_policy(tree, (1.0, 0.0, 0.0))


# The algorithm as a plain recursion: one own hand, one board, every opposing hand by itself


@dataclass
class PlainLBR:
    rules: Rules
    tree: BettingTree
    policy: TabularPolicy
    asked: dict[tuple[Hand, Hand, int], list[float]] = field(default_factory=dict)
    compared: dict[tuple[Hand, Hand, Hand], float] = field(default_factory=dict)

    def value_mbb(self, seat: int) -> float:
        """What LBR wins in a seat, averaged over all boards and own hands."""
        hands = list(combinations(self.rules.deck, self.rules.hole_cards))
        values = []
        for board in self._boards(0, ()):
            for own in (hand for hand in hands if not set(hand) & set(board)):
                theirs = {hand: 1.0 for hand in hands if not set(hand) & set(own)}
                left = sum(not set(hand) & set(board) for hand in theirs)
                values.append(self._below(0, seat, own, board, theirs) / left)
        return 1000 * float(np.mean(values)) / self.rules.big_blind_chips

    def _boards(self, street: int, before: Hand) -> Iterator[Hand]:
        if street == self.rules.streets:
            yield before
            return
        left = [card for card in self.rules.deck if card not in before]
        for new in combinations(left, self.rules.board_cards[street]):
            yield from self._boards(street + 1, before + new)

    def _below(
        self, node: int, seat: int, own: Hand, board: Hand, reach: dict[Hand, float]
    ) -> float:
        """Σ over the opposing hands that the full board leaves of reach times chips won."""
        tree = self.tree
        if not tree.is_decision[node]:
            return sum(
                chance * self._chips(node, seat, own, hand, board)
                for hand, chance in reach.items()
                if not set(hand) & set(board)
            )
        visible = board[: self.rules.visible_board[tree.street[node]]]
        if tree.actor[node] == seat:
            action = self._choice(node, seat, own, visible, reach)
            return self._below(int(tree.children[node, action]), seat, own, board, reach)
        total = 0.0
        for action in np.flatnonzero(tree.legal[node]).tolist():
            after = {
                hand: chance * self._strategy(hand, visible, node)[action]
                for hand, chance in reach.items()
                if not set(hand) & set(visible)
            }
            if any(chance for hand, chance in after.items() if not set(hand) & set(board)):
                total += self._below(int(tree.children[node, action]), seat, own, board, after)
        return total

    def _choice(
        self, node: int, seat: int, own: Hand, visible: Hand, reach: dict[Hand, float]
    ) -> int:
        tree = self.tree
        seen = {hand: chance for hand, chance in reach.items() if not set(hand) & set(visible)}
        values = {}
        if tree.legal[node, FOLD]:
            values[FOLD] = -float(tree.contributions[node, seat])
        after = int(tree.children[node, CALL])
        edge = self._edge(own, visible, seen)
        values[CALL] = edge * float(tree.contributions[after, seat])
        if tree.legal[node, RAISE]:
            after = int(tree.children[node, RAISE])
            folds = {hand: self._strategy(hand, visible, after)[FOLD] for hand in seen}
            stays = {hand: chance * (1 - folds[hand]) for hand, chance in seen.items()}
            fp = 1 - sum(stays.values()) / sum(seen.values())
            called = int(tree.children[after, CALL])
            values[RAISE] = fp * float(tree.contributions[after, 1 - seat])
            if any(stays.values()):
                edge = self._edge(own, visible, stays)
                values[RAISE] += (1 - fp) * edge * float(tree.contributions[called, seat])
        best = max(values.values())
        return min(action for action, value in values.items() if value > best - 1e-6)

    def _edge(self, own: Hand, visible: Hand, seen: dict[Hand, float]) -> float:
        """2 wp − 1."""
        won = sum(chance * self._duel(own, hand, visible) for hand, chance in seen.items())
        return won / sum(seen.values())

    def _duel(self, own: Hand, other: Hand, visible: Hand) -> float:
        """Chances to win less chances to lose, over every rest of the board."""
        key = (own, other, tuple(sorted(visible)))
        if key not in self.compared:
            left = [card for card in self.rules.deck if card not in own + other + visible]
            rests = combinations(left, self.rules.visible_board[-1] - len(visible))
            results = [self._result(own, other, visible + rest) for rest in rests]
            self.compared[key] = sum(results) / len(results)
        return self.compared[key]

    def _result(self, own: Hand, other: Hand, board: Hand) -> int:
        filled = (*own, NO_CARD)[:2] + (*other, NO_CARD)[:2] + board
        return showdown_result(filled + (NO_CARD,) * (9 - len(filled)))

    def _chips(self, node: int, seat: int, own: Hand, other: Hand, board: Hand) -> float:
        lost = int(self.tree.contributions[node].min())
        if self.tree.node_type[node] == FOLDED:
            return -lost if self.tree.actor[self.tree.parent[node]] == seat else lost
        return lost * self._result(own, other, board)

    def _strategy(self, hand: Hand, visible: Hand, node: int) -> list[float]:
        key = (hand, visible, node)
        if key not in self.asked:
            row = (*hand, NO_CARD)[:2] + visible
            view = np.array([row + (NO_CARD,) * (NUM_SLOTS - len(row))], np.uint8)
            answer = self.policy.strategies(canonical(view), np.array([node])).astype(float)[0]
            self.asked[key] = (answer / answer.sum()).tolist()
        return self.asked[key]


def run(
    rules: Rules, policy: TabularPolicy, num_hands: int, seed: int, boards_per_batch: int = 0
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
        policy = uniform_policy(tree) if seed is None else random_policy(tree, seed)
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
            policy = random_policy(tree, seed)
            found = run(rules, policy, 4000, seed)
            most = exploitability(Game(rules, tree), policy).exploitability_mbb
            assert found.bound_mbb < most + 1.5 * found.interval_mbb
            assert found.bound_mbb == pytest.approx(np.mean(found.br_mbb), abs=1e-9)


def test_intervals_cover_the_true_value_as_often_as_they_should() -> None:
    tree = tree_of(LEDUC)
    policy = random_policy(tree, 7)
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
        policy = random_policy(tree_of(rules), 5)
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
