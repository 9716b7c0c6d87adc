"""A page as tests play it: the server in a thread, one WebSocket."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from interfaces.storage import Store
from interfaces.web.access import Policy, policy_for
from interfaces.web.server import listening, make_app, make_server

LOCAL = "127.0.0.1"
Json = dict[str, Any]


class Page:
    """What a page does and hears. `bytes_heard` is everything that came over the wire."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.bytes_heard: list[str] = []
        self.lobby = self.hear()

    def hear(self) -> Json:
        text = self.socket.recv(timeout=60)
        assert isinstance(text, str)
        self.bytes_heard.append(text)
        message: Json = json.loads(text)
        return message

    def say(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def sit_down(self, opponent: str, *, search: bool = False, random: int = 0) -> Json:
        """A new session; its first state in which nothing is outstanding."""
        self.say(type="new", opponent=opponent, search=search, random=random)
        assert self.hear()["type"] == "session"
        return self.settled()

    def join(self, session: str) -> Json:
        self.say(type="join", session=session)
        assert self.hear()["type"] == "session"
        return self.settled()

    def settled(self) -> Json:
        """The next state in which the human is to act or the hand is over."""
        while True:
            message = self.hear()
            if message["type"] == "progress":
                continue
            assert message["type"] == "state", message
            if message["to_act"] != "opponent":
                return message

    def act(self, state: Json, action: str) -> Json:
        self.say(
            type="act",
            session=state["session"],
            hand=state["hand"],
            step=state["step"],
            action=action,
        )
        return self.settled()

    def next_hand(self, state: Json) -> Json:
        self.say(type="next", session=state["session"], hand=state["hand"])
        return self.settled()


@contextmanager
def server(path: Path, checkpoints: Path, policy: Policy | None = None) -> Iterator[int]:
    """A server in a thread of this process; its port. Without a policy, that of this computer."""
    store = Store(path)
    with listening(LOCAL, 0) as listener:
        port: int = listener.getsockname()[1]
        app = make_app(store, policy or policy_for(LOCAL, port), checkpoints)
        running = make_server(app)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield port
        finally:
            running.should_exit = True
            thread.join(timeout=30)
    store.close()


@contextmanager
def page(port: int, headers: dict[str, str] | None = None) -> Iterator[Page]:
    """A page of the server's own."""
    address = f"{LOCAL}:{port}"
    with connect(
        f"ws://{address}/ws",
        origin=Origin(f"http://{address}"),
        additional_headers=headers,
    ) as socket:
        yield Page(socket)


def get(port: int, path: str, headers: dict[str, str] | None = None) -> tuple[HTTPResponse, str]:
    """An answer with its text; redirects are not followed."""
    connection = HTTPConnection(LOCAL, port, timeout=30)
    connection.request("GET", path, headers=headers or {})
    answer = connection.getresponse()
    text = answer.read().decode(errors="replace")
    connection.close()
    return answer, text
