"""Asking a policy about public states: a visible board and a node, for many hands at once.

A policy answers for an infoset, with cards in suit-canonical form, in which the suits of the board
depend on the hole cards. Whoever works with whole ranges asks about a public state instead. The
answers follow from the first question (`for_views`), unless the policy is one that works out the
strategies of a public state as a whole, as search does: then it says so by `range_strategies`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numba import njit, prange

from env.actions import NUM_ACTIONS
from env.arrays import Doubles, Floats, Integers, Longs, Nodes, Rows
from env.cards import Cards
from env.game import Game
from env.range_views import RangeViews
from env.views import Views
from policies.answers import checked
from policies.policy import Policy, ViewStrategies

_ASKED_ROWS = 1 << 16  # infosets put to a policy at once; bounds the memory it takes


class RangeStrategies(Protocol):
    """A policy as a function of public states: boards, by their rows in a table, and nodes."""

    def __call__(self, rows: Rows, nodes: Nodes) -> Doubles:
        """Strategies of all hands. [n], [n] → [n, H, 3]"""
        ...

    def of_hands(self, rows: Rows, nodes: Nodes, hands: Rows) -> Doubles:
        """Strategies of one hand in each. [n], [n], [n] → [n, 3]"""
        ...


@runtime_checkable
class AnswersRanges(Protocol):
    """A policy that answers for public states itself."""

    def range_strategies(self, boards: Cards, hands: Cards, nodes: Nodes) -> Floats:
        """Strategies of hands in public states. [n, 5], [H, 2], [n] → [n, H, 3]

        What stands at hands that the board rules out means nothing.
        """
        ...


def for_ranges(game: Game, policy: Policy, seen: RangeViews) -> RangeStrategies:
    """A policy to be asked about the boards of `seen`.

    Answers for infosets are checked, those for public states only made to sum to one: they are zero
    for hands that the policy's own solution rules out.
    """
    if isinstance(policy, AnswersRanges):
        return _ByItself(policy, seen)
    return _ByViews(game, policy.for_views(Views(game, seen.views)), seen)


@dataclass(frozen=True)
class _ByItself:
    """A policy that works out public states as a whole."""

    policy: AnswersRanges
    seen: RangeViews

    def __call__(self, rows: Rows, nodes: Nodes) -> Doubles:
        boards, hands = self.seen.boards[rows], self.seen.hands
        answers = self.policy.range_strategies(boards, hands, nodes).astype(np.float64)
        totals = answers.sum(axis=2, keepdims=True)
        return np.divide(answers, totals, out=answers, where=totals > 0)

    def of_hands(self, rows: Rows, nodes: Nodes, hands: Rows) -> Doubles:
        states, which = np.unique(np.stack([rows, nodes]), axis=1, return_inverse=True)
        return self(states[0], states[1])[which.reshape(-1), hands]


@dataclass(frozen=True)
class _ByViews:
    """A policy that answers for infosets."""

    game: Game
    ask: ViewStrategies
    seen: RangeViews

    def __call__(self, rows: Rows, nodes: Nodes) -> Doubles:
        seen = self.seen
        counts = seen.num_views[rows]
        starts = np.cumsum(counts) - counts
        views = np.arange(counts.sum()) + np.repeat(seen.first_view[rows] - starts, counts)
        strategies = self._answers(views, np.repeat(nodes, counts))
        out = np.empty((len(rows), len(seen.hands), NUM_ACTIONS))
        _spread(strategies, starts, seen.view_of, np.asarray(rows, np.int64), out)
        return out

    def of_hands(self, rows: Rows, nodes: Nodes, hands: Rows) -> Doubles:
        return self._answers(self.seen.first_view[rows] + self.seen.view_of[rows, hands], nodes)

    def _answers(self, views: Rows, nodes: Nodes) -> Doubles:
        """Of views at nodes. [n], [n] → [n, 3]"""
        strategies = np.empty((len(views), NUM_ACTIONS))
        for start in range(0, len(views), _ASKED_ROWS):
            part = slice(start, start + _ASKED_ROWS)
            answers, seen = self.ask(views[part], nodes[part]), self.seen.views
            strategies[part] = checked(self.game.tree, answers, seen, views[part], nodes[part])
        return strategies


@njit(cache=True, parallel=True)
def _spread(
    strategies: Doubles, starts: Longs, view_of: Integers, rows: Longs, out: Doubles
) -> None:
    """The strategies of views as those of the hands that see them. [·, 3] → [n, H, 3]"""
    for row in prange(len(rows)):
        views = view_of[rows[row]]
        for hand in range(len(views)):
            for action in range(3):
                out[row, hand, action] = strategies[starts[row] + views[hand], action]
