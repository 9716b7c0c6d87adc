"""The compiled steps of `deep_cfr.sampling.range_sampling`: one level of the public tree.

R rows (board, node), M hands on each board; every step treats all hands of a row at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from env.betting_tree import FOLDED
from policies.policy import Floats

THRESHOLD = 0.05  # effective mass of the opponent below which Russian roulette is played

Ints = NDArray[np.int32]


class Level(NamedTuple):
    """The frontier at one depth."""

    boards: Ints  # [R]
    nodes: Ints  # [R]
    weights: Floats  # [R] 1 / the probability that roulette has spared the row
    reach: Floats  # [R, M] the opponent's
    strategies: Floats  # [R, M, 3] of whoever acts; zeros at terminals
    children: Ints  # [R, 3] row one level down; −1 where illegal or ended by roulette


class PublicTree(NamedTuple):
    """What the kernels read of a betting tree, for one traverser."""

    children: Ints  # [N, 3]
    actor: NDArray[np.int8]  # [N]
    node_type: NDArray[np.int8]  # [N]
    stakes: Floats  # [N] big blinds the traverser wins: by a fold, or with the better hand
    traverser: int


class Values(NamedTuple):
    """The traverser's values of one level, and W, the opponent's mass that each hand can meet."""

    values: Floats  # [R, M]
    masses: Floats  # [R, M] filled in at the traverser's decisions only


@njit(cache=True)
def choose(tree: PublicTree, level: Level, draws: NDArray[np.float64]) -> int:
    """Decides by roulette which children are followed, numbers them and returns their count."""
    count = 0
    num_hands = level.reach.shape[1]
    for row in range(len(level.nodes)):
        node = level.nodes[row]
        if tree.actor[node] < 0:
            continue
        for action in range(3):
            if tree.children[node, action] < 0:
                continue
            if tree.actor[node] != tree.traverser:
                mass = 0.0
                for hand in range(num_hands):
                    mass += level.reach[row, hand] * level.strategies[row, hand, action]
                mass *= level.weights[row] / num_hands
                if mass < THRESHOLD and draws[row, action] * THRESHOLD >= mass:
                    continue
            level.children[row, action] = count
            count += 1
    return count


@njit(cache=True, parallel=True)
def expand(
    tree: PublicTree,
    level: Level,
    next_boards: Ints,
    next_nodes: Ints,
    next_weights: Floats,
    next_reach: Floats,
) -> None:
    """Fill in the rows one level down."""
    num_hands = level.reach.shape[1]
    for row in prange(len(level.nodes)):
        node = level.nodes[row]
        is_opponents = tree.actor[node] != tree.traverser
        for action in range(3):
            child = level.children[row, action]
            if child < 0:
                continue
            next_boards[child] = level.boards[row]
            next_nodes[child] = tree.children[node, action]
            mass = 0.0
            for hand in range(num_hands):
                kept = level.reach[row, hand]
                if is_opponents:
                    kept *= level.strategies[row, hand, action]
                next_reach[child, hand] = kept
                mass += kept
            mass *= level.weights[row] / num_hands
            spared = is_opponents and mass < THRESHOLD
            next_weights[child] = level.weights[row] * (THRESHOLD / mass if spared else 1.0)


@njit(cache=True, parallel=True)
def back_up(
    tree: PublicTree,
    level: Level,
    values_below: Floats,
    weights_below: Floats,
    results: Floats,
    disjoint: Floats,
    out: Values,
) -> None:
    """The values of one level from those below it. results, disjoint [B, M, M]"""
    values, masses = out  # numba's parallel loops write to plain arrays only
    num_hands = level.reach.shape[1]
    for row in prange(len(level.nodes)):
        node, board = level.nodes[row], level.boards[row]
        if tree.actor[node] < 0:
            against = disjoint[board] if tree.node_type[node] == FOLDED else results[board]
            for hand in range(num_hands):
                total = np.float32(0)
                for other in range(num_hands):
                    total += against[hand, other] * level.reach[row, other]
                values[row, hand] = tree.stakes[node] * total
            continue
        is_own = tree.actor[node] == tree.traverser
        for hand in range(num_hands):
            values[row, hand] = 0
        for action in range(3):
            child = level.children[row, action]
            if child >= 0:
                counts = weights_below[child] / level.weights[row]
                for hand in range(num_hands):
                    factor = level.strategies[row, hand, action] if is_own else counts
                    values[row, hand] += factor * values_below[child, hand]
        if is_own:
            for hand in range(num_hands):
                total = np.float32(0)
                for other in range(num_hands):
                    total += disjoint[board, hand, other] * level.reach[row, other]
                masses[row, hand] = total
