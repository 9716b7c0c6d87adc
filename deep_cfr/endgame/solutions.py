"""Solved subgames as rows to learn from: what a public state's hands do, in bins of strength.

One row stands for a public state, which is a board and a decision. Each bin holds the mean strategy
of its hands, weighted by how the solution brings the player to act here, and a share of all hands
alike: the strategy network is to make sense with unexpected hands as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, prange

from deep_cfr.endgame.grid import Grid
from env.arrays import Bytes, Doubles, Floats, Ints, Longs
from env.betting_tree import BettingTree
from env.cards import NO_CARD, NUM_BOARD, Cards
from search.betting import Betting

UNIFORM_SHARE = 0.15  # of the weights within a row
LEVELS = 255  # steps in which strategies and weights are kept


class BoardStrengths(NamedTuple):
    """A board and what is known of the L hands that it leaves."""

    board: Cards  # [5] canonical
    strengths: Floats  # [L]
    buckets: Bytes  # [L]


class SolvedRows(NamedTuple):
    """n public states, G hand buckets, B bins."""

    boards: Cards  # [n, 5] canonical
    nodes: Longs  # [n]
    weights: Floats  # [n] how probably the player to act comes here once the subgame has begun
    bins: Bytes  # [n, G, B, 4] strategy in steps of 1 / 255; weight, 255 for the largest of the row


def solved_rows(
    grid: Grid, hands: BoardStrengths, betting: Betting, ranges: Floats, strategies: Floats
) -> SolvedRows:
    """The rows of one solved subgame.

    `ranges` [2, L] say how both players come to its entry, `strategies` [L, D, 3] how they go on.
    """
    board, strengths, buckets = hands
    num_decisions = len(betting.actor)
    sums = np.zeros((num_decisions, grid.num_buckets, len(grid.bins), 4), np.float32)
    weights = np.zeros(num_decisions, np.float32)
    reach = np.zeros((2, len(strengths), len(betting.nodes)), np.float32)
    reach[:, :, 0] = ranges / ranges.sum(axis=1, keepdims=True)
    _reach_decisions(betting.actor, betting.children, strategies, reach)
    _fill_bins(betting.actor, grid.bins, strengths, buckets, strategies, reach, sums, weights)
    return SolvedRows(
        boards=np.repeat(board[None], num_decisions, axis=0),
        nodes=betting.decisions,
        weights=weights,
        bins=_in_steps(sums),
    )


def joined(rows: list[SolvedRows]) -> SolvedRows:
    """All rows of some subgames."""
    return SolvedRows(*(np.concatenate(parts) for parts in zip(*rows, strict=True)))


def chosen_rows(rows: SolvedRows, numbers: Longs) -> SolvedRows:
    """Some of the rows."""
    boards, nodes, weights, bins = rows
    return SolvedRows(boards[numbers], nodes[numbers], weights[numbers], bins[numbers])


def solved_rows_problem(rows: SolvedRows, tree: BettingTree, grid: Grid) -> str | None:
    """What is wrong with rows that came from elsewhere; None if nothing is."""
    size = len(rows.nodes)
    wanted = (
        (np.uint8, (size, NUM_BOARD)),
        (np.int64, (size,)),
        (np.float32, (size,)),
        (np.uint8, (size, grid.num_buckets, len(grid.bins), 4)),
    )
    if any(
        not isinstance(column, np.ndarray) or (column.dtype, column.shape) != (dtype, shape)
        for column, (dtype, shape) in zip(rows, wanted, strict=True)
    ):
        return "rows of subgames of another form"
    if not size or (rows.nodes < 0).any() or (rows.nodes >= len(tree)).any():
        return "rows of nodes that do not exist"
    if not tree.is_decision[rows.nodes].all() or (rows.boards > NO_CARD).any():
        return "rows of nodes where nobody decides, or of cards that do not exist"
    if not np.isfinite(rows.weights).all() or (rows.weights < 0).any():
        return "weights that are negative or no finite numbers"
    return None


def _in_steps(sums: Floats) -> Bytes:
    """Sums of strategies and weights as bytes. [D, G, B, 4]"""
    totals = sums[..., 3:]
    strategies = np.divide(
        sums[..., :3], totals, out=np.zeros_like(sums[..., :3]), where=totals > 0
    )
    shares = totals / np.maximum(totals.max(axis=(1, 2), keepdims=True), np.float32(1e-30))
    # Small weights count as well: nothing that has weight is rounded down to none.
    steps = np.where(shares > 0, np.maximum(np.rint(shares * LEVELS), 1), 0)
    found = np.concatenate([np.rint(strategies * LEVELS), steps], axis=-1)
    return found.astype(np.uint8)


@njit(cache=True, parallel=True)
def _reach_decisions(actor: Ints, children: Ints, strategies: Floats, reach: Floats) -> None:
    """Both players' reach below the entry, in place. [2, L, M]"""
    for hand in prange(reach.shape[1]):
        for d in range(len(actor)):
            for action in range(3):
                child = children[d, action]
                if child >= 0:
                    mine = actor[d]
                    chance = strategies[hand, d, action]
                    reach[mine, hand, child] = reach[mine, hand, d] * chance
                    reach[1 - mine, hand, child] = reach[1 - mine, hand, d]


@njit(cache=True, parallel=True)
def _fill_bins(
    actor: Ints,
    bins: Doubles,
    strengths: Floats,
    buckets: Bytes,
    strategies: Floats,
    reach: Floats,
    sums: Floats,
    weights: Floats,
) -> None:
    """Strategies and weights summed over the hands of each bin. → [D, G, B, 4], [D]"""
    num_hands = len(strengths)
    for d in prange(len(actor)):
        total = np.float32(0)
        for hand in range(num_hands):
            total += reach[actor[d], hand, d]
        weights[d] = total
        scale = (1 - UNIFORM_SHARE) / total if total > 0 else 0.0
        for hand in range(num_hands):
            weight = scale * reach[actor[d], hand, d] + UNIFORM_SHARE / num_hands
            place = sums[d, buckets[hand], _nearest(bins, strengths[hand])]
            for action in range(3):
                place[action] += weight * strategies[hand, d, action]
            place[3] += weight


@njit(cache=True)
def _nearest(bins: Doubles, strength: float) -> int:
    """The bin whose middle is nearest."""
    low, high = 0, len(bins) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if bins[middle] <= strength:
            low = middle
        else:
            high = middle
    return low if strength - bins[low] < bins[high] - strength else high
