"""A player's strength table as traversals share it with other processes.

Most of what a round sends are these tables, and half of each belongs to decisions of the other
player, about which this one is never asked. Those rows stay behind: what arrives has zeros there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from deep_cfr.networks.encoding import Encoding
from env.arrays import Bools, Floats


@dataclass(frozen=True, eq=False)
class PlayedTable:
    """The table, and which of its rows belong to the player's own decisions."""

    values: Floats  # [R, K, 3]
    own: Bools  # [R]

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrived, (self.values[self.own], self.own)


def own_rows(encoding: Encoding, player: int) -> Bools:
    """The rows of a strength table that belong to a player's decisions. [R]"""
    tree = encoding.game.tree
    nodes = np.flatnonzero(tree.is_decision & (tree.actor == player))
    own = np.zeros(np.count_nonzero(tree.is_decision) * encoding.num_buckets, np.bool_)
    for bucket in range(encoding.num_buckets):
        own[encoding.bucket_rows(nodes, np.full(len(nodes), bucket, np.uint8))] = True
    return own


def _arrived(values: Floats, own: Bools) -> PlayedTable:
    table = np.zeros((len(own), *values.shape[1:]), np.float32)
    table[own] = values
    return PlayedTable(table, own)
