"""Who may talk to the server.

A page of another site that is open in the same browser could send requests here. Browsers say in
`Origin` which page a request comes from and in `Host` whom it was meant for: both must be this
server. That also stops names that an attacker lets point to 127.0.0.1. Where the server listens
on more than this computer, visitors need a token besides; the printed address contains it, and
opening it puts it into a cookie.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")
COOKIE = "play_token"
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


@dataclass(frozen=True)
class Policy:
    """What is asked of visitors."""

    hosts: frozenset[str] | None  # that `Host` may name; None: any, where every address is served
    token: str | None = None


def policy_for(host: str, port: int) -> Policy:
    """What to ask of visitors of a server that listens on a host."""
    if host in LOOPBACK:
        return Policy(frozenset(_with_port(name, port) for name in LOOPBACK))
    hosts = None if host in EVERYWHERE else frozenset({_with_port(host, port)})
    return Policy(hosts, secrets.token_urlsafe(18))


def address(host: str, port: int, policy: Policy) -> str:
    """What to open in a browser."""
    shown = "127.0.0.1" if host in EVERYWHERE else host
    token = f"/?token={policy.token}" if policy.token else "/"
    return f"http://{_with_port(shown, port)}{token}"


class AccessCheck:
    """Stands before the application and turns strangers away."""

    def __init__(self, app: ASGIApp, policy: Policy) -> None:
        self._app, self._policy = app, policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        complaint = self._complaint(scope)
        if complaint is not None and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif complaint is not None:
            await complaint(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._app(scope, receive, send)
        else:
            await self._app(scope, receive, _with_headers(send))

    def _complaint(self, scope: Scope) -> Response | None:
        """What a stranger is told; None for those who may come in."""
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if self._policy.hosts is not None and host.lower() not in self._policy.hosts:
            return PlainTextResponse("this server has another name", 403)
        if origin is None and scope["type"] == "websocket":
            return PlainTextResponse("Origin is missing", 403)
        if origin is not None and origin.lower() != f"http://{host.lower()}":
            return PlainTextResponse("requests from other pages are refused", 403)
        token = self._policy.token
        if token is None or _is_token(_cookie(headers), token):
            return None
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if scope["type"] == "http" and _is_token(given, token):
            entrance = RedirectResponse("/", 303)
            entrance.set_cookie(COOKIE, token, httponly=True, samesite="strict")
            return entrance
        return PlainTextResponse("open the address that play.py printed, with its token", 401)


def _with_port(host: str, port: int) -> str:
    """As `Host` names it; browsers leave the usual port out."""
    name = f"[{host}]" if ":" in host else host
    return name if port == 80 else f"{name}:{port}"


def _is_token(given: str, token: str) -> bool:
    return secrets.compare_digest(given.encode(), token.encode())


def _cookie(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def _with_headers(send: Send) -> Send:
    """Answers that browsers keep to themselves."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(_HEADERS)
        await send(message)

    return sending
