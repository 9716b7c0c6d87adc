"""The step-by-step game: states, actions and the abstract class `Emulator`.

An emulator defines the rules by playing them: `start` a hand, `act`, until the state is terminal.
It is written to be read and checked, not to be fast; `env.compiler` compiles it into arrays.
States are immutable, so one may be kept, compared and continued in several ways.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import NamedTuple, TypeAlias

import numpy as np

from env.actions import ACTION_LETTERS, ACTION_NAMES, FOLD, NUM_ACTIONS, RAISE
from env.cards import Cards, parse_cards
from env.deals import check_deal, deal_one, showdown_result, visible_cards
from env.rules import Rules
from env.transcript import transcript

TERMINAL = -1  # the actor of a finished hand

DealSource: TypeAlias = Sequence[int] | Cards | str | np.random.Generator


class IllegalAction(ValueError):  # noqa: N818 - the name says what was done wrong
    """An action that the rules forbid in that state; the message names it."""


class Move(NamedTuple):
    """One action of a hand."""

    street: int
    player: int
    action: int
    paid: int  # chips put into the pot by it


@dataclass(frozen=True)
class State:
    """A hand in progress, or finished."""

    deal: tuple[int, ...]  # [9] every card of the hand, see env.deals
    street: int  # of the next action; once terminal, of the last one
    actor: int  # whose turn it is; TERMINAL when the hand is over
    contributions: tuple[int, int]  # chips each player has in the pot
    moves: tuple[Move, ...] = ()

    @property
    def is_terminal(self) -> bool:
        return self.actor == TERMINAL

    @property
    def folded(self) -> int | None:
        """The player who gave up, if one did."""
        last = self.moves[-1] if self.moves else None
        return last.player if last and last.action == FOLD else None

    @property
    def to_call(self) -> int:
        """Chips the actor has to add to stay in; 0 when nobody is to act."""
        if self.is_terminal:
            return 0
        return self.contributions[1 - self.actor] - self.contributions[self.actor]

    @property
    def raises(self) -> int:
        """Bets and raises made on this street."""
        return sum(move.action == RAISE and move.street == self.street for move in self.moves)

    @property
    def history(self) -> str:
        """The betting so far, a letter per action and a slash after each finished street."""
        letters = [
            "/" * (move.street - before) + ACTION_LETTERS[move.action]
            for before, move in zip([0, *(m.street for m in self.moves)], self.moves, strict=False)
        ]
        return "".join(letters) + "/" * (self.street - (self.moves[-1].street if self.moves else 0))


class Emulator(ABC):
    """Plays hands of one game action by action. Subclasses say how a hand starts and goes on."""

    version: str  # names the engine; part of the key of everything cached

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    @abstractmethod
    def start(self, source: DealSource) -> State:
        """A new hand from a deal (card codes or text, in dealing order) or a random generator."""

    @abstractmethod
    def act(self, state: State, action: int) -> State:
        """The state after the actor's action; `state` itself stays as it is."""

    def legal(self, state: State) -> tuple[bool, bool, bool]:
        """Which of FOLD, CALL, RAISE the actor may choose."""
        if state.is_terminal:
            return (False, False, False)
        under_cap = state.raises < self.rules.max_raises[state.street]
        return (state.to_call > 0, True, under_cap and self.raise_cost(state) > state.to_call)

    def raise_cost(self, state: State) -> int:
        """Chips a raise costs the actor: the call and one bet, cut to the stack."""
        paid = state.contributions[state.actor]
        return min(state.to_call + self.rules.bet_sizes[state.street], self.rules.stack - paid)

    def payoffs(self, state: State) -> tuple[int, int]:
        """Chips won (+) or lost (−) by each player in a finished hand."""
        if not state.is_terminal:
            raise ValueError(f"the hand is not over: player {state.actor} is to act")
        if state.folded is not None:
            sign = 1 if state.folded == 1 else -1
        else:
            sign = showdown_result(state.deal)
        won = sign * min(state.contributions)
        return (won, -won)

    def visible_cards(self, state: State, player: int) -> Cards:
        """What the player sees: hole cards and the board so far, in seven slots."""
        return visible_cards(self.rules, np.array([state.deal], np.uint8), player, state.street)[0]

    def transcript(self, state: State) -> str:
        """The hand so far, readable, every card face up."""
        won = self.payoffs(state)[0] if state.is_terminal else None
        return transcript(self.rules, state, won)

    def check_action(self, state: State, action: int) -> int:
        """The action if it is legal; otherwise an error that names it and the legal ones."""
        if state.is_terminal:
            raise IllegalAction(f"{_action_name(action)} is not legal: the hand is over")
        legal = self.legal(state)
        if _action_name(action) not in ACTION_NAMES or not legal[action]:
            allowed = ", ".join(name for name, ok in zip(ACTION_NAMES, legal, strict=True) if ok)
            raise IllegalAction(
                f"{_action_name(action)} is not legal for player {state.actor} on the "
                f"{self.rules.street_names[state.street]} after {state.history!r}; legal: {allowed}"
            )
        return index(action)

    def resolve_deal(self, source: DealSource) -> tuple[int, ...]:
        """One checked deal from codes, text or a random generator."""
        if isinstance(source, np.random.Generator):
            return deal_one(self.rules, source)
        if isinstance(source, str):
            return check_deal(self.rules, parse_cards(source))
        return check_deal(self.rules, source)


def _action_name(action: object) -> str:
    """The action's name, or the thing itself for what is no action at all."""
    if isinstance(action, (int, np.integer)) and not isinstance(action, bool):
        return ACTION_NAMES[action] if 0 <= action < NUM_ACTIONS else f"action {action}"
    return f"action {action!r}"
