"""A heads-up table: one human, one agent, the deals and the hand in play.

It is the only place that knows both hands. Everything random is a function of the session's seed:
the deal of a hand by its number, the opponent's draw by hand and node. So a session that is
continued after an interruption goes on as it would have gone on without one.

The table does not ask the agent itself: it says what has to be asked (`question`) and takes the
answer (`answer`), so that a server may put questions from many tables to an agent at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from env.actions import ACTION_NAMES, NUM_ACTIONS
from env.arrays import Floats
from env.cards import Cards
from env.deals import check_deal, deal_one, showdown_result, visible_cards
from env.game import Game
from policies.drawing import draw, sample_action

# Purposes of randomness, each with generators of its own. Matches use 10 to 12.
_DEALS, _SALT, _OPPONENT = 20, 21, 22


class TableError(ValueError):
    """Something that cannot be done at the table now; the message says why in one line."""


@dataclass(frozen=True, eq=False)
class Question:
    """A decision of the opponent's: what its seat sees, and where the betting stands."""

    cards: Cards  # [7] its view, suits as dealt
    node: int
    hand_seed: tuple[int, ...]  # for agents that draw something for each hand


@dataclass(frozen=True)
class Hand:
    """A hand in play or over."""

    number: int  # in its session, from 0
    deal: tuple[int, ...]  # [9] every card, see env.deals
    node: int = 0

    @property
    def human_seat(self) -> int:
        """Seats alternate: in hands 0, 2, … the human is player 0, in hold'em the button."""
        return self.number % 2


class Table:
    """Plays one hand after the other."""

    def __init__(self, game: Game, seed: int, hand: Hand | None = None) -> None:
        self.game = game
        self._seed = seed
        self._salt = np.random.default_rng((seed, _SALT)).integers(1 << 64, dtype=np.uint64)
        self.hand = hand or self._dealt(0)

    @property
    def is_over(self) -> bool:
        """Whether the hand is over."""
        return not self.game.tree.is_decision[self.hand.node]

    @property
    def is_humans_turn(self) -> bool:
        """Whether the human is to act."""
        return not self.is_over and self._actor == self.hand.human_seat

    @property
    def history(self) -> str:
        """The betting of the hand, as `BettingTree.text` writes it."""
        return self.game.tree.text(self.hand.node)

    @property
    def won(self) -> int:
        """Chips that the human won in the hand, which must be over."""
        if not self.is_over:
            raise TableError("the hand is not over")
        result = np.array([showdown_result(self.hand.deal)], np.int8)
        first = int(self.game.tree.payoffs(np.array([self.hand.node]), result)[0])
        return -first if self.hand.human_seat else first

    def act(self, action: int) -> None:
        """The human's action."""
        if self.is_over:
            raise TableError("the hand is over")
        if not self.is_humans_turn:
            raise TableError("it is not your turn")
        self._play(action)

    def question(self) -> Question | None:
        """What the opponent has to be asked; None if it is not to act."""
        if self.is_over or self.is_humans_turn:
            return None
        hand, tree = self.hand, self.game.tree
        deals = np.array([hand.deal], np.uint8)
        street = int(tree.street[hand.node])
        view = visible_cards(self.game.rules, deals, self._actor, street)[0]
        return Question(view, hand.node, (self._seed, _OPPONENT, hand.number))

    def answer(self, strategy: Floats) -> None:
        """The opponent acts: an action drawn from its strategy. [3]"""
        if self.question() is None:
            raise TableError("it is not the opponent's turn")
        hand = self.hand
        number = draw(self._salt, hand.number, hand.node)
        self._play(sample_action(strategy, self.game.tree.children[hand.node], number))

    def human_view(self) -> Cards:
        """What the human's seat sees of the cards, suits as dealt. [7]"""
        deals = np.array([self.hand.deal], np.uint8)
        street = int(self.game.tree.street[self.hand.node])
        return visible_cards(self.game.rules, deals, self.hand.human_seat, street)[0]

    def after(self, step: int) -> Table:
        """The table as it was after so many actions of the hand."""
        path = list(self.game.tree.path(self.hand.node))
        if not 0 <= step < len(path):
            raise TableError(f"the hand has {len(path) - 1} actions, not {step}")
        return Table(self.game, self._seed, Hand(self.hand.number, self.hand.deal, int(path[step])))

    def next_hand(self) -> None:
        """Deal the hand after the one that is over."""
        if not self.is_over:
            raise TableError("the hand is not over")
        self.hand = self._dealt(self.hand.number + 1)

    @property
    def _actor(self) -> int:
        return int(self.game.tree.actor[self.hand.node])

    def _dealt(self, number: int) -> Hand:
        rng = np.random.default_rng((self._seed, _DEALS, number))
        return Hand(number, deal_one(self.game.rules, rng))

    def _play(self, action: int) -> None:
        node = self.hand.node
        if not 0 <= action < NUM_ACTIONS or not self.game.tree.legal[node, action]:
            legal = self.game.tree.legal[node]
            names = [name for name, ok in zip(ACTION_NAMES, legal, strict=True) if ok]
            raise TableError(f"that action is not legal here; legal: {', '.join(names)}")
        after = int(self.game.tree.children[node, action])
        self.hand = Hand(self.hand.number, self.hand.deal, after)


def saved_hand(game: Game, number: int, deal: list[int], history: str) -> Hand:
    """A hand as it was saved; an error if it cannot be one of this game."""
    return Hand(number, check_deal(game.rules, deal), game.tree.node(history))
