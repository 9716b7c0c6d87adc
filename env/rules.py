"""The rules of a two-player fixed-limit poker game, as data.

`Rules` says everything that distinguishes one game of this family from another: forced bets, bet
sizes, raise caps, stacks, streets and deck. Heads-up limit hold'em (HULH), flop hold'em (FHP),
Leduc and Kuhn poker are values of it. Every amount is in chips.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from env.cards import RANKS, SUITS, parse_card
from env.rules_check import problems

HOLDEM_STREETS = ("pre-flop", "flop", "turn", "river")
ENDLESS = 10**9  # chips; no betting reaches it
TOY_STREETS = ("first round", "second round", "third round", "fourth round")


def _plain(value: Any) -> Any:
    """A NumPy integer as an int; anything else as it is."""
    return int(value) if isinstance(value, np.integer) else value


class RulesError(ValueError):
    """Rules that no table could play; the message says which one and why."""


@dataclass(frozen=True)
class Rules:
    """One fixed-limit game for two players with equal stacks. Amounts in chips."""

    name: str
    small_blind: int  # posted by player 0, the button; 0 in the toy games
    big_blind: int  # posted by player 1; 0 in the toy games
    bet_sizes: tuple[int, ...]  # [streets] size of every bet and raise on that street
    max_raises: tuple[int, ...]  # [streets] bets and raises allowed; the big blind is none
    stack: int  # each player's chips before the hand; bets are cut to it
    streets: int = 4  # betting rounds
    ante: int = 0  # posted by both players; toy games only
    hole_cards: int = 2  # 2 = hold'em, 1 = toy game
    board_cards: tuple[int, ...] = (0, 3, 1, 1)  # new on each street, at least [streets]
    first_to_act: tuple[int, ...] = (0, 1, 1, 1)  # who opens each street, at least [streets]
    ranks: str = RANKS  # the deck is ranks × suits
    suits: str = SUITS

    def __post_init__(self) -> None:
        # Lists and NumPy numbers become plain tuples and ints, so that equal rules compare equal.
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name in ("bet_sizes", "max_raises", "board_cards", "first_to_act"):
                if not isinstance(value, (tuple, list, np.ndarray)):
                    raise RulesError(f"impossible rules '{self.name}': {field.name} must be a list")
                object.__setattr__(self, field.name, tuple(map(_plain, value)))
            else:
                object.__setattr__(self, field.name, _plain(value))
        problem = next(problems(self), None)
        if problem:
            raise RulesError(f"impossible rules '{self.name}': {problem}")

    @property
    def is_holdem(self) -> bool:
        """Two hole cards and blinds, as opposed to the one-card toy games with antes."""
        return self.hole_cards == 2

    @property
    def big_blind_chips(self) -> int:
        """The unit of every `mbb` figure: the big blind, or in the toy games the ante."""
        return self.big_blind or self.ante

    @property
    def smallest_chips(self) -> int:
        """The smallest amount that anybody ever pays, which tables draw as one chip."""
        return min(filter(None, (self.small_blind, self.ante, *self.bet_sizes)))

    @cached_property
    def visible_board(self) -> tuple[int, ...]:
        """Board cards on the table on each street: 0, 3, 4, 5 in hold'em."""
        return tuple(sum(self.board_cards[: street + 1]) for street in range(self.streets))

    @cached_property
    def deck(self) -> tuple[int, ...]:
        """The codes of every card in play, ascending."""
        return tuple(sorted(parse_card(rank + suit) for rank in self.ranks for suit in self.suits))

    @property
    def street_names(self) -> tuple[str, ...]:
        """What people call each street."""
        names = HOLDEM_STREETS if self.is_holdem else TOY_STREETS
        return names[: self.streets]

    @property
    def stack_binds(self) -> bool:
        """Whether the stack can cut a bet or end the betting early."""
        last_bets = max((street for street, cap in enumerate(self.max_raises) if cap), default=0)
        ends_early = last_bets < self.streets - 1 and self.stack == self.max_contribution
        return self.stack < self.max_contribution or ends_early

    @property
    def max_contribution(self) -> int:
        """What one player pays when every street is raised to its cap, were stacks endless."""
        opening = max(self.big_blind, self.ante)
        return opening + sum(
            size * cap for size, cap in zip(self.bet_sizes, self.max_raises, strict=True)
        )

    def describe(self) -> str:
        """One line with everything that a figure measured under these rules depends on."""
        forced = (
            f"blinds {self.small_blind}/{self.big_blind}" if self.is_holdem else f"ante {self.ante}"
        )
        bets = "bet or raise" if set(self.max_raises) == {1} else "bets or raises"
        binding = "" if self.stack_binds else " (never binding)"
        deck = "" if len(self.deck) == 52 else f", deck {self.ranks} × {self.suits}"
        return (
            f"{self.name}: {forced}, bets {_slashed(self.bet_sizes)}, "
            f"at most {_slashed(self.max_raises)} {bets} per street, "
            f"stack {self.stack}{binding}{deck}"
        )

    def as_dict(self) -> dict[str, Any]:
        """The fields as plain JSON values."""
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in dataclasses.asdict(self).items()
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Rules:
        """The inverse of `as_dict`."""
        known = {field.name for field in dataclasses.fields(cls)}
        if not isinstance(fields, Mapping):
            raise RulesError(f"rules are a table of names and values, not {fields!r}")
        unknown = sorted(str(name) for name in set(fields) - known)
        if unknown:
            raise RulesError(f"unknown rule {unknown[0]!r}; known: {', '.join(sorted(known))}")
        required = [f.name for f in dataclasses.fields(cls) if f.default is dataclasses.MISSING]
        missing = [name for name in required if name not in fields]
        if missing:
            raise RulesError(f"incomplete rules: {', '.join(missing)} missing")
        return cls(**fields)


