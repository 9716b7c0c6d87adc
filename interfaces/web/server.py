"""The server: three pages with their files, one WebSocket, questions to the coach."""

from __future__ import annotations

import socket
import webbrowser
from functools import partial
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from interfaces.storage import Store
from interfaces.web.access import AccessCheck, Policy, address, policy_for
from interfaces.web.coaching import Coaching
from interfaces.web.connections import Connections
from interfaces.web.menu import PRETRAINED, find_opponents
from interfaces.web.messages import LONGEST
from interfaces.web.questions import routes
from interfaces.web.rooms import Rooms

CHECKPOINTS = Path("checkpoints")
STATIC = Path(__file__).parent / "static"
PAGES = {"/": "index.html", "/review": "review.html", "/analyse": "analyse.html"}


def make_app(store: Store, policy: Policy, checkpoints: Path = CHECKPOINTS) -> Starlette:
    """The application, for visitors that a policy lets in."""
    rooms = Rooms(store, partial(find_opponents, checkpoints))
    return Starlette(
        routes=[
            *(Route(path, partial(_page, file)) for path, file in PAGES.items()),
            Mount("/api", routes=routes(Coaching(rooms, checkpoints / PRETRAINED))),
            WebSocketRoute("/ws", Connections(rooms).serve),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(AccessCheck, policy=policy)],
    )


async def _page(file: str, request: Request) -> FileResponse:
    return FileResponse(STATIC / file)


def serve(store: Store, host: str, port: int, *, opens_browser: bool) -> None:
    """Serve until Ctrl-C."""
    with listening(host, port) as listener:
        port = listener.getsockname()[1]
        policy = policy_for(host, port)
        url = address(host, port, policy)
        print(
            f"the table is at {url}\nCtrl-C ends it; sessions are kept in {store.path}", flush=True
        )
        if opens_browser:
            webbrowser.open(url)
        make_server(make_app(store, policy)).run(sockets=[listener])


def listening(host: str, port: int) -> socket.socket:
    """A socket that takes connections from now on, so that a browser may be opened at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Where the protocol is named, asyncio sends small messages at once.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise OSError(f"cannot listen on {host}, port {port}: {error.strerror or error}") from None
    listener.listen()
    return listener


def make_server(app: Starlette) -> uvicorn.Server:
    """uvicorn with bounds on what it reads, and nothing that tells visitors about it."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            lifespan="off",
            proxy_headers=False,
            server_header=False,
            ws="websockets-sansio",
            ws_max_size=4 * LONGEST,  # bytes; a character takes up to four
            timeout_graceful_shutdown=1,
        )
    )
