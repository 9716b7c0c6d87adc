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

BEST_0, BEST_1, POLICY_0, POLICY_1 = range(4)  # whose values, and how that player plays
NUM_VALUES = 4
_CHUNK = 256  # hands that one thread takes at a time
_COLUMNS = 16  # ranges that are summed side by side


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
    num_folds = (len(terminals.folds) + _COLUMNS - 1) // _COLUMNS
    num_showdowns = (len(terminals.showdowns) + _COLUMNS - 1) // _COLUMNS
    for job in prange(2 * (num_folds + num_showdowns)):
        player, part = job % 2, job // 2
        is_fold = part < num_folds
        nodes = terminals.folds if is_fold else terminals.showdowns
        first = (part if is_fold else part - num_folds) * _COLUMNS
        nodes = nodes[first : first + _COLUMNS]
        theirs = np.empty((len(hands.cards), len(nodes)))
        for column in range(len(nodes)):
            theirs[:, column] = reach[1 - player, nodes[column]]
        won = np.empty_like(theirs)
        if is_fold:
            sum_unblocked(hands.cards, theirs, won, 0, len(nodes))
        else:
            count_weaker(hands, theirs, won, 0, len(nodes))
        sign = -1.0 if is_fold and player == 1 else 1.0
        for column in range(len(nodes)):
            node = nodes[column]
            for hand in range(len(won)):
                value = won[hand, column] * (sign * terminals.stakes[node])
                values[BEST_0 + player, node, hand] = value
                values[POLICY_0 + player, node, hand] = value


@njit(cache=True)
def sum_unblocked(cards: Cards, reach: Reals, out: Reals, first: int, end: int) -> None:
    """Σ of `reach` over hands that share no card with one's own. [L, C] → [L, C]

    Columns, from `first` up to `end`, are ranges of their own, summed side by side; so are those of
    `count_weaker`.
    """
    held = np.zeros((NO_CARD + 1, end - first), reach.dtype)
    total = np.zeros(end - first, reach.dtype)
    for hand in range(len(cards)):
        _add(cards[hand, 0], cards[hand, 1], reach[hand, first:end], total, held)
    held[NO_CARD] = 0  # the empty slot is no card to share
    for hand in range(len(cards)):
        own, other = held[cards[hand, 0]], held[cards[hand, 1]]
        twice = reach.dtype.type(1 if cards[hand, 1] != NO_CARD else 0)
        theirs, won = reach[hand, first:end], out[hand, first:end]
        for column in range(len(total)):
            won[column] = total[column] - own[column] - other[column] + twice * theirs[column]


@njit(cache=True)
def count_weaker(hands: RankedHands, reach: Reals, out: Reals, first: int, end: int) -> None:
    """Σ of `reach` over weaker hands less Σ over stronger ones, cards removed. [L, C] → [L, C]"""
    cards, ties = hands.cards, hands.ties
    num_hands = len(cards)
    held = np.zeros((NO_CARD + 1, end - first), reach.dtype)
    total = np.zeros(end - first, reach.dtype)
    added = 0
    for hand in range(num_hands):
        while added < ties[hand, 0]:
            _add(cards[added, 0], cards[added, 1], reach[added, first:end], total, held)
            held[NO_CARD] = 0
            added += 1
        own, other, won = held[cards[hand, 0]], held[cards[hand, 1]], out[hand, first:end]
        for column in range(len(total)):
            won[column] = total[column] - own[column] - other[column]
    held[:] = 0
    total[:] = 0
    added = num_hands
    for hand in range(num_hands - 1, -1, -1):
        while added > ties[hand, 1]:
            added -= 1
            _add(cards[added, 0], cards[added, 1], reach[added, first:end], total, held)
            held[NO_CARD] = 0
        own, other, won = held[cards[hand, 0]], held[cards[hand, 1]], out[hand, first:end]
        for column in range(len(total)):
            won[column] -= total[column] - own[column] - other[column]


@njit(cache=True, inline="always")
def _add(first: int, second: int, reach: Reals, total: Reals, held: Reals) -> None:
    """Count a hand in, in total and with each of its cards. [C], [C], [53, C]"""
    one, other = held[first], held[second]
    for column in range(len(total)):
        total[column] += reach[column]
        one[column] += reach[column]
        other[column] += reach[column]
