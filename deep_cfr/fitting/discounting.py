"""Discounted CFR (Brown and Sandholm 2019, "Solving Imperfect-Information Games via Discounted
Regret Minimization"), from the samples of an advantage memory.

Linear CFR weights what an iteration adds to a regret by t, whatever becomes of it. DCFR discounts
the regret itself after every iteration, by a factor that depends on its sign:

    R_t(I, a) = (R_(t−1)(I, a) + r_t(I, a)) · d,    d = t^1.5 / (t^1.5 + 1) if that is positive,
                                                    d = 1/2 if it is negative,

so an action that was bad once is tried again soon after it has become good. Averages weight an
iteration by t² (`deep_cfr.config.AVERAGE_POWER`). A sum of weighted samples cannot say this, but
the samples themselves can: a memory keeps the iteration of each, so before a fit the regrets of
every infoset are added up in the order of iterations, r_t(I, a) being the sum of the samples of
iteration t. That takes infosets which are met again and again, as in Kuhn and Leduc; where an
infoset has one sample there is nothing to discount.

Regret matching needs only the ratios of an infoset's regrets. They are divided by the largest of
them, so that a network, whose errors are about the same everywhere, knows small regrets as exactly
as large ones. Near an equilibrium most are small.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from deep_cfr.fitting.merging import Merged, grouped
from env.arrays import Doubles, Floats, Longs

POSITIVE_POWER, NEGATIVE_FACTOR = 1.5, 0.5  # α, and β = 0: t^0 / (t^0 + 1)
SMALLEST = 1e-12  # of regrets that are divided by


def discounted_regrets(rows: NDArray[np.void], legal: Floats) -> Merged:
    """One row per infoset with its discounted regrets, the largest of them ±1.

    Half of the weight is in proportion to an infoset's samples and half the same for all, as for
    merged rows. `legal` [N, 3] says which targets of a node count.
    """
    owner, first = grouped(rows)
    order = np.argsort(rows["t"], kind="stable")
    regrets = np.zeros((len(first), 3))
    _add_up(rows["t"], rows["targets"], order, owner, _kept(int(rows["t"].max())), regrets)
    merged = rows[first].copy()
    regrets *= legal[merged["node"]]
    largest = np.abs(regrets).max(axis=1, keepdims=True)
    merged["targets"] = regrets / np.maximum(largest, SMALLEST)
    samples = np.bincount(owner, minlength=len(first))
    return Merged(merged, samples / len(rows) + 1 / len(first), noise=0.0)


def _kept(last: int) -> Doubles:
    """What positive regrets keep up to and with each iteration: Π_(s ≤ t) of their d. [last + 1]"""
    powers = np.arange(1, last + 1, dtype=np.float64) ** POSITIVE_POWER
    return np.concatenate([[1.0], np.cumprod(powers / (powers + 1))])


@njit(cache=True)
def _add_up(
    t: NDArray[np.uint16],
    targets: Floats,
    order: Longs,
    owner: Longs,
    kept: Doubles,
    regrets: Doubles,
) -> None:
    """Regrets after the last iteration, in place. [n] rows in `order` of t; [m, 3]

    Between two iterations with samples of an infoset its regrets keep their signs, so the discounts
    of the iterations between them are applied together.
    """
    added_at = np.zeros(len(regrets), np.int64)  # the iteration of each infoset's last sample
    for row in order:
        infoset, now = owner[row], int(t[row])
        if 0 < added_at[infoset] < now:
            _discount(regrets[infoset], int(added_at[infoset]), now - 1, kept)
        added_at[infoset] = now
        for action in range(3):
            regrets[infoset, action] += targets[row, action]
    for infoset in range(len(regrets)):
        _discount(regrets[infoset], int(added_at[infoset]), len(kept) - 1, kept)


@njit(cache=True)
def _discount(regrets: Doubles, first: int, last: int, kept: Doubles) -> None:
    """The discounts of iterations `first` to `last`, in place. [3]"""
    positive = kept[last] / kept[first - 1]
    negative = NEGATIVE_FACTOR ** (last - first + 1)
    for action in range(3):
        regrets[action] *= positive if regrets[action] > 0 else negative
