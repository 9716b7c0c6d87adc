"""Kernels of the local best response: sums over the opponent's range, for many plays at once.

n plays, H private hands. Plays share rows: the ranges of all plays on one visible board and node
are the same, so a kernel takes a table of distinct rows and the row that each play reads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from env.arrays import Doubles, Longs


class PlayRows(NamedTuple):
    """A table and the row of it that belongs to each play."""

    table: NDArray[Any]  # [rows, ..., H]
    rows: Longs  # [n]; negative where a play has none


@njit(cache=True, parallel=True, fastmath={"reassoc"})  # sums in any order: several at once
def weigh_ranges(
    reach: PlayRows, folds: PlayRows, apart: PlayRows, equity: PlayRows, sums: Doubles
) -> None:
    """Σ π, Σ π wp over the hands apart from one's own, and both with the part of π that folds.

    `reach` holds π and `folds` that part of it, with no row for plays where nobody may fold;
    `apart` says which hands share no card with one's own. [n, 4]
    """
    reach_table, reach_rows = reach.table, reach.rows
    fold_table, fold_rows = folds.table, folds.rows
    apart_table, apart_rows = apart.table, apart.rows
    equity_table, equity_rows = equity.table, equity.rows
    for play in prange(len(sums)):
        possible, wins = apart_table[apart_rows[play]], equity_table[equity_rows[play]]
        range_ = reach_table[reach_rows[play]]
        mass = points = folding = points_folding = 0.0
        for hand in range(len(range_)):
            share = range_[hand] * possible[hand]
            mass += share
            points += share * wins[hand]
        if fold_rows[play] >= 0:
            folded = fold_table[fold_rows[play]]
            for hand in range(len(folded)):
                share = folded[hand] * possible[hand]
                folding += share
                points_folding += share * wins[hand]
        sums[play] = mass, points, folding, points_folding


@njit(cache=True, parallel=True, fastmath={"reassoc"})  # sums in any order: several at once
def sum_masses(reach: PlayRows, apart: PlayRows, masses: Doubles) -> None:
    """Σ π over the hands apart from one's own. [n]"""
    reach_table, reach_rows = reach.table, reach.rows
    apart_table, apart_rows = apart.table, apart.rows
    for play in prange(len(masses)):
        range_, possible = reach_table[reach_rows[play]], apart_table[apart_rows[play]]
        mass = 0.0
        for hand in range(len(range_)):
            mass += range_[hand] * possible[hand]
        masses[play] = mass


@njit(cache=True, parallel=True)
def multiply_strategy(reach: Doubles, strategy: Doubles, joint: Doubles) -> None:
    """Reach times the probability of each action. [A, H], [A, H, 3] → [A, 3, H]"""
    for row in prange(len(reach)):
        for hand in range(reach.shape[1]):
            for action in range(3):
                joint[row, action, hand] = reach[row, hand] * strategy[row, hand, action]


@njit(cache=True, parallel=True, fastmath={"reassoc"})  # sums in any order: several at once
def draw_actions(
    joint: PlayRows, apart: PlayRows, possible: PlayRows, numbers: Doubles, actions: Longs
) -> None:
    """The action whose share of the range's mass a number falls into, never one of no mass. [n]

    Only hands count that share no card with one's own (`apart`) nor with the board (`possible`).
    """
    joint_table, joint_rows = joint.table, joint.rows
    apart_table, apart_rows = apart.table, apart.rows
    possible_table, possible_rows = possible.table, possible.rows
    for play in prange(len(actions)):
        mass = np.zeros(3)
        first, second = apart_table[apart_rows[play]], possible_table[possible_rows[play]]
        for action in range(3):
            masses = joint_table[joint_rows[play], action]
            total = 0.0
            for hand in range(len(masses)):
                total += masses[hand] * (first[hand] & second[hand])
            mass[action] = total
        left = numbers[play] * mass.sum()
        for action in range(3):
            if mass[action] > 0:
                actions[play] = action
                left -= mass[action]
                if left < 0:
                    break


@njit(cache=True)
def draw_own_actions(strategies: Doubles, numbers: Doubles, actions: Longs) -> None:
    """The action whose share of a strategy a number falls into, never an unplayed one. [n, 3]"""
    for play in range(len(actions)):
        left = numbers[play] * strategies[play].sum()
        for action in range(3):
            if strategies[play, action] > 0:
                actions[play] = action
                left -= strategies[play, action]
                if left < 0:
                    break
