"""Players who look at their own hand strength E[HS] and at the betting, and at nothing else.

`honest_rule` is the calling player of early limit hold'em programs. The four styles are the
classical ones: loose or tight (many hands or few) times aggressive or passive (bets or calls).
Thresholds are compared with the win rate against a random hand, so about half of the starting
hands are above 0.5 and a pair of aces is 0.85.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from env.actions import CALL, FOLD, NUM_ACTIONS, RAISE
from env.arrays import Floats, Nodes
from env.betting_tree import BettingTree
from env.cards import Cards
from env.game import Game
from env.strength import no_strengths
from env.views import Views
from policies.policy import ViewStrategies

StrengthRule = Callable[[Floats, Nodes], Floats]  # (strengths [n], nodes [n]) → [n, 3]


@dataclass(frozen=True)
class Style:
    """When a player acts how. Tuples hold one strength per street, pre-flop to river."""

    enter: tuple[float, float, float, float]  # to call a bet, or the big blind, from here on
    raise_at: tuple[float, float, float, float]  # to bet, or raise the big blind
    reraise_at: tuple[float, float, float, float]  # to raise when somebody has bet on this street
    bluff: float  # how often a hand too weak to call with bets when nothing is to be called


STYLES = {
    "loose-passive": Style(
        enter=(0.38, 0.35, 0.35, 0.35),
        raise_at=(0.70, 0.80, 0.85, 0.90),
        reraise_at=(0.80, 0.92, 0.95, 0.97),
        bluff=0.0,
    ),
    "loose-aggressive": Style(
        enter=(0.38, 0.35, 0.35, 0.35),
        raise_at=(0.50, 0.52, 0.55, 0.58),
        reraise_at=(0.60, 0.70, 0.75, 0.80),
        bluff=0.25,
    ),
    "tight-passive": Style(
        enter=(0.55, 0.55, 0.55, 0.55),
        raise_at=(0.75, 0.85, 0.88, 0.92),
        reraise_at=(0.82, 0.93, 0.95, 0.97),
        bluff=0.0,
    ),
    "tight-aggressive": Style(
        enter=(0.55, 0.55, 0.55, 0.55),
        raise_at=(0.56, 0.58, 0.60, 0.62),
        reraise_at=(0.65, 0.75, 0.80, 0.82),
        bluff=0.05,
    ),
}


class StrengthPolicy:
    """A policy that a rule makes of hand strengths and nodes."""

    def __init__(self, game: Game, rule: StrengthRule) -> None:
        if game.strengths is None:
            raise ValueError(no_strengths(game.rules))
        self._game, self._rule = game, rule

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        return self.for_views(Views(self._game, cards))(np.arange(len(nodes)), nodes)

    def for_views(self, views: Views) -> ViewStrategies:
        return lambda rows, nodes: self._rule(views.strengths(rows), nodes)


def honest_rule(tree: BettingTree) -> StrengthRule:
    """Call from a win rate of one half on, otherwise fold; check when that is free."""
    return _Honest(tree)


@dataclass(frozen=True, eq=False)
class _Honest:
    """A rule as an object, which unlike a function made on the spot can be sent elsewhere."""

    tree: BettingTree

    def __call__(self, strengths: Floats, nodes: Nodes) -> Floats:
        gives_up = self.tree.legal[nodes, FOLD] & (strengths < 0.5)
        return np.eye(NUM_ACTIONS, dtype=np.float32)[np.where(gives_up, FOLD, CALL)]


def style_rule(tree: BettingTree, style: Style) -> StrengthRule:
    """Raise, call or fold by the style's thresholds; where a raise is illegal, call."""
    has_bet = raises_on_street(tree) > 0
    enter, raise_at, reraise_at = (
        np.array(levels, np.float32)[tree.street]
        for levels in (style.enter, style.raise_at, style.reraise_at)
    )  # [N]
    return _Styled(tree, enter, np.where(has_bet, reraise_at, raise_at), style.bluff)


@dataclass(frozen=True, eq=False)
class _Styled:
    """A style's thresholds at every node."""

    tree: BettingTree
    enter: Floats  # [N]
    raise_from: Floats  # [N]
    bluff: float

    def __call__(self, strengths: Floats, nodes: Nodes) -> Floats:
        may_raise, may_fold = self.tree.legal[nodes, RAISE], self.tree.legal[nodes, FOLD]
        weak = strengths < self.enter[nodes]
        raising = np.where(may_raise & (strengths >= self.raise_from[nodes]), 1, 0)
        bluffing = may_raise & ~may_fold & weak
        rows = np.zeros((len(nodes), NUM_ACTIONS), np.float32)
        rows[:, RAISE] = np.where(bluffing, np.maximum(raising, self.bluff), raising)
        rows[:, FOLD] = may_fold & weak & (raising == 0)
        rows[:, CALL] = 1 - rows[:, RAISE] - rows[:, FOLD]
        return rows


def raises_on_street(tree: BettingTree) -> NDArray[np.int8]:
    """Bets and raises made on the street of the next action, the big blind not counted. [N]"""
    counts = np.zeros(len(tree), np.int8)
    for node in range(1, len(tree)):  # parents come first
        parent = tree.parent[node]
        if tree.street[node] == tree.street[parent]:
            counts[node] = counts[parent] + (tree.action[node] == RAISE)
    return counts
