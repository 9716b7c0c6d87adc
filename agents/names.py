"""The bots by name; known without loading what they need to play."""

from __future__ import annotations

from pathlib import Path

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
