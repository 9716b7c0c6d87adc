"""The bots by name; known without loading what they need to play."""

from __future__ import annotations

from pathlib import Path

from env.extensions import is_extension

SINGLE_PREFIX, SEARCH_PREFIX, DILUTED_PREFIX = PREFIXES = ("sdcfr:", "search:", "diluted:")

BOT_NAMES = {
    "random": "every legal action equally often",
    "fold": "folds whenever it can",
    "call": "calls and checks only",
    "raise": "bets and raises whenever it can",
    "honest": "calls when it beats a random hand half of the time, otherwise folds; never raises",
    "loose-passive": "plays most hands, mostly by calling",
    "loose-aggressive": "plays most hands, betting and raising often, sometimes as a bluff",
    "tight-passive": "plays good hands only, mostly by calling",
    "tight-aggressive": "plays good hands only and bets them",
}


def is_bot(text: str) -> bool:
    """Whether a text given for an agent names a bot; a file or folder of that name goes first."""
    return text in BOT_NAMES and not Path(text).exists()


def is_own_bot(text: str) -> bool:
    """Whether a text given for an agent is `module:name`, a bot in a user's file."""
    is_prefixed = text.startswith(PREFIXES)
    return is_extension(text) and not is_prefixed and not Path(text).exists()


def plays_any_game(text: str) -> bool:
    """Whether an agent has no game of its own: a bot, somebody's own or ours, diluted or not."""
    return is_bot(inner_agent(text)) or is_own_bot(inner_agent(text))


def inner_agent(text: str) -> str:
    """The agent that a diluted one dilutes; any other is itself."""
    if not text.startswith(DILUTED_PREFIX):
        return text
    return text.removeprefix(DILUTED_PREFIX).partition(":")[2]
