"""Exact best response and exploitability, one pass over the public tree with whole ranges.

The public-tree best response of Johanson et al. 2011, "Accelerating Best Response Calculation in
Large Extensive Games". Every node holds a vector over all private hands. Going down, π_q(h') is
the product of q's action probabilities with hand h'. Going up, player p's counterfactual values
(opponent q) are

    terminal z:    v(h) = Σ_{h' ∩ h = ∅} π_q(h') u_p(h, h', z)   a matrix product
    p to act:      v(h) = max_a v(h, a), or Σ_a σ(h, a) v(h, a) when p keeps to the policy
    q to act:      v(h) = Σ_a v(h, a)                            π_q holds the probabilities
    cards dealt:   v(h) = Σ_boards v(h, board) / boards that two given hands leave

and Σ_h v(root, h) / (pairs of hands) is what p wins per hand. Policies see suit-canonical cards,
so boards that differ by a renaming of suits are visited once and counted with multiplicity.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from env.actions import ACTION_NAMES, NUM_ACTIONS
from env.betting_tree import FOLDED, SHOWDOWN, BettingTree
from env.cards import NO_CARD, NUM_BOARD, NUM_SLOTS, Cards, canonical, cards_text
from env.hands import strengths
from env.rules import Rules

if TYPE_CHECKING:
    from deep_cfr.policy import Policy

MAX_BOARDS = comb(52, 3)  # those of flop hold'em

_EMPTY_BOARD = np.full(NUM_BOARD, NO_CARD, np.uint8)
_FIRST_BOARD_SLOT = NUM_SLOTS - NUM_BOARD
_ROUNDING = 1e-5  # how far float32 probabilities may sum from one

# Computed side by side: both best responses, and player 0's value when both keep to the policy.
_BEST_0, _BEST_1, _POLICY_0 = 0, 1, 2
_PLAYER_OF = [0, 1, 0]

Vectors = NDArray[np.float64]


class GameTooLarge(ValueError):  # noqa: N818 - the name says what is wrong
    """A game with more boards than an exact best response can visit."""


@dataclass(frozen=True)
class Exploitability:
    """What best responses win from a policy, in chips and thousandths of a big blind per hand."""

    br_chips: tuple[float, float]  # of a best response in seat 0, in seat 1
    value_chips: float  # of player 0 when both seats play the policy
    big_blind_chips: int

    @property
    def exploitability_chips(self) -> float:
        """The mean over both seats; zero for an equilibrium."""
        return sum(self.br_chips) / 2

    @property
    def exploitability_mbb(self) -> float:
        return self._mbb(self.exploitability_chips)

    @property
    def br_mbb(self) -> tuple[float, float]:
        return (self._mbb(self.br_chips[0]), self._mbb(self.br_chips[1]))

    @property
    def value_mbb(self) -> float:
        return self._mbb(self.value_chips)

    def _mbb(self, chips: float) -> float:
        return 1000 * chips / self.big_blind_chips


def exploitability(
    rules: Rules, tree: BettingTree, policy: Policy, *, merge_suits: bool = True
) -> Exploitability:
    """The exact exploitability of a policy.

    `merge_suits=False` visits every board by itself: the same result, more slowly.
    """
    values = _PublicTree(rules, tree, policy, policy, merge_suits).root_values()
    return Exploitability(
        br_chips=(float(values[_BEST_0]), float(values[_BEST_1])),
        value_chips=float(values[_POLICY_0]),
        big_blind_chips=rules.big_blind_chips,
    )


def expected_value(
    rules: Rules, tree: BettingTree, policy0: Policy, policy1: Policy, *, merge_suits: bool = True
) -> float:
    """Chips per hand that `policy0` in seat 0 wins from `policy1` in seat 1, exactly."""
    return float(_PublicTree(rules, tree, policy0, policy1, merge_suits).root_values()[_POLICY_0])


def private_hands(rules: Rules) -> Cards:
    """Every hand a player can hold, an empty slot for the card that toy games lack. [H, 2]"""
    hands = np.full((comb(len(rules.deck), rules.hole_cards), 2), NO_CARD, np.uint8)
    hands[:, : rules.hole_cards] = list(combinations(rules.deck, rules.hole_cards))
    return hands


def boards(
    rules: Rules, street: int, before: Cards = _EMPTY_BOARD, *, merge_suits: bool = True
) -> tuple[Cards, NDArray[np.int64]]:
    """The boards of `street` that continue `before`, and how many each stands for. [B, 5], [B]

    Suits are merged only on an empty table: cards that lie there tell some suits apart, and a
    canonical flop does not say which of its cards came first.
    """
    new, shown = rules.board_cards[street], rules.visible_board[street]
    left = [card for card in rules.deck if card not in before]
    views = np.full((comb(len(left), new), NUM_SLOTS), NO_CARD, np.uint8)  # with an empty hand
    views[:, _FIRST_BOARD_SLOT:] = before
    end = _FIRST_BOARD_SLOT + shown
    views[:, end - new : end] = list(combinations(left, new))
    multiplicities = np.ones(len(views), np.int64)
    if merge_suits and _is_empty(before):
        views, multiplicities = np.unique(canonical(views), axis=0, return_counts=True)
    return views[:, _FIRST_BOARD_SLOT:], multiplicities


@dataclass(frozen=True)
class _PublicTree:
    """Reach and values of whole ranges. N nodes, L hands that the board leaves possible."""

    rules: Rules
    tree: BettingTree
    policy0: Policy
    policy1: Policy
    merge_suits: bool

    def __post_init__(self) -> None:
        rules = self.rules
        left, num_boards = len(rules.deck), 1
        for new in rules.board_cards[: rules.streets]:
            num_boards *= comb(left, new)
            left -= new
        if rules.streets > 2 or num_boards > MAX_BOARDS:
            raise GameTooLarge(
                f"{rules.name} has {rules.streets} streets and {num_boards} boards: exact best "
                "response is for kuhn, leduc and fhp-sized games, with at most two streets "
                f"and {MAX_BOARDS} boards"
            )

    def root_values(self) -> Vectors:
        """Chips per hand of the two best responses and of the policy. [3]"""
        hands = private_hands(self.rules)
        reach = np.ones((2, len(self.tree), len(hands)))
        values = self._dealt(0, _EMPTY_BOARD, hands, reach)[:, 0]  # [3, H]
        deck, hole = len(self.rules.deck), self.rules.hole_cards
        return values.sum(axis=1) / (comb(deck, hole) * comb(deck - hole, hole))

    def _dealt(self, street: int, before: Cards, hands: Cards, reach: Vectors) -> Vectors:
        """Values when the cards of `street` are about to come. [2, N, L] → [3, N, L]"""
        rules = self.rules
        values = np.zeros((len(_PLAYER_OF), len(self.tree), len(hands)))
        rows, multiplicities = boards(rules, street, before, merge_suits=self.merge_suits)
        for board, multiplicity in zip(rows, multiplicities, strict=True):
            live = np.flatnonzero(~np.isin(hands, board[board != NO_CARD]).any(axis=1))
            below = self._street(street, board, hands[live], reach[:, :, live])
            values[:, :, live] += multiplicity * below
        new, shown = rules.board_cards[street], rules.visible_board[street]
        unseen = len(rules.deck) - 2 * rules.hole_cards - (shown - new)
        values /= comb(unseen, new)
        return _symmetrised(values, hands) if self.merge_suits and _is_empty(before) else values

    def _street(self, street: int, board: Cards, hands: Cards, reach: Vectors) -> Vectors:
        """Values on one board of `street`; fills in `reach`. [2, N, L] → [3, N, L]"""
        tree, last = self.tree, street == self.rules.streets - 1
        here = tree.street == street
        nodes = np.flatnonzero(tree.is_decision & here)  # [D]
        views = np.column_stack([hands, np.tile(board, (len(hands), 1))])  # [L, 7]
        strategy = self._strategy(nodes, views)
        _carry_reach(tree, nodes, strategy, reach)
        if last:
            values = np.zeros((len(_PLAYER_OF), len(tree), len(hands)))
        else:
            values = self._dealt(street + 1, board, hands, reach)
        disjoint = _disjoint(hands)
        folded = np.flatnonzero((tree.kind == FOLDED) & here)
        _settle(tree, folded, disjoint, reach, values)
        if last:  # also for those all-in on an earlier street, once all cards have come
            results = disjoint * _showdown_results(views)
            _settle(tree, np.flatnonzero(tree.kind == SHOWDOWN), results, reach, values)
        _back_up(tree, nodes, strategy, values)
        return values

    def _strategy(self, nodes: NDArray[np.intp], views: Cards) -> Vectors:
        """Both seats' probabilities at decision nodes, for every hand. [D, L, 3]"""
        cards = np.tile(canonical(views), (len(nodes), 1))  # [D · L, 7]
        ids = np.repeat(nodes, len(views))
        actor = self.tree.actor[ids]
        seats = [(self.policy0, actor == 0), (self.policy1, actor == 1)]
        if self.policy0 is self.policy1:
            seats = [(self.policy0, actor >= 0)]  # a single call for a policy that plays both
        strategy = np.empty((len(ids), NUM_ACTIONS))
        for policy, mine in seats:
            if mine.any():
                strategy[mine] = _asked(self.tree, policy, cards[mine], ids[mine])
        return strategy.reshape(len(nodes), len(views), NUM_ACTIONS)


