"""What a player knows when it is that player's turn: a hand, the board and a node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from env.arrays import Bools, Doubles
from env.betting_tree import BettingTree
from env.cards import NO_CARD, NUM_SLOTS, Cards, canonical
from env.game import Game
from env.range_views import overlaps
from interfaces.coach.reference import Reference


@dataclass(frozen=True, eq=False)
class Situation:
    """A decision as the player to act sees it."""

    game: Game
    node: int
    hand: Cards  # [2]
    board: Cards  # [5] as far as it lies

    @property
    def tree(self) -> BettingTree:
        return self.game.tree

    @property
    def player(self) -> int:
        """Whose turn it is."""
        return int(self.tree.actor[self.node])

    @property
    def street(self) -> int:
        return int(self.tree.street[self.node])

    @property
    def is_last_street(self) -> bool:
        return self.street == self.game.rules.streets - 1

    @property
    def legal(self) -> Bools:
        """[3]"""
        return self.tree.legal[self.node]

    @property
    def pot_bb(self) -> float:
        """The pot before the action, in big blinds."""
        chips = int(self.tree.contributions[self.node].sum())
        return chips / self.game.rules.big_blind_chips

    def strategy(self, reference: Reference) -> Doubles:
        """How the reference plays this hand. [3]"""
        view = np.full((1, NUM_SLOTS), NO_CARD, np.uint8)
        view[0, :2], view[0, 2:] = self.hand, self.board
        answer = reference.policy.strategies(canonical(view), np.array([self.node]))[0]
        strategy = answer.astype(np.float64)
        return strategy / strategy.sum()

    def opponent_range(self, reference: Reference) -> Doubles:
        """The opponent's hands as the reference would have brought them here. [H]

        Hands that share a card with one's own are left out. Sums to one.
        """
        range_ = reference.ranges(self.board, self.node)[1 - self.player]
        range_ = np.where(overlaps(reference.hands, self.hand), 0, range_)
        return range_ / range_.sum()
