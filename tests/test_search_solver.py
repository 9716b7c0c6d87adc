"""Solvers of subgames find the equilibria that linear programming finds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from env.arrays import Ints
from env.betting_tree import SHOWDOWN
from env.cards import NO_CARD, Cards
from env.game import load_game
from search.betting import make_betting
from search.gadgets import GADGETS, MAX_MARGIN, MIXED, RESOLVE, UNSAFE
from search.last_street import LastStreet, Subgames, responses
from search.public_state import hands_on
from search.runouts import make_runouts, street_hands
from search.two_streets import LastStreetLeaves, TwoStreets
from search.variants import VARIANTS
from tests.subgames import (
    Array,
    PlainSubgame,
    SubgameProgram,
    decision_entries,
    random_board,
    random_ranges,
    river_strategies,
)

LAST_STREETS = ("leduc", "fhp:ranks=9TJQKA,suits=cd", "hulh:ranks=9TJQKA,suits=cd")
TURNS = (
    "hulh:ranks=TJQKA,suits=cd,max_raises=1/1/1/2",
    "hulh:ranks=9TJQKA,suits=cd,max_raises=1/1/2/2,stack=45",  # all-in on the turn
)


def one_player(player: int) -> Ints:
    """As batches of a single subgame take it."""
    return np.array([player], np.int32)


def subgame_of(text: str, street: int, seed: int = 0) -> tuple[PlainSubgame, Array, Array]:
    """A subgame on a random board, ranges [2, H] and alternatives [H]."""
    game = load_game(text)
    entries = decision_entries(game, street)
    plain = PlainSubgame(game, random_board(game, street, seed), entries[len(entries) // 2])
    stake = game.tree.stakes[plain.entry]
    drawn = np.random.default_rng(seed).normal(0, 0.05 * stake, len(plain.hands))
    return plain, random_ranges(plain, seed), drawn


@dataclass
class Solved:
    """A subgame being solved, asked by private hands."""

    plain: PlainSubgame
    ranges: Array  # [2, H]
    alternatives: Array  # [H]
    gadget: str
    resolver: int
    variant: str

    def gains(self, iterations: int) -> Array:
        """By how much a best response to each player's average beats the equilibrium. [2]

        With a gadget there is one such number, the resolver's.
        """
        lower = SubgameProgram(
            self.plain, self.ranges, self.gadget, self.resolver, self.alternatives
        )
        live, best = self.best_responses(iterations)
        if self.gadget == UNSAFE:
            worth = (best * self.ranges[:, live]).sum(axis=1)
            return worth - np.array([lower.value, -lower.value])
        sign = 1 if self.resolver == 1 else -1
        margins = best[1 - self.resolver] - self.alternatives[live]
        if self.gadget in (RESOLVE, MIXED):
            theirs = (np.maximum(margins, 0) + self.alternatives[live]).sum()
            if self.gadget == MIXED:
                expected = self.ranges[1 - self.resolver, live]
                theirs += len(live) * (best[1 - self.resolver] * expected).sum()
        else:
            theirs = margins.max()
        return np.array([theirs - sign * lower.value])

    def best_responses(self, iterations: int) -> tuple[NDArray[np.integer], Array]:
        """The live hands [L] and what each is worth to either player. [2, L]"""
        raise NotImplementedError


class SolvedLast(Solved):
    """A subgame of the last street."""

    def solver(self) -> LastStreet:
        betting = make_betting(self.plain.game.tree, self.plain.entry, is_last=True)
        hands = hands_on(self.plain.game.rules, self.plain.board.tobytes())
        subgames = Subgames(
            cards=hands.cards[None],
            ties=hands.ties[None].astype(np.int32),
            classes=hands.classes[None],
            stakes=betting.stakes[None],
            ranges=self.ranges[None][:, :, hands.live].astype(np.float32),
            alternatives=self.alternatives[None, hands.live].astype(np.float32),
        )
        assert (hands.classes == np.arange(len(hands.live))).all(), "random ranges fit all hands"
        resolvers = one_player(self.resolver)
        return LastStreet(betting, subgames, self.gadget, resolvers, VARIANTS[self.variant])

    def best_responses(self, iterations: int) -> tuple[NDArray[np.integer], Array]:
        solver = self.solver()
        solver.iterate(iterations)
        found = [
            responses(solver.betting, solver.subgames, solver.strategies(), one_player(player))[0]
            for player in (0, 1)
        ]
        live = hands_on(self.plain.game.rules, self.plain.board.tobytes()).live
        return live, np.array(found, np.float64)


class SolvedTwo(Solved):
    """A subgame of two streets."""

    def solver(self) -> tuple[TwoStreets, LastStreetLeaves]:
        rules, tree = self.plain.game.rules, self.plain.game.tree
        hands = street_hands(rules, self.plain.board)
        betting = make_betting(tree, self.plain.entry, is_last=False)
        runouts, _ = make_runouts(rules, self.plain.board, hands)
        below = [make_betting(tree, int(leaf), is_last=True) for leaf in betting.leaves]
        predicts = VARIANTS[self.variant].prediction > 0
        leaves = LastStreetLeaves(below, runouts, hands.classes, predicts)
        solver = TwoStreets(
            betting=betting,
            hands=hands.cards,
            classes=hands.classes,
            ranges=self.ranges[:, hands.live].astype(np.float32),
            alternatives=self.alternatives[hands.live].astype(np.float32),
            gadget=self.gadget,
            resolver=self.resolver,
            variant=VARIANTS[self.variant],
            leaves=leaves,
        )
        return solver, leaves

    def best_responses(self, iterations: int) -> tuple[NDArray[np.integer], Array]:
        solver, _ = self.solver()
        solver.iterate(iterations)
        found = [solver.responses(player, True) for player in (0, 1)]
        live = street_hands(self.plain.game.rules, self.plain.board).live
        return live, np.array(found, np.float64)


def check(solved: Solved, few: int, many: int) -> None:
    """Nothing is better than an equilibrium, and the average comes close to one."""
    pot = float(solved.plain.game.tree.contributions[solved.plain.entry].sum())
    early, late = solved.gains(few), solved.gains(many)
    assert (np.concatenate([early, late]) > -1e-5 * pot).all()
    # Behind a gadget the opponent's hands count in full, not by a range that sums to one.
    assert late.max() < (2e-4 if solved.gadget == UNSAFE else 1e-3) * pot
    if solved.gadget == UNSAFE and early.sum() > 1e-4 * pot:
        assert late.sum() < early.sum() / 3


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("text", LAST_STREETS)
@pytest.mark.parametrize("gadget", GADGETS)
def test_the_last_street_is_solved(text: str, variant: str, gadget: str) -> None:
    for seed, resolver in ((0, 0), (1, 1)):
        game = load_game(text)
        subgame = subgame_of(text, game.rules.streets - 1, seed)
        check(SolvedLast(*subgame, gadget, resolver, variant), 200, 2000)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("text", TURNS)
def test_two_streets_are_solved(text: str, variant: str) -> None:
    subgame = subgame_of(text, 2)
    game = subgame[0].game
    all_in = game.tree.node_type[SolvedTwo(*subgame, UNSAFE, 0, variant).solver()[0].betting.leaves]
    assert (all_in == SHOWDOWN).any() == game.rules.stack_binds
    for gadget, resolver in ((UNSAFE, 0), (RESOLVE, 0), (MAX_MARGIN, 1)):
        check(SolvedTwo(*subgame, gadget, resolver, variant), 100, 800)


@pytest.mark.parametrize("variant", VARIANTS)
def test_averages_count_how_often_a_player_gets_there(variant: str) -> None:
    """Σ weight · own reach · strategy, over the strategies that the other player's updates met.

    Player 0 is updated first. So what meets player 1's update is its strategy after its own one.
    """
    subgame = subgame_of("hulh:ranks=9TJQKA,suits=cd", 3)
    solver = SolvedLast(*subgame, UNSAFE, 0, variant).solver()
    betting, legal = solver.betting, solver.betting.children >= 0
    sums = np.zeros(solver.strategies()[0].shape)
    for t in range(1, 6):
        before = current_strategies(solver)
        solver.iterate(1)
        met = np.where((betting.actor == 0)[:, None], current_strategies(solver), before)
        own = np.ones((2, len(met), len(betting.nodes)))
        for d, actor in enumerate(betting.actor):
            for action in np.flatnonzero(legal[d]):
                child = betting.children[d, action]
                own[:, :, child] = own[:, :, d]
                own[actor, :, child] *= met[:, d, action]
                sums[:, d, action] += t ** VARIANTS[variant].weight * own[actor, :, child]
    totals = sums.sum(axis=2, keepdims=True)
    legal_alike = np.broadcast_to(legal / legal.sum(axis=1, keepdims=True), sums.shape)
    expected = np.where(totals > 0, sums / np.where(totals > 0, totals, 1), legal_alike)
    np.testing.assert_allclose(solver.strategies()[0], expected, rtol=0, atol=1e-5)
    assert not np.allclose(expected, met, atol=0.01)


def current_strategies(solver: LastStreet) -> Array:
    """Regret matching of what is regretted now. [L, D, 3]"""
    tables, children = solver._tables, solver.betting.children
    regrets = tables.expected if solver.variant.prediction else tables.regrets
    kept = np.maximum(regrets[0][children].transpose(2, 0, 1), 0) * (children >= 0)
    alike = (children >= 0) / (children >= 0).sum(axis=1, keepdims=True)
    total = kept.sum(axis=2, keepdims=True)
    found: Array = np.where(total > 0, kept / np.where(total > 0, total, 1), alike)
    return found


# Responses


@pytest.mark.parametrize("best", [True, False])
@pytest.mark.parametrize("text", LAST_STREETS)
def test_responses_of_the_last_street_equal_brute_force(text: str, best: bool) -> None:
    plain, ranges, alternatives = subgame_of(text, load_game(text).rules.streets - 1, 3)
    solver = SolvedLast(plain, ranges, alternatives, UNSAFE, 0, "cfr+").solver()
    solver.iterate(7)
    strategies = solver.strategies()
    live = hands_on(plain.game.rules, plain.board.tobytes()).live
    spread = np.zeros((len(plain.hands), *strategies.shape[2:]))
    spread[live] = strategies[0]
    column = {int(node): d for d, node in enumerate(solver.betting.decisions)}
    for player in (0, 1):
        found = responses(solver.betting, solver.subgames, strategies, one_player(player), best)[0]
        slow = plain.values(
            player, best, ranges[1 - player], lambda _, node: spread[:, column[node]]
        )
        scale = np.abs(slow).max()
        np.testing.assert_allclose(found, slow[live], rtol=0, atol=1e-5 * scale)


@pytest.mark.parametrize("best", [True, False])
@pytest.mark.parametrize("text", TURNS)
def test_responses_of_two_streets_equal_brute_force(text: str, best: bool) -> None:
    plain, ranges, alternatives = subgame_of(text, 2, 3)
    solver, leaves = SolvedTwo(plain, ranges, alternatives, UNSAFE, 0, "cfr+").solver()
    solver.iterate(5)
    ask = _PlayedOut(plain, solver, leaves)
    live = street_hands(plain.game.rules, plain.board).live
    for player in (0, 1):
        slow = plain.values(player, best, ranges[1 - player], ask)
        scale = np.abs(slow).max()
        found = solver.responses(player, best)
        np.testing.assert_allclose(found, slow[live], rtol=0, atol=1e-5 * scale)


class _PlayedOut:
    """The average strategies of both streets, for every board."""

    def __init__(self, plain: PlainSubgame, solver: TwoStreets, leaves: LastStreetLeaves) -> None:
        live = street_hands(plain.game.rules, plain.board).live
        self._rows: dict[tuple[int, int], Array] = {}  # last card or none, node
        self._keep(NO_CARD, live, solver.betting.decisions, solver.strategies(), len(plain.hands))
        runouts = leaves.runouts
        assert (runouts.weights == runouts.weights[0]).all(), "no two cards look alike"
        for row, (card, hands) in enumerate(zip(runouts.cards, runouts.live, strict=True)):
            for nodes, strategies in river_strategies(leaves, row):
                self._keep(int(card), live[hands], nodes, strategies, len(plain.hands))

    def _keep(
        self,
        card: int,
        hands: NDArray[np.integer],
        nodes: NDArray[np.integer],
        strategies: NDArray[np.floating],
        num_hands: int,
    ) -> None:
        for d, node in enumerate(nodes):
            rows = self._rows[card, int(node)] = np.zeros((num_hands, 3))
            rows[hands] = strategies[:, d]

    def __call__(self, board: Cards, node: int) -> Array:
        return self._rows[int(board[4]), node]
