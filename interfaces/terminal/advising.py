"""The coach at the terminal: advice when it is asked for, and a comment after each decision."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console

from agents.agent import AgentError
from interfaces.coach.analysis import strategy_text, values_text, verdict_text
from interfaces.coach.at_table import situation_at
from interfaces.coach.range_grid import NO_CARDS, range_grids
from interfaces.coach.range_text import range_text
from interfaces.coach.situation import Situation
from interfaces.opponents import Opponent
from interfaces.table import Table
from interfaces.terminal.drawing import Drawing


class Adviser:
    """Says what a reference thinks of a hand in play. The reference is loaded when first needed."""

    def __init__(self, load: Callable[[], Opponent], console: Console, *, comments: bool) -> None:
        self.comments = comments  # after each decision
        self._load, self._console, self._drawing = load, console, Drawing(console)
        self._reference: Opponent | None = None

    def load(self) -> None:
        """Load the reference now; an error if it cannot judge."""
        self._reference = self._load()

    def advise(self, table: Table) -> None:
        """What the reference would do here, and what each action is worth."""
        reference = self._loaded()
        if reference is None:
            return
        with self._console.status("The coach is at work …"):
            advice = reference.coach.advise(situation_at(table))
        self._say(f"The coach ({reference.agent.name}) would play: {strategy_text(advice)}.")
        self._say(values_text(advice))

    def show_ranges(self, table: Table) -> None:
        """Who holds what at this moment, as the reference sees it."""
        reference = self._loaded()
        if reference is None:
            return
        view, seat = table.human_view(), table.hand.human_seat
        known = (NO_CARDS, view[:2]) if seat == 0 else (view[:2], NO_CARDS)
        with self._console.status("The coach is at work …"):
            grids = range_grids(reference.coach.reference, view[2:], table.hand.node, known)
        self._say(range_text(grids[1 - seat], "The opponent may hold"))
        self._say(range_text(grids[seat], "You may hold, as the opponent sees it"))

    def comment(self, before: Situation, action: int) -> None:
        """What a decision was worth."""
        reference = self._loaded()
        if reference is None:
            return
        with self._console.status("The coach is at work …"):
            advice = reference.coach.advise(before)
        self._say(f"Coach: {verdict_text(advice, action)}")
        self._say(f"       {reference.agent.name} plays {strategy_text(advice)}.")

    def _say(self, text: str) -> None:
        for line in text.splitlines():
            self._drawing.say(line, "magenta")

    def _loaded(self) -> Opponent | None:
        """The reference; a line instead of it where nobody can judge this game."""
        if self._reference is None:
            try:
                self.load()
            except AgentError as error:
                self._drawing.say(f"There is no coach: {error}", "yellow")
                self.comments = False
        return self._reference
