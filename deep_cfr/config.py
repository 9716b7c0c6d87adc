"""Every setting of a training run, once, with its unit.

A run is a function of its `Config`. Fields marked safe may change on resume: they set how long the
run lasts, what is measured, and how the average strategy is fitted, which no iteration reads; and
on how many threads all this is computed, which may change the last bits of sums. No schedule
depends on the total number of iterations or on the clock: a run can always be continued as if it
had never stopped.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from deep_cfr.config_checks import problems, without_effect
from env.rules import Rules

# How settings of saved runs and models were called before, and what is no longer a setting.
RENAMED = {"linear_part": "strength_regression", "strategy_part": "strategy_regression"}
DROPPED = {"warm_start": False, "literal_bets": False, "precision": "float32", "clip_norm": 1.0}


# Of the fits to solved subgames.
ENDGAME_BATCH, ENDGAME_LEARNING_RATE = 1024, 2e-3


WEIGHTINGS = LINEAR, DCFR = ("linear", "dcfr")
AVERAGE_POWER = {LINEAR: 1, DCFR: 2}  # strategies of iteration t weigh t to this power


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


def setting(
    default: Any,
    about: str,
    safe: bool = False,
    choices: tuple[str, ...] = (),
    takes_own: bool = False,
) -> Any:
    """A field with the text its command-line flag shows.

    `takes_own`: beside the choices, `module:name` of something in a user's file.
    """
    return field(
        default=default,
        metadata={"help": about, "safe": safe, "choices": choices, "takes_own": takes_own},
    )


@dataclass(frozen=True)
class Config:
    """Settings of one run. Amounts of work are per player and iteration unless said otherwise."""

    game: str = setting(
        "hulh",
        "game by name, own rules such as hulh:stack=100, or MODULE:NAME, a game in a file of yours",
    )
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
    weighting: str = setting(
        LINEAR,
        "how iterations count: linear, by t as in the paper, or dcfr, Discounted CFR, which needs "
        "infosets that are met again and again",
        choices=WEIGHTINGS,
    )
    chunks: int = setting(
        1,
        "parts of a round's traversals, each with a generator of its own, that workers can make "
        "side by side; the result depends on it, and not on the number of workers",
    )
    network: str = setting(
        "paper",
        "architecture: paper, thesis, or MODULE:NAME, a network in a file of yours",
        choices=("paper", "thesis"),
        takes_own=True,
    )
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
    threads: int = setting(
        0, "CPU threads; 0 = all; with other threads the last bits of results may differ", safe=True
    )
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
        for name, off, reason in without_effect(self, rules):
            if getattr(self, name) == off:
                continue
            if name in named:
                raise ConfigError(f"{name} is {getattr(self, name)}, but {reason}")
            changes[name] = off
        if not changes:
            return self
        return dataclasses.replace(self, **changes).for_game(rules, named)

    def __post_init__(self) -> None:
        problem = next(problems(self), None)
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

    @property
    def average_power(self) -> int:
        """Strategies of iteration t count t to this power in the average strategy."""
        return AVERAGE_POWER[self.weighting]

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
