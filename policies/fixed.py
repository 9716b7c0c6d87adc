"""Policies that never change: given by a function, uniform, or always the same action."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from env.actions import CALL, NUM_ACTIONS
from env.arrays import Floats, Nodes
from env.betting_tree import BettingTree
from env.cards import Cards
from env.views import Views
from policies.policy import ViewStrategies


class TabularPolicy:
    """A policy given by a function of (cards, nodes), typically a lookup in a table."""

    def __init__(self, function: Callable[[Cards, Nodes], Floats]) -> None:
        self._function = function

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        return self._function(cards, nodes)

    def for_views(self, views: Views) -> ViewStrategies:
        return lambda rows, nodes: self._function(views.cards[rows], nodes)


def uniform_policy(tree: BettingTree) -> TabularPolicy:
    """Every legal action equally often."""
    table = (tree.legal / np.maximum(tree.legal.sum(axis=1, keepdims=True), 1)).astype(np.float32)
    return TabularPolicy(_ByNode(table))


def always(tree: BettingTree, action: int) -> TabularPolicy:
    """One action wherever it is legal, a call or check elsewhere."""
    chosen = np.where(tree.legal[:, action], action, CALL)
    table = np.eye(NUM_ACTIONS, dtype=np.float32)[chosen]
    return TabularPolicy(_ByNode(table))


@dataclass(frozen=True, eq=False)
class _ByNode:
    """Strategies that do not depend on the cards; unlike a lambda it can be sent elsewhere."""

    table: Floats  # [N, 3]

    def __call__(self, cards: Cards, nodes: Nodes) -> Floats:
        return self.table[nodes]
