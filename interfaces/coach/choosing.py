"""Which agent judges a session: the model that comes with the game, else the opponent itself."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path

from agents.agent import Agent, AgentError
from agents.diluting import is_diluted, parse_diluted
from agents.names import SEARCH_PREFIX, is_bot
from env.rules import Rules, RulesError
from models.layout import is_model, read_info
from models.storage import MANIFEST, StorageError
from search.settings import searchable_streets

PRETRAINED = Path("checkpoints", "pretrained")
_FORM = 1  # of reviews; a new number makes the coach look at all hands again


def reference_for(rules: Rules, opponent: str, pretrained: Path = PRETRAINED) -> str:
    """The agent, as `agents.load` takes it, that judges a session against an opponent."""
    for folder in sorted(pretrained.iterdir()) if pretrained.is_dir() else ():
        if is_model(folder) and _same_game(folder, rules):
            return f"{SEARCH_PREFIX}{folder}" if searchable_streets(rules) else str(folder)
    inner = parse_diluted(opponent)[1] if is_diluted(opponent) else opponent
    if is_bot(inner):
        raise AgentError(f"no model of {rules.name} comes with the project, so nobody can judge")
    return inner


def review_key(spec: str, agent: Agent) -> str:
    """What names the reviews by an agent: other weights under the same name are another key."""
    manifest = None if agent.folder is None else agent.folder / MANIFEST
    known = manifest is not None and manifest.is_file()
    digest = hashlib.sha256(manifest.read_bytes()).hexdigest()[:12] if manifest and known else ""
    return f"{spec} {digest} {_FORM}"


def _same_game(folder: Path, rules: Rules) -> bool:
    """Whether a model plays a game, whatever its rules are called."""
    try:
        own = Rules.from_dict(read_info(folder)["rules"])
    except (StorageError, KeyError, TypeError, RulesError):
        return False
    return dataclasses.replace(own, name=rules.name) == rules
