"""Saved sessions looked back at: finished hands as the coach and as other programs read them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from env.game import load_game
from interfaces.coach.history import Entry, phh_text, pokerstars_text
from interfaces.coach.played import PlayedHand
from interfaces.session import json_lines, one_json_line
from interfaces.storage import HandRow, SessionError, SessionRow, Store

JSONL, POKERSTARS, PHH = "jsonl", "pokerstars", "phh"


def played(row: SessionRow, hand: HandRow) -> PlayedHand:
    """A finished hand as the coach looks at it, from the human's seat."""
    try:
        return PlayedHand(load_game(row.rules), hand.deal, hand.history, hand.number % 2)
    except (ValueError, TypeError, IndexError) as error:
        raise SessionError(f"session {row.id} is damaged: {error}") from None


def history_text(store: Store, session: str, form: str, number: int | None = None) -> str:
    """Finished hands, or one of them, as text in one of the formats."""
    row = store.session(session)
    hands = store.hands(session) if number is None else [store.hand(session, number)]
    finished = [hand for hand in hands if hand.won is not None]
    if number is not None and not finished:
        raise SessionError(f"hand {number + 1} is not over")
    if form == JSONL:
        if number is not None:
            return one_json_line(row, load_game(row.rules), finished[0]) + "\n"
        return "".join(f"{line}\n" for line in json_lines(store, session))
    if form == POKERSTARS and not row.rules.is_holdem:
        raise SessionError(f"{row.rules.name} has no form as PokerStars-like text")
    entries = [_entry(row, hand) for hand in finished]
    try:
        if form == POKERSTARS:
            return pokerstars_text(entries)
        return phh_text(entries[0]) if number is not None else "\n".join(_numbered(entries))
    except ValueError as error:  # a game that the format does not know
        raise SessionError(str(error)) from None


def _numbered(entries: list[Entry]) -> Iterator[str]:
    """Hands as the sections of one PHH file, which is how many of them are kept together."""
    for place, entry in enumerate(entries, start=1):
        yield f"[{place}]\n{phh_text(entry)}"


def _entry(row: SessionRow, hand: HandRow) -> Entry:
    """A hand with the names that its text needs, without what no showdown has shown."""
    one = played(row, hand)
    names = ("You", plain_name(row.opponent))
    return Entry(one, hand.number + 1, names if one.seat == 0 else names[::-1], shows_all=False)


def plain_name(spec: str) -> str:
    """An opponent's name in a hand history, where colons, spaces and line breaks mean something."""
    name = "-".join(Path(part).name for part in spec.split(":"))
    return "".join(c if c.isalnum() or c in "-_.=,%" else "_" for c in name) or "opponent"
