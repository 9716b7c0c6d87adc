"""One page: its messages in, everything that it is told out."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress

from starlette.websockets import WebSocket, WebSocketDisconnect

from agents.agent import AgentError
from interfaces.storage import SessionError
from interfaces.table import TableError
from interfaces.web.messages import Join, MessageError, NewSession, NextHand, read_message
from interfaces.web.rooms import Json, Room, Rooms
from models.messages import one_line
from models.storage import StorageError

MOST_CONNECTIONS = 200
MOST_NEW_SESSIONS = 100  # of one page
_UNREAD = 256  # messages kept for a page that does not read
_FAILURES = (MessageError, TableError, SessionError, AgentError, StorageError, ValueError)


class Connections:
    """All pages."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._open = 0

    async def serve(self, socket: WebSocket) -> None:
        """Talk to a page until it goes."""
        if self._open >= MOST_CONNECTIONS:
            await socket.close(1013)
            return
        await socket.accept()
        self._open += 1
        try:
            await Connection(socket, self._rooms).run()
        finally:
            self._open -= 1


class Connection:
    """A page that looks at the lobby or at one session."""

    def __init__(self, socket: WebSocket, rooms: Rooms) -> None:
        self._socket, self._rooms = socket, rooms
        self._room: Room | None = None
        self._new_sessions = 0
        self._unsent: asyncio.Queue[Json] = asyncio.Queue(_UNREAD)

    async def run(self) -> None:
        """Answer message after message; a second task sends."""
        sender = asyncio.create_task(self._send_all())
        try:
            await self._unsent.put(self._rooms.lobby())
            while not sender.done():
                text = await self._received()
                for answer in await self._answers(text):
                    await self._unsent.put(answer)
        except WebSocketDisconnect:
            pass
        finally:
            sender.cancel()
            if self._room is not None:
                self._rooms.leave(self._room, self.hear)

    def hear(self, message: Json) -> None:
        """What happens in the room. A page that does not read misses what is oldest."""
        if self._unsent.full():
            self._unsent.get_nowait()
        self._unsent.put_nowait(message)

    async def _received(self) -> str:
        """The text of the next message; "" for bytes, which no message has."""
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        return message.get("text") or ""

    async def _answers(self, text: str) -> list[Json]:
        """Act on a message; what only this page is told."""
        try:
            message = read_message(text)
            if isinstance(message, (NewSession, Join)):
                return await self._sit_down(message)
            if self._room is None or message.session != self._room.session.row.id:
                raise MessageError("this page does not show that session")
            if isinstance(message, NextHand):
                self._room.next_hand(message)
            else:
                self._room.act(message)
        except _FAILURES as error:
            return [{"type": "error", "text": one_line(error)}]
        return []

    async def _sit_down(self, message: NewSession | Join) -> list[Json]:
        """Show a session, a new or an old one."""
        if isinstance(message, NewSession):
            if self._new_sessions >= MOST_NEW_SESSIONS:
                raise MessageError("enough new sessions; load the page again")
            self._new_sessions += 1
            room = await self._rooms.new(message)
        else:
            room = await self._rooms.join(message.session)
        if self._room is not None:
            self._rooms.leave(self._room, self.hear)
        self._room = room
        room.listeners.add(self.hear)
        room.wake()
        return [room.introduction(), room.state()]

    async def _send_all(self) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):  # the page has gone
            while True:
                message = await self._unsent.get()
                await self._socket.send_text(json.dumps(message, separators=(",", ":")))
