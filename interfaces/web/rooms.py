"""Sessions that pages look at. Two pages on one session see the same hand and both may act."""

from __future__ import annotations

import asyncio
import dataclasses
import secrets
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from typing import Any

from env.actions import ACTION_NAMES
from interfaces.opponents import Opponent, short_name
from interfaces.seat_view import seat_view
from interfaces.session import Session
from interfaces.storage import SessionError, Store
from interfaces.table import TableError
from interfaces.web.menu import Menu
from interfaces.web.messages import Act, NewSession, NextHand
from interfaces.web.thinking import Thinker
from models.messages import one_line

Json = dict[str, Any]
Listener = Callable[[Json], None]  # takes what a page is told


class Room:
    """A session in play."""

    def __init__(self, store: Store, session: Session, opponent: Opponent, thinker: Thinker):
        self.session = session
        self.listeners: set[Listener] = set()
        self._store, self._opponent, self._thinker = store, opponent, thinker
        self._thinking: asyncio.Task[None] | None = None

    @property
    def is_idle(self) -> bool:
        """Nobody looks, and the opponent does not think."""
        return not self.listeners and (self._thinking is None or self._thinking.done())

    def introduction(self) -> Json:
        """What a page needs once."""
        rules = self.session.table.game.rules
        return {
            "type": "session",
            "session": self.session.row.id,
            "opponent": self._opponent.agent.name,
            "game": rules.describe(),
            "chip": rules.smallest_chips,
            "streets": rules.street_names,
            "graph": list(accumulate(self.session.won, initial=0)),
        }

    def state(self) -> Json:
        """The hand as the human sees it, and the winnings."""
        session, view = self.session, seat_view(self.session.table)
        rules, winnings = session.table.game.rules, session.winnings
        return {
            "type": "state",
            "session": session.row.id,
            **dataclasses.asdict(view),
            "searching": view.to_act == "opponent" and self._opponent.searches(view.street),
            "hands": winnings.hands,
            "chips": winnings.chips,
            "rate": winnings.small_bets_per_100(rules),
            "interval": winnings.interval(rules),
        }

    def act(self, message: Act) -> None:
        """The human's action; an error if the page was not showing this decision."""
        view = seat_view(self.session.table)
        if (message.hand, message.step) != (view.hand, view.step):
            raise TableError("the hand has moved on")
        self._change(partial(self.session.act, ACTION_NAMES.index(message.action)))

    def next_hand(self, message: NextHand) -> None:
        """Deal the next hand; an error if the page was showing another one."""
        if message.hand != self.session.table.hand.number + 1:
            raise TableError("the hand has moved on")
        self._change(self.session.next_hand)

    def wake(self) -> None:
        """Let the opponent think if it is to act."""
        idle = self._thinking is None or self._thinking.done()
        if idle and self.session.table.question() is not None:
            self._thinking = asyncio.create_task(self._think())

    def tell(self, message: Json) -> None:
        """Tell every page."""
        for listener in list(self.listeners):
            listener(message)

    def _tell_progress(self, done: int, total: int) -> None:
        session = self.session.row.id
        self.tell({"type": "progress", "session": session, "done": done, "total": total})

    def _change(self, change: Callable[[], None]) -> None:
        """Change the session and tell everybody; read it again if another program changed it."""
        try:
            change()
        except SessionError:
            self.session = Session.resume(self._store, self.session.row.id)
            self.tell(self.introduction())
            self.tell(self.state())
            raise
        finally:
            self.wake()
        self.tell(self.state())

    async def _think(self) -> None:
        """The opponent's actions until the human is to act."""
        while (question := self.session.table.question()) is not None:
            asked = self.session
            try:
                strategy = await self._thinker.ask(self._opponent, question, self._tell_progress)
                if self.session is asked:
                    self._change(partial(asked.answer, strategy))
            except Exception as error:  # the table stays as it is; joining again asks again
                self.tell({"type": "error", "text": f"the opponent: {one_line(error)}"})
                return


class Rooms:
    """All sessions in play."""

    def __init__(self, store: Store, menu: Callable[[], Menu]) -> None:
        self.thinker = Thinker()
        self.store, self.menu = store, menu
        self._rooms: dict[str, Room] = {}

    def lobby(self) -> Json:
        """What a page needs before anybody plays."""
        sessions = [
            {
                "session": summary.row.id,
                "started": summary.row.started,
                "game": summary.row.rules.name,
                "opponent": short_name(summary.row.opponent),
                "hands": summary.hands,
                "chips": summary.chips,
            }
            for summary in self.store.summaries()[:50]
        ]
        return {"type": "lobby", "opponents": self.menu().to_json(), "sessions": sessions}

    async def new(self, wish: NewSession) -> Room:
        """A room with a new session."""
        spec, rules = self.menu().chosen(wish)
        opponent = await self.thinker.opponent(spec, rules)
        seed = secrets.randbits(63)
        session = Session.start(self.store, opponent.game, opponent.spec, seed)
        room = Room(self.store, session, opponent, self.thinker)
        self._rooms[session.row.id] = room
        return room

    async def join(self, name: str) -> Room:
        """The room of a session, which is read from its file if nobody plays it."""
        if name not in self._rooms:
            row = self.store.session(name)
            opponent = await self.thinker.opponent(row.opponent, row.rules)
            if name not in self._rooms:  # nobody else has opened it meanwhile
                session = Session.resume(self.store, name)
                self._rooms[name] = Room(self.store, session, opponent, self.thinker)
        return self._rooms[name]

    def leave(self, room: Room, listener: Listener) -> None:
        """A page has gone; rooms that nobody needs are closed."""
        room.listeners.discard(listener)
        self._rooms = {name: one for name, one in self._rooms.items() if not one.is_idle}
