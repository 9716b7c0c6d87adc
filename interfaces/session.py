"""A table that outlasts the program: every action is on disk before anybody hears of it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from env.arrays import Floats
from env.game import Game, load_game
from interfaces.seat_view import seat_view
from interfaces.storage import HandRow, SessionError, SessionRow, Store
from interfaces.table import Hand, Table, saved_hand
from interfaces.winnings import Winnings


class Session:
    """A table with its file and its winnings."""

    def __init__(self, store: Store, row: SessionRow, table: Table, won: list[int]) -> None:
        self.row = row
        self.table = table
        self.won = won  # chips of each finished hand
        self.winnings = Winnings.of(won)
        self._store = store

    @classmethod
    def start(cls, store: Store, game: Game, opponent: str, seed: int) -> Session:
        """A new session with its first hand dealt."""
        table = Table(game, seed)
        row = store.create(game.rules, opponent, seed, table.hand.deal)
        return cls(store, row, table, [])

    @classmethod
    def resume(cls, store: Store, name: str) -> Session:
        """A session as it was left, in mid-hand or between two hands."""
        row = store.session(name)
        game = load_game(row.rules)
        try:
            hands = store.hands(name)
            last = _hand(game, hands[-1])
            won = [hand.won for hand in hands if hand.won is not None]
            table = Table(game, row.seed, last)
        except (ValueError, TypeError, IndexError) as error:
            raise SessionError(f"session {name} is damaged: {error}") from None
        return cls(store, row, table, won)

    def act(self, action: int) -> None:
        """The human's action."""
        before = self.table.hand
        self.table.act(action)
        self._write(before)

    def answer(self, strategy: Floats) -> None:
        """The opponent's action, drawn from its strategy."""
        before = self.table.hand
        self.table.answer(strategy)
        self._write(before)

    def next_hand(self) -> None:
        """Deal the next hand."""
        before = self.table.hand
        self.table.next_hand()
        try:
            self._store.begin_hand(self.row.id, self.table.hand.number, self.table.hand.deal)
        except SessionError:
            self.table.hand = before
            raise

    def _write(self, before: Hand) -> None:
        """Save the action that has just been played; undo it if that fails."""
        table = self.table
        won = table.won if table.is_over else None
        row = HandRow(before.number, before.deal, table.game.tree.text(before.node), None)
        try:
            self._store.write(self.row.id, row, table.history, won)
        except SessionError:
            table.hand = before
            raise
        if won is not None:
            self.won.append(won)
            self.winnings = self.winnings.with_hand(won)


def json_lines(store: Store, name: str) -> Iterator[str]:
    """The finished hands of a session, an object for each, as the human saw them.

    The opponent's cards are there only where they were shown. The seed is not: it would tell the
    deals to come.
    """
    row = store.session(name)
    game = load_game(row.rules)
    for hand in store.hands(name):
        if hand.won is not None:
            yield one_json_line(row, game, hand)


def one_json_line(row: SessionRow, game: Game, hand: HandRow) -> str:
    """A finished hand of a session as the human saw it."""
    return json.dumps({"session": row.id, "opponent": row.opponent, **_entry(game, hand)})


def saved_table(row: SessionRow, hand: HandRow) -> Table:
    """A table on which a hand of a session lies as it was saved; for looking at it only."""
    game = load_game(row.rules)
    try:
        return Table(game, 0, _hand(game, hand))
    except (ValueError, TypeError, IndexError) as error:
        raise SessionError(f"session {row.id} is damaged: {error}") from None


def _hand(game: Game, row: HandRow) -> Hand:
    return saved_hand(game, row.number, list(row.deal), row.history)


def _entry(game: Game, row: HandRow) -> dict[str, object]:
    view = seat_view(Table(game, 0, _hand(game, row)))
    return {
        "game": game.rules.name,
        "hand": view.hand,
        "seat": row.number % 2,
        "own_cards": view.own_cards,
        "opponent_cards": view.opponent_cards,
        "board": view.board,
        "history": row.history,
        "moves": [f"{move.by} {move.text}" for move in view.moves],
        "won_chips": row.won,
    }