def _carry_reach(
    tree: BettingTree, nodes: NDArray[np.intp], strategy: Vectors, reach: Vectors
) -> None:
    """π of both players from one street's nodes to their children, in place. [2, N, L]"""
    for node, probabilities in zip(nodes, strategy, strict=True):  # parents come first
        for action in np.flatnonzero(tree.legal[node]):
            child = tree.children[node, action]
            reach[:, child] = reach[:, node]
            reach[tree.actor[node], child] *= probabilities[:, action]


def _back_up(
    tree: BettingTree, nodes: NDArray[np.intp], strategy: Vectors, values: Vectors
) -> None:
    """Values of one street's decision nodes from their children's, in place. [3, N, L]"""
    for node, probabilities in zip(nodes[::-1], strategy[::-1], strict=True):
        legal = tree.legal[node]
        below = values[:, tree.children[node, legal]]  # [3, A, L]
        values[:, node] = below.sum(axis=1)
        if tree.actor[node] == 0:
            values[_BEST_0, node] = below[_BEST_0].max(axis=0)
            values[_POLICY_0, node] = (probabilities[:, legal].T * below[_POLICY_0]).sum(axis=0)
        else:
            values[_BEST_1, node] = below[_BEST_1].max(axis=0)


def _settle(
    tree: BettingTree, nodes: NDArray[np.intp], results: Vectors, reach: Vectors, values: Vectors
) -> None:
    """Values of terminal nodes of one kind, in place. `results` [L, L] is own by other hand."""
    stakes = tree.payoffs(nodes, np.ones(len(nodes), np.int8)).astype(float)  # [T]
    # At a showdown `results` says who wins; after a fold one player's gain is the other's loss.
    signs = np.where(tree.kind[nodes] == FOLDED, -1, 1)
    owed = np.stack([stakes, signs * stakes])[:, :, None]  # [2, T, 1]
    values[:, nodes] = (owed * (reach[::-1, nodes] @ results.T))[_PLAYER_OF]


