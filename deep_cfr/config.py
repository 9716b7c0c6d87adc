"""Every knob of a training run, once, with its unit; and the presets.

A run is a function of its `Config`. Fields marked safe change how long a run goes on, what is
watched and how the average strategy is fitted, which no iteration reads; a resumed run may change
them. No schedule depends on the total number of iterations or on the clock: a run can always be
continued as if it had never stopped.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


class ConfigError(ValueError):
    """Settings that make no sense; the message says which and why."""


@dataclass(frozen=True)
class FitSettings:
    """How one network is fitted."""

    updates: int  # at most
    batch_size: int
    learning_rate: float
    learning_rate_end: float = 1.0  # fraction of it left at the last update; decays linearly
    clip_norm: float = 1.0  # of the whole gradient
    validation_fraction: float = 0.0  # of the rows, held out; 0 = none
    patience: int = 0  # validation passes without a new best before stopping


def knob(default: Any, about: str, safe: bool = False, choices: tuple[str, ...] = ()) -> Any:
    """A field with the text its command-line flag shows."""
    return field(default=default, metadata={"help": about, "safe": safe, "choices": choices})


@dataclass(frozen=True)
class Config:
    """Settings of one run. Amounts of work are per player and iteration unless said otherwise."""

    game: str = knob("hulh", "game by name, or own rules such as hulh:stack=100")
    seed: int = knob(0, "of everything random")
    iterations: int = knob(500, "CFR iterations", safe=True)
    traversals: int = knob(5_000, "external-sampling traversals, each of a new deal")
    boards: int = knob(0, "boards on which many hands meet, instead of as many single deals as "
                       "there are traversals; 0 = single deals")  # fmt: skip
    board_hands: int = knob(0, "hands held on each of the boards; 0 = all (games of two streets)")
    traversal_batch: int = knob(10_000, "traversals walked at once; bounds memory")
    network: str = knob("paper", "architecture", choices=("paper", "thesis"))
    width: int = knob(64, "units per layer of the paper architecture")
    strength: bool = knob(True, "give the networks each hand's win rate against a random hand "
                          "(hold'em with a full deck)")  # fmt: skip
    linear_part: bool = knob(True, "solve the part of the advantages that is linear in that win "
                             "rate by least squares; the network learns the rest")  # fmt: skip
    strategy_part: bool = knob(False, "where that is done, do the same for the average strategy, "
                               "whose network then corrects it")  # fmt: skip
    literal_bets: bool = knob(False, "thesis betting row as printed: a call looks like no action")
    advantage_memory: int = knob(4_000_000, "rows of each player's advantage memory, 24 bytes each")
    strategy_memory: int = knob(4_000_000, "rows of the strategy memory, 24 bytes each")
    updates: int = knob(500, "gradient updates per advantage fit, at iteration 0")
    updates_growth: int = knob(4, "further updates per iteration: updates + growth · t")
    batch_size: int = knob(1024, "samples per update of an advantage fit")
    learning_rate: float = knob(4e-3, "Adam's, at the start of an advantage fit")
    refit_every: int = knob(10, "iterations from one fit of the advantage networks to the next, "
                            "where there is a linear part that moves on in between")  # fmt: skip
    rounds: int = knob(1, "parts in which an iteration's traversals are made, where there is a "
                       "linear part that moves on after each")  # fmt: skip
    warm_start: bool = knob(False, "begin each advantage fit from the last iteration's weights "
                            "instead of fresh ones")  # fmt: skip
    strategy_updates: int = knob(8_000, "gradient updates of a strategy fit", safe=True)
    strategy_batch_size: int = knob(2048, "samples per update of a strategy fit", safe=True)
    strategy_learning_rate: float = knob(4e-3, "Adam's, at the start of a strategy fit", safe=True)
    learning_rate_end: float = knob(0.02, "fraction of the learning rate left at a fit's end")
    clip_norm: float = knob(1.0, "largest norm of a gradient")
    validation_fraction: float = knob(0.0, "share of the rows held out to stop a fit early")
    patience: int = knob(10, "validations (every 100 updates, or every epoch if shorter) "
                         "without a new best before stopping")  # fmt: skip
    precision: str = knob("float32", "arithmetic of the networks",
                          choices=("float32", "mixed_bfloat16"))  # fmt: skip
    threads: int = knob(0, "CPU threads; 0 = all")
    keep_advantage_nets: bool = knob(True, "keep every iteration's advantage networks, which a "
                                     "single-Deep-CFR policy needs")  # fmt: skip
    checkpoint_every: int = knob(100, "iterations between saved strategy models", safe=True)
    resume_every: int = knob(10, "iterations between saves of what --resume needs", safe=True)
    keep: int = knob(0, "newest models kept; 0 = all", safe=True)
    eval_every: int = knob(0, "iterations between evaluations (kuhn, leduc: exact; fhp: see "
                           "--eval-boards); 0 = only with each saved model", safe=True)  # fmt: skip
    eval_boards: int = knob(100, "flops that estimate fhp's exploitability during training, too "
                            "high on average; 0 = all, exact", safe=True)  # fmt: skip

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
            clip_norm=self.clip_norm,
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
            clip_norm=self.clip_norm,
            validation_fraction=self.validation_fraction,
            patience=self.patience,
        )

    def differences(self, other: Config) -> list[str]:
        """Settings of `other` that a resumed run must not change, as `name: ours → theirs`."""
        return [
            f"{knob_field.name}: {mine!r} → {theirs!r}"
            for knob_field in dataclasses.fields(self)
            if not knob_field.metadata["safe"]
            and (mine := getattr(self, knob_field.name))
            != (theirs := getattr(other, knob_field.name))
        ]


def _problems(config: Config) -> Iterator[str]:
    positive = (
        "iterations", "traversals", "traversal_batch", "width", "advantage_memory",
        "strategy_memory", "batch_size", "strategy_updates", "refit_every", "rounds",
        "strategy_batch_size",
        "checkpoint_every", "resume_every", "learning_rate", "strategy_learning_rate", "clip_norm",
    )  # fmt: skip
    for name in positive:
        if getattr(config, name) <= 0:
            yield f"{name} is {getattr(config, name)}, but must be positive"
    for name in (
        "seed",
        "boards",
        "board_hands",
        "updates",
        "updates_growth",
        "patience",
        "threads",
        "keep",
        "eval_every",
        "eval_boards",
    ):
        if getattr(config, name) < 0:
            yield f"{name} is {getattr(config, name)}, but cannot be negative"
    yield from _problems_of_kind(config)
    yield from _problems_of_traversals(config)
    if config.literal_bets and config.network != "thesis":
        yield "literal_bets concerns the thesis network only"
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
    if config.rounds > min(config.traversals, config.boards or config.traversals):
        yield f"rounds is {config.rounds}, but each round needs a traversal and a board of its own"


def _problems_of_kind(config: Config) -> Iterator[str]:
    """Numbers that are none and names that nothing has."""
    for knob_field in dataclasses.fields(config):
        value, choices = getattr(config, knob_field.name), knob_field.metadata["choices"]
        if isinstance(value, float) and not math.isfinite(value):
            yield f"{knob_field.name} is {value}, but must be a number"
        if choices and value not in choices:
            yield f"{knob_field.name} is {value!r}; choose from {', '.join(choices)}"


DEFAULT_PRESET = "standard"
PRESETS: dict[str, tuple[str, Config]] = {
    "standard": (
        "hulh: a sensible model within about half an hour on two CPU cores, better with time",
        Config(
            iterations=300, boards=256, board_hands=16, rounds=10, refit_every=4, updates=1_000,
            updates_growth=10, checkpoint_every=50,
            keep_advantage_nets=False,  # 9 MB for every iteration
        ),
    ),
    "thesis": (
        "hulh80 with the network and the values of the thesis's tables 3.1-3.4: five models",
        Config(
            game="hulh80", iterations=50, traversals=250, boards=250, board_hands=16, rounds=10,
            network="thesis", checkpoint_every=10, resume_every=2,
            advantage_memory=100_000, strategy_memory=200_000, strategy_part=True,
            updates=16_000, updates_growth=0, batch_size=500, learning_rate=1e-4,
            strategy_updates=16_000, strategy_batch_size=500, strategy_learning_rate=1e-4,
            learning_rate_end=1.0, validation_fraction=0.1, patience=10, refit_every=1,
            keep_advantage_nets=False,  # ten times the size of the paper's
        ),
    ),
    "fhp": (
        "fhp: about an hour on two CPU cores, with exploitability estimated as it goes",
        Config(
            game="fhp", iterations=120, boards=600, board_hands=100, traversals=20_000,
            refit_every=2, updates=1_000, updates_growth=60, batch_size=512,
            strategy_updates=6_000, checkpoint_every=10, resume_every=5,
        ),
    ),
    "paper": (
        "the values of Brown et al. 2019; with --game fhp or hulh-paper; days without a GPU",
        Config(
            game="fhp", iterations=450, traversals=10_000,
            advantage_memory=40_000_000, strategy_memory=40_000_000,
            updates=4_000, updates_growth=0, batch_size=10_000, learning_rate=1e-3,
            strategy_updates=4_000, strategy_batch_size=10_000, strategy_learning_rate=1e-3,
            learning_rate_end=1.0, strength=False, linear_part=False, checkpoint_every=10,
            resume_every=5,
        ),
    ),
    "leduc": (
        "leduc: minutes on a laptop, with exact exploitability",
        Config(
            game="leduc", iterations=250, traversals=3_000, learning_rate=8e-3,
            advantage_memory=10_000_000, strategy_memory=10_000_000,
            updates=500, updates_growth=0, batch_size=512,
            strategy_updates=6_000, strategy_batch_size=512, checkpoint_every=50,
        ),
    ),
    "kuhn": (
        "kuhn: under a minute on a laptop, with exact exploitability",
        Config(
            game="kuhn", iterations=40, traversals=1_000, width=32,
            advantage_memory=500_000, strategy_memory=500_000,
            updates=200, updates_growth=0, batch_size=128,
            strategy_updates=500, strategy_batch_size=128, checkpoint_every=10,
        ),
    ),
    "smoke": (
        "hulh end to end in under a minute, for trying things",
        Config(
            iterations=3, traversals=500, width=32, advantage_memory=200_000, refit_every=1,
            strategy_memory=200_000, updates=50, updates_growth=0, batch_size=512,
            strategy_updates=50, strategy_batch_size=512, checkpoint_every=1, resume_every=1,
        ),
    ),
}  # fmt: skip

# Brown et al. fit longer and with larger batches in hold'em than in flop hold'em.
PAPER_HOLDEM: dict[str, Any] = {
    "updates": 32_000, "batch_size": 20_000,
    "strategy_updates": 32_000, "strategy_batch_size": 20_000,
}  # fmt: skip
