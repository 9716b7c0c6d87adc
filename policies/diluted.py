"""A policy made weaker: some of its decisions are left to chance."""

from __future__ import annotations

import numpy as np

from env.arrays import Floats, Nodes
from env.betting_tree import BettingTree
from env.cards import Cards
from env.views import Views
from policies.fixed import uniform_policy
from policies.policy import Policy, ViewStrategies


class DilutedPolicy:
    """Plays another policy, but in a share of its decisions every legal action equally often."""

    def __init__(self, tree: BettingTree, policy: Policy, share: float) -> None:
        if not 0 <= share <= 1:
            raise ValueError(f"the share of random decisions is {share}, not between 0 and 1")
        self.inner, self._share = policy, np.float32(share)
        self._uniform = uniform_policy(tree)

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        return self._mixed(self.inner.strategies(cards, nodes), cards, nodes)

    def for_views(self, views: Views) -> ViewStrategies:
        ask = self.inner.for_views(views)
        return lambda rows, nodes: self._mixed(ask(rows, nodes), views.cards[rows], nodes)

    def _mixed(self, own: Floats, cards: Cards, nodes: Nodes) -> Floats:
        random = self._uniform.strategies(cards, nodes)
        return (1 - self._share) * own + self._share * random
