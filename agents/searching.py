"""Models that search at the table: `search:MODEL` or `search:MODEL:from=turn,iterations=60`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from agents.agent import Agent, AgentError
from agents.names import SEARCH_PREFIX
from env.game import Game
from env.rules import Rules, RulesError
from models.layout import models_at, read_info, run_of
from models.loading import load_answers
from policies.unbeatable import never_folding
from search.policy import SearchPolicy
from search.settings import SearchError, SearchSettings, parse_settings


class SearchSpec(NamedTuple):
    """What a text that starts with `search:` stands for."""

    folder: Path  # of the model; of a run's, the newest
    options: str  # as typed
    rules: Rules
    settings: SearchSettings


def is_search(text: str) -> bool:
    """Whether a text given for an agent names a model that searches."""
    return text.startswith(SEARCH_PREFIX)


def parse_search(text: str) -> SearchSpec:
    """Model and settings, checked without opening the network."""
    place, options = _parts(text)
    if not place:
        raise AgentError(f"{text} names no model; write {SEARCH_PREFIX}MODEL")
    folder = models_at(Path(place))[-1]
    try:
        rules = Rules.from_dict(read_info(folder)["rules"])
    except (KeyError, TypeError, RulesError) as error:
        raise AgentError(f"{folder} holds no readable model: {error}") from None
    try:
        return SearchSpec(folder, options, rules, parse_settings(rules, options))
    except SearchError as error:
        raise AgentError(f"{text}: {error}") from None


def load_search(text: str, game: Game | None = None) -> Agent:
    """The agent that `search:…` stands for. The model answers without TensorFlow.

    `game` is needed for models of a game of the user's own (`models.loading`).
    """
    spec = parse_search(text)
    saved = load_answers(spec.folder, game)
    # The last of finitely many iterations may fold a sliver of anything.
    policy = never_folding(saved.game, SearchPolicy(saved.game, saved.policy, spec.settings))
    name, iteration = search_name(spec), saved.description.iteration
    return Agent(name, policy, saved.game.rules, "search", iteration, spec.folder)


def search_name(spec: SearchSpec) -> str:
    """What the agent is called: by its model and the options given."""
    place = spec.folder.resolve()
    run = run_of(place)
    model = place.name if place == run else f"{run.name}/{place.name}"
    return f"{SEARCH_PREFIX}{model}" + (f":{spec.options}" if spec.options else "")


def _parts(text: str) -> tuple[str, str]:
    """The path and the options behind its last colon; a path may have colons of its own.

    Behind those of a path a slash comes before any equals sign.
    """
    body = text.removeprefix(SEARCH_PREFIX)
    place, colon, options = body.rpartition(":")
    are_options = bool(colon) and "=" in options.partition("/")[0]
    return (place, options) if are_options else (body.removesuffix(":"), "")
