"""The table as text: cards in frames on a terminal, in one line elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from interfaces.seat_view import YOU, HandResult, PlayedMove, SeatView

# Four colours, as card rooms on screen have them; the symbols alone tell the suits apart.
_SUITS = {"s": ("♠", "bold"), "h": ("♥", "bold red"), "d": ("♦", "bold blue"), "c": ("♣", "green")}
_LABEL_WIDTH = 10


class Drawing:
    """Writes what happens at the table to a console."""

    def __init__(self, console: Console) -> None:
        self._console = console
        try:
            "♠♥♦♣╭╮".encode(console.encoding)
            self._has_symbols = True
        except UnicodeEncodeError:
            self._has_symbols = False
        self._has_frames = self._has_symbols and console.is_terminal

    def say(self, text: str, style: str = "") -> None:
        """A line, never cut nor read as markup."""
        plain = text if self._has_symbols else text.encode("ascii", "replace").decode()
        self._console.print(Text(plain, style), soft_wrap=True)

    def hand_begins(self, view: SeatView) -> None:
        """A line above each hand."""
        button = {"": "", YOU: ", you have the button"}.get(view.button, ", opponent's button")
        self.say(f"\n--- hand {view.hand}{button} ---", "bold")

    def table(self, view: SeatView) -> None:
        """Both hands, the board and the chips."""
        number_of_cards = len(view.own_cards)
        hidden = ["??"] * number_of_cards
        total = view.pot + sum(view.bets)
        self._row("opponent", view.opponent_cards or hidden, f"bet {view.bets[1]}")
        if view.board:
            self._row("board", view.board, f"pot {total}")
        else:
            self.say(f"{'board':<{_LABEL_WIDTH}}no cards yet   pot {total}")
        self._row("you", view.own_cards, f"bet {view.bets[0]}")

    def move(self, move: PlayedMove) -> None:
        """What the opponent did."""
        self.say(f"The opponent {move.text}.", "cyan")

    def result(self, view: SeatView, result: HandResult, winnings: str) -> None:
        """How the hand ended, and how the session stands."""
        if result.showdown:
            self.table(view)
            self.say(f"You have {_a(result.own_made)}, the opponent {_a(result.opponent_made)}.")
        if result.won > 0:
            self.say(f"You win {result.won} chips.", "bold green")
        elif result.won < 0:
            self.say(f"You lose {-result.won} chips.", "bold red")
        else:
            self.say("The pot is split.", "bold")
        self.say(winnings, "dim")

    def _row(self, label: str, cards: Sequence[str], chips: str) -> None:
        """A label, cards and a figure."""
        if not self._has_frames:
            line = Text(f"{label:<{_LABEL_WIDTH}}")
            for card in cards:
                line.append("[").append_text(self._card(card)).append("] ")
            self._console.print(line.append(f"  {chips}"), soft_wrap=True)
            return
        blank = " " * _LABEL_WIDTH
        middle = Text(f"{label:<{_LABEL_WIDTH}}")
        for card in cards:
            middle.append("│ ").append_text(self._card(card)).append(" │")
        self._console.print(blank + "╭────╮" * len(cards))
        self._console.print(middle.append(f"   {chips}"))
        self._console.print(blank + "╰────╯" * len(cards))

    def _card(self, card: str) -> Text:
        """Such as `A♠`, or `As` where the symbol cannot be written."""
        symbol, style = _SUITS.get(card[1], (card[1], "dim"))
        return Text(card[0] + (symbol if self._has_symbols else card[1]), style)


def _a(made: str) -> str:
    return made if made[:3] in ("two", "thr", "fou") else f"a {made}"
