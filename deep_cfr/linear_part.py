"""The part of advantages and strategies that hand strength explains, solved instead of learned.

At a node, how good an action is depends on the hand's win rate before anything else. A function

    g(I, a) = Σ_k w_k(s(I)) · T[cell(I), k, a]

of the win rate s, piecewise linear between K knots (w_k are the hat weights that the network is
given as well), captures that with one table per node. T minimises the same iteration-weighted
squared error as the network, plus a ridge, so it needs no gradient descent: the normal equations
of each node couple neighbouring knots only, and their sums are kept over every sample ever seen,
beyond what a reservoir holds. Where many hands meet on a board, every hand at every node counts,
not only those drawn for the memory. Kinds of hands (`env.hand_kinds`) differ from one another, so
each (node, kind), a cell, has a table of its own: the common one plus a second ridge regression on
what that leaves of the kind's samples. The network is then fitted to what is left, y − g, and the
advantages are the sum of both.

The average strategy is regressed in the same way. There g(I, a) estimates probabilities, so log g
is added to the strategy network's logits and the network learns what to correct.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from deep_cfr.config import Config
from deep_cfr.encoding import KNOTS, MARKS, Encoding, Floats
from deep_cfr.networks import LEAST, NUM_OUTPUTS
from env.cards import Cards
from env.rules import Rules
from env.strength import has_strengths

Sums = NDArray[np.float64]
Nodes = NDArray[np.integer]
RIDGE = 4.0  # samples of value 0 that every knot starts with
KIND_RIDGE = 32.0  # the same for what a kind of hand differs by, which is small beside the noise
STRATEGY_RIDGE, STRATEGY_KIND_RIDGE = 1.0, 8.0  # strategies are less noisy than advantages
STEPS = 512  # per unit, to which a strategy's table is rounded so that it deflates well


def has_linear_part(config: Config, rules: Rules) -> bool:
    """Whether a run with these settings solves a linear part."""
    return config.linear_part and config.strength and has_strengths(rules)


class LinearPart:
    """Normal equations over all samples so far. C cells, K knots."""

    def __init__(
        self, encoding: Encoding, ridge: float = RIDGE, kind_ridge: float = KIND_RIDGE
    ) -> None:
        self._encoding, self._ridge, self._kind_ridge = encoding, ridge, kind_ridge
        count = encoding.num_cells
        # Sums over samples, weighted by t (and by the opponent's reach where that is not sampled).
        self.diagonal: Sums = np.zeros((count, KNOTS))  # Σ t · w_k²
        self.beside: Sums = np.zeros((count, KNOTS - 1))  # Σ t · w_k · w_{k+1}
        self.right: Sums = np.zeros((count, KNOTS, NUM_OUTPUTS))  # Σ t · w_k · y

    def add(
        self, nodes: Nodes, kinds: Cards, marks: Cards, weights: Floats, targets: Floats
    ) -> None:
        """Take in samples. [n] each, targets [n, 3]"""
        cells = self._encoding.cells(nodes, kinds)
        _add(cells, marks, weights, targets, self.diagonal, self.beside, self.right)

    def add_rows(self, rows: NDArray[np.void]) -> None:
        """Take in samples as memories keep them."""
        kinds = self._encoding.kinds(rows["cards"])
        self.add(rows["node"], kinds, rows["mark"], rows["t"].astype(np.float32), rows["targets"])

    def solve(self, t: int, steps: int | None = None) -> Floats:
        """The table after iteration t, in so many steps per unit if given. [C, K, 3]"""
        table = np.zeros(self.right.shape, np.float32)
        kinds, ridges = self._encoding.num_kinds, (self._ridge * t, self._kind_ridge * t)
        _solve(self.diagonal, self.beside, self.right, kinds, *ridges, table)
        return table if steps is None else np.rint(table * np.float32(steps)) / np.float32(steps)

    def sums(self) -> dict[str, Sums]:
        """All there is to save."""
        return {"diagonal": self.diagonal, "beside": self.beside, "right": self.right}

    def restore(self, sums: dict[str, Sums]) -> None:
        """Take over saved sums."""
        for name, mine in self.sums().items():
            mine[:] = sums[name]


def strategy_part(encoding: Encoding) -> LinearPart:
    """The equations of an average strategy."""
    return LinearPart(encoding, STRATEGY_RIDGE, STRATEGY_KIND_RIDGE)


def without(rows: NDArray[np.void], table: Floats, encoding: Encoding) -> NDArray[np.void]:
    """The same samples with the table's part taken off their targets."""
    left = rows.copy()
    predicted = np.zeros((len(rows), NUM_OUTPUTS), np.float32)
    cells = encoding.cells(rows["node"], encoding.kinds(rows["cards"]))
    add_linear_part(table, cells, rows["mark"], False, predicted)
    left["targets"] -= predicted
    return left


