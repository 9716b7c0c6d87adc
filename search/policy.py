"""A model that searches: the blueprint before the first searched street, solutions from there on.

The strategy is a function of the public state. Whoever asks about an infoset gets the strategy of
its hand in the solution of its public state.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from env.actions import NUM_ACTIONS
from env.arrays import Floats, Longs, Nodes
from env.cards import Cards
from env.game import Game
from env.views import Views
from policies.policy import Policy, ViewStrategies
from search.public_state import Renaming, canonical_board, renamed_hands
from search.resolver import Resolver
from search.settings import SearchSettings
from search.solutions import PublicState, Solution


class SearchPolicy:
    """Continual re-solving as a policy."""

    def __init__(self, game: Game, blueprint: Policy, settings: SearchSettings) -> None:
        self._game, self._blueprint = game, blueprint
        self.resolver = Resolver(game, blueprint, settings)
        self.settings = settings

    def __reduce__(self) -> tuple[Any, ...]:
        """A policy is pickled without what it has solved, which it would solve again alike."""
        return SearchPolicy, (self._game, self._blueprint, self.settings)

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        out = np.empty((len(nodes), NUM_ACTIONS), np.float32)
        early = self._game.tree.street[nodes] < self.settings.first_street
        if early.any():
            out[early] = self._blueprint.strategies(cards[early], nodes[early])
        if not early.all():
            out[~early] = self._searched(cards[~early], np.asarray(nodes, np.int64)[~early])
        return out

    def for_views(self, views: Views) -> ViewStrategies:
        return lambda rows, nodes: self.strategies(views.cards[rows], nodes)

    def range_strategies(self, boards: Cards, hands: Cards, nodes: Nodes) -> Floats:
        """Strategies of hands in public states. [n, 5], [H, 2], [n] → [n, H, 3]"""
        asked: Longs = np.asarray(nodes, np.int64)
        out = np.zeros((len(nodes), len(hands), NUM_ACTIONS), np.float32)
        early = self._game.tree.street[asked] < self.settings.first_street
        if early.any():
            out[early] = self.resolver.trunk.strategies(boards[early], hands, asked[early])
        late = np.flatnonzero(~early)
        states, renamings = self._public_states(boards[late], asked[late])
        solutions = self.resolver.solve(states)
        for row, state, renaming in zip(late, states, renamings, strict=True):
            solution, column = solutions[state], _column(solutions[state], int(asked[row]))
            place = solution.place[renamed_hands(self._game.rules, hands, renaming.cards)]
            possible = place >= 0
            out[row, possible] = solution.strategies[place[possible], column]
        return out

    def _searched(self, cards: Cards, nodes: Longs) -> Floats:
        """Strategies in infosets of searched streets. [n, 7], [n] → [n, 3]"""
        states, renamings = self._public_states(cards[:, 2:], nodes)
        solutions = self.resolver.solve(states)
        out = np.empty((len(nodes), NUM_ACTIONS), np.float32)
        for row, (state, renaming) in enumerate(zip(states, renamings, strict=True)):
            solution = solutions[state]
            hand = renamed_hands(self._game.rules, cards[row : row + 1, :2], renaming.cards)[0]
            column = _column(solution, int(nodes[row]))
            out[row] = solution.strategies[solution.place[hand], column]
        return out

    def _public_states(
        self, boards: Cards, nodes: Longs
    ) -> tuple[list[PublicState], list[Renaming]]:
        """The public states of boards and nodes, and how suits are renamed in each."""
        distinct, which = np.unique(boards, axis=0, return_inverse=True)
        canonical = [canonical_board(board) for board in distinct]
        renamings = [canonical[row] for row in which.reshape(-1)]
        states = [
            PublicState(
                renaming.board.tobytes(),
                int(self.resolver.entries[node]),
                int(self._game.tree.actor[node]),
            )
            for renaming, node in zip(renamings, nodes, strict=True)
        ]
        return states, renamings


def _column(solution: Solution, node: int) -> int:
    """Where a node stands among the solution's decisions."""
    return int(np.flatnonzero(solution.decisions == node)[0])
