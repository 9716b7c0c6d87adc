"""Asking a policy about public states: a visible board and a node, for many hands at once.

A policy answers for an infoset, with cards in suit-canonical form, in which the suits of the board
depend on the hole cards. Whoever works with whole ranges asks about a public state instead. The
answers follow from the first question (`for_views`), unless the policy is one that works out the
strategies of a public state as a whole, as search does: then it says so by `range_strategies`.
"""

from __future__ import annotations

from collections.abc import Callable
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
from policies.policy import Policy

_ASKED_ROWS = 1 << 16  # infosets put to a policy at once; bounds the memory it takes

RangeStrategies = Callable[[Rows, Nodes], Doubles]  # ([n], [n]) → [n, H, 3]


@runtime_checkable
class AnswersRanges(Protocol):
    """A policy that answers for public states itself."""

    def range_strategies(self, boards: Cards, hands: Cards, nodes: Nodes) -> Floats:
        """Strategies of hands in public states. [n, 5], [H, 2], [n] → [n, H, 3]

        What stands at hands that the board rules out means nothing.
        """
        ...


def for_ranges(game: Game, policy: Policy, seen: RangeViews) -> RangeStrategies:
    """A policy as a function of (rows of the boards of `seen`, nodes).

    Answers for infosets are checked, those for public states only made to sum to one: they are zero
    for hands that the policy's own solution rules out.
    """
    if isinstance(policy, AnswersRanges):
        asks_ranges = policy

        def answer_itself(rows: Rows, nodes: Nodes) -> Doubles:
            answers = asks_ranges.range_strategies(seen.boards[rows], seen.hands, nodes).astype(
                np.float64
            )
            totals = answers.sum(axis=2, keepdims=True)
            return np.divide(answers, totals, out=answers, where=totals > 0)

        return answer_itself
    ask = policy.for_views(Views(game, seen.views))

    def answer(rows: Rows, nodes: Nodes) -> Doubles:
        counts = seen.num_views[rows]
        starts = np.cumsum(counts) - counts
        views = np.arange(counts.sum()) + np.repeat(seen.first_view[rows] - starts, counts)
        asked = np.repeat(nodes, counts)
        strategies = np.empty((len(views), NUM_ACTIONS))
        for start in range(0, len(views), _ASKED_ROWS):
            part = slice(start, start + _ASKED_ROWS)
            answers = ask(views[part], asked[part])
            strategies[part] = checked(game.tree, answers, seen.views, views[part], asked[part])
        out = np.empty((len(rows), len(seen.hands), NUM_ACTIONS))
        _spread(strategies, starts, seen.view_of, np.asarray(rows, np.int64), out)
        return out

    return answer


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
