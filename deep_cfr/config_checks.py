"""What settings of a run make no sense, and which ones a game does not read."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from env.extensions import is_extension
from env.rules import Rules
from env.strength import has_strengths

if TYPE_CHECKING:
    from deep_cfr.config import Config

POSITIVE = (
    "iterations",
    "traversals",
    "rounds",
    "chunks",
    "width",
    "advantage_memory",
    "strategy_memory",
    "batch_size",
    "learning_rate",
    "refit_every",
    "strategy_updates",
    "strategy_batch_size",
    "strategy_learning_rate",
    "endgame_width",
    "endgame_updates",
    "checkpoint_every",
    "resume_every",
)
NOT_NEGATIVE = (
    "seed",
    "boards",
    "board_hands",
    "updates",
    "updates_growth",
    "last_street_subgames",
    "turn_subgames",
    "patience",
    "threads",
    "keep",
    "eval_every",
    "eval_boards",
    "eval_hands",
    "eval_match_hands",
)
LARGEST_NUMBER = 2**31 - 1  # what the compiled loops count to
# Settings with limits of their own.
LARGEST = {"width": 8_192, "endgame_width": 8_192, "seed": 2**63 - 1}


def no_such_setting(name: str, known: Collection[str]) -> str:
    """What to say of a name that no setting has: the most similar one is named."""
    nearest = get_close_matches(name.replace("-", "_"), known, n=1, cutoff=0.0)
    return f"there is no setting {name!r:.40}; the nearest is {nearest[0]!r}"


def without_effect(config: Config, rules: Rules) -> Iterator[tuple[str, Any, str]]:
    """Settings that a run of this game would not read: name, what stands for off, why."""
    yield from _endgames_without_effect(config, rules)
    defaults = type(config)
    if not has_strengths(rules):
        for name in ("strength", "strength_regression", "strategy_regression"):
            yield name, False, f"{rules.name} has no hand strengths"
    elif config.strength and config.strength_regression:
        yield "weighting", "linear", "the strength regression weights iterations by t"
    if not config.strength:
        yield "strength_regression", False, "strength is off, so there is nothing to regress on"
    if not config.strength_regression:
        for name, off in (("strategy_regression", False), ("rounds", 1), ("refit_every", 1)):
            yield name, off, "it has no effect without the strength regression"
    if config.network == "thesis":
        yield "width", defaults.width, "the thesis network has widths of its own"
    if not config.validation_fraction:
        yield "patience", defaults.patience, "validation_fraction is 0, so no fit is validated"
    is_large = rules.is_holdem and rules.streets > 2  # too large for its exploitability
    if is_large and not config.eval_hands and not config.eval_match_hands:
        yield "eval_every", 0, "eval_hands and eval_match_hands are 0, so nothing is evaluated"
    if not is_large:
        for name in ("eval_hands", "eval_match_hands"):
            yield name, getattr(defaults, name), f"the exploitability of {rules.name} is computed"
    if rules.streets > 2 or not rules.is_holdem:
        yield "eval_boards", defaults.eval_boards, f"{rules.name} is not estimated from flops"


def _endgames_without_effect(config: Config, rules: Rules) -> Iterator[tuple[str, Any, str]]:
    """The same for settings of what is learned from solved subgames."""
    if not has_strengths(rules):
        yield "last_street_subgames", 0, f"{rules.name} has no hand strengths"
    if not has_strengths(rules) or rules.streets < 3:
        yield "turn_subgames", 0, f"{rules.name} has no street from which one card is to come"
    if not config.last_street_subgames and not config.turn_subgames:
        for name in ("endgame_width", "endgame_updates"):
            yield name, getattr(type(config), name), "no street is learned from solved subgames"


def problems(config: Config) -> Iterator[str]:
    for name in POSITIVE:
        if getattr(config, name) <= 0:
            yield f"{name} is {getattr(config, name)}, but must be positive"
    for name in NOT_NEGATIVE:
        if getattr(config, name) < 0:
            yield f"{name} is {getattr(config, name)}, but cannot be negative"
    for name in (*POSITIVE, *NOT_NEGATIVE):
        value, largest = getattr(config, name), LARGEST.get(name, LARGEST_NUMBER)
        if isinstance(value, int) and value > largest:
            yield f"{name} is {value}, but can be {largest} at most"
    yield from _problems_of_values(config)
    yield from _problems_of_traversals(config)
    if config.updates + config.updates_growth == 0:
        yield "updates and updates_growth are both 0, so nothing would be learned"
    if config.iterations > 65_535:
        yield f"iterations is {config.iterations}, but at most 65535 are counted"
    if not 0 <= config.validation_fraction < 1:
        yield f"validation_fraction is {config.validation_fraction}, but must be from 0 to below 1"
    if not 0 < config.learning_rate_end <= 1:
        yield f"learning_rate_end is {config.learning_rate_end}, but must be above 0 and at most 1"
    if config.weighting != "linear" and config.validation_fraction:
        yield (
            f"weighting is {config.weighting}, whose fits cannot be validated on single samples: "
            "validation_fraction must be 0"
        )
    if config.validation_fraction and not config.patience:
        yield "patience is 0, so the first validation would end every fit"


def _problems_of_traversals(config: Config) -> Iterator[str]:
    if config.board_hands % 2:
        yield f"board_hands is {config.board_hands}, but hands are drawn in pairs: it must be even"
    if config.board_hands and not config.boards:
        yield "board_hands says how many hands are held on each of the boards, but boards is 0"
    if config.boards and not config.board_hands:
        yield f"boards is {config.boards}; say with board_hands how many hands meet on each"
    if config.rounds > min(config.traversals, config.boards or config.traversals):
        yield f"rounds is {config.rounds}, but each round needs a traversal and a board of its own"


def _problems_of_values(config: Config) -> Iterator[str]:
    """Values that are not finite, and names that are not among the choices."""
    for field_ in dataclasses.fields(config):
        value, choices = getattr(config, field_.name), field_.metadata["choices"]
        if isinstance(value, float) and not math.isfinite(value):
            yield f"{field_.name} is {value}, but must be a number"
        is_own = field_.metadata["takes_own"] and is_extension(str(value))
        if choices and value not in choices and not is_own:
            own = ", or MODULE:NAME of your own" if field_.metadata["takes_own"] else ""
            yield f"{field_.name} is {value!r}; choose from {', '.join(choices)}{own}"
