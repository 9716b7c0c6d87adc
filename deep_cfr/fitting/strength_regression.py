"""Strength regression: the part of advantages and strategies that hand strength explains, solved.

At a node, how good an action is depends on the hand's strength before anything else. A strength
table T (`deep_cfr.networks.strength_table`) holds one piecewise linear function g of the strength
per bucket row. T minimises the same iteration-weighted squared error as the network, plus a ridge,

    Σ_i t_i Σ_a (y_i(a) − g(I_i, a))² + ridge · t · Σ T²,

so it needs no gradient descent. Neighbouring knots only are coupled: the normal equations of a
bucket row are tridiagonal, and their sums are kept over every sample ever drawn, beyond what a
reservoir holds. Where many hands meet on a board, every (hand, node) pair counts, weighted by
reach, and not only the pairs drawn for the memory.

Each decision node has a common function of all its hand buckets, and each bucket adds what a
second ridge regression finds in the residuals of its own samples. The network is then fitted on
top of g: to y − g for advantages, and to logits f + log g for the average strategy, whose g
estimates probabilities.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from deep_cfr.networks.encoding import KNOTS, Encoding
from deep_cfr.networks.strength_table import knot_below
from env.actions import NUM_ACTIONS
from env.arrays import Bytes, Doubles, Floats, Nodes
from env.views import Views

STRATEGY_STEPS = 512  # per unit, to which a strategy's table is rounded so that it deflates well


class Ridge(NamedTuple):
    """Ridge strengths. A ridge of r acts like r samples with target 0 at every knot."""

    common: float
    bucket: float  # what a hand bucket differs by is small beside the noise


ADVANTAGE_RIDGE = Ridge(common=4.0, bucket=32.0)
STRATEGY_RIDGE = Ridge(common=1.0, bucket=8.0)  # strategies are less noisy than advantages


class NormalEquations(NamedTuple):
    """Sums over samples, weighted by t and by reach where that is not sampled. R rows, K knots."""

    diagonal: Doubles  # [R, K] Σ t · w_k²
    off_diagonal: Doubles  # [R, K − 1] Σ t · w_k · w_{k+1}
    right_side: Doubles  # [R, K, 3] Σ t · w_k · y


class StrengthRegression:
    """Normal equations over all samples so far, and the strength table that solves them."""

    def __init__(self, encoding: Encoding, ridge: Ridge) -> None:
        self._encoding, self._ridge = encoding, ridge
        rows = encoding.num_bucket_rows
        self.equations = NormalEquations(
            np.zeros((rows, KNOTS)),
            np.zeros((rows, KNOTS - 1)),
            np.zeros((rows, KNOTS, NUM_ACTIONS)),
        )

    def add(
        self, nodes: Nodes, buckets: Bytes, strength_bytes: Bytes, weights: Floats, targets: Floats
    ) -> None:
        """Take in samples. [n] each, targets [n, 3]"""
        rows = self._encoding.bucket_rows(nodes, buckets)
        _add(self.equations, rows, strength_bytes, weights, targets)

    def add_memory_rows(self, rows: NDArray[np.void]) -> None:
        """Take in samples as memories keep them."""
        views = Views(self._encoding.game, rows["cards"])
        buckets, weights = views.buckets(np.arange(len(rows))), rows["t"].astype(np.float32)
        self.add(rows["node"], buckets, rows["strength"], weights, rows["targets"])

    def solve(self, t: int) -> Floats:
        """The strength table after iteration t. [R, K, 3]"""
        table = np.zeros(self.equations.right_side.shape, np.float32)
        common, bucket = (ridge * t for ridge in self._ridge)
        _solve(self.equations, self._encoding.num_buckets, common, bucket, table)
        return table

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Take back everything that is added inside, if that ends in an exception."""
        before = {name: sums.copy() for name, sums in self.sums().items()}
        try:
            yield
        except BaseException:
            self.restore(before)
            raise

    def sums(self) -> dict[str, Doubles]:
        """All there is to save."""
        return self.equations._asdict()

    def problem(self, sums: dict[str, Doubles]) -> str | None:
        """Why these cannot be sums of this regression; None if they can."""
        for name, own in self.sums().items():
            saved = sums.get(name)
            if saved is None or saved.shape != own.shape or saved.dtype != own.dtype:
                return f"{name} is missing or of another size"
            if not np.isfinite(saved).all():
                return f"{name} has values that are not finite numbers"
        if (sums["diagonal"] < 0).any() or (sums["off_diagonal"] < 0).any():
            return "sums of squares are negative"
        return None

    def restore(self, sums: dict[str, Doubles]) -> None:
        """Take over saved sums."""
        problem = self.problem(sums)
        if problem:
            raise ValueError(problem)
        for name, own in self.sums().items():
            own[:] = sums[name]


