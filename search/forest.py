"""`Forest`: the betting of one street below some of its entries, numbered for kernels.

An entry is a node at which a street begins. Below it stand decisions, folds, showdowns and, where
another street follows, leaves: the entries of that street. A forest numbers all of these, its
columns, so that each type is contiguous and parents come before children. Several entries of one
street lie side by side, because they share the hands and the board.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from env.arrays import Floats, Ints, Longs
from env.betting_tree import FOLDED, NONE, SHOWDOWN, BettingTree


class Forest(NamedTuple):
    """D decisions, then folds, showdowns and leaves: M columns in all, for E entries."""

    nodes: Longs  # [M] of the betting tree
    actor: Ints  # [D]
    children: Ints  # [D, 3] columns; NONE where an action is illegal
    entries: Ints  # [E] columns
    stakes: Floats  # [M] chips player 0 wins: after a fold outright, else with the better hand
    first_fold: int
    first_showdown: int
    first_leaf: int

    @property
    def decisions(self) -> Longs:
        """The betting tree's nodes at which somebody is to act. [D]"""
        return self.nodes[: len(self.actor)]

    @property
    def leaves(self) -> Longs:
        """The betting tree's nodes at which the next street begins."""
        return self.nodes[self.first_leaf :]

    @property
    def shape(self) -> bytes:
        """Equal for forests that differ in nothing but their nodes and stakes."""
        numbers = [self.first_fold, self.first_showdown, self.first_leaf, len(self.nodes)]
        parts = (self.actor, self.children.reshape(-1), self.entries)
        return np.concatenate([numbers, *parts]).astype(np.int32).tobytes()


def make_forest(tree: BettingTree, entries: Longs, is_last: bool) -> Forest:
    """The forest below entries of one street; `is_last` if no cards come after it.

    Where more cards come, a showdown of players who are all-in waits for them like a leaf.
    """
    street = int(tree.street[entries].max(initial=0))
    decisions: list[int] = []
    folds: list[int] = []
    showdowns: list[int] = []
    leaves: list[int] = []
    frontier = [int(entry) for entry in entries]
    for node in frontier:  # grows while it is walked: parents come first
        if tree.node_type[node] == FOLDED:
            folds.append(node)
        elif tree.node_type[node] == SHOWDOWN:
            (showdowns if is_last else leaves).append(node)
        elif tree.street[node] > street:
            leaves.append(node)
        else:
            decisions.append(node)
            frontier += [int(child) for child in tree.children[node] if child != NONE]
    nodes = np.array([*decisions, *folds, *showdowns, *leaves], np.int64)
    column = np.full(len(tree) + 1, NONE, np.int32)  # the last one stands for no child
    column[nodes] = np.arange(len(nodes))
    first_fold = len(decisions)
    first_showdown = first_fold + len(folds)
    return Forest(
        nodes=nodes,
        actor=tree.actor[nodes[:first_fold]].astype(np.int32),
        children=column[tree.children[nodes[:first_fold]]],
        entries=column[entries],
        stakes=tree.stakes[nodes].astype(np.float32),
        first_fold=first_fold,
        first_showdown=first_showdown,
        first_leaf=first_showdown + len(showdowns),
    )
