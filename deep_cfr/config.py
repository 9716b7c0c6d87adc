"""Every setting of a training run, once, with its unit.

A run is a function of its `Config`. Fields marked safe may change on resume: they set how long the
run lasts, what is measured, and how the average strategy is fitted, which no iteration reads. No
schedule depends on the total number of iterations or on the clock: a run can always be continued
as if it had never stopped.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from env.rules import Rules
from env.strength import has_strengths

# How settings of saved runs and models were called before, and what is no longer a setting.
RENAMED = {"linear_part": "strength_regression", "strategy_part": "strategy_regression"}
DROPPED = {"warm_start": False, "literal_bets": False, "precision": "float32", "clip_norm": 1.0}


# Of the fits to solved subgames.
ENDGAME_BATCH, ENDGAME_LEARNING_RATE = 1024, 2e-3


class ConfigError(ValueError):
    """Settings that make no sense; the message says which and why."""


@dataclass(frozen=True)
class FitSettings:
    """How one network is fitted."""

    updates: int  # at most
    batch_size: int
    learning_rate: float
    learning_rate_end: float = 1.0  # fraction of it left at the last update; decays linearly
    validation_fraction: float = 0.0  # of the rows, held out; 0 = none
    patience: int = 0  # validation passes without a new best before stopping


def setting(default: Any, about: str, safe: bool = False, choices: tuple[str, ...] = ()) -> Any:
    """A field with the text its command-line flag shows."""
    return field(default=default, metadata={"help": about, "safe": safe, "choices": choices})


@dataclass(frozen=True)
class Config:
    """Settings of one run. Amounts of work are per player and iteration unless said otherwise."""

    game: str = setting("hulh", "game by name, or own rules such as hulh:stack=100")
    seed: int = setting(0, "of everything random")
    iterations: int = setting(500, "CFR iterations", safe=True)
    traversals: int = setting(5_000, "external-sampling traversals, each of a new deal")
    boards: int = setting(
        0,
        "boards per iteration for range sampling (many hands on each board); 0 = external "
        "sampling of single deals",
    )
    board_hands: int = setting(0, "hands held on each of the boards")
    rounds: int = setting(
        1,
        "parts in which an iteration's traversals are made; the strength regression is solved "
        "after each",
    )
    network: str = setting("paper", "architecture", choices=("paper", "thesis"))
    width: int = setting(64, "units per layer of the paper architecture")
    strength: bool = setting(
        True, "give the networks each hand's strength (hold'em with a full deck)"
    )
    strength_regression: bool = setting(
        True,
        "solve the part of the advantages that is piecewise linear in strength by least squares; "
        "the network learns the rest",
    )
    strategy_regression: bool = setting(
        False, "do the same for the average strategy, whose network then corrects it"
    )
    advantage_memory: int = setting(
        4_000_000, "rows of each player's advantage memory, 24 bytes each"
    )
    strategy_memory: int = setting(4_000_000, "rows of the strategy memory, 24 bytes each")
    updates: int = setting(500, "gradient updates per advantage fit, at iteration 0")
    updates_growth: int = setting(4, "further updates per iteration: updates + growth · t")
    batch_size: int = setting(1024, "samples per update of an advantage fit")
    learning_rate: float = setting(4e-3, "Adam's, at the start of an advantage fit")
    refit_every: int = setting(
        10,
        "iterations from one fit of the advantage networks to the next; the strength regression "
        "is solved in every iteration",
    )
    strategy_updates: int = setting(8_000, "gradient updates of a strategy fit", safe=True)
    strategy_batch_size: int = setting(2048, "samples per update of a strategy fit", safe=True)
    strategy_learning_rate: float = setting(
        4e-3, "Adam's, at the start of a strategy fit", safe=True
    )
    last_street_subgames: int = setting(
        0,
        "solved subgames of the last street from which each saved model learns it anew; 0 = none",
        safe=True,
    )
    turn_subgames: int = setting(
        0, "the same for the street before, from where one card is still to come", safe=True
    )
    endgame_width: int = setting(
        256, "units per layer of the networks that learn from solved subgames", safe=True
    )
    endgame_updates: int = setting(
        3_000, "gradient updates of the fit of such a network", safe=True
    )
    learning_rate_end: float = setting(0.02, "fraction of the learning rate left at a fit's end")
    validation_fraction: float = setting(0.0, "share of the rows held out to stop a fit early")
    patience: int = setting(
        10,
        "validations (every 100 updates, or every epoch if shorter) without a new best before "
        "stopping",
    )
    threads: int = setting(0, "CPU threads; 0 = all")
    keep_advantage_nets: bool = setting(
        True, "keep every iteration's advantage networks, which a single-Deep-CFR policy needs"
    )
    checkpoint_every: int = setting(100, "iterations between saved strategy models", safe=True)
    resume_every: int = setting(10, "iterations between saves of what --resume needs", safe=True)
    keep: int = setting(0, "newest models kept; 0 = all", safe=True)
    eval_every: int = setting(
        0,
        "iterations between evaluations (kuhn, leduc: of the strategy memory's averages; else each "
        "fits the average strategy); 0 = only with each saved model",
        safe=True,
    )
    eval_boards: int = setting(
        100,
        "flops that estimate fhp's exploitability during training, too high on average; 0 = all, "
        "exact",
        safe=True,
    )
    eval_hands: int = setting(
        4_000,
        "hands of local best response by which a game too large for its exploitability is "
        "watched; 0 = none",
        safe=True,
    )
    eval_match_hands: int = setting(
        50_000, "hands against each of two bots by which it is watched; 0 = none", safe=True
    )

    @classmethod
    def from_saved(cls, saved: dict[str, Any]) -> Config:
        """Settings as a saved model or run holds them, those of earlier versions included."""
        known = {RENAMED.get(name, name): value for name, value in saved.items()}
        for name, value in DROPPED.items():
            if known.pop(name, value) != value:
                raise ConfigError(f"{name} is {saved[name]}, which this version does not have")
        known.pop("traversal_batch", None)  # changes no result of a saved model
        return cls(**known)

    def for_game(self, rules: Rules, named: Collection[str] = ()) -> Config:
        """The same settings with those switched off that mean nothing in this game.

        Settings `named` by the user are refused instead, so that none is ignored in silence.
        """
        changes = {}
        for name, off, reason in _without_effect(self, rules):
            if getattr(self, name) == off:
                continue
            if name in named:
                raise ConfigError(f"{name} is {getattr(self, name)}, but {reason}")
            changes[name] = off
        if not changes:
            return self
        return dataclasses.replace(self, **changes).for_game(rules, named)

    def __post_init__(self) -> None:
        problem = next(_problems(self), None)
        if problem:
            raise ConfigError(problem)

    def advantage_fit(self, t: int) -> FitSettings:
        """How an advantage network is fitted at iteration t."""
        return FitSettings(
            updates=self.updates + self.updates_growth * t,
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
            learning_rate_end=self.learning_rate_end,
            validation_fraction=self.validation_fraction,
            patience=self.patience,
        )

    def refits(self, t: int) -> bool:
        """Whether iteration t fits the advantage networks."""
        return (t - 1) % self.refit_every == 0

    def strategy_fit(self) -> FitSettings:
        """How the average-strategy network is fitted."""
        return FitSettings(
            updates=self.strategy_updates,
            batch_size=self.strategy_batch_size,
            learning_rate=self.strategy_learning_rate,
            learning_rate_end=self.learning_rate_end,
            validation_fraction=self.validation_fraction,
            patience=self.patience,
        )

    def endgame_fit(self) -> FitSettings:
        """How an endgame network is fitted."""
        return FitSettings(
            updates=self.endgame_updates,
            batch_size=ENDGAME_BATCH,
            learning_rate=ENDGAME_LEARNING_RATE,
            learning_rate_end=self.learning_rate_end,
        )

    def differences(self, other: Config) -> list[str]:
        """Settings of `other` that a resumed run must not change, as `name: ours → theirs`."""
        return [
            f"{field_.name}: {mine!r} → {theirs!r}"
            for field_ in dataclasses.fields(self)
            if not field_.metadata["safe"]
            and (mine := getattr(self, field_.name)) != (theirs := getattr(other, field_.name))
        ]


POSITIVE = (
    "iterations",
    "traversals",
    "rounds",
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
LARGEST = {
    "width": 8_192,
    "endgame_width": 8_192,
    "seed": 2**63 - 1,
}  # settings with limits of their own


def _without_effect(config: Config, rules: Rules) -> Iterator[tuple[str, Any, str]]:
    """Settings that a run of this game would not read: name, what stands for off, why."""
    if not has_strengths(rules):
        for name in ("strength", "strength_regression", "strategy_regression"):
            yield name, False, f"{rules.name} has no hand strengths"
        yield "last_street_subgames", 0, f"{rules.name} has no hand strengths"
    if not has_strengths(rules) or rules.streets < 3:
        yield "turn_subgames", 0, f"{rules.name} has no street from which one card is to come"
    if not config.last_street_subgames and not config.turn_subgames:
        for name in ("endgame_width", "endgame_updates"):
            yield name, getattr(Config, name), "no street is learned from solved subgames"
    if not config.strength:
        yield "strength_regression", False, "strength is off, so there is nothing to regress on"
    if not config.strength_regression:
        for name, off in (("strategy_regression", False), ("rounds", 1), ("refit_every", 1)):
            yield name, off, "it has no effect without the strength regression"
    if config.network == "thesis":
        yield "width", Config.width, "the thesis network has widths of its own"
    if not config.validation_fraction:
        yield "patience", Config.patience, "validation_fraction is 0, so no fit is validated"
    if rules.streets > 2 and not config.eval_hands and not config.eval_match_hands:
        yield "eval_every", 0, "eval_hands and eval_match_hands are 0, so nothing is evaluated"
    if rules.streets <= 2:
        for name in ("eval_hands", "eval_match_hands"):
            yield name, getattr(Config, name), f"the exploitability of {rules.name} is computed"
    if rules.streets > 2 or not rules.is_holdem:
        yield "eval_boards", Config.eval_boards, f"{rules.name} is not estimated from flops"


def _problems(config: Config) -> Iterator[str]:
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
        if choices and value not in choices:
            yield f"{field_.name} is {value!r}; choose from {', '.join(choices)}"
