"""One step of vectorised CFR on the betting of one street: down with reach, up with regrets.

Arrays hold one row for each of the M nodes of a street's betting (`search.betting`) and one column
for each of the L hands that the board leaves, so that every step is a loop over neighbours in
memory. An update for player p with opponent q is

    descend   how q's actions reach every node; that is also q's part of the average strategy
    settle    v(h) at folds and showdowns, from q's reach, with card removal (`env.ranges`)
    ascend    v(h) at decisions, and p's regrets there

and between the last two, values of the next street's entries where there are such. Strategies are
not kept: regret matching finds them again wherever they are wanted, which takes less time than to
fetch them from memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from env.arrays import Floats, Integers, Reals
from env.lanes import LANES, transpose
from env.ranges import RankedHands, count_weaker, sum_unblocked
from search.betting import Betting

LEAST = np.float32(np.finfo(np.float32).tiny)  # the least that one can be divided by


class Tables(NamedTuple):
    """What CFR keeps for every hand and action, at the node that the action leads to."""

    regrets: Floats  # [M, L] cumulative, possibly discounted
    expected: Floats  # [M, L] regrets with the newest ones again; kept by those who predict
    average: Floats  # [M, L] Σ weight · own reach · strategy


class Room(NamedTuple):
    """Where `settle` computes; kept from call to call, because new memory costs as much time.

    Whole squares are transposed, so W is L or a little more, a multiple of LANES.
    """

    by_lane: Reals  # [LANES, W] the opponent's reach, and afterwards Σ of it
    beaten: Reals  # [LANES, W] the same, over weaker hands less over stronger ones
    reach: Reals  # [W, LANES] all of it transposed
    weaker: Reals
    unblocked: Reals


class Step(NamedTuple):
    """How one iteration treats regrets and the average, see `search.variants`."""

    positive: float  # what positive cumulative regrets are multiplied by, and
    negative: float  # negative ones
    prediction: float  # how much of the newest regrets is expected to come again
    weight: float  # of this iteration in the average strategy


@njit(cache=True)
def new_room(num_hands: int, like: Reals) -> Room:
    """Room for so many hands, of the same numbers as another array."""
    width = (num_hands + LANES - 1) // LANES * LANES
    return Room(
        np.zeros((LANES, width), like.dtype),
        np.zeros((LANES, width), like.dtype),
        np.zeros((width, LANES), like.dtype),
        np.zeros((width, LANES), like.dtype),
        np.zeros((width, LANES), like.dtype),
    )


@njit(cache=True)
def descend(betting: Betting, player: int, step: Step, tables: Tables, own: Floats) -> None:
    """How a player's own actions reach every node they lead to, in place. [M, L]

    `own` has the entry's row. Adds to the player's average strategy.
    """
    regrets = tables.expected if step.prediction > 0 else tables.regrets
    weight, zero = own.dtype.type(step.weight), own.dtype.type(0)
    scale, alike = np.empty_like(own[0]), np.empty_like(own[0])
    for d in range(len(betting.actor)):
        if betting.actor[d] == player:
            _match_regrets(betting.children[d], regrets, scale, alike)
            before = own[betting.reached[player, d]]
            for child in betting.children[d]:
                if child >= 0:
                    kept, here, sums = regrets[child], own[child], tables.average[child]
                    for hand in range(len(here)):
                        reach = before[hand] * (max(kept[hand], zero) * scale[hand] + alike[hand])
                        here[hand] = reach
                        sums[hand] += weight * reach


@njit(cache=True)
def _match_regrets(children: Integers, regrets: Floats, scale: Floats, alike: Floats) -> None:
    """Regret matching: an action's probability is max(regret, 0) · scale + alike. [L], [L]"""
    one, zero = regrets.dtype.type(1), regrets.dtype.type(0)
    num_legal = zero
    scale[:] = zero
    for child in children:
        if child >= 0:
            num_legal += one
            kept = regrets[child]
            for hand in range(len(scale)):
                scale[hand] += max(kept[hand], zero)
    for hand in range(len(scale)):
        total = scale[hand]
        scale[hand] = one / max(total, LEAST) if total >= LEAST else zero
        alike[hand] = zero if total >= LEAST else one / num_legal


