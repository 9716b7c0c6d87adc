"""Questions to the coach over HTTP: which there are, and the bounds that they must keep.

They are all GET requests that change nothing. `Host`, `Origin` and token are checked before
(`access`). Each question has its parameters and no others, each at most once and of bounded length;
a question that makes no sense gets one line of complaint.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from agents.agent import AgentError
from interfaces.storage import SessionError
from interfaces.table import TableError
from interfaces.web.coaching import Coaching
from interfaces.web.messages import MessageError
from interfaces.web.thinking import BusyError
from models.messages import one_line
from models.storage import StorageError

LONGEST = 300  # characters of a parameter
_MOST_DIGITS = 9
_FAILURES = (MessageError, TableError, SessionError, AgentError, StorageError, ValueError)
Answer = Callable[[Coaching, dict[str, str]], Awaitable[Response]]


def routes(coaching: Coaching) -> list[Route]:
    """A route for each question."""
    return [
        Route(path, partial(_answered, coaching, answer, parameters))
        for path, (answer, parameters) in QUESTIONS.items()
    ]


async def _answered(
    coaching: Coaching, answer: Answer, parameters: tuple[str, ...], request: Request
) -> Response:
    """The answer to a question, or a complaint in one line."""
    try:
        return await answer(coaching, _parameters(request, parameters))
    except BusyError as error:
        return JSONResponse({"error": one_line(error)}, 503)
    except _FAILURES as error:
        return JSONResponse({"error": one_line(error)}, 400)


def _parameters(request: Request, names: tuple[str, ...]) -> dict[str, str]:
    """The parameters of a question; those that are not given are empty."""
    given = request.query_params.multi_items()
    for name, value in given:
        if name not in names:
            raise MessageError(f"parameters here are {', '.join(names) or 'none'}")
        if len(value) > LONGEST:
            raise MessageError(f"{name} is too long")
    found = dict(given)
    if len(found) != len(given):
        raise MessageError("a parameter is given twice")
    return {name: found.get(name, "") for name in names}


def _number(parameters: dict[str, str], name: str) -> int:
    text = parameters[name]
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise MessageError(f"{name} is a whole number")
    return int(text)


async def _models(coaching: Coaching, given: dict[str, str]) -> Response:
    return JSONResponse(coaching.models())


async def _analyse(coaching: Coaching, given: dict[str, str]) -> Response:
    return JSONResponse(await coaching.situation(**given))


async def _moment(coaching: Coaching, given: dict[str, str]) -> Response:
    hand, step = _number(given, "hand"), _number(given, "step")
    return JSONResponse(await coaching.moment(given["session"], hand, step))


async def _hand(coaching: Coaching, given: dict[str, str]) -> Response:
    return JSONResponse(await coaching.hand(given["session"], _number(given, "hand")))


async def _report(coaching: Coaching, given: dict[str, str]) -> Response:
    return JSONResponse(await coaching.report(given["session"]))


async def _review(coaching: Coaching, given: dict[str, str]) -> Response:
    return JSONResponse(await coaching.review(given["session"]))


async def _history(coaching: Coaching, given: dict[str, str]) -> Response:
    hand = _number(given, "hand") if given["hand"] else None
    text, name = coaching.history(given["session"], given["format"], hand)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return PlainTextResponse(text, headers=headers)


QUESTIONS: dict[str, tuple[Answer, tuple[str, ...]]] = {
    "/models": (_models, ()),
    "/analyse": (_analyse, ("model", "search", "hand", "board", "line")),
    "/moment": (_moment, ("session", "hand", "step")),
    "/hand": (_hand, ("session", "hand")),
    "/review": (_review, ("session",)),
    "/report": (_report, ("session",)),
    "/history": (_history, ("session", "format", "hand")),
}