HULH = Rules("hulh", 5, 10, (10, 10, 20, 20), (3, 4, 4, 4), stack=240)
HULH_80 = dataclasses.replace(HULH, name="hulh80", stack=80)
HULH_PAPER = dataclasses.replace(HULH, name="hulh-paper", max_raises=(3, 3, 4, 4))
FHP = Rules("fhp", 5, 10, (10, 10), (3, 3), stack=70, streets=2)
LEDUC = Rules(
    "leduc",
    0,
    0,
    (2, 4),
    (2, 2),
    stack=13,
    streets=2,
    ante=1,
    hole_cards=1,
    board_cards=(0, 1),
    first_to_act=(0, 0),
    ranks="JQK",
    suits="cd",
)
KUHN = Rules(
    "kuhn",
    0,
    0,
    (1,),
    (1,),
    stack=2,
    streets=1,
    ante=1,
    hole_cards=1,
    board_cards=(0,),
    first_to_act=(0,),
    ranks="JQK",
    suits="c",
)

PRESETS = {rules.name: rules for rules in (HULH, HULH_80, FHP, HULH_PAPER, LEDUC, KUHN)}


def parse_rules(text: str) -> Rules:
    """Rules from a preset's name, with changes if wanted: `hulh80`, `hulh:stack=100,streets=2,…`.

    Lists are written with slashes: `fhp:bet_sizes=10/20,max_raises=2/4`. A preset whose stacks
    never bind keeps that property: its stack grows with bets and caps unless it is given.
    """
    name, _, changes = text.partition(":")
    if name not in PRESETS:
        raise RulesError(f"unknown game {name!r}; choose from {', '.join(PRESETS)}")
    if not changes:
        return PRESETS[name]
    fields = PRESETS[name].as_dict() | {"name": text}
    changed = set()
    for change in changes.split(","):
        key, equals, value = change.strip().partition("=")
        if key in changed:
            raise RulesError(f"{key} is given twice in {text!r}")
        changed.add(key)
        if not equals or key == "name" or key not in fields:
            known = ", ".join(key for key in fields if key != "name")
            raise RulesError(f"cannot read {change!r} in {text!r}; write field=value with {known}")
        fields[key] = value if key in ("ranks", "suits") else _parse_amount(key, value, fields[key])
    if "stack" not in changed and not PRESETS[name].stack_binds:
        return _never_binding(fields)
    return Rules.from_dict(fields)


def _never_binding(fields: dict[str, Any]) -> Rules:
    """Rules with the stack that is given if it does not bind, otherwise with the smallest such."""
    endless = Rules.from_dict(fields | {"stack": ENDLESS})
    deep = dataclasses.replace(endless, stack=max(fields["stack"], endless.max_contribution))
    return dataclasses.replace(deep, stack=deep.stack + 1) if deep.stack_binds else deep


def _parse_amount(key: str, value: str, like: int | list[int]) -> int | list[int]:
    try:
        numbers = [int(part) for part in value.split("/")]
    except ValueError:
        raise RulesError(f"{key}={value} is not made of whole numbers") from None
    if isinstance(like, list):
        return numbers
    if len(numbers) != 1:
        raise RulesError(f"{key} takes one number, not {value}")
    return numbers[0]


def _slashed(numbers: tuple[int, ...]) -> str:
    return "/".join(map(str, numbers))
