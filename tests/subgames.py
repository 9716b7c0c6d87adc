"""Subgames the slow way: every pair of hands, every card, and equilibria by linear programming.

Everything is indexed by all H private hands of the game; those that a board rules out get zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from env.betting_tree import DECISION, FOLDED
from env.boards import private_hands
from env.cards import NO_CARD, NUM_SLOTS, Cards
from env.game import Game
from env.hands import hand_ranks
from search.gadgets import MAX_MARGIN, MIXED, RESOLVE, UNSAFE
from search.kernels import normalise
from search.two_streets import LastStreetLeaves
from tests.equilibrium import Sequences, solved

Array = NDArray[np.float64]
Rows = NDArray[np.integer]
Strategy = NDArray[np.floating]
Strategies = Callable[[Cards, int], Array]  # board, node → [H, 3]


@dataclass
class PlainSubgame:
    """The game below one entry, the board given as far as it is known there."""

    game: Game
    board: Cards  # [5]
    entry: int

    def __post_init__(self) -> None:
        rules = self.game.rules
        self.hands = private_hands(rules)
        shared = (self.hands[:, :, None, None] == self.hands.T[None, None]) & (
            self.hands[:, :, None, None] != NO_CARD
        )
        self._disjoint = ~shared.any(axis=(1, 2))  # [H, H]
        self._full = rules.visible_board[rules.streets - 1]

    def possible(self, board: Cards) -> NDArray[np.bool_]:
        """Which hands a board leaves. [H]"""
        ruled_out = np.isin(self.hands, board[board != NO_CARD])
        return np.logical_not(ruled_out.any(axis=1))

    def payoffs(self, board: Cards, node: int) -> Array:
        """Player 0's chips at the end of the hand, for every two hands. [H, H]"""
        views = np.column_stack([self.hands, np.tile(board, (len(self.hands), 1))])
        assert views.shape[1] == NUM_SLOTS
        possible = self.possible(board)
        ranks = np.zeros(len(views), np.int64)
        ranks[possible] = hand_ranks(views[possible])
        won = np.sign(ranks[:, None] - ranks[None])
        if self.game.tree.node_type[node] == FOLDED:
            won = np.ones_like(won)
        both = self._disjoint & possible[:, None] & possible[None]
        return won * both * self.game.tree.stakes[node]

    def next_boards(self, board: Cards, node: int) -> list[Cards]:
        """The boards that some card makes of this one, if a card comes before play goes on."""
        tree, rules, shown = self.game.tree, self.game.rules, int((board != NO_CARD).sum())
        if tree.node_type[node] == FOLDED:
            return []
        wanted = self._full
        if tree.node_type[node] == DECISION:
            wanted = rules.visible_board[tree.street[node]]
        if shown == wanted:
            return []
        found = [board.copy() for card in rules.deck if card not in board]
        for other, card in zip(found, (c for c in rules.deck if c not in board), strict=True):
            other[shown] = card
        return found

    def chance(self, board: Cards) -> float:
        """How likely each of the cards is that neither player nor board holds."""
        shown = int((board != NO_CARD).sum())
        return 1 / (len(self.game.rules.deck) - shown - 2 * self.game.rules.hole_cards)

    def values(self, player: int, best: bool, reach: Array, strategies: Strategies) -> Array:
        """Counterfactual values of a player's hands against the other's range, hand by hand. [H]"""
        return self._value(self.entry, self.board, player, best, reach, strategies)

    def _value(
        self, node: int, board: Cards, player: int, best: bool, reach: Array, by: Strategies
    ) -> Array:
        tree = self.game.tree
        boards = self.next_boards(board, node)
        if boards:
            parts = [self._value(node, one, player, best, reach, by) for one in boards]
            return np.sum(parts, axis=0) * self.chance(board)
        if tree.node_type[node] != DECISION:
            payoffs = self.payoffs(board, node)
            return payoffs @ reach if player == 0 else -(reach @ payoffs)
        own = tree.actor[node] == player
        strategy = by(board, node)
        found = []
        for action in np.flatnonzero(tree.legal[node]):
            chances = np.ones(len(reach)) if own else strategy[:, action]
            child = int(tree.children[node, action])
            below = self._value(child, board, player, best, reach * chances, by)
            found.append(below if best or not own else below * strategy[:, action])
        return np.max(found, axis=0) if own and best else np.sum(found, axis=0)