@njit(cache=True)
def settle(
    betting: Betting,
    hands: RankedHands,
    player: int,
    range_: Reals,
    own: Reals,
    room: Room,
    values: Reals,
) -> None:
    """What the player wins at folds and showdowns, in place. [M, L]

    The opponent's reach is its range [L] times how its own actions reach each node, `own` [M, L].
    """
    has_showdowns = betting.first_showdown < betting.first_leaf
    num_hands = len(range_)
    by_lane, beaten, reach, weaker, unblocked = room
    for block, nodes in enumerate(betting.lanes[1 - player]):
        for lane in range(LANES):
            here, theirs = own[nodes[lane]], by_lane[lane]
            for hand in range(num_hands):
                theirs[hand] = range_[hand] * here[hand]
        transpose(by_lane, reach)
        if has_showdowns:
            count_weaker(hands, reach, weaker, unblocked)
            transpose(weaker, beaten)
        else:
            sum_unblocked(hands.cards, reach, unblocked)
        transpose(unblocked, by_lane)
        for node in range(betting.first_fold, betting.first_leaf):
            lane = betting.lane[1 - player, node] - block * LANES
            if 0 <= lane < LANES:
                is_fold = node < betting.first_showdown
                stake = betting.stakes[node]
                factor = -stake if is_fold and player == 1 else stake
                won, worth = (by_lane if is_fold else beaten)[lane], values[node]
                for hand in range(num_hands):
                    worth[hand] = factor * won[hand]


@njit(cache=True)
def ascend(betting: Betting, player: int, step: Step, tables: Tables, values: Floats) -> None:
    """Values of decisions, in place, and the player's regrets. [M, L]"""
    zero = values.dtype.type(0)
    regrets = tables.expected if step.prediction > 0 else tables.regrets
    scale, alike = np.empty_like(values[0]), np.empty_like(values[0])
    for d in range(len(betting.actor) - 1, -1, -1):  # children come last
        mean = values[d]
        mean[:] = zero
        if betting.actor[d] != player:
            for child in betting.children[d]:
                if child >= 0:
                    mean += values[child]
            continue
        _match_regrets(betting.children[d], regrets, scale, alike)
        for child in betting.children[d]:
            if child >= 0:
                kept, below = regrets[child], values[child]
                for hand in range(len(mean)):
                    chance = max(kept[hand], zero) * scale[hand] + alike[hand]
                    mean[hand] += chance * below[hand]
        for child in betting.children[d]:
            if child >= 0:
                _learn(child, step, values[child], mean, tables)


@njit(cache=True)
def _learn(child: int, step: Step, value: Floats, mean: Floats, tables: Tables) -> None:
    """The regrets of an action that is worth `value` where the strategy is worth `mean`. [L]"""
    zero = value.dtype.type(0)
    positive, negative = value.dtype.type(step.positive), value.dtype.type(step.negative)
    regrets = tables.regrets[child]
    for hand in range(len(value)):
        regret = regrets[hand] + (value[hand] - mean[hand])
        # Without a branch, which the processor could only guess.
        regrets[hand] = positive * max(regret, zero) + negative * min(regret, zero)
    if step.prediction > 0:
        prediction, expected = value.dtype.type(step.prediction), tables.expected[child]
        for hand in range(len(value)):
            expected[hand] = regrets[hand] + prediction * (value[hand] - mean[hand])


@njit(cache=True)
def carry(betting: Betting, player: int, chances: Reals, own: Reals) -> None:
    """How a player's own actions reach the nodes they lead to, by a given strategy. [M, L]"""
    for d in range(len(betting.actor)):
        if betting.actor[d] == player:
            before = own[betting.reached[player, d]]
            for child in betting.children[d]:
                if child >= 0:
                    own[child] = before * chances[child]


@njit(cache=True)
def respond(betting: Betting, player: int, best: bool, chances: Reals, values: Reals) -> None:
    """Values of decisions for a player who answers best, or plays the strategy, in place. [M, L]"""
    for d in range(len(betting.actor) - 1, -1, -1):
        own = betting.actor[d] == player
        worth = values[d]
        worth[:] = -np.inf if own and best else 0
        for child in betting.children[d]:
            if child >= 0:
                if not own:
                    worth += values[child]
                elif best:
                    worth[:] = np.maximum(worth, values[child])
                else:
                    worth += chances[child] * values[child]


@njit(cache=True)
def normalise(betting: Betting, sums: Floats, classes: Integers, out: Floats) -> None:
    """Average strategies from their sums, equal for hands that look alike. [M, L]

    `classes` names for each hand the first one that differs from it by a renaming of suits only.
    Where the sums are zero every legal action is played alike.
    """
    out[0] = 1
    for d in range(len(betting.actor)):
        num_legal = (betting.children[d] >= 0).sum()
        for hand in range(sums.shape[1]):
            total = out.dtype.type(0)
            for child in betting.children[d]:
                if child >= 0:
                    total += sums[child, classes[hand]]
            for child in betting.children[d]:
                if child >= 0:
                    part = sums[child, classes[hand]]
                    out[child, hand] = part / total if total > 0 else 1 / num_legal


def new_tables(betting: Betting, shape: tuple[int, ...], num_hands: int, predicts: bool) -> Tables:
    """Tables before the first iteration, when nothing is regretted. [*shape, M, L]"""
    whole = (*shape, len(betting.nodes), num_hands)
    regrets, average = np.zeros(whole, np.float32), np.zeros(whole, np.float32)
    return Tables(regrets, np.zeros(whole if predicts else (*shape, 0, 0), np.float32), average)
