"""What a page may say to the server: four messages, each with its fields and nothing else."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeAlias

from env.actions import ACTION_NAMES

LONGEST = 1_000  # characters
_LARGEST = 10**9  # hands and steps stay far below
_LONGEST_NAME = 300


class MessageError(ValueError):
    """A message that is not one of the four; the text says why in one line."""


@dataclass(frozen=True)
class NewSession:
    """Sit down with an opponent of the menu."""

    opponent: str  # its key in the menu
    search: bool
    random: int  # per cent of its decisions that are left to chance


@dataclass(frozen=True)
class Join:
    """Go on with a session."""

    session: str


@dataclass(frozen=True)
class Act:
    """An action of the human's; hand and step say which decision the page was showing."""

    session: str
    hand: int
    step: int
    action: str


@dataclass(frozen=True)
class NextHand:
    """Deal the hand after this one."""

    session: str
    hand: int


Message: TypeAlias = NewSession | Join | Act | NextHand

_TYPES: dict[str, type[Message]] = {
    "new": NewSession,
    "join": Join,
    "act": Act,
    "next": NextHand,
}
_FIELD_TYPES = {"str": str, "int": int, "bool": bool}


def read_message(text: str) -> Message:
    """A message, or a `MessageError`."""
    if len(text) > LONGEST:
        raise MessageError(f"a message has at most {LONGEST} characters")
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        raise MessageError("a message is a JSON object") from None
    if not isinstance(given, dict):
        raise MessageError("a message is a JSON object")
    kind = given.pop("type", None)
    if not isinstance(kind, str) or kind not in _TYPES:
        raise MessageError(f"the type of a message is one of {', '.join(_TYPES)}")
    message_type = _TYPES[kind]
    fields = {name: _FIELD_TYPES[hint] for name, hint in message_type.__annotations__.items()}
    if set(given) != set(fields):
        raise MessageError(f"{kind} has the fields {', '.join(fields)}")
    for name, value in given.items():
        _check(name, value, fields[name])
    return message_type(**given)


def _check(name: str, value: Any, expected: type) -> None:
    if type(value) is not expected:
        raise MessageError(f"{name} is of another type")
    if isinstance(value, str) and len(value) > _LONGEST_NAME:
        raise MessageError(f"{name} is too long")
    if isinstance(value, int) and not 0 <= value <= (100 if name == "random" else _LARGEST):
        raise MessageError(f"{name} is out of range")
    if name == "action" and value not in ACTION_NAMES:
        raise MessageError(f"an action is one of {', '.join(ACTION_NAMES)}")
