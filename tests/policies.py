"""Policies to test evaluators with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from env.actions import CALL, FOLD, NUM_ACTIONS, RAISE
from env.arrays import Floats, Nodes
from env.betting_tree import BettingTree
from env.cards import NUM_SLOTS, RANKS, Cards, canonical
from env.views import Views


class Stateless:
    """A policy with nothing to keep between questions about the same cards."""

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        raise NotImplementedError

    def for_views(self, views: Views) -> Callable[[Nodes, Nodes], Floats]:
        return lambda rows, nodes: self.strategies(views.cards[rows], nodes)


@dataclass
class Uniform(Stateless):
    """Every legal action alike; counts the rows of each call."""

    tree: BettingTree
    calls: list[int] = field(default_factory=list)

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        self.calls.append(len(cards))
        legal = self.tree.legal[nodes].astype(np.float32)
        return legal / legal.sum(axis=1, keepdims=True)


@dataclass
class Hashed(Stateless):
    """Random and suit-symmetric: each probability is a hash of seed, cards, node and action.

    A share of the actions other than calling, `unplayed`, is never played.
    """

    tree: BettingTree
    seed: int
    unplayed: float = 0.25

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        assert (canonical(cards) == cards).all()
        key = np.full((len(cards), NUM_SLOTS + 1), self.seed, np.uint8)
        key[:, :NUM_SLOTS] = cards
        mixed: NDArray[np.uint64] = np.repeat(key.view(np.uint64), NUM_ACTIONS, axis=1)  # [n, 3]
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        mixed += nodes[:, None].astype(np.uint64) * np.uint64(NUM_ACTIONS)
        mixed += np.arange(NUM_ACTIONS, dtype=np.uint64)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):  # SplitMix64
            mixed ^= mixed >> np.uint64(shift)
            mixed *= np.uint64(factor)
        weights = mixed.astype(np.float64) / 2**64
        weights[:, [FOLD, RAISE]] *= weights[:, [FOLD, RAISE]] > self.unplayed
        weights[:, CALL] += 1e-3
        weights *= self.tree.legal[nodes]
        return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)


def hashed_pair(tree: BettingTree) -> tuple[Hashed, Hashed]:
    """One such policy for each player."""
    return Hashed(tree, 1), Hashed(tree, 2)


@dataclass
class Fixed(Stateless):
    """One row of probabilities for all situations, legal or not."""

    row: list[float]

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        return np.tile(np.array(self.row, np.float32), (len(nodes), 1))


@dataclass
class AlwaysFold(Stateless):
    tree: BettingTree

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        action = np.where(self.tree.legal[nodes, FOLD], FOLD, CALL)
        return np.eye(NUM_ACTIONS, dtype=np.float32)[action]


@dataclass
class KuhnEquilibrium(Stateless):
    """The family of Kuhn 1950: player 0 bets the jack with probability α ≤ 1/3."""

    tree: BettingTree
    alpha: float
    queen_calls: float = 1 / 3  # of player 1

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        putting_chips_in = {  # by history: with jack, queen, king
            "": (self.alpha, 0, 3 * self.alpha),
            "cr": (0, self.alpha + 1 / 3, 1),
            "c": (1 / 3, 0, 1),
            "r": (0, self.queen_calls, 1),
        }
        rows = np.zeros((len(nodes), NUM_ACTIONS), np.float32)
        for row, card, node in zip(rows, cards[:, 0], nodes, strict=True):
            chance = putting_chips_in[self.tree.text(int(node))]["JQK".index(RANKS[card >> 2])]
            facing_a_bet = self.tree.legal[node, FOLD]
            row[[FOLD, CALL] if facing_a_bet else [CALL, RAISE]] = 1 - chance, chance
        return rows


def normalised(strategies: Floats) -> NDArray[np.float64]:
    exact = strategies.astype(np.float64)
    return exact / exact.sum(axis=1, keepdims=True)
