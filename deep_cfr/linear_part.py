"""The part of the advantages that is linear in hand strength, solved instead of learned.

At a node, how good an action is depends on the hand's win rate before anything else. A function

    g(I, a) = Σ_k w_k(s(I)) · T[node(I), k, a]

of the win rate s, piecewise linear between K knots (w_k are the hat weights that the network is
given as well), captures that with one table per node. T minimises the same iteration-weighted
squared error as the network, plus a ridge, so it needs no gradient descent: the normal equations
of each node couple neighbouring knots only, and their sums are kept over every sample ever seen,
beyond what a reservoir holds. Where many hands meet on a board, every hand at every node counts,
not only those drawn for the memory. The network is then fitted to what is left, y − g, and the
advantages are the sum of both.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from deep_cfr.config import Config
from deep_cfr.encoding import KNOTS, MARKS, Encoding, Floats
from deep_cfr.networks import NUM_OUTPUTS
from env.rules import Rules
from env.strength import has_strengths

Sums = NDArray[np.float64]
Nodes = NDArray[np.integer]
RIDGE = 4.0  # samples of value 0 that every knot starts with


def has_linear_part(config: Config, rules: Rules) -> bool:
    """Whether a run with these settings solves a linear part."""
    return config.linear_part and config.strength and has_strengths(rules)


class LinearPart:
    """One player's normal equations, over all samples so far. D decisions, K knots."""

    def __init__(self, encoding: Encoding) -> None:
        self._decisions = encoding.decisions
        count = encoding.num_decisions
        # Sums over samples, weighted by t (and by the opponent's reach where that is not sampled).
        self.diagonal: Sums = np.zeros((count, KNOTS))  # Σ t · w_k²
        self.beside: Sums = np.zeros((count, KNOTS - 1))  # Σ t · w_k · w_{k+1}
        self.right: Sums = np.zeros((count, KNOTS, NUM_OUTPUTS))  # Σ t · w_k · y

    def add(self, nodes: Nodes, marks: NDArray[np.uint8], weights: Floats, targets: Floats) -> None:
        """Take in samples. [n], [n], [n], [n, 3]"""
        decisions = self._decisions[nodes]
        _add(decisions, marks, weights, targets, self.diagonal, self.beside, self.right)

    def add_rows(self, rows: NDArray[np.void]) -> None:
        """Take in samples as memories keep them."""
        self.add(rows["node"], rows["mark"], rows["t"].astype(np.float32), rows["targets"])

    def solve(self, t: int) -> Floats:
        """The table after iteration t. [D, K, 3]"""
        table = np.zeros(self.right.shape, np.float32)
        _solve(self.diagonal + RIDGE * t, self.beside, self.right, table)
        return table

    def sums(self) -> dict[str, Sums]:
        """All there is to save."""
        return {"diagonal": self.diagonal, "beside": self.beside, "right": self.right}

    def restore(self, sums: dict[str, Sums]) -> None:
        """Take over saved sums."""
        for name, mine in self.sums().items():
            mine[:] = sums[name]


def without(rows: NDArray[np.void], table: Floats, encoding: Encoding) -> NDArray[np.void]:
    """The same samples with the table's part taken off their targets."""
    left = rows.copy()
    predicted = np.zeros((len(rows), NUM_OUTPUTS), np.float32)
    add_linear_part(table, encoding.decisions[rows["node"]], rows["mark"], predicted)
    left["targets"] -= predicted
    return left


@njit(cache=True, parallel=True)
def add_linear_part(
    table: Floats, decisions: NDArray[np.int32], marks: NDArray[np.uint8], outputs: Floats
) -> None:
    """Adds g to a network's outputs, in place. [D, K, 3], [n], [n], [n, 3]"""
    for row in prange(len(outputs)):
        low, share = _place(marks[row])
        for action in range(3):
            below = table[decisions[row], low, action]
            above = table[decisions[row], low + 1, action]
            outputs[row, action] += below + share * (above - below)


@njit(cache=True)
def _place(mark: int) -> tuple[int, float]:
    """The knot below a mark, and how far the mark is towards the next one."""
    place = mark * np.float32((KNOTS - 1) / (MARKS - 1))
    low = min(int(place), KNOTS - 2)
    return low, float(place) - low


@njit(cache=True)
def _add(
    decisions: NDArray[np.int32],
    marks: NDArray[np.uint8],
    weights: Floats,
    targets: Floats,
    diagonal: Sums,
    beside: Sums,
    right: Sums,
) -> None:
    for row in range(len(decisions)):
        at, weight = decisions[row], float(weights[row])
        low, share = _place(marks[row])
        diagonal[at, low] += weight * (1 - share) ** 2
        diagonal[at, low + 1] += weight * share**2
        beside[at, low] += weight * share * (1 - share)
        for action in range(3):
            right[at, low, action] += weight * (1 - share) * targets[row, action]
            right[at, low + 1, action] += weight * share * targets[row, action]


@njit(cache=True, parallel=True)
def _solve(diagonal: Sums, beside: Sums, right: Sums, table: Floats) -> None:
    """A tridiagonal system per decision, by elimination downwards and substitution upwards."""
    count, knots = diagonal.shape
    for at in prange(count):
        ratio = np.zeros(knots)
        solution = np.zeros((knots, 3))
        for k in range(knots):
            coupled = beside[at, k - 1] if k else 0.0
            pivot = diagonal[at, k] - (coupled * ratio[k - 1] if k else 0.0)
            ratio[k] = beside[at, k] / pivot if k < knots - 1 else 0.0
            for action in range(3):
                carried = coupled * solution[k - 1, action] if k else 0.0
                solution[k, action] = (right[at, k, action] - carried) / pivot
        for k in range(knots - 2, -1, -1):
            for action in range(3):
                solution[k, action] -= ratio[k] * solution[k + 1, action]
        for k in range(knots):
            for action in range(3):
                table[at, k, action] = solution[k, action]
