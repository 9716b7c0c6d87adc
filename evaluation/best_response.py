"""Exact best response and exploitability, one pass over the public tree with whole ranges.

The public-tree best response of Johanson et al. 2011, "Accelerating Best Response Calculation in
Large Extensive Games". Every node holds a vector over all private hands. Going down, π_q(h') is
the product of q's action probabilities with hand h'. Going up, player p's counterfactual values
(opponent q) are

    terminal z:    v(h) = Σ_{h' ∩ h = ∅} π_q(h') u_p(h, h', z)
    p to act:      v(h) = max_a v(h, a), or Σ_a σ(h, a) v(h, a) when p keeps to the policy
    q to act:      v(h) = Σ_a v(h, a)                            π_q holds the probabilities
    cards dealt:   v(h) = Σ_boards v(h, board) / boards that two given hands leave

and Σ_h v(root, h) / (pairs of hands) is what p wins per hand. Policies are only ever shown
suit-canonical cards, as in play, so whatever they are is suit-symmetric: boards that differ by a
renaming of suits are visited once and counted with multiplicity.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from env.actions import NUM_ACTIONS
from env.arrays import Doubles
from env.betting_tree import FOLDED, SHOWDOWN
from env.boards import (
    EMPTY_BOARD,
    boards,
    hand_classes,
    is_empty,
    num_boards,
    private_hands,
    sampled,
    symmetrised,
)
from env.cards import NO_CARD, Cards
from env.game import Game
from env.hands import hand_ranks
from env.progress import NewBar, no_bar
from env.range_views import RangeViews
from env.ranges import (
    BEST_0,
    BEST_1,
    NUM_VALUES,
    POLICY_0,
    POLICY_1,
    Terminals,
    back_up,
    carry_reach,
    ranked,
    value_terminals,
)
from env.rules import Rules
from policies.ranges import for_ranges

if TYPE_CHECKING:
    from policies.policy import Policy

MAX_BOARDS = comb(52, 3)  # those of flop hold'em


class GameTooLarge(ValueError):  # noqa: N818 - the name says what is wrong
    """A game with more boards than an exact best response can visit."""


@dataclass(frozen=True)
class ByHand:
    """What each class of private hands wins on average, in mbb per hand. C classes."""

    hands: Cards  # [C, 2] one hand of each class
    shares: Doubles  # [C] how often a hand of the class is dealt; sums to one
    br_mbb: Doubles  # [2, C] a best response in seat 0, in seat 1
    value_mbb: Doubles  # [2, C] the policy itself, against itself

    @property
    def gains_mbb(self) -> Doubles:
        """What a best response wins more than the policy, both seats' mean. [C]

        Weighted by `shares` this adds up to the exploitability.
        """
        return (self.br_mbb - self.value_mbb).mean(axis=0)


@dataclass(frozen=True)
class Exploitability:
    """What best responses win from a policy, in chips and thousandths of a big blind per hand."""

    br_chips: tuple[float, float]  # of a best response in seat 0, in seat 1
    value_chips: float  # of player 0 when both seats play the policy
    big_blind_chips: int
    by_hand: ByHand | None = field(default=None, compare=False)

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
    game: Game,
    policy: Policy,
    *,
    merge_suits: bool = True,
    sample: tuple[int, np.random.Generator] | None = None,
    new_bar: NewBar = no_bar,
) -> Exploitability:
    """The exact exploitability of a policy.

    `merge_suits=False` visits every board by itself: the same result, more slowly. With `sample`
    (how many, drawn by what) only so many boards are visited: an estimate that is too high on
    average, since the best response adapts to the boards of the sample.
    """
    walk = _PublicTree(game, policy, policy, merge_suits, sample, new_bar)
    values = walk.root_values()  # [4, H]
    hands = private_hands(game.rules)
    classes, members = hand_classes(hands)
    counts = np.bincount(members)
    means = np.stack([np.bincount(members, row) for row in values]) / counts  # [4, C]
    means *= 1000 / game.rules.big_blind_chips
    chips = values.mean(axis=1)
    return Exploitability(
        br_chips=(float(chips[BEST_0]), float(chips[BEST_1])),
        value_chips=float(chips[POLICY_0]),
        big_blind_chips=game.rules.big_blind_chips,
        by_hand=ByHand(
            classes, counts / len(hands), means[[BEST_0, BEST_1]], means[[POLICY_0, POLICY_1]]
        ),
    )


def expected_value(
    game: Game, policy0: Policy, policy1: Policy, *, merge_suits: bool = True
) -> float:
    """Chips per hand that `policy0` in seat 0 wins from `policy1` in seat 1, exactly."""
    walk = _PublicTree(game, policy0, policy1, merge_suits)
    return float(walk.root_values()[POLICY_0].mean())


def refuse_too_large(rules: Rules) -> None:
    """Raise at once for a game that an exact best response would never finish."""
    is_long = rules.is_holdem and rules.streets > 2
    if is_long or num_boards(rules) > MAX_BOARDS:
        raise GameTooLarge(
            f"{rules.name} has {rules.streets} streets and {num_boards(rules):,} boards: exact "
            "best response is for kuhn, leduc and fhp-sized games, in hold'em with at most two "
            f"streets and {MAX_BOARDS:,} boards; use a lower bound instead: local best response "
            "(lbr) or a trained exploiter (exploiter)"
        )


def is_feasible(rules: Rules) -> bool:
    """Whether an exact best response can be had."""
    try:
        refuse_too_large(rules)
    except GameTooLarge:
        return False
    return True


@dataclass(frozen=True)
class _PublicTree:
    """Reach and values of whole ranges. N nodes, L hands that the board leaves possible."""

    game: Game
    policy0: Policy
    policy1: Policy
    merge_suits: bool
    sample: tuple[int, np.random.Generator] | None = None
    new_bar: NewBar = no_bar

    def __post_init__(self) -> None:
        refuse_too_large(self.game.rules)

    def root_values(self) -> Doubles:
        """Chips that each hand wins on average, for both best responses and the policy. [4, H]"""
        hands = private_hands(self.game.rules)
        reach = np.ones((2, len(self.game.tree), len(hands)))
        values = self._dealt(0, EMPTY_BOARD, hands, reach)[:, 0]  # [4, H]
        return values / comb(
            len(self.game.rules.deck) - self.game.rules.hole_cards, self.game.rules.hole_cards
        )

    def _dealt(self, street: int, before: Cards, hands: Cards, reach: Doubles) -> Doubles:
        """Values when the cards of `street` are about to come. [2, N, L] → [4, N, L]"""
        rules = self.game.rules
        entries = self.game.tree.entries(street)
        total = np.zeros((NUM_VALUES, len(entries), len(hands)))
        rows, weights = self._boards(street, before)
        advance = self.new_bar("boards", len(rows)) if is_empty(before) else no_bar("", 0)
        for board, weight in zip(rows, weights, strict=True):
            live = self._live(street, board, hands)
            total[:, :, live] += weight * self._street(
                street, board, hands[live], reach[:, :, live]
            )
            advance(1)
        num_new = rules.board_cards[street]
        num_before = rules.visible_board[street] - num_new
        total /= comb(len(rules.deck) - 2 * rules.hole_cards - num_before, num_new)
        if self.merge_suits and is_empty(before):
            total = symmetrised(total, hands)
        values = np.zeros((NUM_VALUES, len(self.game.tree), len(hands)))
        values[:, entries] = total
        return values

    def _live(self, street: int, board: Cards, hands: Cards) -> NDArray[np.intp]:
        """Which hands the board leaves; on the last street in order of rank."""
        live = np.flatnonzero(~np.isin(hands, board[board != NO_CARD]).any(axis=1))
        if street == self.game.rules.streets - 1:
            live = live[np.argsort(hand_ranks(_views(hands[live], board)), kind="stable")]
        return live

    def _boards(self, street: int, before: Cards) -> tuple[Cards, NDArray[np.float64]]:
        """The boards to visit, and how much each counts."""
        rows, multiplicities = boards(self.game.rules, street, before, merge_suits=self.merge_suits)
        weights = multiplicities.astype(np.float64)
        if self.sample is not None and self.sample[0] < len(rows):
            weights = sampled(multiplicities, *self.sample)
        return rows[weights > 0], weights[weights > 0]

    def _street(self, street: int, board: Cards, hands: Cards, reach: Doubles) -> Doubles:
        """Values at the entries, on one board of `street`. [2, N, L] → [4, entries, L]"""
        tree, last = self.game.tree, street == self.game.rules.streets - 1
        nodes = np.flatnonzero(tree.is_decision & (tree.street == street))  # [D]
        views = _views(hands, board)
        strategy, classes = self._strategy(nodes, hands, board)
        carry_reach(tree.children, tree.actor, nodes, strategy, classes, reach)
        if last:
            values = np.zeros((NUM_VALUES, len(tree), len(hands)))
        else:
            values = self._dealt(street + 1, board, hands, reach)
        self._value_terminals(street, views, reach, values)
        back_up(tree.children, tree.actor, nodes, strategy, classes, values)
        return values[:, self.game.tree.entries(street)]

    def _value_terminals(self, street: int, views: Cards, reach: Doubles, values: Doubles) -> None:
        """Values of the terminals that this street decides, in place. [4, N, L]

        On the last street the hands are in order of rank.
        """
        tree, last = self.game.tree, street == self.game.rules.streets - 1
        folds = np.flatnonzero((tree.node_type == FOLDED) & (tree.street == street))
        # Also the showdowns of players who were all-in on an earlier street.
        showdowns = np.flatnonzero((tree.node_type == SHOWDOWN) & last)
        ranks = hand_ranks(views) if last else np.zeros(len(views), np.int32)
        terminals = Terminals(tree.stakes, folds, showdowns)
        value_terminals(terminals, ranked(views[:, :2], ranks), reach, values)

    def _strategy(
        self, nodes: NDArray[np.intp], hands: Cards, board: Cards
    ) -> tuple[Doubles, NDArray[np.intp]]:
        """Both seats' probabilities for hands that look different, and who looks how.

        [D, C, 3] and [L]; hands that only differ by a renaming of suits are asked about once.
        """
        seen = RangeViews(hands, board[None])  # both seats see the same hands
        strategy = np.empty((len(nodes), int(seen.num_views[0]), NUM_ACTIONS))
        _, first = np.unique(seen.view_of[0], return_index=True)  # a hand of each view
        actor = self.game.tree.actor[nodes]
        seats = [(self.policy0, actor == 0), (self.policy1, actor == 1)]
        if self.policy0 is self.policy1:
            seats = [(self.policy0, actor >= 0)]  # a single call for a policy that plays both
        for policy, mine in seats:
            if mine.any():
                rows = np.zeros(mine.sum(), np.intp)  # the only board
                strategy[mine] = for_ranges(self.game, policy, seen)(rows, nodes[mine])[:, first]
        return strategy, seen.view_of[0]


def _views(hands: Cards, board: Cards) -> Cards:
    """What the holders of some hands see. [L, 2], [5] → [L, 7]"""
    return np.column_stack([hands, np.tile(board, (len(hands), 1))])
