"""An agent's policy as the model of both players: the reference that the coach judges by.

A range is a vector over all private hands: the product of the player's own action probabilities
along a betting line. People take actions that a model never takes. Each probability is therefore
mixed with a tiny share of the uniform strategy. Where the model plays an action with some hands,
nobody notices. Where it plays the action with no hand at all, the range stays what it was before.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from env.arrays import Doubles, Longs
from env.boards import private_hands
from env.cards import Cards
from env.game import Game
from env.range_views import overlaps
from policies.policy import Policy
from policies.unbeatable import NeverFoldsUnbeatable
from search.policy import SearchPolicy
from search.trunk import Trunk, visible_boards

TREMBLE = 1e-8  # share of the uniform strategy; each tremble makes a hand so much less likely


@dataclass(frozen=True, eq=False)
class Reference:
    """How both players play, as far as the coach knows. H private hands."""

    game: Game
    policy: Policy

    @cached_property
    def hands(self) -> Cards:
        """Every private hand; ranges are vectors over them. [H, 2]"""
        return private_hands(self.game.rules)

    def number(self, hand: Cards) -> int:
        """Where a hand stands among all hands, in whatever order its cards are. [2]"""
        same = np.sort(self.hands, axis=1) == np.sort(hand)
        return int(np.flatnonzero(same.all(axis=1))[0])

    @cached_property
    def blueprint(self) -> Policy:
        """The policy without search, which answers about thousands of boards quickly."""
        policy = self.policy
        raw = policy.raw if isinstance(policy, NeverFoldsUnbeatable) else policy
        return raw.resolver.blueprint if isinstance(raw, SearchPolicy) else policy

    @cached_property
    def _asked(self) -> Trunk:
        return Trunk(self.game, self.policy)

    def strategies(self, board: Cards, nodes: Longs) -> Doubles:
        """Strategies of all hands at nodes, on what of a board lies there. [5], [n] → [n, H, 3]

        Hands that hold a card of the board have no strategy that means anything.
        """
        boards = np.tile(board, (len(nodes), 1))
        streets = self.game.tree.street[nodes].astype(np.int64)
        visible = visible_boards(self.game, boards, streets)
        return self._asked.strategies(visible, self.hands, nodes)

    def ranges(self, board: Cards, node: int) -> Doubles:
        """Both players' ranges at a node. [5] → [2, H]

        Zero for hands that hold a card of the board as far as it lies at the node.
        """
        tree = self.game.tree
        reach = np.ones((2, len(self.hands)))
        steps = list(pairwise(tree.path(node)))
        strategies = self.strategies(board, np.array([step for step, _ in steps], np.int64))
        for (step, after), strategy in zip(steps, strategies, strict=True):
            trembling = TREMBLE / tree.legal[step].sum()
            played = strategy[:, tree.action[after]]
            reach[tree.actor[step]] *= (1 - TREMBLE) * played + trembling
        street = np.array([tree.street[node]], np.int64)
        visible = visible_boards(self.game, board[None], street)[0]
        return np.where(overlaps(self.hands, visible), 0, reach)
