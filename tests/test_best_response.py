"""Best responses equal OpenSpiel's, brute force over explicit deals, and what theory says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pyspiel
import pytest
from numpy.typing import NDArray

from env.actions import CALL, FOLD, NUM_ACTIONS, RAISE
from env.betting_tree import BettingTree
from env.cards import NO_CARD, NUM_SLOTS, RANKS, Cards, canonical
from env.compiler import compile
from env.deals import NUM_DEAL_SLOTS, canonical_views, deal_slots, showdown_results, visible_cards
from env.emulator import make_emulator
from env.rules import FHP, HULH, KUHN, LEDUC, Rules, parse_rules
from evaluation.best_response import (
    Exploitability,
    GameTooLarge,
    boards,
    expected_value,
    exploitability,
)

Nodes = NDArray[np.integer]
Strategies = NDArray[np.float32]

SMALL_FLOP_HOLDEM = "fhp:ranks=TJQKA,suits=cd"
OPENSPIEL = {"kuhn": "kuhn_poker", "leduc": "leduc_poker"}


def tree_of(rules: Rules) -> BettingTree:
    return compile(make_emulator(rules))


class Stateless:
    """A policy with nothing to keep between questions about the same cards."""

    def strategies(self, cards: Cards, nodes: Nodes) -> Strategies:
        raise NotImplementedError

    def for_views(self, views: Cards) -> Callable[[Nodes, Nodes], Strategies]:
        return lambda rows, nodes: self.strategies(views[rows], nodes)


@dataclass
class Uniform(Stateless):
    """Every legal action alike; counts the rows of each call."""

    tree: BettingTree
    calls: list[int] = field(default_factory=list)

    def strategies(self, cards: Cards, nodes: Nodes) -> Strategies:
        self.calls.append(len(cards))
        legal = self.tree.legal[nodes].astype(np.float32)
        return legal / legal.sum(axis=1, keepdims=True)


@dataclass
class Hashed(Stateless):
    """Random and suit-symmetric: each probability is a hash of seed, cards, node and action.

    About a quarter of the actions other than calling is never played.
    """

    tree: BettingTree
    seed: int

    def strategies(self, cards: Cards, nodes: Nodes) -> Strategies:
        assert (canonical(cards) == cards).all()
        key = np.full((len(cards), NUM_SLOTS + 1), self.seed, np.uint8)
        key[:, :NUM_SLOTS] = cards
        mixed: NDArray[np.uint64] = np.repeat(key.view(np.uint64), NUM_ACTIONS, axis=1)  # [n, 3]
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        mixed += nodes[:, None].astype(np.uint64) * np.uint64(NUM_ACTIONS)
        mixed += np.arange(NUM_ACTIONS, dtype=np.uint64)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):  # SplitMix64
            mixed ^= mixed >> np.uint64(shift)
            mixed *= np.uint64(factor)
        weights = mixed.astype(np.float64) / 2**64
        weights[:, [FOLD, RAISE]] *= weights[:, [FOLD, RAISE]] > 0.25
        weights[:, CALL] += 1e-3
        weights *= self.tree.legal[nodes]
        return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)


@dataclass
class Fixed(Stateless):
    """One row of probabilities for all situations, legal or not."""

    row: list[float]

    def strategies(self, cards: Cards, nodes: Nodes) -> Strategies:
        return np.tile(np.array(self.row, np.float32), (len(nodes), 1))


@dataclass
class AlwaysFold(Stateless):
    tree: BettingTree

    def strategies(self, cards: Cards, nodes: Nodes) -> Strategies:
        action = np.where(self.tree.legal[nodes, FOLD], FOLD, CALL)
        return np.eye(NUM_ACTIONS, dtype=np.float32)[action]


@dataclass
class KuhnEquilibrium(Stateless):
    """The family of Kuhn 1950: player 0 bets the jack with probability α ≤ 1/3."""

    tree: BettingTree
    alpha: float
    queen_calls: float = 1 / 3  # of player 1

    def strategies(self, cards: Cards, nodes: Nodes) -> Strategies:
        putting_chips_in = {  # by history: with jack, queen, king
            "": (self.alpha, 0, 3 * self.alpha),
            "cr": (0, self.alpha + 1 / 3, 1),
            "c": (1 / 3, 0, 1),
            "r": (0, self.queen_calls, 1),
        }
        rows = np.zeros((len(nodes), NUM_ACTIONS), np.float32)
        for row, card, node in zip(rows, cards[:, 0], nodes, strict=True):
            chance = putting_chips_in[self.tree.text(int(node))]["JQK".index(RANKS[card >> 2])]
            facing_a_bet = self.tree.legal[node, FOLD]
            row[[FOLD, CALL] if facing_a_bet else [CALL, RAISE]] = 1 - chance, chance
        return rows


def normalised(strategies: Strategies) -> NDArray[np.float64]:
    exact = strategies.astype(np.float64)
    return exact / exact.sum(axis=1, keepdims=True)


# OpenSpiel


class InOpenSpiel:
    """A toy game there, with our names for its information states."""

    def __init__(self, preset: str) -> None:
        self.rules = parse_rules(preset)
        self.tree = tree_of(self.rules)
        self.game = pyspiel.load_game(OPENSPIEL[preset])
        self.start = self.game.new_initial_state()
        self._ours: dict[str, tuple[list[int], int]] = {}  # infostate → visible cards, node
        self._visit(self.start, 0, [])

    def _visit(self, state: pyspiel.State, node: int, dealt: list[int]) -> None:
        if state.is_terminal():
            return
        if state.is_chance_node():
            for card in state.legal_actions():
                self._visit(state.child(card), node, [*dealt, self.rules.deck[card]])
            return
        player = state.current_player()
        assert player == self.tree.actor[node]
        board = dealt[2] if len(dealt) > 2 else NO_CARD
        view = [dealt[player], NO_CARD, board] + [NO_CARD] * 4
        self._ours[state.information_state_string()] = (view, node)
        for action in np.flatnonzero(self.tree.legal[node]).tolist():
            child = int(self.tree.children[node, action])
            self._visit(state.child(self._their_action(node, action)), child, dealt)

    def _their_action(self, node: int, action: int) -> int:
        if self.rules == LEDUC:
            return action
        passing = FOLD if self.tree.legal[node, FOLD] else CALL
        return int(action != passing)

    def policy(self, ours: Stateless) -> pyspiel.TabularPolicy:
        views, nodes = (np.array(column) for column in zip(*self._ours.values(), strict=True))
        strategies = normalised(ours.strategies(canonical(views), nodes))
        table = {
            infostate: [
                (self._their_action(node, action), strategy[action])
                for action in np.flatnonzero(self.tree.legal[node]).tolist()
            ]
            for infostate, node, strategy in zip(self._ours, nodes, strategies, strict=True)
        }
        return pyspiel.TabularPolicy(table)

    def best_response_values(self, ours: Stateless) -> list[float]:
        policy = self.policy(ours)
        responses = [pyspiel.TabularBestResponse(self.game, player, policy) for player in (0, 1)]
        return [response.value_from_state(self.start) for response in responses]

    def value(self, *policies: Stateless) -> float:
        theirs = [self.policy(policy) for policy in policies]
        return float(pyspiel.expected_returns(self.start, theirs, -1, True)[0])


@pytest.fixture(scope="module")
def openspiel() -> dict[str, InOpenSpiel]:
    return {preset: InOpenSpiel(preset) for preset in OPENSPIEL}


@pytest.mark.parametrize(("preset", "policies"), [("kuhn", 50), ("leduc", 15)])
def test_equals_openspiel(preset: str, policies: int, openspiel: dict[str, InOpenSpiel]) -> None:
    theirs = openspiel[preset]
    rules, tree = theirs.rules, theirs.tree
    tested: list[Stateless] = [Uniform(tree), *(Hashed(tree, i) for i in range(policies))]
    for policy in tested:
        ours = exploitability(rules, tree, policy)
        assert ours.br_chips == pytest.approx(theirs.best_response_values(policy), abs=1e-9)
        assert ours.value_chips == pytest.approx(theirs.value(policy, policy), abs=1e-9)
        nash_conv = pyspiel.nash_conv(theirs.game, theirs.policy(policy))
        assert 2 * ours.exploitability_chips == pytest.approx(nash_conv, abs=1e-6)
        against = Hashed(tree, 100)
        value = expected_value(rules, tree, policy, against)
        assert value == pytest.approx(theirs.value(policy, against), abs=1e-9)


# Known values


def test_uniform_policies_lose_what_the_literature_says() -> None:
    kuhn, leduc = (exploitability(rules, tree_of(rules), Uniform(tree_of(rules)))
                   for rules in (KUHN, LEDUC))  # fmt: skip
    assert kuhn.exploitability_chips == pytest.approx(11 / 24, abs=1e-12)
    assert kuhn.value_chips == pytest.approx(1 / 8, abs=1e-12)
    assert 2 * leduc.exploitability_chips == pytest.approx(4.7472, abs=5e-5)


@pytest.mark.parametrize("alpha", [0, 0.1, 0.25, 1 / 3])
def test_kuhn_equilibria_cannot_be_exploited(alpha: float) -> None:
    tree = tree_of(KUHN)
    result = exploitability(KUHN, tree, KuhnEquilibrium(tree, alpha))
    assert result.exploitability_chips == pytest.approx(0, abs=1e-7)
    assert result.br_chips == pytest.approx((-1 / 18, 1 / 18), abs=1e-7)
    assert result.value_chips == pytest.approx(-1 / 18, abs=1e-7)
    # Calling more with the queen stops the jack from bluffing and pays the king: 1/6 more calls
    # of one chip, king against queen one deal in six.
    loose = exploitability(KUHN, tree, KuhnEquilibrium(tree, alpha, queen_calls=1 / 2))
    assert loose.br_chips == pytest.approx((-1 / 18 + 1 / 36, 1 / 18), abs=1e-7)


def test_always_folding_loses_three_quarters_of_a_big_blind() -> None:
    rules = parse_rules(SMALL_FLOP_HOLDEM)
    tree = tree_of(rules)
    result = exploitability(rules, tree, AlwaysFold(tree))
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
    assert exploitability(KUHN, tree, Uniform(tree)).big_blind_chips == KUHN.ante


# Brute force


def every_deal(rules: Rules) -> Cards:
    """All deals, hands and the new cards of a street in ascending order. [n, 9]"""

    def draws(sizes: tuple[int, ...], left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if not sizes:
            yield ()
            return
        for cards in combinations(left, sizes[0]):
            rest = tuple(card for card in left if card not in cards)
            for later in draws(sizes[1:], rest):
                yield cards + later

    sizes = (rules.hole_cards, rules.hole_cards, *rules.board_cards[: rules.streets])
    dealt = np.array(list(draws(sizes, rules.deck)))
    deals = np.full((len(dealt), NUM_DEAL_SLOTS), NO_CARD, np.uint8)
    deals[:, deal_slots(rules)] = dealt
    return deals


class BruteForce:
    """Deal by deal and infoset by infoset, with suits as they are."""

    def __init__(self, rules: Rules, tree: BettingTree, *policies: Stateless) -> None:
        deals = every_deal(rules)
        views = canonical_views(rules, deals)
        self.tree = tree
        self.results = showdown_results(deals)
        self.seen = [
            [visible_cards(rules, deals, player, street) for street in range(rules.streets)]
            for player in (0, 1)
        ]
        self.strategy = {}
        for node in np.flatnonzero(tree.is_decision).tolist():
            actor = int(tree.actor[node])
            cards = views[:, actor, tree.street[node]]
            answers = policies[actor].strategies(cards, np.full(len(deals), node))
            self.strategy[node] = normalised(answers)

    def value(self, best_responder: int | None = None) -> float:
        """Chips per hand for player 0, both on policy but for the best responder."""
        deals = np.arange(len(self.results))
        return self._below(0, deals, np.ones(len(deals)), best_responder) / len(deals)

    def _below(
        self, node: int, rows: NDArray[np.intp], reach: NDArray[np.float64], responder: int | None
    ) -> float:
        tree = self.tree
        if not tree.is_decision[node]:
            nodes = np.full(len(rows), node)
            return float((reach * tree.payoffs(nodes, self.results[rows])).sum())
        actions = np.flatnonzero(tree.legal[node])
        children = tree.children[node, actions].tolist()
        if responder is None or tree.actor[node] != responder:
            chances = self.strategy[node][rows]
            return sum(
                self._below(child, rows, reach * chances[:, action], responder)
                for action, child in zip(actions, children, strict=True)
            )
        infosets: dict[bytes, list[int]] = {}
        for i, view in enumerate(self.seen[responder][tree.street[node]][rows]):
            infosets.setdefault(view.tobytes(), []).append(i)
        pick = max if responder == 0 else min
        return sum(
            pick(self._below(child, rows[same], reach[same], responder) for child in children)
            for same in infosets.values()
        )


@pytest.mark.parametrize(
    "text",
    [
        "kuhn:ranks=9TJQK,max_raises=2,stack=3",
        "leduc:suits=cdh,max_raises=1/2",
        "leduc:stack=4",  # all-in in the first round, the board card still to come
        "leduc:board_cards=0/2,max_raises=1/1",
        "leduc:board_cards=1/0,max_raises=1/1",  # the board card comes before the first bet
        "fhp:ranks=JQKA,suits=cd,max_raises=1/1",
        "fhp:ranks=JQKA,suits=cd,max_raises=1/1,stack=15",  # all-in before the flop
        "fhp:ranks=JQKA,suits=cd,streets=1,bet_sizes=10,max_raises=2",
        "fhp:ranks=JQKA,suits=cd,stack=10",  # player 1 never acts
    ],
)
def test_equals_brute_force(text: str) -> None:
    rules = parse_rules(text)
    tree = tree_of(rules)
    policy, other = Hashed(tree, 1), Hashed(tree, 2)
    result = exploitability(rules, tree, policy)
    by_force = BruteForce(rules, tree, policy, policy)
    best = (by_force.value(best_responder=0), -by_force.value(best_responder=1))
    assert result.br_chips == pytest.approx(best, abs=1e-9)
    assert result.value_chips == pytest.approx(by_force.value(), abs=1e-9)
    value = expected_value(rules, tree, other, policy)
    assert value == pytest.approx(BruteForce(rules, tree, other, policy).value(), abs=1e-9)
    assert abs(value - result.value_chips) > 1e-3, "the two policies differ"


# Boards


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
        merged = exploitability(rules, tree, policy)
        alone = exploitability(rules, tree, policy, merge_suits=False)
        assert merged.br_chips == pytest.approx(alone.br_chips, abs=1e-11)
        assert merged.value_chips == pytest.approx(alone.value_chips, abs=1e-11)
    value = expected_value(rules, tree, Hashed(tree, 3), Hashed(tree, 4))
    alone_value = expected_value(rules, tree, Hashed(tree, 3), Hashed(tree, 4), merge_suits=False)
    assert value == pytest.approx(alone_value, abs=1e-11)


def test_one_call_per_board_and_street() -> None:
    tree = tree_of(LEDUC)
    policy = Uniform(tree)
    exploitability(LEDUC, tree, policy)
    assert policy.calls == [6 * 6] + 3 * [5 * 30]  # hands × decisions


# Refusals


@pytest.mark.parametrize(
    "rules", [HULH, parse_rules("hulh:streets=3,bet_sizes=10/10/10,max_raises=1/1/1")]
)
def test_large_games_are_refused_at_once(rules: Rules) -> None:
    policy = Uniform(tree_of(KUHN))  # neither tree nor policy is looked at
    with pytest.raises(GameTooLarge, match="exact best response is for kuhn, leduc and fhp-sized"):
        exploitability(rules, policy.tree, policy)
    with pytest.raises(GameTooLarge, match=f"at most two streets and {22100} boards"):
        expected_value(rules, policy.tree, policy, policy)
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
        exploitability(KUHN, tree, Fixed(row))
    with pytest.raises(ValueError, match=r"not legal|not a distribution|must have shape"):
        expected_value(KUHN, tree, Uniform(tree), Fixed(row))