def rounded_strategy_table(table: Floats) -> Floats:
    """A strategy's table in steps of 1 / 512, which saved models compress well. [R, K, 3]"""
    return np.rint(table * np.float32(STRATEGY_STEPS)) / np.float32(STRATEGY_STEPS)


@njit(cache=True)
def _add(
    equations: NormalEquations,
    bucket_rows: NDArray[np.int32],
    strength_bytes: Bytes,
    weights: Floats,
    targets: Floats,
) -> None:
    for sample in range(len(bucket_rows)):
        row, weight = bucket_rows[sample], float(weights[sample])
        low, share = knot_below(strength_bytes[sample])
        equations.diagonal[row, low] += weight * (1 - share) ** 2
        equations.diagonal[row, low + 1] += weight * share**2
        equations.off_diagonal[row, low] += weight * share * (1 - share)
        for action in range(3):
            target = targets[sample, action]
            equations.right_side[row, low, action] += weight * (1 - share) * target
            equations.right_side[row, low + 1, action] += weight * share * target


@njit(cache=True, parallel=True)
def _solve(
    equations: NormalEquations,
    num_buckets: int,
    common_ridge: float,
    bucket_ridge: float,
    table: Floats,
) -> None:
    """For each decision the common function, then by how much each bucket differs from it."""
    diagonal, off_diagonal, right_side = equations
    knots = diagonal.shape[1]
    for decision in prange(len(table) // num_buckets):
        pivots, coupling, common = np.zeros(knots), np.zeros(knots - 1), np.zeros((knots, 3))
        ratio, own = np.empty(knots), np.empty((knots, 3))
        rows = range(decision * num_buckets, (decision + 1) * num_buckets)
        for row in rows:
            pivots += diagonal[row]
            coupling += off_diagonal[row]
            common += right_side[row]
        if not pivots.any():  # never reached: stays 0
            continue
        _solve_tridiagonal(pivots, common_ridge, coupling, common, ratio)
        for row in rows:
            own[:] = right_side[row]
            _subtract_product(diagonal[row], off_diagonal[row], common, own)
            _solve_tridiagonal(diagonal[row], bucket_ridge, off_diagonal[row], own, ratio)
            for k in range(knots):
                for action in range(3):
                    table[row, k, action] = common[k, action] + own[k, action]


@njit(cache=True)
def _subtract_product(diagonal: Doubles, off_diagonal: Doubles, x: Doubles, out: Doubles) -> None:
    """Takes a symmetric tridiagonal matrix times x off `out`. [K], [K − 1], [K, 3], [K, 3]"""
    for k in range(len(diagonal)):
        for action in range(3):
            product = diagonal[k] * x[k, action]
            if k:
                product += off_diagonal[k - 1] * x[k - 1, action]
            if k < len(off_diagonal):
                product += off_diagonal[k] * x[k + 1, action]
            out[k, action] -= product


@njit(cache=True)
def _solve_tridiagonal(
    diagonal: Doubles, ridge: float, off_diagonal: Doubles, right_side: Doubles, ratio: Doubles
) -> None:
    """Solves by elimination downwards and substitution upwards, in place of `right_side`. [K, 3]"""
    knots = len(diagonal)
    for k in range(knots):
        coupled = off_diagonal[k - 1] if k else 0.0
        pivot = diagonal[k] + ridge - (coupled * ratio[k - 1] if k else 0.0)
        ratio[k] = off_diagonal[k] / pivot if k < knots - 1 else 0.0
        for action in range(3):
            carried = coupled * right_side[k - 1, action] if k else 0.0
            right_side[k, action] = (right_side[k, action] - carried) / pivot
    for k in range(knots - 2, -1, -1):
        for action in range(3):
            right_side[k, action] -= ratio[k] * right_side[k + 1, action]
