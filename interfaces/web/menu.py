"""Whom one can play against: every bot, and every model below a folder.

A page names an opponent by its key here and never by a path, so it cannot make the server open
other files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agents.diluting import diluted
from agents.names import BOT_NAMES, SEARCH_PREFIX
from env.rules import HULH, Rules, RulesError
from interfaces.web.messages import MessageError, NewSession
from models.layout import is_model, model_folders, read_info, shipped
from models.storage import StorageError
from search.settings import searchable_streets

PRETRAINED = "pretrained"


@dataclass(frozen=True)
class Entry:
    """An opponent to choose."""

    key: str
    name: str
    about: str
    game: str
    is_bot: bool
    can_search: bool


@dataclass(frozen=True)
class Menu:
    """All opponents, with what they stand for."""

    entries: tuple[Entry, ...]
    specs: dict[str, str]  # by key, as agents.load takes them
    rules: dict[str, Rules]  # by key

    def to_json(self) -> list[dict[str, Any]]:
        return [asdict(entry) for entry in self.entries]

    def chosen(self, wish: NewSession) -> tuple[str, Rules]:
        """Agent and rules of a choice."""
        found = {entry.key: entry for entry in self.entries}.get(wish.opponent)
        if found is None:
            raise MessageError("there is no such opponent")
        if wish.search and not found.can_search:
            raise MessageError(f"{found.name} cannot search")
        spec = self.specs[found.key]
        agent = f"{SEARCH_PREFIX}{spec}" if wish.search else spec
        return diluted(wish.random, agent), self.rules[found.key]


def find_opponents(checkpoints: Path) -> Menu:
    """Models first, those that come with the project before all; then the bots."""
    entries, specs, rules = [], {}, {}
    for folder in _model_folders(checkpoints):
        try:
            own = Rules.from_dict(read_info(folder)["rules"])
        except (StorageError, KeyError, TypeError, RulesError):
            continue  # not readable; it would be refused at the table
        key = _key(folder, checkpoints)
        about = own.describe().partition(": ")[2]
        can_search = bool(searchable_streets(own))
        entries.append(Entry(key, key, about, own.name, False, can_search))
        specs[key], rules[key] = str(folder), own
    for name, about in BOT_NAMES.items():
        key = f"bot:{name}"
        entries.append(Entry(key, name, about, HULH.name, True, False))
        specs[key], rules[key] = name, HULH
    return Menu(tuple(entries), specs, rules)


def _key(folder: Path, checkpoints: Path) -> str:
    """What a page calls a model: its place in the folder, wherever the pretrained ones are."""
    inside = folder.is_relative_to(checkpoints)
    return (folder.relative_to(checkpoints) if inside else Path(PRETRAINED, folder.name)).as_posix()


def _model_folders(checkpoints: Path) -> Iterator[Path]:
    """Models in the folder and the one of pretrained ones; of runs the newest model first."""
    own = shipped(checkpoints / PRETRAINED)
    for place in (own, checkpoints):
        folders = sorted(place.iterdir()) if place.is_dir() else []
        # Limit hold'em in full comes first: it is what the project is about.
        for folder in sorted(folders, key=lambda path: path.name != HULH.name):
            if is_model(folder):
                yield folder
            elif folder != own and folder.is_dir():
                yield from reversed(model_folders(folder))
