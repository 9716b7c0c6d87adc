"""Sessions on disk: one SQLite file, in which every action is a transaction of its own.

Write-ahead logging lets a browser and a terminal read and write side by side, and a program that is
killed loses at most the action in flight. An action is written only if the hand is still as its
player saw it, so two programs that play one session cannot mix their hands up.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from env.rules import Rules, RulesError

SCHEMA_VERSION = 2
DATABASE = Path("runs", "play", "sessions.sqlite3")
_SCHEMA = """
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    started TEXT NOT NULL,
    rules TEXT NOT NULL,     -- as JSON
    opponent TEXT NOT NULL,  -- as agents.load takes it
    seed INTEGER NOT NULL
);
CREATE TABLE hands (
    session TEXT NOT NULL REFERENCES sessions (id),
    number INTEGER NOT NULL,  -- from 0; the human is player number % 2
    deal TEXT NOT NULL,       -- as env.deals orders it
    history TEXT NOT NULL,    -- the betting line
    won INTEGER,              -- chips, by the human; NULL until the hand is over
    PRIMARY KEY (session, number)
);
"""
# What version 2 adds; a file of version 1 is brought up to it when it is opened.
_REVIEWS = """
CREATE TABLE reviews (
    session TEXT NOT NULL REFERENCES sessions (id),
    number INTEGER NOT NULL,
    reference TEXT NOT NULL,  -- who judged, see interfaces.coach.choosing
    review TEXT NOT NULL,     -- as JSON
    PRIMARY KEY (session, number, reference)
)
"""


Review: TypeAlias = dict[str, Any]


class SessionError(ValueError):
    """A session that cannot be had or changed; the message says why in one line."""


@dataclass(frozen=True)
class SessionRow:
    """What a session was started with."""

    id: str
    started: str  # date and time
    rules: Rules
    opponent: str
    seed: int


@dataclass(frozen=True)
class HandRow:
    """A hand as it stands."""

    number: int  # from 0
    deal: tuple[int, ...]
    history: str
    won: int | None  # None until the hand is over


@dataclass(frozen=True)
class Summary:
    """A line of the list of sessions."""

    row: SessionRow
    hands: int  # finished
    chips: int


class Store:
    """The file of sessions."""

    def __init__(self, path: Path = DATABASE) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            # The server's event loop may run in another thread than the one that opens the file.
            self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._prepare()
        except sqlite3.Error as error:
            raise SessionError(f"{path} is no readable file of sessions: {error}") from None

    def close(self) -> None:
        self._database.close()

    def create(self, rules: Rules, opponent: str, seed: int, deal: tuple[int, ...]) -> SessionRow:
        """A new session with its first hand."""
        row = SessionRow(
            secrets.token_hex(6), time.strftime("%Y-%m-%d %H:%M:%S"), rules, opponent, seed
        )
        rules_text = json.dumps(rules.as_dict())
        with self._transaction():
            self._execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?, ?)",
                (row.id, row.started, rules_text, opponent, seed),
            )
            self.begin_hand(row.id, 0, deal)
        return row

    def begin_hand(self, session: str, number: int, deal: tuple[int, ...]) -> None:
        """Deal a hand; an error if somebody else has dealt it already."""
        try:
            self._execute(
                "INSERT INTO hands VALUES (?, ?, ?, '', NULL)", (session, number, json.dumps(deal))
            )
        except sqlite3.IntegrityError:
            raise SessionError(_elsewhere(session)) from None

    def write(self, session: str, before: HandRow, history: str, won: int | None) -> None:
        """A hand after an action; an error if it is not as it was `before`."""
        done = self._execute(
            "UPDATE hands SET history = ?, won = ? WHERE session = ? AND number = ? "
            "AND history = ? AND won IS NULL",
            (history, won, session, before.number, before.history),
        )
        if done.rowcount != 1:
            raise SessionError(_elsewhere(session))

    def session(self, session: str) -> SessionRow:
        """What a session was started with."""
        found = self._execute("SELECT * FROM sessions WHERE id = ?", (session,)).fetchone()
        if found is None:
            raise SessionError(f"there is no session {session[:20]!r}; --sessions lists them")
        return self._row(found)

    def hands(self, session: str) -> list[HandRow]:
        """All hands of a session; the last one may be in play."""
        found = self._execute(
            "SELECT number, deal, history, won FROM hands WHERE session = ? ORDER BY number",
            (session,),
        )
        return [_hand_row(row) for row in found]

    def hand(self, session: str, number: int) -> HandRow:
        """One hand of a session."""
        found = self._execute(
            "SELECT number, deal, history, won FROM hands WHERE session = ? AND number = ?",
            (session, number),
        ).fetchone()
        if found is None:
            raise SessionError(f"session {session[:20]} has no hand {number + 1}")
        return _hand_row(found)

    def count_hands(self, session: str) -> int:
        """How many hands of a session were dealt."""
        found = self._execute("SELECT count(*) FROM hands WHERE session = ?", (session,)).fetchone()
        return int(found[0])

    def keep_review(self, session: str, number: int, reference: str, review: Review) -> None:
        """Keep what a coach found in a finished hand; whoever was first stays."""
        self._execute(
            "INSERT OR IGNORE INTO reviews VALUES (?, ?, ?, ?)",
            (session, number, reference, json.dumps(review)),
        )

    def reviews(self, session: str, reference: str) -> dict[int, Review]:
        """What one coach found in the hands of a session, by number."""
        found = self._execute(
            "SELECT number, review FROM reviews WHERE session = ? AND reference = ?",
            (session, reference),
        )
        try:
            return {number: json.loads(text) for number, text in found}
        except ValueError as error:
            raise SessionError(f"reviews of session {session} are damaged: {error}") from None

    def unreviewed(self, session: str, reference: str) -> list[HandRow]:
        """The finished hands of a session that one coach has not looked at yet, in order."""
        found = self._execute(
            "SELECT number, deal, history, won FROM hands WHERE session = ? AND won IS NOT NULL "
            "AND number NOT IN (SELECT number FROM reviews WHERE session = ? AND reference = ?) "
            "ORDER BY number",
            (session, session, reference),
        )
        return [_hand_row(row) for row in found]

    def summaries(self) -> list[Summary]:
        """All sessions, newest first."""
        found = self._execute(
            "SELECT sessions.*, count(won), coalesce(sum(won), 0) FROM sessions "
            "LEFT JOIN hands ON session = id GROUP BY id ORDER BY sessions.rowid DESC"
        )
        return [Summary(self._row(row[:5]), row[5], row[6]) for row in found]

    def _prepare(self) -> None:
        """The schema of a new file; an older or a newer one is refused."""
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        (version,) = self._database.execute("PRAGMA user_version").fetchone()
        if version < SCHEMA_VERSION:
            with self._transaction():
                (version,) = self._database.execute("PRAGMA user_version").fetchone()
                # Somebody else may have written it in the meantime.
                for statement in _SCHEMA.split(";\n") if version == 0 else ():
                    self._database.execute(statement)
                if version < SCHEMA_VERSION:
                    self._database.execute(_REVIEWS)
                    self._database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
                    version = SCHEMA_VERSION
        if version != SCHEMA_VERSION:
            raise SessionError(
                f"{self.path} has version {version} of the schema; this program reads version "
                f"{SCHEMA_VERSION}"
            )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All or nothing of what is written inside."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    def _execute(self, statement: str, values: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        """One statement; a full disk or a damaged file ends in one line."""
        try:
            return self._database.execute(statement, values)
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            raise SessionError(f"{self.path}: {error}") from None

    def _row(self, found: tuple[Any, ...]) -> SessionRow:
        name, started, rules, opponent, seed = found
        try:
            return SessionRow(name, started, Rules.from_dict(json.loads(rules)), opponent, seed)
        except (RulesError, ValueError, TypeError) as error:
            raise SessionError(f"session {name} in {self.path} is damaged: {error}") from None


def _hand_row(found: tuple[Any, ...]) -> HandRow:
    number, deal, history, won = found
    return HandRow(number, tuple(json.loads(deal)), history, won)


def _elsewhere(session: str) -> str:
    return f"session {session} is being played elsewhere; continue it there or load it again"