def _disjoint(hands: Cards) -> Vectors:
    """One where two hands share no card, else zero. [L, L]"""
    holds = np.zeros((len(hands), NO_CARD + 1))
    holds[np.arange(len(hands))[:, None], hands] = 1
    holds[:, NO_CARD] = 0  # the empty slot is no card to share
    return (holds @ holds.T == 0).astype(float)


def _showdown_results(views: Cards) -> Vectors:
    """+1 where the first hand wins, −1 where the second does, 0 for a split. [L, L]"""
    strength = strengths(views)
    return np.sign(strength[:, None] - strength[None, :]).astype(float)


def _symmetrised(values: Vectors, hands: Cards) -> Vectors:
    """Each hand's value averaged over the hands that a renaming of suits makes of it. [..., H]

    What h gets on a renamed board, the hand renamed back gets on the board itself. Over all
    renamings that hand runs evenly through h's class, so the boards merged into one give h, on
    average, what that one gives to the hands of the class.
    """
    views = np.full((len(hands), NUM_SLOTS), NO_CARD, np.uint8)
    views[:, :2] = hands
    classes = np.unique(canonical(views), axis=0, return_inverse=True)[1].reshape(-1)
    member = (classes[:, None] == np.arange(classes.max() + 1)).astype(float)  # [H, classes]
    return values @ (member / member.sum(axis=0)) @ member.T


def _asked(tree: BettingTree, policy: Policy, cards: Cards, nodes: NDArray[np.intp]) -> Vectors:
    """The policy's answers, refused unless they are distributions over legal actions. [n, 3]"""
    strategy = np.asarray(policy.strategies(cards, nodes), np.float64)
    if strategy.shape != (len(nodes), NUM_ACTIONS):
        raise ValueError(
            f"strategies must have shape {(len(nodes), NUM_ACTIONS)}, not {strategy.shape}"
        )
    totals = strategy.sum(axis=1, keepdims=True)
    illegal = (strategy != 0) & ~tree.legal[nodes]
    valid = (abs(totals[:, 0] - 1) <= _ROUNDING) & (strategy >= 0).all(axis=1)
    wrong = np.flatnonzero(~valid | illegal.any(axis=1))
    if len(wrong):
        row = wrong[0]
        where = f"after {tree.text(nodes[row])!r} with {cards_text(cards[row])}"
        if illegal[row].any():
            name = ACTION_NAMES[int(illegal[row].argmax())]
            raise ValueError(f"the policy plays {name} {where}, which is not legal there")
        raise ValueError(f"not a distribution: {strategy[row].tolist()} {where}")
    return strategy / totals  # float32 rounding must not create or destroy chips


def _is_empty(board: Cards) -> bool:
    return bool((board == NO_CARD).all())
