"""A hand that was played to its end, as it is kept: every card, the betting line, whose it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from env.betting_tree import FOLDED, SHOWDOWN
from env.cards import NO_CARD, Cards
from env.deals import check_deal, showdown_result
from env.game import Game
from interfaces.coach.situation import Situation


class Choice(NamedTuple):
    """A decision that a player had, and what the player did."""

    situation: Situation
    action: int


@dataclass(frozen=True, eq=False)
class PlayedHand:
    """One finished hand, looked at from one seat."""

    game: Game
    deal: tuple[int, ...]  # [9] both hands and the whole board, dealt or not; see env.deals
    line: str  # the whole betting
    seat: int  # whose decisions and results are meant; player 0 has the button

    def __post_init__(self) -> None:
        object.__setattr__(self, "deal", check_deal(self.game.rules, self.deal))
        if self.game.tree.is_decision[self.node]:
            raise ValueError(f"the hand is not over after {self.line!r}")
        if self.seat not in (0, 1):
            raise ValueError(f"seats are 0 and 1, not {self.seat}")

    @cached_property
    def node(self) -> int:
        """The end of the hand."""
        return self.game.tree.node(self.line)

    @property
    def street(self) -> int:
        """The last street with an action."""
        return int(self.game.tree.street[self.node])

    @property
    def is_showdown(self) -> bool:
        return bool(self.game.tree.node_type[self.node] == SHOWDOWN)

    @property
    def is_fold(self) -> bool:
        return bool(self.game.tree.node_type[self.node] == FOLDED)

    @property
    def stake_chips(self) -> int:
        """What a showdown wins or loses."""
        return int(self.game.tree.contributions[self.node].min())

    @property
    def won_chips(self) -> int:
        """What the seat won."""
        result = np.array([showdown_result(self.deal)], np.int8)
        first = int(self.game.tree.payoffs(np.array([self.node]), result)[0])
        return first if self.seat == 0 else -first

    def hand(self, player: int) -> Cards:
        """Somebody's hole cards. [2]"""
        return np.array(self.deal[2 * player : 2 * player + 2], np.uint8)

    def board(self, street: int) -> Cards:
        """What lies on the table on a street. [5]"""
        board = np.array(self.deal[4:], np.uint8)
        board[self.game.rules.visible_board[street] :] = NO_CARD
        return board

    def choices(self) -> Iterator[Choice]:
        """The decisions of the seat, in order."""
        tree = self.game.tree
        for node, after in pairwise(tree.path(self.node)):
            if tree.actor[node] == self.seat:
                board = self.board(int(tree.street[node]))
                situation = Situation(self.game, node, self.hand(self.seat), board)
                yield Choice(situation, int(tree.action[after]))
