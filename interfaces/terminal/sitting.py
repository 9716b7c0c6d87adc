"""A sitting at the terminal: hand after hand until somebody has enough."""

from __future__ import annotations

import sys
from functools import partial

from rich.console import Console
from rich.status import Status

from env.actions import ACTION_NAMES
from env.progress import Advance
from interfaces.coach.at_table import situation_at
from interfaces.opponents import Opponent
from interfaces.seat_view import OPPONENT, SeatView, seat_view
from interfaces.session import Session
from interfaces.terminal.advising import Adviser
from interfaces.terminal.drawing import Drawing
from interfaces.terminal.keys import END_OF_INPUT, read_key

HELP = """\
f  fold           give up the hand and what you have put in
c  call or check  put in what the opponent's bet asks for; nothing if there is none
r  raise or bet   the bet of this street on top; its size is fixed
a  advice         what the coach would do here, and what each action is worth
w  who holds what both players' hands as the coach sees them
h  help           these lines
q  quit           leave; the session is kept and can be continued"""
_QUIT = ("q", END_OF_INPUT)


class Sitting:
    """One player at one session."""

    def __init__(
        self, session: Session, opponent: Opponent, adviser: Adviser, console: Console
    ) -> None:
        self._session, self._opponent, self._adviser = session, opponent, adviser
        self._console, self._drawing = console, Drawing(console)

    def play(self, most_hands: int | None) -> None:
        """Play until the player quits or has finished so many hands."""
        table, finished = self._session.table, 0
        self._drawing.say(f"{table.game.rules.describe()}")
        self._drawing.say(f"You play against {self._opponent.agent.name}. h for help, q to leave.")
        while most_hands is None or finished < most_hands:
            if table.is_over:
                self._session.next_hand()
            self._drawing.hand_begins(seat_view(table))
            if not self._play_hand():
                return
            finished += 1

    def _play_hand(self) -> bool:
        """Play the hand to its end; False if the player left before."""
        table = self._session.table
        while not table.is_over:
            if table.is_humans_turn:
                action = self._chosen(seat_view(table))
                if action is None:
                    return False
                before = situation_at(table)
                self._session.act(action)
                if self._adviser.comments:
                    self._adviser.comment(before, action)
            else:
                self._opponent_acts()
        view = seat_view(table)
        if view.result is not None:
            winnings = self._session.winnings.text(table.game.rules)
            self._drawing.result(view, view.result, winnings)
        return True

    def _opponent_acts(self) -> None:
        table = self._session.table
        question = table.question()
        if question is None:
            return
        view = seat_view(table)
        is_shown = self._console.is_terminal and self._opponent.searches(view.street)
        solving = f"The opponent solves the {view.street_name} …"
        if is_shown:
            with self._console.status(solving) as status:
                bar = partial(_shown, status, solving)
                strategy = self._opponent.strategies([question], bar)[0]
        else:
            strategy = self._opponent.strategies([question])[0]
        self._session.answer(strategy)
        self._drawing.move([m for m in seat_view(table).moves if m.by == OPPONENT][-1])

    def _chosen(self, view: SeatView) -> int | None:
        """The player's action; None to leave."""
        self._drawing.table(view)
        keys = {choice.action[0]: choice for choice in view.choices}
        offered = "   ".join(f"{key}: {choice.label}" for key, choice in keys.items())
        while True:
            self._drawing.say(f"{offered}   (a advice, h help, q quit)", "bold")
            key = read_key()
            if key in _QUIT:
                return None
            if key in ("h", "?"):
                self._drawing.say(HELP)
            elif key == "a":
                self._adviser.advise(self._session.table)
            elif key == "w":
                self._adviser.show_ranges(self._session.table)
            elif key in keys:
                return ACTION_NAMES.index(keys[key].action)
            else:
                shown = ascii(key)[:40]
                offered_keys = ", ".join([*keys, "a", "w", "h"])
                print(f"{shown} is no key here; press {offered_keys} or q", file=sys.stderr)


def _shown(status: Status, text: str, what: str, total: int) -> Advance:
    """How far search is, beside the moving sign that something is done."""
    done = 0

    def advance(more: int) -> None:
        nonlocal done
        done += more
        status.update(f"{text} {done / total:.0%}")

    return advance
