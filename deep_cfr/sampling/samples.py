"""What a batch of traversals produces, whichever sampler made it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from env.arrays import Bytes, Floats, Nodes


class Pairs(NamedTuple):
    """(Hand, node) pairs for a strength regression. n pairs."""

    nodes: Nodes  # [n]
    buckets: Bytes  # [n]
    strength_bytes: Bytes  # [n]
    weights: Floats  # [n]
    targets: Floats  # [n, 3]


class Samples(NamedTuple):
    """Memory rows and counts of some traversals by one player."""

    advantages: NDArray[np.void]  # memory rows at the traverser's infosets
    strategies: NDArray[np.void]  # memory rows at the opponent's infosets
    infosets: int  # decisions visited
    nodes: int  # decisions and terminals visited
    value: float  # mean over the deals of the traverser's value at the root, big blinds


def joined(parts: list[Samples], sizes: list[int]) -> Samples:
    """Samples of several parts as one; a part's value counts as much as the part is large."""
    return Samples(
        np.concatenate([part.advantages for part in parts]),
        np.concatenate([part.strategies for part in parts]),
        sum(part.infosets for part in parts),
        sum(part.nodes for part in parts),
        float(np.average([part.value for part in parts], weights=sizes)),
    )
