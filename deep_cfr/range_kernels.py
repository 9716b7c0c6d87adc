"""The compiled steps of `deep_cfr.range_sampling`: one level of the public tree, all hands at once.

R rows (board, node), M hands on each board.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from env.betting_tree import FOLDED

THRESHOLD = 0.05  # effective mass of the opponent below which roulette is played

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]


@njit(cache=True)
def choose(
    tree_children: Ints,
    actor: NDArray[np.int8],
    traverser: int,
    nodes: Ints,
    weights: Floats,
    reach: Floats,
    strategies: Floats,
    draws: NDArray[np.float64],
    children: Ints,
) -> int:
    """Number the children that live on; how many there are."""
    count = 0
    for row in range(len(nodes)):
        node = nodes[row]
        if actor[node] < 0:
            continue
        for action in range(3):
            if tree_children[node, action] < 0:
                continue
            if actor[node] != traverser:
                mass = 0.0
                for hand in range(reach.shape[1]):
                    mass += reach[row, hand] * strategies[row, hand, action]
                mass *= weights[row] / reach.shape[1]
                if mass < THRESHOLD and draws[row, action] * THRESHOLD >= mass:
                    continue
            children[row, action] = count
            count += 1
    return count


@njit(cache=True, parallel=True)
def expand(
    tree_children: Ints,
    actor: NDArray[np.int8],
    traverser: int,
    boards: Ints,
    nodes: Ints,
    weights: Floats,
    reach: Floats,
    strategies: Floats,
    children: Ints,
    next_boards: Ints,
    next_nodes: Ints,
    next_weights: Floats,
    next_reach: Floats,
) -> None:
    """Fill in the rows one level down."""
    num_hands = reach.shape[1]
    for row in prange(len(nodes)):
        node = nodes[row]
        for action in range(3):
            child = children[row, action]
            if child < 0:
                continue
            next_boards[child] = boards[row]
            next_nodes[child] = tree_children[node, action]
            mass = 0.0
            for hand in range(num_hands):
                kept = reach[row, hand]
                if actor[node] != traverser:
                    kept *= strategies[row, hand, action]
                next_reach[child, hand] = kept
                mass += kept
            mass *= weights[row] / num_hands
            spared = actor[node] != traverser and mass < THRESHOLD
            next_weights[child] = weights[row] * (THRESHOLD / mass if spared else 1.0)


@njit(cache=True, parallel=True)
def back_up(
    kind: NDArray[np.int8],
    actor: NDArray[np.int8],
    traverser: int,
    stakes: Floats,
    boards: Ints,
    nodes: Ints,
    weights: Floats,
    reach: Floats,
    strategies: Floats,
    children: Ints,
    below: Floats,
    weights_below: Floats,
    results: Floats,
    disjoint: Floats,
    values: Floats,
    masses: Floats,
) -> None:
    """The traverser's values of one level, and W at its own decisions. [R, M] each"""
    num_hands = reach.shape[1]
    for row in prange(len(nodes)):
        node, board = nodes[row], boards[row]
        if actor[node] < 0:
            against = disjoint[board] if kind[node] == FOLDED else results[board]
            for hand in range(num_hands):
                total = np.float32(0)
                for other in range(num_hands):
                    total += against[hand, other] * reach[row, other]
                values[row, hand] = stakes[node] * total
            continue
        own = actor[node] == traverser
        for hand in range(num_hands):
            values[row, hand] = 0
        for action in range(3):
            child = children[row, action]
            if child >= 0:
                counts = weights_below[child] / weights[row]
                for hand in range(num_hands):
                    factor = strategies[row, hand, action] if own else counts
                    values[row, hand] += factor * below[child, hand]
        if own:
            for hand in range(num_hands):
                total = np.float32(0)
                for other in range(num_hands):
                    total += disjoint[board, hand, other] * reach[row, other]
                masses[row, hand] = total
