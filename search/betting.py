"""`Betting`: what can be bet on one street below an entry, numbered for kernels.

An entry is a node at which a street begins. Below it stand decisions, folds, showdowns and, where
another street follows, leaves: the entries of that street. All of these are numbered, so that each
type is contiguous and parents come before children; the entry is number 0. Whatever is kept for an
action stands at the number of the node that the action leads to.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from env.arrays import Floats, Ints, Longs, Reals
from env.betting_tree import FOLDED, NONE, SHOWDOWN, BettingTree
from env.lanes import LANES


class Betting(NamedTuple):
    """D decisions, then folds, showdowns and leaves: M nodes in all."""

    nodes: Longs  # [M] of the betting tree
    actor: Ints  # [D]
    children: Ints  # [D, 3]; NONE where an action is illegal
    stakes: Floats  # [M] chips player 0 wins: after a fold outright, else with the better hand
    # A player's own reach changes with its own actions only, so that many nodes have it in common.
    reached: Ints  # [2, M] the node to which each player's last action on the way has led; or 0
    lanes: Ints  # [2, B, LANES] each of a player's `reached` at folds and showdowns once; or 0
    lane: Ints  # [2, M] where among those the `reached` of a fold or showdown stands
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
        """Equal for bettings that differ in nothing but their nodes and stakes."""
        numbers = [self.first_fold, self.first_showdown, self.first_leaf, len(self.nodes)]
        parts = (self.actor, self.children.reshape(-1))
        return np.concatenate([numbers, *parts]).astype(np.int32).tobytes()

    def by_node(self, strategies: Reals) -> Reals:
        """The probability of the action that leads to each node. [n, L, D, 3] → [n, M, L]"""
        decision, action = np.nonzero(self.children >= 0)
        out = np.ones((len(strategies), len(self.nodes), strategies.shape[1]), strategies.dtype)
        by_action = strategies[:, :, decision, action].swapaxes(1, 2)
        out[:, self.children[decision, action]] = by_action
        return out

    def by_action(self, chances: Floats) -> Floats:
        """The opposite of `by_node`. [n, M, L] → [n, L, D, 3]"""
        decision, action = np.nonzero(self.children >= 0)
        out = np.zeros((len(chances), chances.shape[2], len(self.actor), 3), np.float32)
        by_node = chances[:, self.children[decision, action]]
        out[:, :, decision, action] = by_node.swapaxes(1, 2)
        return out


def make_betting(tree: BettingTree, entry: int, is_last: bool) -> Betting:
    """The betting below the entry of a street; `is_last` if no cards come after it.

    Where more cards come, a showdown of players who are all-in waits for them like a leaf.
    """
    street = int(tree.street[entry])
    decisions: list[int] = []
    folds: list[int] = []
    showdowns: list[int] = []
    leaves: list[int] = []
    frontier = [entry]
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
    number = np.full(len(tree) + 1, NONE, np.int32)  # the last one stands for no child
    number[nodes] = np.arange(len(nodes))
    first_fold = len(decisions)
    first_showdown = first_fold + len(folds)
    first_leaf = first_showdown + len(showdowns)
    actor = tree.actor[nodes[:first_fold]].astype(np.int32)
    children = number[tree.children[nodes[:first_fold]]]
    reached = _reached(actor, children, len(nodes))
    lanes, lane = _lanes(reached, first_fold, first_leaf)
    return Betting(
        nodes=nodes,
        actor=actor,
        children=children,
        stakes=tree.stakes[nodes].astype(np.float32),
        reached=reached,
        lanes=lanes,
        lane=lane,
        first_fold=first_fold,
        first_showdown=first_showdown,
        first_leaf=first_leaf,
    )


def _reached(actor: Ints, children: Ints, num_nodes: int) -> Ints:
    reached = np.zeros((2, num_nodes), np.int32)
    for decision, player in enumerate(actor):
        for child in children[decision]:
            if child != NONE:
                reached[:, child] = reached[:, decision]
                reached[player, child] = child
    return reached


def _lanes(reached: Ints, first: int, end: int) -> tuple[Ints, Ints]:
    """Where each player's reach at the nodes from `first` up to `end` is kept."""
    distinct = [np.unique(own[first:end]) for own in reached]
    num_blocks = -(-max(map(len, distinct)) // LANES)
    lanes = np.zeros((2, num_blocks * LANES), np.int32)
    lane = np.zeros_like(reached)
    for player, nodes in enumerate(distinct):
        lanes[player, : len(nodes)] = nodes
        lane[player, first:end] = np.searchsorted(nodes, reached[player, first:end])
    return lanes.reshape(2, num_blocks, LANES), lane
