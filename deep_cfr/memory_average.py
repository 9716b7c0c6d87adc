"""The average strategy as the strategy memory holds it, without a network.

Every infoset's samples are averaged with their weights, t or t², which is what a strategy network
is fitted to. In the toy games, where a memory soon holds samples of every infoset, this is the
average strategy itself up to the noise of sampling. It costs one pass over the memory.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deep_cfr.fitting.merging import merge
from deep_cfr.memory import make_rows
from env.arrays import Floats, Nodes
from env.betting_tree import BettingTree
from env.cards import Cards
from policies.fixed import TabularPolicy


def memory_average(rows: NDArray[np.void], tree: BettingTree, power: int = 1) -> TabularPolicy:
    """The mean of each infoset's samples by t^power; uniform where the memory has none."""
    legal = tree.legal.astype(np.float32)
    uniform = legal / np.maximum(legal.sum(axis=1, keepdims=True), 1)  # [N, 3]
    merged = merge(rows, legal, power).rows if len(rows) else rows
    keys = _keys(merged)
    order = np.argsort(keys)
    keys, means = keys[order], merged["targets"][order]

    def strategies(cards: Cards, nodes: Nodes) -> Floats:
        answers = uniform[nodes]
        if not len(keys):
            return answers
        wanted = _keys(make_rows(cards, nodes, 0, np.zeros((len(nodes), 3), np.float32)))
        places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        known = keys[places] == wanted
        answers[known] = means[places[known]]
        return answers

    return TabularPolicy(strategies)


def _keys(rows: NDArray[np.void]) -> NDArray[np.uint64]:
    """One number for each row's infoset: its cards, six bits each, and its node. [n]"""
    keys = rows["node"].astype(np.uint64)
    for slot in range(rows["cards"].shape[1]):
        keys = keys << np.uint64(6) | rows["cards"][:, slot].astype(np.uint64)
    return keys
