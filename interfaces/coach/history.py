"""Played hands as text: PokerStars-like, and PHH, the open format of PokerKit.

In PHH (Poker Hand History, a TOML file for each hand) p1 of two players posts the big blind and p2,
who has the button, the small blind, although the blinds are listed small one first. Its fixed-limit
hold'em has one size of bet before the turn and one from the turn on, so no other limits can be
written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.hand_history import Hand, as_pokerstars, finished_state
from env.actions import CALL, FOLD
from env.cards import card_text
from env.rules import Rules
from env.states import State
from interfaces.coach.played import PlayedHand

PHH_MOST_RAISES = 4  # on each street of its fixed-limit games
UNKNOWN = "????"  # a hand that nobody has seen


@dataclass(frozen=True)
class Entry:
    """A hand with what belongs to its text."""

    hand: PlayedHand
    number: int
    names: tuple[str, str]  # of player 0, of player 1
    shows_all: bool  # whether to write an opponent's hand that no showdown has shown

    @property
    def state(self) -> State:
        """The hand as the emulator would have left it."""
        return finished_state(self.hand.game.tree, self.hand.deal, self.hand.node)

    @property
    def shown(self) -> tuple[int, ...]:
        """The players whose cards may be written."""
        both = self.shows_all or self.hand.is_showdown
        return (0, 1) if both else (self.hand.seat,)


def pokerstars_text(entries: Sequence[Entry]) -> str:
    """Hands of one game as text that hand-history tools read."""
    if not entries:
        return ""
    hands = []
    for entry in entries:
        seat, won = entry.hand.seat, entry.hand.won_chips
        names = (entry.names[seat], entry.names[1 - seat])
        won_by_button = won if seat == 0 else -won
        hands.append(Hand(entry.number, names, seat, entry.state, won_by_button, entry.shown))
    return as_pokerstars(entries[0].hand.game.rules, hands)


def phh_text(entry: Entry) -> str:
    """One hand as a PHH file."""
    rules = entry.hand.game.rules
    _refuse_other_limits(rules)
    button_won = entry.hand.won_chips if entry.hand.seat == 0 else -entry.hand.won_chips
    fields = {
        "variant": "FT",
        "ante_trimming_status": True,
        "antes": [0, 0],
        "blinds_or_straddles": [rules.small_blind, rules.big_blind],
        "small_bet": rules.bet_sizes[0],
        "big_bet": rules.bet_sizes[-1],
        "starting_stacks": [rules.stack, rules.stack],
        "actions": list(_actions(entry)),
        "hand": entry.number,
        "players": [entry.names[1], entry.names[0]],
        "finishing_stacks": [rules.stack - button_won, rules.stack + button_won],
    }
    return "".join(f"{name} = {_toml(value)}\n" for name, value in fields.items())


def _refuse_other_limits(rules: Rules) -> None:
    sizes = rules.bet_sizes
    is_full = rules.is_holdem and rules.streets == 4 and len(rules.deck) == 52
    if not is_full or sizes[0] != sizes[1] or sizes[2] != sizes[3]:
        raise ValueError(
            f"{rules.name} has no form in PHH, whose fixed-limit hold'em has four streets, a full "
            "deck and two sizes of bets"
        )
    if max(rules.max_raises) > PHH_MOST_RAISES:
        raise ValueError(
            f"{rules.name} has no form in PHH, which allows {PHH_MOST_RAISES} bets on a street"
        )


def _actions(entry: Entry) -> Iterator[str]:
    """What happened, in the order and notation of PHH."""
    rules, state = entry.hand.game.rules, entry.state
    for player in (1, 0):
        hole = _text(state.deal[2 * player : 2 * player + 2])
        yield f"d dh {_name(player)} {hole if player in entry.shown else UNKNOWN}"
    last = state.street if state.folded is not None else rules.streets - 1
    paid, before = [rules.small_blind, rules.big_blind], 0
    for street in range(last + 1):
        if street:
            new = state.deal[4 + rules.visible_board[street - 1] : 4 + rules.visible_board[street]]
            yield f"d db {_text(new)}"
            before = max(paid)
        for move in state.moves:
            if move.street == street:
                paid[move.player] += move.paid
                yield f"{_name(move.player)} {_deed(move.action, paid[move.player] - before)}"
    if state.folded is None:
        for player in (1, 0):
            yield f"{_name(player)} sm {_text(state.deal[2 * player : 2 * player + 2])}"


def _deed(action: int, total: int) -> str:
    """An action; bets and raises say what the player has then paid on the street."""
    return "f" if action == FOLD else "cc" if action == CALL else f"cbr {total}"


def _name(player: int) -> str:
    return f"p{2 - player}"


def _text(cards: Sequence[int]) -> str:
    return "".join(card_text(card) for card in cards)


def _toml(value: object) -> str:
    """A value as TOML writes it; JSON's texts are TOML's, but for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
