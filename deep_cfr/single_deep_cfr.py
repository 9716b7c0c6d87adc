"""Single Deep CFR (Steinberger 2019): the average strategy without a strategy network.

The average strategy of Linear CFR is played by drawing one iteration for a whole hand, with
probability ∝ t (∝ t² in Discounted CFR), and following its regret matching. `for_hands` does this.
`strategies` returns the equivalent behaviour strategy; by perfect recall it is, in an infoset I,

    σ̄(I) = Σ_t t · π_t(I) · σ_t(I) / Σ_t t · π_t(I),

π_t(I) being the probability that the player's own choices under iteration t lead to I. Here σ_t
is the regret matching of the networks fitted at iteration t, for both seats.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from env.arrays import Floats, Nodes
from env.betting_tree import BettingTree
from env.cards import NO_CARD, NUM_SLOTS, Cards, canonical
from env.game import Game
from env.views import Views
from policies.policy import Policy, ViewStrategies


class SingleDeepCFR:
    """The average over iterations 1, 2, … of regret-matching policies, one per seat each."""

    def __init__(
        self, game: Game, iterations: Sequence[tuple[Policy, Policy]], power: int = 1
    ) -> None:
        self._rules, self._tree, self._iterations = game.rules, game.tree, iterations
        weights = np.arange(1, len(iterations) + 1, dtype=np.float64) ** power
        self._weights = weights / weights.sum()

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        """The reach-weighted average in infosets. [n, 7], [n] → [n, 3]"""
        rows, steps, actions = self._own_choices(nodes)  # [q] each
        asked_cards = np.concatenate([self._seen(cards[rows], steps), cards])
        asked_nodes = np.concatenate([steps, nodes])
        seats = self._tree.actor[asked_nodes]
        total, reaches = np.zeros((len(nodes), 3)), np.zeros(len(nodes))
        for weight, policies in zip(self._weights, self._iterations, strict=True):
            played = np.zeros((len(asked_nodes), 3))
            for seat in np.unique(seats):
                own = seats == seat
                played[own] = policies[seat].strategies(asked_cards[own], asked_nodes[own])
            reach = np.full(len(nodes), weight)
            np.multiply.at(reach, rows, played[np.arange(len(rows)), actions])
            total += reach[:, None] * played[len(rows) :]
            reaches += reach
        # Infosets that no iteration reaches are played uniformly.
        legal = self._tree.legal[nodes]
        total = np.where(reaches[:, None] > 0, total, legal)
        return (total / total.sum(axis=1, keepdims=True)).astype(np.float32)

    def for_views(self, views: Views) -> ViewStrategies:
        return lambda rows, nodes: self.strategies(views.cards[rows], nodes)

    def for_hands(self, num_hands: int, rng: np.random.Generator) -> IterationPlayer:
        """A player who has drawn an iteration for each of the hands to come."""
        drawn = rng.choice(len(self._iterations), num_hands, p=self._weights)
        return IterationPlayer(self._tree, self._iterations, drawn)

    def _own_choices(self, nodes: Nodes) -> tuple[Nodes, Nodes, Nodes]:
        """Every earlier choice of the players to act: (row of `nodes`, node, action taken)."""
        choices = []
        for node in np.unique(nodes):
            rows = np.flatnonzero(nodes == node)
            for step, after in pairwise(self._tree.path(int(node))):
                if self._tree.actor[step] == self._tree.actor[node]:
                    taken = int(self._tree.action[after])
                    choices += [(row, step, taken) for row in rows]
        rows, steps, actions = np.array(choices, np.int64).reshape(-1, 3).T
        return rows, steps, actions

    def _seen(self, cards: Cards, steps: Nodes) -> Cards:
        """What was visible at earlier nodes of the same hands, in canonical form."""
        shown = 2 + np.array(self._rules.visible_board)[self._tree.street[steps]]
        return canonical(np.where(np.arange(NUM_SLOTS) < shown[:, None], cards, NO_CARD))


class IterationPlayer:
    """Plays each hand by the iteration drawn for it."""

    def __init__(
        self,
        tree: BettingTree,
        iterations: Sequence[tuple[Policy, Policy]],
        drawn: NDArray[np.int64],
    ) -> None:
        self._tree, self._iterations, self.drawn = tree, iterations, drawn

    def strategies(self, cards: Cards, nodes: Nodes, hands: NDArray[np.integer]) -> Floats:
        """Strategies in infosets of the given hands. [n, 7], [n], [n] → [n, 3]"""
        out = np.zeros((len(nodes), 3), np.float32)
        keys = self.drawn[hands] * 2 + self._tree.actor[nodes]
        for key in np.unique(keys):
            rows = np.flatnonzero(keys == key)
            policy = self._iterations[key // 2][key % 2]
            out[rows] = policy.strategies(cards[rows], nodes[rows])
        return out
