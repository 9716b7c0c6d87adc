"""Agents by name or path: bots, saved models, all models of a run, single-Deep-CFR players."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from agents.bots import make_bot
from agents.names import BOT_NAMES
from deep_cfr.checkpoint import latest_state, load_model, load_single
from deep_cfr.layout import models_at
from deep_cfr.policy import Policy
from env.compiler import compile
from env.emulator import make_emulator
from env.rules import Rules

MODEL, SINGLE, BOT = "model", "single", "bot"  # kinds of agents
SINGLE_PREFIX = "sdcfr:"


class AgentError(ValueError):
    """An agent that cannot be had; the message says why in one line."""


@dataclass(frozen=True, eq=False)
class Agent:
    """Somebody who can play a game."""

    name: str
    policy: Policy
    rules: Rules
    kind: str  # model, single or bot
    iteration: int | None = None  # of training; the last one of a single-Deep-CFR player
    folder: Path | None = None  # where it was loaded from


def load(spec: str | Path, rules: Rules | None = None, towers: int = 1) -> list[Agent]:
    """The agents that a text stands for, oldest first.

    A bot's name (with `rules`), a strategy.keras or its folder, a run folder (all its models), or
    `sdcfr:` and a run folder (the player of all its advantage networks). With `rules`, agents
    trained for another game are refused.
    """
    text = str(spec)
    if text.startswith(SINGLE_PREFIX):
        return [_single(Path(text.removeprefix(SINGLE_PREFIX)), rules)]
    path = Path(text)
    if path.exists():
        return [_model(folder, rules, towers) for folder in models_at(path)]
    if text not in BOT_NAMES:
        raise AgentError(
            f"there is no agent {text!r}: give a bot ({', '.join(BOT_NAMES)}), a strategy.keras "
            f"or its folder, a run folder, or {SINGLE_PREFIX} and a run folder"
        )
    if rules is None:
        raise AgentError(f"{text} plays any game; say which rules")
    tree = compile(make_emulator(rules))
    return [Agent(text, make_bot(text, rules, tree), rules, BOT)]


def _model(folder: Path, rules: Rules | None, towers: int) -> Agent:
    own, policy, info = load_model(folder, towers)
    place = folder.resolve()
    is_of_a_run = place.name.startswith("iter_")
    name = f"{place.parent.name}/{place.name}" if is_of_a_run else place.name
    _refuse_other_rules(name, own, rules)
    return Agent(name, policy, own, MODEL, info["iteration"], folder)


def _single(run: Path, rules: Rules | None) -> Agent:
    if not run.is_dir():
        raise AgentError(f"{SINGLE_PREFIX}{run}: there is no run folder {run}")
    own, policy = load_single(run)
    name = SINGLE_PREFIX + run.resolve().name
    _refuse_other_rules(name, own, rules)
    return Agent(name, policy, own, SINGLE, latest_state(run)["t"], run)


def _refuse_other_rules(name: str, own: Rules, rules: Rules | None) -> None:
    """Rules are the same when all but their names is."""
    if rules is not None and dataclasses.replace(own, name=rules.name) != rules:
        raise AgentError(f"{name} plays {own.describe()}; it cannot play {rules.describe()}")
