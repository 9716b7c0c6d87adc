"""One step of vectorised CFR on the betting of one street: down with reach, up with regrets.

Arrays hold one row for each of the L hands that the board leaves and one column for each of the
forest's M nodes (`search.forest`). An update for player p with opponent q is

    descend   π_q at every node, from q's range at the entries; p's part of the average strategy
    settle    v(h) at folds and showdowns, from π_q, with card removal (`env.ranges`)
    ascend    v(h) at decisions, p's regrets there, and from them p's next strategy

and between the last two, values of the next street's entries where there are such.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from env.arrays import Floats, Integers, Reals
from env.ranges import RankedHands, count_weaker, sum_unblocked
from search.forest import Forest


class Tables(NamedTuple):
    """What CFR keeps for every hand and decision. Zero where an action is illegal."""

    regrets: Floats  # [L, D, 3] cumulative, possibly discounted
    strategy: Floats  # [L, D, 3] the current one
    average: Floats  # [L, D, 3] Σ weight · own reach · strategy


class Step(NamedTuple):
    """How one iteration treats regrets and the average, see `search.variants`."""

    positive: float  # what positive cumulative regrets are multiplied by, and
    negative: float  # negative ones
    prediction: float  # how much of the newest regrets is expected to come again
    weight: float  # of this iteration in the average strategy


@njit(cache=True)
def descend(
    forest: Forest, player: int, weight: float, tables: Tables, own: Floats, reach: Floats
) -> None:
    """The player's and the opponent's reach below the entries, in place. [L, M], [L, M]

    Adds to the player's average strategy.
    """
    actor, children = forest.actor, forest.children
    factor = own.dtype.type(weight)
    for hand in range(len(reach)):
        for d in range(len(actor)):
            mine = actor[d] == player
            for action in range(3):
                child = children[d, action]
                if child >= 0:
                    chance = tables.strategy[hand, d, action]
                    if mine:
                        own[hand, child] = own[hand, d] * chance
                        reach[hand, child] = reach[hand, d]
                        tables.average[hand, d, action] += factor * own[hand, child]
                    else:
                        own[hand, child] = own[hand, d]
                        reach[hand, child] = reach[hand, d] * chance


@njit(cache=True)
def settle(forest: Forest, hands: RankedHands, player: int, reach: Reals, values: Reals) -> None:
    """What the player wins at folds and showdowns, from the opponent's reach, in place. [L, M]"""
    first_fold, first_showdown = forest.first_fold, forest.first_showdown
    first_leaf = forest.first_leaf
    sum_unblocked(hands.cards, reach, values, first_fold, first_showdown)
    count_weaker(hands, reach, values, first_showdown, first_leaf)
    factors = forest.stakes.copy()
    if player == 1:
        factors[first_fold:first_showdown] *= -1
    for hand in range(len(values)):
        for column in range(first_fold, first_leaf):
            values[hand, column] *= factors[column]


@njit(cache=True)
def ascend(forest: Forest, player: int, step: Step, tables: Tables, values: Floats) -> None:
    """Values of decisions, in place; the player's regrets and next strategy. [L, M]"""
    actor, children = forest.actor, forest.children
    one = values.dtype.type(1)
    zero = values.dtype.type(0)
    positive, negative = values.dtype.type(step.positive), values.dtype.type(step.negative)
    prediction = values.dtype.type(step.prediction)
    for hand in range(len(values)):
        for d in range(len(actor) - 1, -1, -1):  # children come last
            mine = actor[d] == player
            value = zero
            num_legal = zero
            for action in range(3):
                child = children[d, action]
                if child >= 0:
                    num_legal += one
                    chance = tables.strategy[hand, d, action] if mine else one
                    value += chance * values[hand, child]
            values[hand, d] = value
            if mine:
                total = zero
                for action in range(3):
                    child = children[d, action]
                    if child >= 0:
                        gain = values[hand, child] - value
                        regret = tables.regrets[hand, d, action] + gain
                        # Without a branch, which the processor could only guess.
                        regret = positive * max(regret, zero) + negative * min(regret, zero)
                        tables.regrets[hand, d, action] = regret
                        expected = max(regret + prediction * gain, zero)
                        tables.strategy[hand, d, action] = expected
                        total += expected
                scale = one / total if total > 0 else zero
                for action in range(3):
                    if children[d, action] >= 0:
                        if total > 0:
                            tables.strategy[hand, d, action] *= scale
                        else:
                            tables.strategy[hand, d, action] = one / num_legal


@njit(cache=True)
def carry(forest: Forest, player: int, strategy: Reals, reach: Reals) -> None:
    """A player's own reach below the entries, in place, for a given strategy. [L, D, 3], [L, M]"""
    for hand in range(len(reach)):
        for d in range(len(forest.actor)):
            for action in range(3):
                child = forest.children[d, action]
                if child >= 0:
                    chance = strategy[hand, d, action]
                    own = forest.actor[d] == player
                    reach[hand, child] = reach[hand, d] * (chance if own else 1)


@njit(cache=True)
def respond(forest: Forest, player: int, best: bool, strategy: Reals, values: Reals) -> None:
    """Values of decisions for a player who answers best, or plays the strategy, in place. [L, M]"""
    for hand in range(len(values)):
        for d in range(len(forest.actor) - 1, -1, -1):
            own = forest.actor[d] == player
            value = values.dtype.type(-np.inf if own and best else 0)
            for action in range(3):
                child = forest.children[d, action]
                if child >= 0:
                    if not own:
                        value += values[hand, child]
                    elif best:
                        value = max(value, values[hand, child])
                    else:
                        value += strategy[hand, d, action] * values[hand, child]
            values[hand, d] = value


@njit(cache=True)
def normalise(forest: Forest, sums: Floats, classes: Integers, out: Floats) -> None:
    """Average strategies from their sums, equal for hands that look alike. [L, D, 3]

    `classes` names for each hand the first one that differs from it by a renaming of suits only.
    Where the sums are zero every legal action is played alike.
    """
    for hand in range(len(sums)):
        alike = classes[hand]
        for d in range(len(forest.actor)):
            total = sums[alike, d].sum()
            num_legal = (forest.children[d] >= 0).sum()
            for action in range(3):
                if total > 0:
                    out[hand, d, action] = sums[alike, d, action] / total
                else:
                    out[hand, d, action] = 1 / num_legal if forest.children[d, action] >= 0 else 0


def new_tables(forest: Forest, shape: tuple[int, ...]) -> Tables:
    """Tables before the first iteration: nothing regretted, every legal action alike."""
    tables = [np.zeros((*shape, len(forest.actor), 3), np.float32) for _ in range(3)]
    legal = forest.children >= 0
    tables[1][:] = legal / np.maximum(legal.sum(axis=1, keepdims=True), 1)
    return Tables(*tables)
