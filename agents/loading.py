"""Agents by name or path: bots, saved models, models that search, single-Deep-CFR players.

TensorFlow is loaded when the first model is, because bots do without it.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from agents.agent import Agent, AgentError
from agents.bots import make_bot
from agents.diluting import diluted, is_diluted, parse_diluted
from agents.names import BOT_NAMES, DILUTED_PREFIX, SEARCH_PREFIX, SINGLE_PREFIX, is_own_bot
from agents.own_bots import OwnBot
from agents.searching import is_search, load_search
from deep_cfr.networks.quiet import quiet_without_gpu
from env.extensions import source_file
from env.game import Game, load_game
from env.rules import Rules
from models.layout import models_at, run_of
from models.loading import load_answers, load_model
from policies.diluted import DilutedPolicy
from policies.policy import DrawsPerHand


def load(
    spec: str | Path, rules: Rules | Game | None = None, *, at_once: bool = False
) -> list[Agent]:
    """The agents that a text stands for, oldest first.

    A bot's name (with `rules`), a strategy.keras or its folder, a run folder (all its models), or
    `sdcfr:` and a run folder (the player of all its advantage networks), or `search:` and a model,
    with options if wanted (`agents.searching`), or `diluted:`, a percentage and any of these but
    `sdcfr:` (`agents.diluting`), or `module:name`, a bot in a user's file, whose code this runs
    (`agents.own_bots`). With `rules`, agents trained for another game are refused; a game of a
    user's own is given as the `Game` itself. `at_once` is for whoever has a few questions only:
    models answer without TensorFlow, which takes seconds to load.
    """
    text, game = str(spec), rules if isinstance(rules, Game) else None
    rules = rules.rules if isinstance(rules, Game) else rules
    if is_diluted(text):
        return _diluted(text, game or rules, at_once=at_once)
    if text.startswith(SINGLE_PREFIX):
        return [_single(Path(text.removeprefix(SINGLE_PREFIX)), rules, game)]
    if is_search(text):
        agent = load_search(text, game)
        _refuse_other_rules(agent.name, agent.rules, rules)
        return [agent]
    path = Path(text)
    if _exists(path):
        return [_model(folder, rules, game, at_once) for folder in models_at(path)]
    if text not in BOT_NAMES and not is_own_bot(text):
        raise AgentError(
            f"there is no agent {text!r}: give a bot ({', '.join(BOT_NAMES)}), a strategy.keras "
            f"or its folder, a run folder, {SINGLE_PREFIX} and a run folder, {SEARCH_PREFIX} and a "
            f"model, MODULE:NAME for a bot in a file of yours, or {DILUTED_PREFIX}PERCENT: and one "
            "of these"
        )
    if rules is None:
        raise AgentError(f"{text} plays any game; say which rules")
    game = game or load_game(rules)
    if is_own_bot(text):
        policy = OwnBot(text, game)
        return [Agent(text, policy, rules, "bot", code=source_file(text))]
    return [Agent(text, make_bot(text, game), rules, "bot")]


def _exists(path: Path) -> bool:
    """Whether there is something at a path; a name that no path can have names nothing."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _diluted(text: str, rules: Rules | Game | None, *, at_once: bool) -> list[Agent]:
    """Agents that leave some decisions to chance; without a folder: results are no model's."""
    percent, inner = parse_diluted(text)
    found = []
    for agent in load(inner, rules, at_once=at_once):
        if isinstance(agent.policy, DrawsPerHand):
            raise AgentError(f"{text}: {agent.name} draws a strategy for each hand; not diluted")
        game = rules if isinstance(rules, Game) else load_game(agent.rules)
        policy = DilutedPolicy(game.tree, agent.policy, percent / 100)
        name = diluted(percent, agent.name)
        found.append(Agent(name, policy, agent.rules, "diluted", code=agent.code))
    return found


def _model(folder: Path, rules: Rules | None, game: Game | None, at_once: bool) -> Agent:
    saved = load_answers(folder, game) if at_once else load_model(folder, game)
    place, run = folder.resolve(), run_of(folder.resolve())
    name = place.name if place == run else f"{run.name}/{place.name}"
    _refuse_other_rules(name, saved.game.rules, rules)
    return Agent(name, saved.policy, saved.game.rules, "model", saved.description.iteration, folder)


def _single(run: Path, rules: Rules | None, game: Game | None) -> Agent:
    if not run.is_dir():
        raise AgentError(f"{SINGLE_PREFIX}{run}: there is no run folder {run}")
    with quiet_without_gpu():
        from models.advantage_nets import load_single  # noqa: PLC0415 - loads TensorFlow

        saved = load_single(run, game)
    name = SINGLE_PREFIX + run.resolve().name
    _refuse_other_rules(name, saved.game.rules, rules)
    return Agent(name, saved.policy, saved.game.rules, "single", saved.iteration, run)


def _refuse_other_rules(name: str, own: Rules, rules: Rules | None) -> None:
    """Refuse an agent of another game. The name that rules go by does not count."""
    if rules is not None and dataclasses.replace(own, name=rules.name) != rules:
        raise AgentError(f"{name} plays {own.describe()}; it cannot play {rules.describe()}")
