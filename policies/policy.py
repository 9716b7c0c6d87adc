"""The `Policy` protocol: anything that says with what probability each action is played.

Every evaluator and every traversal speaks to this protocol, so networks, tables and bots are
interchangeable. Strategies are float32 rows over (FOLD, CALL, RAISE) that sum to 1 and are 0 on
illegal actions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from env.cards import Cards
from env.views import Views

Floats = NDArray[np.float32]
Nodes = NDArray[np.integer]
ViewStrategies = Callable[[NDArray[np.integer], Nodes], Floats]


class Policy(Protocol):
    """How an agent plays."""

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        """Action probabilities in infosets. cards [n, 7] canonical, nodes [n] → [n, 3]"""
        ...

    def for_views(self, views: Views) -> ViewStrategies:
        """For many questions about the same views: a function of (rows of `views`, nodes)."""
        ...


class HandPlayer(Protocol):
    """Plays a list of hands after something was drawn at random for each."""

    def strategies(self, cards: Cards, nodes: Nodes, hands: NDArray[np.integer]) -> Floats:
        """Strategies in infosets of the given hands. [n, 7], [n], [n] → [n, 3]"""
        ...


@runtime_checkable
class DrawsPerHand(Protocol):
    """A policy that draws something for each hand and keeps to it, as single Deep CFR does."""

    def for_hands(self, num_hands: int, rng: np.random.Generator) -> HandPlayer:
        """A player who has drawn what each of the hands to come needs."""
        ...