@dataclass
class SubgameProgram:
    """A subgame and its gadget as a linear program; `value` is what player 0 gets in it.

    With `unsafe` both ranges are given. Otherwise the opponent's range is not: with `resolve` each
    of its hands plays or gets its alternative, and with `max-margin` it chooses one hand, plays it,
    and pays its alternative. With `mixed` there are two opponents, who know which one they are: one
    as with `resolve`, and one with its range, weighted by the number of hands.
    """

    plain: PlainSubgame
    ranges: Array  # [2, H]
    gadget: str = UNSAFE
    resolver: int = 0
    alternatives: Array | None = None  # [H]
    _sequences: tuple[Sequences, Sequences] = field(
        default_factory=lambda: (Sequences(), Sequences())
    )
    _entries: list[tuple[Rows, Rows, Array]] = field(default_factory=list)
    _twin: bytes = b""  # tells the infosets of a second opponent apart

    def __post_init__(self) -> None:
        possible = self.plain.possible(self.plain.board)
        at = np.zeros((2, len(possible)), np.int64)
        weights = self.ranges * possible
        if self.gadget != UNSAFE:
            assert self.alternatives is not None
            opponent = 1 - self.resolver
            weights[opponent] = possible
            at[opponent, possible] = self._enter(np.flatnonzero(possible), self.alternatives)
        self._walk(self.plain.entry, self.plain.board, at, weights, 1.0)
        if self.gadget == MIXED:
            weights[opponent] = possible.sum() * self.ranges[opponent] * possible
            self._twin = b"twin"
            self._walk(self.plain.entry, self.plain.board, np.zeros_like(at), weights, 1.0)
        rows, columns, amounts = map(np.concatenate, zip(*self._entries, strict=True))
        self.value, _ = solved(self._sequences, rows, columns, amounts)

    def _enter(self, hands: Rows, alternatives: Array) -> list[int]:
        """The opponent's sequences with which its hands enter the subgame."""
        opponent = self._sequences[1 - self.resolver]
        sign = -1.0 if self.resolver == 0 else 1.0  # of the opponent's chips
        entered = []
        for hand in hands.tolist():
            if self.gadget in (RESOLVE, MIXED):
                paying = opponent.after((bytes([hand]), -1), 0, 1)
                entered.append(opponent.after((bytes([hand]), -1), 0, 0))
                amount = sign * alternatives[hand]
            else:
                assert self.gadget == MAX_MARGIN
                entered.append(paying := opponent.after((b"", -1), 0, hand))
                amount = -sign * alternatives[hand]
            at = (0, paying) if self.resolver == 0 else (paying, 0)
            self._entries.append((np.array([at[0]]), np.array([at[1]]), np.array([amount])))
        return entered

    def _walk(self, node: int, board: Cards, at: Rows, weights: Array, chance: float) -> None:
        tree, boards = self.plain.game.tree, self.plain.next_boards(board, node)
        for one in boards:
            self._walk(node, one, at, weights, chance * self.plain.chance(board))
        if boards:
            return
        if tree.node_type[node] != DECISION:
            paid = self.plain.payoffs(board, node) * weights[0][:, None] * weights[1] * chance
            first, second = np.nonzero(paid)
            self._entries.append((at[0][first], at[1][second], paid[first, second]))
            return
        actor, live = int(tree.actor[node]), np.flatnonzero(self.plain.possible(board)).tolist()
        for action in np.flatnonzero(tree.legal[node]).tolist():
            after = at.copy()
            for hand in live:
                twin = b"" if actor == self.resolver else self._twin
                infoset = (bytes([hand]) + board.tobytes() + twin, node)
                after[actor, hand] = self._sequences[actor].after(infoset, at[actor, hand], action)
            self._walk(int(tree.children[node, action]), board, after, weights, chance)


def river_strategies(leaves: LastStreetLeaves, row: int) -> list[tuple[Rows, Strategy]]:
    """The average strategies after a card: decisions [D] below each leaf, and [K, D, 3]."""
    found = []
    for betting, numbers, _, tables in leaves.below:
        for sums, leaf in zip(tables.average[row], numbers, strict=True):
            chances = np.empty_like(sums)
            normalise(betting, sums, leaves.runouts.classes[row], chances)
            nodes = leaves.bettings[leaf].decisions
            found.append((nodes, betting.by_action(chances[None])[0]))
    return found


def random_ranges(plain: PlainSubgame, seed: int) -> Array:
    """Ranges of both players in which some hands never come. [2, H]"""
    rng = np.random.default_rng(seed)
    ranges = rng.random((2, len(plain.hands))) ** 2
    ranges[rng.random(ranges.shape) < 0.2] = 0
    ranges[:, ~plain.possible(plain.board)] = 0
    return ranges / ranges.sum(axis=1, keepdims=True)


def random_board(game: Game, street: int, seed: int) -> Cards:
    """Some board as it lies on a street, canonical or not. [5]"""
    shown = game.rules.visible_board[street]
    board = np.full(NUM_SLOTS - 2, NO_CARD, np.uint8)
    board[:shown] = np.random.default_rng(seed).permutation(game.rules.deck)[:shown]
    return board


def decision_entries(game: Game, street: int) -> list[int]:
    """The first decisions of a street."""
    entries = game.tree.entries(street)
    return [int(entry) for entry in entries if game.tree.is_decision[entry]]
