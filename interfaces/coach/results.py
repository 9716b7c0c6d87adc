"""Results with luck taken out, and how the model would have done with the same cards."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np

from env.arrays import Doubles
from env.betting_tree import BettingTree
from env.deals import canonical_views, showdown_result
from env.game import Game
from env.range_views import overlaps
from env.views import Views
from interfaces.coach.equity import equity
from interfaces.coach.played import PlayedHand
from interfaces.coach.reference import Reference
from policies.answers import checked
from policies.policy import Policy


@dataclass(frozen=True)
class Results:
    """What one seat won in one hand, in big blinds, in several ways."""

    won_bb: float  # what really happened
    all_in_adjusted_bb: float  # the mean over the cards that came after the betting was over
    showdown_adjusted_bb: float  # the mean over the cards that came after the last chip went in
    range_adjusted_bb: float  # the mean over what the opponent could hold at the showdown, as well
    baseline_bb: float  # the mean of what the model wins against itself with the same deal

    def to_json(self) -> dict[str, float]:
        return asdict(self)


def results(reference: Reference, hand: PlayedHand) -> Results:
    """The result of a hand and its adjusted forms, as the reference sees them."""
    unit = hand.game.rules.big_blind_chips
    sign = 1 if hand.seat == 0 else -1
    return Results(
        hand.won_chips / unit,
        all_in_adjusted_chips(reference, hand) / unit,
        showdown_adjusted_chips(reference, hand) / unit,
        range_adjusted_chips(reference, hand) / unit,
        sign * baseline_chips(reference.game, reference.blueprint, hand.deal) / unit,
    )


def all_in_adjusted_chips(reference: Reference, hand: PlayedHand) -> float:
    """What the seat wins on average given both hands, once the betting is over.

    That differs from the result only if players were all-in with cards to come.
    """
    if hand.is_fold or hand.street == hand.game.rules.streets - 1:
        return float(hand.won_chips)
    return _showdown_chips(reference, hand, _held(reference, hand), hand.street)


def showdown_adjusted_chips(reference: Reference, hand: PlayedHand) -> float:
    """What the seat wins on average at a showdown, both hands given, from the last chip on.

    The cards that came after the street on which somebody last paid are averaged over: nobody put
    anything at risk any more, so they were luck. After a fold it is the result itself.
    """
    if hand.is_fold:
        return float(hand.won_chips)
    tree = hand.game.tree
    paid = [
        int(tree.street[before])
        for before, after in pairwise(tree.path(hand.node))
        if tree.contributions[after].sum() > tree.contributions[before].sum()
    ]
    return _showdown_chips(reference, hand, _held(reference, hand), max(paid, default=0))


def range_adjusted_chips(reference: Reference, hand: PlayedHand) -> float:
    """What the seat wins on average at the showdown against all that the opponent could hold.

    The opponent's range is the reference's after the whole betting line. Without a showdown it is
    the result itself.
    """
    if hand.is_fold:
        return float(hand.won_chips)
    range_ = reference.ranges(hand.board(hand.street), hand.node)[1 - hand.seat]
    possible = ~overlaps(reference.hands, hand.hand(hand.seat))
    return _showdown_chips(reference, hand, np.where(possible, range_, 0), hand.street)


def _held(reference: Reference, hand: PlayedHand) -> Doubles:
    """The range of an opponent who holds what the opponent held. [H]"""
    held = np.zeros(len(reference.hands))
    held[reference.number(hand.hand(1 - hand.seat))] = 1
    return held


def _showdown_chips(reference: Reference, hand: PlayedHand, range_: Doubles, street: int) -> float:
    """What a showdown against a range is worth, over all cards that come after a street."""
    share = equity(
        hand.game.rules,
        hand.hand(hand.seat),
        reference.hands,
        range_,
        hand.board(street),
    )
    return hand.stake_chips * (2 * share - 1)


def baseline_chips(game: Game, policy: Policy, deal: tuple[int, ...]) -> float:
    """Chips that player 0 wins on average when both play the policy with these very cards.

    With all cards known nothing is left to chance but the actions, so the whole betting tree is
    walked and the mean is exact.
    """
    tree, rules = game.tree, game.rules
    views = canonical_views(rules, np.array([deal], np.uint8))[0]  # [2, streets, 7]
    distinct, which = np.unique(views.reshape(-1, 7), axis=0, return_inverse=True)
    view_of = which.reshape(2, rules.streets)
    nodes = np.flatnonzero(tree.is_decision)
    rows = view_of[tree.actor[nodes], tree.street[nodes]]
    answers = policy.for_views(Views(game, distinct))(rows, nodes)
    strategy = np.zeros((len(tree), 3))
    strategy[nodes] = checked(tree, answers, distinct, rows, nodes)
    return _mean_of_tree(tree, strategy, showdown_result(deal))


def _mean_of_tree(tree: BettingTree, strategy: Doubles, result: int) -> float:
    """What player 0 wins on average, from the leaves up. [N, 3]"""
    ends = np.flatnonzero(~tree.is_decision)
    values = np.zeros(len(tree))
    values[ends] = tree.payoffs(ends, np.full(len(ends), result, np.int8))
    starts = tree.level_starts
    for level in range(len(starts) - 2, -1, -1):
        nodes = np.arange(starts[level], starts[level + 1])
        nodes = nodes[tree.is_decision[nodes]]
        # An illegal action has probability 0, whatever node its −1 points to.
        values[nodes] = (strategy[nodes] * values[tree.children[nodes]]).sum(axis=1)
    return float(values[0])
