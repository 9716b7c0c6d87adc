"""Drawing actions from strategies so that the same draw can be made again.

The random number of a decision is a hash of (salt, deal, node). It is the same in whatever order
and in whatever batches decisions are made, and a plain recursion can repeat it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numba import njit

from env.arrays import Floats, Ints
from env.hashing import hashed


@njit(cache=True)
def draw(salt: np.uint64, deal_number: int, node: int) -> float:
    """A number in [0, 1) that is a hash of its arguments (the finaliser of SplitMix64)."""
    z = hashed(salt + np.uint64(deal_number) * np.uint64(0x9E3779B97F4A7C15), node)
    return float(z >> np.uint64(11)) / 9007199254740992.0


@njit(cache=True)
def sample_action(strategy: Floats, children: Ints, number: float) -> int:
    """The action whose share of [0, 1) the number falls into; never an illegal one."""
    chosen = -1
    for action in range(3):
        if children[action] >= 0 and strategy[action] > 0:
            chosen = action
            number -= strategy[action]
            if number < 0:
                break
    return chosen


def in_batches(total: int, batch: int) -> Iterator[int]:
    """Batch sizes that add up to the total."""
    for start in range(0, total, batch):
        yield min(batch, total - start)
