"""Public chance sampling (Johanson et al. 2012): whole ranges on sampled boards.

External sampling deals both players one hand and leaves behind advantages that are mostly noise.
Here only the board is sampled, and on it every hand of one player meets every hand of the other:
on the last street advantages carry no noise at all, before it only that of the boards. Samples are
then drawn as often as external sampling would have left them behind,

    traverser:  N · P(board) · P(h | board) · W(h, n) / pairs,   W = Σ_{h' ∩ h = ∅} π_q(h', n)
    opponent:   N · P(board) · P(h' | board) · π_q(h', n)

with N the number of traversals that are stood in for, so the memories hold the same distribution
of infosets, and their targets, (v(h, n·a) − v(h, n)) / W(h, n), the same expectations.
For games of at most two streets, whose boards can be visited whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb

import numpy as np
from numpy.typing import NDArray

from deep_cfr.memory import ROW, draw_cells, make_rows
from deep_cfr.policy import Policy
from deep_cfr.traversal import Samples, noted
from env.betting_tree import FOLDED, SHOWDOWN, BettingTree
from env.boards import EMPTY_BOARD, boards, is_empty, private_hands, sampled, symmetrised
from env.cards import NO_CARD, Cards, canonical
from env.hands import strengths
from env.ranges import NUM_VALUES, POLICY_0, Vectors, back_up, carry_reach, settle, unblocked
from env.rules import Rules

MAX_STREETS = 2

Ints = NDArray[np.intp]


def traverse_boards(
    rules: Rules,
    tree: BettingTree,
    policies: tuple[Policy, Policy],
    traverser: int,
    t: int,
    num_traversals: int,
    num_boards: int,
    rng: np.random.Generator,
) -> Samples:
    """What so many traversals would leave behind, from whole ranges on so many boards."""
    walk = _Walk(rules, tree, policies, traverser, t, num_traversals, num_boards, rng)
    hands = private_hands(rules)
    reach = np.ones((2, len(tree), len(hands)))
    values, masses = walk.dealt(0, EMPTY_BOARD, hands, reach, 1.0)
    value = float(values[0].sum() / masses[0].sum()) / rules.big_blind_chips
    return Samples(
        np.concatenate(walk.advantages),
        np.concatenate(walk.strategies),
        walk.infosets,
        walk.nodes,
        value,
    )


@dataclass
class _Street:
    """One board of a street: who can hold what, how it is played. D decisions, C classes."""

    hands: Cards  # [L, 2] that the board leaves
    cards: Cards  # [C, 7] canonical, one row for hands that look alike
    classes: Ints  # [L] which class a hand is of
    nodes: Ints  # [D]
    strategy: Vectors  # [D, C, 3]
    marks: Cards  # [C]
    share: float  # of all boards that this one stands for

    def sums(self, by_hand: Vectors) -> Vectors:
        """Sums over the hands of each class. [D, L] → [D, C]"""
        order = np.argsort(self.classes, kind="stable")
        starts = np.searchsorted(self.classes[order], np.arange(len(self.cards)))
        return np.add.reduceat(by_hand[:, order], starts, axis=1)


@dataclass
class _Walk:
    """The public tree with the opponent's reach going down and the traverser's values coming up."""

    rules: Rules
    tree: BettingTree
    policies: tuple[Policy, Policy]
    traverser: int
    t: int
    num_traversals: int
    num_boards: int
    rng: np.random.Generator
    advantages: list[NDArray[np.void]] = field(default_factory=list)
    strategies: list[NDArray[np.void]] = field(default_factory=list)
    infosets: int = 0
    nodes: int = 0

    def dealt(
        self, street: int, before: Cards, hands: Cards, reach: Vectors, share: float
    ) -> tuple[Vectors, Vectors]:
        """The traverser's values and the opponent's mass where the cards of `street` come next.

        [2, N, L] → [entries, L] each. Both are sums over the boards visited. Their quotient is the
        value against the hands that get here, whichever boards the sample holds.
        """
        entries = self.tree.entries(street)
        values, masses = np.zeros((2, len(entries), len(hands)))
        rows, multiplicities = boards(self.rules, street, before)
        weights = multiplicities.astype(np.float64)
        if self.num_boards < len(rows):
            weights = sampled(multiplicities, self.num_boards, self.rng)
        for board, weight in zip(rows[weights > 0], weights[weights > 0], strict=True):
            live = np.flatnonzero(~np.isin(hands, board[board != NO_CARD]).any(axis=1))
            part = share * weight / weights.sum()
            below = self._on_board(street, board, hands[live], reach[:, :, live], part)
            values[:, live] += weight * below[0]
            masses[:, live] += weight * below[1]
        if is_empty(before):
            values, masses = symmetrised(values, hands), symmetrised(masses, hands)
        return values, masses

    def _on_board(
        self, street: int, board: Cards, hands: Cards, reach: Vectors, share: float
    ) -> tuple[Vectors, Vectors]:
        """Values and masses at the entries of one board; leaves its samples behind."""
        tree, own, last = self.tree, self.traverser, street == self.rules.streets - 1
        on = self._street(street, board, hands, share)
        carry_reach(tree.children, tree.actor, on.nodes, on.strategy, on.classes, reach)
        values = np.zeros((NUM_VALUES, len(tree), len(hands)))
        if not last:
            later = tree.entries(street + 1)
            sums, masses = self.dealt(street + 1, board, hands, reach, share)
            here = unblocked(hands, reach[1 - own, later])
            mean = np.divide(sums, masses, out=np.zeros_like(sums), where=masses > 0)
            values[POLICY_0 + own, later] = mean * here
        self._settle(street, board, hands, reach, values)
        back_up(tree.children, tree.actor, on.nodes, on.strategy, on.classes, values)
        self._leave_advantages(on, reach[1 - own], values[POLICY_0 + own])
        self._leave_strategies(on, reach[1 - own])
        entries = tree.entries(street)
        self.infosets += on.strategy.shape[0] * on.strategy.shape[1]
        self.nodes += len(on.cards) * int((tree.street == street).sum())
        return values[POLICY_0 + own, entries], unblocked(hands, reach[1 - own, entries])

    def _street(self, street: int, board: Cards, hands: Cards, share: float) -> _Street:
        tree = self.tree
        nodes = np.flatnonzero(tree.is_decision & (tree.street == street))
        views = np.column_stack([hands, np.tile(board, (len(hands), 1))])
        cards, classes = np.unique(canonical(views), axis=0, return_inverse=True)
        strategy, marks = np.empty((len(nodes), len(cards), 3)), np.zeros(len(cards), np.uint8)
        for player, policy in enumerate(self.policies):
            mine = tree.actor[nodes] == player
            if mine.any():
                rows = np.tile(np.arange(len(cards)), mine.sum())
                ask = policy.for_views(cards)
                asked = ask(rows, np.repeat(nodes[mine], len(cards)))
                strategy[mine] = asked.reshape(-1, len(cards), 3)
                marks |= noted(ask, "marks", len(cards))  # the same for both players, or none
        return _Street(hands, cards, classes.reshape(-1), nodes, strategy, marks, share)

    def _settle(
        self, street: int, board: Cards, hands: Cards, reach: Vectors, values: Vectors
    ) -> None:
        """Values of the terminals that this street decides, in place."""
        tree = self.tree
        decided = (tree.kind == FOLDED) & (tree.street == street)
        strength = np.zeros(len(hands), np.int32)
        if street == self.rules.streets - 1:
            decided |= tree.kind == SHOWDOWN
            strength = strengths(np.column_stack([hands, np.tile(board, (len(hands), 1))]))
        settle(
            tree.kind, tree.stakes, np.flatnonzero(decided), hands,
            np.argsort(strength, kind="stable"), strength, reach, values,
        )  # fmt: skip

    def _leave_advantages(self, on: _Street, reach: Vectors, values: Vectors) -> None:
        """The traverser's samples. reach, values [N, L]"""
        tree, rules = self.tree, self.rules
        nodes = on.nodes[tree.actor[on.nodes] == self.traverser]
        mass = unblocked(on.hands, reach[nodes])  # [D, L]
        shown = len(rules.deck) - int((on.cards[0] != NO_CARD).sum())
        pairs = len(on.hands) * comb(shown, rules.hole_cards)
        expected = self.num_traversals * on.share * on.sums(mass) / pairs
        picked, column = draw_cells(expected, self.rng)
        hand = np.unique(on.classes, return_index=True)[1][column]  # any hand of the class
        node = nodes[picked]
        gains = values[tree.children[node], hand[:, None]] - values[node, hand][:, None]
        gains /= mass[picked, hand][:, None] * rules.big_blind_chips
        targets = np.where(tree.legal[node], gains, 0).astype(np.float32)
        self._leave(self.advantages, on, column, node, targets)

    def _leave_strategies(self, on: _Street, reach: Vectors) -> None:
        """The opponent's samples. reach [N, L]"""
        theirs = self.tree.actor[on.nodes] == 1 - self.traverser
        nodes = on.nodes[theirs]
        if not len(nodes):
            self.strategies.append(np.zeros(0, ROW))
            return
        expected = self.num_traversals * on.share * on.sums(reach[nodes]) / len(on.hands)
        picked, column = draw_cells(expected, self.rng)
        targets = on.strategy[theirs][picked, column].astype(np.float32)
        self._leave(self.strategies, on, column, nodes[picked], targets)

    def _leave(
        self,
        samples: list[NDArray[np.void]],
        on: _Street,
        column: Ints,
        nodes: Ints,
        targets: NDArray[np.float32],
    ) -> None:
        rows = make_rows(on.cards[column], nodes, self.t, targets, on.marks[column])
        samples.append(rows)
