"""Arithmetic over whole ranges: reach down the tree, terminals with card removal, values back up.

Every array ends with an axis over the L hands that the board leaves possible. The sum over all
opposing hands that share no card with one's own takes L steps per terminal, not L²: hands are
visited in order of rank with running totals, one for all hands and one for each card, and

    Σ_{h' ∩ h = ∅} π(h') = Σ π − Σ_{h' ∋ c₁} π − Σ_{h' ∋ c₂} π + π(h)

for h = {c₁, c₂}. Sums over weaker (or stronger) hands leave out the last term, because h itself is
neither weaker nor stronger.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, prange

from env.arrays import Doubles, Integers, Reals
from env.cards import NO_CARD, Cards
from env.lanes import LANES, RowType, load, minus, plus, store

BEST_0, BEST_1, POLICY_0, POLICY_1 = range(4)  # whose values, and how that player plays
NUM_VALUES = 4
_CHUNK = 256  # hands that one thread takes at a time
_TOTAL = NO_CARD + 1  # where all hands are counted, behind those that hold a card or none


class Terminals(NamedTuple):
    """Terminal nodes of a tree of N nodes."""

    stakes: Doubles  # [N] what player 0 wins: after a fold outright, else with the better hand
    folds: Integers  # nodes to value at which somebody has folded
    showdowns: Integers  # nodes to value at which hands are compared


class RankedHands(NamedTuple):
    """Hands in order of showdown rank, weak ones first. Folds do not read the ranks."""

    cards: Cards  # [L, 2]
    ties: Integers  # [L, 2] the first hand of equal rank, and one past the last


def ranked(cards: Cards, ranks: Integers) -> RankedHands:
    """Hands that are sorted by their ranks already. [L, 2], [L]"""
    ties = np.searchsorted(ranks, ranks, "left"), np.searchsorted(ranks, ranks, "right")
    return RankedHands(np.ascontiguousarray(cards), np.column_stack(ties).astype(np.int32))


@njit(cache=True, parallel=True)
def carry_reach(
    children: Integers,
    actor: Integers,
    nodes: Integers,
    strategy: Doubles,
    classes: Integers,
    reach: Doubles,
) -> None:
    """π of both players from decision nodes to their children, in place. [2, N, L]

    `strategy` [D, C, 3] holds one row for hands that look alike; `classes` [L] says which.
    """
    num_hands = reach.shape[2]
    for chunk in prange((num_hands + _CHUNK - 1) // _CHUNK):
        for d in range(len(nodes)):  # parents come first
            node = nodes[d]
            own = actor[node]
            for action in range(3):
                child = children[node, action]
                if child >= 0:
                    for hand in range(chunk * _CHUNK, min(num_hands, (chunk + 1) * _CHUNK)):
                        chance = strategy[d, classes[hand], action]
                        reach[own, child, hand] = reach[own, node, hand] * chance
                        reach[1 - own, child, hand] = reach[1 - own, node, hand]


@njit(cache=True, parallel=True)
def back_up(
    children: Integers,
    actor: Integers,
    nodes: Integers,
    strategy: Doubles,
    classes: Integers,
    values: Doubles,
) -> None:
    """Values of decision nodes from their children's, in place. [4, N, L]"""
    num_hands = values.shape[2]
    for chunk in prange((num_hands + _CHUNK - 1) // _CHUNK):
        for d in range(len(nodes) - 1, -1, -1):  # children come last
            node = nodes[d]
            own = actor[node]
            for hand in range(chunk * _CHUNK, min(num_hands, (chunk + 1) * _CHUNK)):
                best, mean, other_best, other_mean = -np.inf, 0.0, 0.0, 0.0
                for action in range(3):
                    child = children[node, action]
                    if child >= 0:
                        best = max(best, values[BEST_0 + own, child, hand])
                        chance = strategy[d, classes[hand], action]
                        mean += chance * values[POLICY_0 + own, child, hand]
                        other_best += values[BEST_1 - own, child, hand]
                        other_mean += values[POLICY_1 - own, child, hand]
                values[BEST_0 + own, node, hand] = best
                values[POLICY_0 + own, node, hand] = mean
                values[BEST_1 - own, node, hand] = other_best
                values[POLICY_1 - own, node, hand] = other_mean


@njit(cache=True, parallel=True)
def value_terminals(
    terminals: Terminals, hands: RankedHands, reach: Doubles, values: Doubles
) -> None:
    """Values of terminal nodes, in place. [4, N, L]"""
    num_folds = (len(terminals.folds) + LANES - 1) // LANES
    num_showdowns = (len(terminals.showdowns) + LANES - 1) // LANES
    for job in prange(2 * (num_folds + num_showdowns)):
        player, part = job % 2, job // 2
        is_fold = part < num_folds
        nodes = terminals.folds if is_fold else terminals.showdowns
        first = (part if is_fold else part - num_folds) * LANES
        nodes = nodes[first : first + LANES]
        theirs = np.zeros((len(hands.cards), LANES))
        for column in range(len(nodes)):
            theirs[:, column] = reach[1 - player, nodes[column]]
        won, unblocked = np.empty_like(theirs), np.empty_like(theirs)
        if is_fold:
            sum_unblocked(hands.cards, theirs, won)
        else:
            count_weaker(hands, theirs, won, unblocked)
        sign = -1.0 if is_fold and player == 1 else 1.0
        for column in range(len(nodes)):
            node = nodes[column]
            for hand in range(len(won)):
                value = won[hand, column] * (sign * terminals.stakes[node])
                values[BEST_0 + player, node, hand] = value
                values[POLICY_0 + player, node, hand] = value


@njit(cache=True)
def sum_unblocked(cards: Cards, reach: Reals, out: Reals) -> None:
    """Σ of `reach` over hands that share no card with one's own. [L, LANES] → [L, LANES]

    Columns are ranges of their own, summed side by side; so are those of `count_weaker`.
    """
    held = np.zeros((_TOTAL + 1, LANES), reach.dtype)
    _add(cards, reach, 0, len(cards), held)
    for hand in range(len(cards)):
        others = _without(cards, hand, held)
        if cards[hand, 1] != NO_CARD:
            others = plus(others, load(reach, hand))
        store(out, hand, others)


@njit(cache=True)
def count_weaker(hands: RankedHands, reach: Reals, weaker: Reals, unblocked: Reals) -> None:
    """Σ of `reach` over weaker hands less Σ over stronger ones, cards removed; and over all.

    [L, LANES] → [L, LANES], [L, LANES]

    Below counts the weaker hands and, up to and with the hands of equal rank, all but the stronger
    ones. Both together, less the whole, is the difference that is wanted.
    """
    cards, ties = hands.cards, hands.ties
    held = np.zeros((_TOTAL + 1, LANES), reach.dtype)
    first = 0
    while first < len(cards):
        end = ties[first, 1]
        for hand in range(first, end):
            store(weaker, hand, _without(cards, hand, held))
        _add(cards, reach, first, end, held)
        for hand in range(first, end):
            store(weaker, hand, plus(load(weaker, hand), _without(cards, hand, held)))
        first = end
    for hand in range(len(cards)):
        others = _without(cards, hand, held)
        store(weaker, hand, minus(load(weaker, hand), others))
        if cards[hand, 1] != NO_CARD:
            others = plus(others, load(reach, hand))
        store(unblocked, hand, others)


@njit(cache=True)
def _add(cards: Cards, reach: Reals, first: int, end: int, held: Reals) -> None:
    """Count hands in, each with its cards and in total. [54, LANES]"""
    for hand in range(first, end):
        row = load(reach, hand)
        store(held, _TOTAL, plus(load(held, _TOTAL), row))
        store(held, cards[hand, 0], plus(load(held, cards[hand, 0]), row))
        if cards[hand, 1] != NO_CARD:  # the empty slot is no card to share
            store(held, cards[hand, 1], plus(load(held, cards[hand, 1]), row))


@njit(cache=True)
def _without(cards: Cards, hand: int, held: Reals) -> RowType:
    """What was counted in, less all that holds one of a hand's cards."""
    others = minus(load(held, _TOTAL), load(held, cards[hand, 0]))
    return minus(others, load(held, cards[hand, 1]))