@njit(cache=True, parallel=True)
def add_linear_part(
    table: Floats,
    cells: NDArray[np.int32],
    marks: NDArray[np.uint8],
    logs: bool,
    outputs: Floats,
) -> None:
    """Adds g, or its logarithm, to a network's outputs, in place. [C, K, 3], [n], [n], [n, 3]"""
    for row in prange(len(outputs)):
        low, share = _place(marks[row])
        for action in range(3):
            below = table[cells[row], low, action]
            above = table[cells[row], low + 1, action]
            part = below + share * (above - below)
            outputs[row, action] += np.log(max(part, LEAST)) if logs else part


@njit(cache=True)
def _place(mark: int) -> tuple[int, float]:
    """The knot below a mark, and how far the mark is towards the next one."""
    place = mark * np.float32((KNOTS - 1) / (MARKS - 1))
    low = min(int(place), KNOTS - 2)
    return low, float(place) - low


@njit(cache=True)
def _add(
    cells: NDArray[np.int32],
    marks: NDArray[np.uint8],
    weights: Floats,
    targets: Floats,
    diagonal: Sums,
    beside: Sums,
    right: Sums,
) -> None:
    for row in range(len(cells)):
        at, weight = cells[row], float(weights[row])
        low, share = _place(marks[row])
        diagonal[at, low] += weight * (1 - share) ** 2
        diagonal[at, low + 1] += weight * share**2
        beside[at, low] += weight * share * (1 - share)
        for action in range(3):
            right[at, low, action] += weight * (1 - share) * targets[row, action]
            right[at, low + 1, action] += weight * share * targets[row, action]


@njit(cache=True, parallel=True)
def _solve(
    diagonal: Sums,
    beside: Sums,
    right: Sums,
    num_kinds: int,
    ridge: float,
    kind_ridge: float,
    table: Floats,
) -> None:
    """For each decision the common function first, then by how much each kind differs from it."""
    knots = diagonal.shape[1]
    for decision in prange(len(table) // num_kinds):
        pivots, next_to, common = np.zeros(knots), np.zeros(knots - 1), np.zeros((knots, 3))
        ratio, own = np.empty(knots), np.empty((knots, 3))
        cells = range(decision * num_kinds, (decision + 1) * num_kinds)
        for cell in cells:
            pivots += diagonal[cell]
            next_to += beside[cell]
            common += right[cell]
        if not pivots.any():  # never reached: stays 0
            continue
        _tridiagonal(pivots, ridge, next_to, common, ratio)
        for cell in cells:
            own[:] = right[cell]
            _subtract_product(diagonal[cell], beside[cell], common, own)
            _tridiagonal(diagonal[cell], kind_ridge, beside[cell], own, ratio)
            for k in range(knots):
                for action in range(3):
                    table[cell, k, action] = common[k, action] + own[k, action]


@njit(cache=True)
def _subtract_product(diagonal: Sums, beside: Sums, x: Sums, out: Sums) -> None:
    """Takes a symmetric tridiagonal matrix times x off `out`. [K], [K − 1], [K, 3], [K, 3]"""
    for k in range(len(diagonal)):
        for action in range(3):
            product = diagonal[k] * x[k, action]
            if k:
                product += beside[k - 1] * x[k - 1, action]
            if k < len(beside):
                product += beside[k] * x[k + 1, action]
            out[k, action] -= product


@njit(cache=True)
def _tridiagonal(diagonal: Sums, ridge: float, beside: Sums, right: Sums, ratio: Sums) -> None:
    """Solves by elimination downwards and substitution upwards, in place of `right`. [K, 3]"""
    knots = len(diagonal)
    for k in range(knots):
        coupled = beside[k - 1] if k else 0.0
        pivot = diagonal[k] + ridge - (coupled * ratio[k - 1] if k else 0.0)
        ratio[k] = beside[k] / pivot if k < knots - 1 else 0.0
        for action in range(3):
            carried = coupled * right[k - 1, action] if k else 0.0
            right[k, action] = (right[k, action] - carried) / pivot
    for k in range(knots - 2, -1, -1):
        for action in range(3):
            right[k, action] -= ratio[k] * right[k + 1, action]
