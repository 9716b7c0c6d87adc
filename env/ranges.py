"""Arithmetic over whole ranges: reach down the tree, terminals with card removal, values back up.

Every array ends with an axis over the L hands that the board leaves possible. The sum over all
opposing hands that share no card with one's own takes L steps per terminal, not L²: hands are
visited in order of strength with running totals, one for all hands and one for each card, and

    Σ_{h' ∩ h = ∅} π(h') = Σ π − Σ_{h' ∋ c₁} π − Σ_{h' ∋ c₂} π + π(h)

for h = {c₁, c₂}. Sums over weaker (or stronger) hands leave out the last term, because h itself is
neither weaker nor stronger.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from env.betting_tree import FOLDED, SHOWDOWN
from env.cards import NO_CARD, Cards

Vectors = NDArray[np.float64]
Ints = NDArray[np.integer]

BEST_0, BEST_1, POLICY_0, POLICY_1 = range(4)  # whose values, and how that player plays
NUM_VALUES = 4
_CHUNK = 256  # hands that one thread takes at a time


class Terminals(NamedTuple):
    """Terminal nodes of a tree of N nodes."""

    node_type: Ints  # [N]
    stakes: Vectors  # [N] what player 0 wins: after a fold outright, else with the better hand
    nodes: Ints  # the terminals to value


class RankedHands(NamedTuple):
    """Hands sorted by showdown rank. Folds do not read the ranks."""

    cards: Cards  # [L, 2]
    order: Ints  # [L] sorts the hands by strength
    strengths: Ints  # [L]


@njit(cache=True, parallel=True)
def carry_reach(
    children: Ints, actor: Ints, nodes: Ints, strategy: Vectors, classes: Ints, reach: Vectors
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
    children: Ints, actor: Ints, nodes: Ints, strategy: Vectors, classes: Ints, values: Vectors
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
    terminals: Terminals, hands: RankedHands, reach: Vectors, values: Vectors
) -> None:
    """Values of terminal nodes, in place. [4, N, L]"""
    node_type, stakes, nodes = terminals.node_type, terminals.stakes, terminals.nodes
    cards, order, strengths = hands.cards, hands.order, hands.strengths
    for job in prange(2 * len(nodes)):
        node, player = nodes[job // 2], job % 2
        theirs = reach[1 - player, node]
        out = values[BEST_0 + player, node]
        if node_type[node] == FOLDED:
            _unblocked(cards, theirs, out)
        elif node_type[node] == SHOWDOWN:
            out[:] = 0
            _count_weaker(cards, order, strengths, theirs, out)
        sign = -1.0 if node_type[node] == FOLDED and player == 1 else 1.0
        for hand in range(len(cards)):
            out[hand] *= sign * stakes[node]
            values[POLICY_0 + player, node, hand] = out[hand]


@njit(cache=True)
def _unblocked(hands: Cards, reach: Vectors, out: Vectors) -> None:
    """Σ of `reach` over hands that share no card with one's own. [L] → [L]"""
    held = np.zeros(NO_CARD + 1)
    total = 0.0
    for hand in range(len(hands)):
        total += reach[hand]
        held[hands[hand, 0]] += reach[hand]
        held[hands[hand, 1]] += reach[hand]
    held[NO_CARD] = 0  # the empty slot is no card to share
    for hand in range(len(hands)):
        first, second = hands[hand]
        twice = reach[hand] if second != NO_CARD else 0.0
        out[hand] = total - held[first] - held[second] + twice


@njit(cache=True)
def _count_weaker(hands: Cards, order: Ints, strengths: Ints, reach: Vectors, out: Vectors) -> None:
    """Adds Σ of `reach` over weaker hands less Σ over stronger ones, cards removed. [L] → [L]"""
    num_hands = len(order)
    for sign in (1.0, -1.0):  # first upwards, then downwards through the hands
        held = np.zeros(NO_CARD + 1)
        total = 0.0
        start = 0
        while start < num_hands:
            end = start
            while end < num_hands and (
                strengths[_at(order, end, sign)] == strengths[_at(order, start, sign)]
            ):
                end += 1
            for i in range(start, end):
                hand = _at(order, i, sign)
                out[hand] += sign * (total - held[hands[hand, 0]] - held[hands[hand, 1]])
            for i in range(start, end):
                hand = _at(order, i, sign)
                total += reach[hand]
                held[hands[hand, 0]] += reach[hand]
                held[hands[hand, 1]] += reach[hand]
            held[NO_CARD] = 0
            start = end


@njit(cache=True)
def _at(order: Ints, i: int, sign: float) -> int:
    return order[i] if sign > 0 else order[len(order) - 1 - i]
