"""What was measured of a saved model, and which of several measurements is the most precise.

An `ExploitabilityRecord` is the answer of one evaluation, a `HeadToHead` the result of one match.
`models.measurements` keeps both beside the model.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, Literal, get_args

Claim = Literal["exact", "lower bound", "estimate"]  # what a figure says of the exploitability
# How a local best response plays the last street: exactly, or as if both were to check and call.
LAST_STREETS = EXACT_STREET, CHECKDOWN = ("exact", "checkdown")
FORMS = {EXACT_STREET: "exact last street", CHECKDOWN: "last street checked down"}
ESTIMATE_NOTE = "too high on average"  # a best response adapts to the boards of a sample


@dataclass(frozen=True)
class StreetPart:
    """What the decisions of one street bring a local best response: a part of its bound."""

    street: str
    mbb: float
    interval_mbb: float  # half of a 95 % interval

    @classmethod
    def from_json(cls, entry: Any) -> StreetPart:
        """The part that an entry of a file stands for; a `ValueError` if it is none."""
        required = {"street", "mbb", "interval_mbb"}
        return cls(**_known_fields(cls, entry, "by_street", required=required))


@dataclass(frozen=True)
class ExploitabilityRecord:
    """How exploitable a policy is, and what that statement is worth.

    Entries of earlier versions hold the claim and the exploitability only.
    """

    method: str
    claim: Claim  # "kind" in files
    exploitability_mbb: float
    interval_mbb: float | None = None  # half of a 95 % interval; 0 if exact, None if unknown
    br_mbb: tuple[float, float] | None = None  # what the responder wins in seat 0, in seat 1
    value_mbb: float | None = None  # of seat 0 when the policy plays itself
    hands: int = 0  # played; 0 for an exact best response
    boards: int = 0  # visited; 0 where boards are not counted
    seed: int | None = None
    seconds: float | None = None
    note: str = ""
    last_street: str | None = None  # how a local best response played it, see `LAST_STREETS`
    by_street: tuple[StreetPart, ...] = ()  # add up to the bound; empty where not asked for
    date: str | None = None  # when it was recorded, in UTC

    @classmethod
    def from_json(cls, method: str, entry: dict[str, Any]) -> ExploitabilityRecord:
        """The record that an entry of a file stands for; a `ValueError` if it is none."""
        known = _known_fields(cls, entry, "evaluations", required={"kind", "exploitability_mbb"})
        claim, responses = entry["kind"], entry.get("br_mbb")
        if claim not in get_args(Claim):
            raise ValueError(f"an evaluation is {' or '.join(get_args(Claim))}, not {claim!r}")
        if responses is not None and not _is_pair(responses):
            raise ValueError(f"br_mbb of an entry of evaluations is a pair, not {responses!r}")
        pair = None if responses is None else (float(responses[0]), float(responses[1]))
        parts = entry.get("by_street", [])
        if not isinstance(parts, list):
            raise ValueError(f"by_street of an entry of evaluations is a list, not {parts!r}")
        # Local best responses of earlier versions had one form, and did not name it.
        form = known.get("last_street") or (CHECKDOWN if method == "lbr" else None)
        if form not in (None, *LAST_STREETS):
            raise ValueError(f"last_street is {' or '.join(LAST_STREETS)}, not {form!r}")
        own = {"method": method, "claim": claim, "br_mbb": pair, "last_street": form}
        by_street = tuple(map(StreetPart.from_json, parts))
        return cls(**known | own | {"by_street": by_street})

    def to_json(self) -> dict[str, Any]:
        """The entry of a file; only where they are known the date, the form and the streets."""
        values = dataclasses.asdict(self)
        for name in ("date", "last_street", "by_street"):
            if not values[name]:
                del values[name]
        return {"kind" if name == "claim" else name: value for name, value in values.items()}

    @classmethod
    def of_training(cls, metrics: dict[str, Any]) -> list[ExploitabilityRecord]:
        """What training itself measured, of which it keeps a figure in the metrics of a model."""
        found = (
            ("exploitability_mbb", "exact", "exact", ""),
            ("exploitability_estimate_mbb", "sampled boards", "estimate", ESTIMATE_NOTE),
        )
        return [
            cls.from_json(
                method, {"kind": claim, "exploitability_mbb": metrics[name], "note": note}
            )
            for name, method, claim, note in found
            if name in metrics
        ]

    @property
    def form(self) -> str:
        """How a local best response played the last street, in words; empty for other methods."""
        return FORMS[self.last_street] if self.last_street else ""

    @property
    def vagueness(self) -> tuple[float, ...]:
        """Compares measurements by one method: the smallest is the most precise one.

        A local best response that plays the last street exactly finds more than one that does not,
        so its bound goes first. An interval of 0 says nothing unless the figure is exact: a few
        hands may all end alike.
        """
        interval = 0.0 if self.claim == "exact" else self.interval_mbb or inf
        is_rough = self.last_street == CHECKDOWN
        return (_rank(self.claim), is_rough, interval, -self.hands, -self.boards)


@dataclass(frozen=True)
class HeadToHead:
    """What a model won from an opponent, in mbb per hand."""

    mbb: float
    ci95: float  # half of a 95 % interval
    hands: int
    games: int | None = None  # of a tournament
    games_won: float | None = None  # a drawn game counts half
    seed: int | None = None  # of deals and draws
    date: str | None = None  # when it was recorded, in UTC

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> HeadToHead:
        """The result that an entry of a file stands for; a `ValueError` if it is none."""
        return cls(**_known_fields(cls, entry, "head_to_head", required={"mbb", "ci95", "hands"}))

    def to_json(self) -> dict[str, Any]:
        """The entry of a file; what is not known is left out."""
        values = dataclasses.asdict(self)
        return {name: value for name, value in values.items() if value is not None}

    @property
    def vagueness(self) -> tuple[float, ...]:
        """Compares results against one opponent: the smallest is the most precise one."""
        return (self.ci95 or inf, -self.hands)


def most_precise(records: Iterable[ExploitabilityRecord]) -> list[ExploitabilityRecord]:
    """The most precise record of each method: exact ones, then lower bounds, then estimates."""
    best: dict[str, ExploitabilityRecord] = {}
    for record in records:  # of two that are equally precise the later one counts
        if record.method not in best or record.vagueness <= best[record.method].vagueness:
            best[record.method] = record
    return sorted(best.values(), key=lambda record: _rank(record.claim))


def most_precise_matches(results: Iterable[tuple[str, HeadToHead]]) -> dict[str, HeadToHead]:
    """The most precise result against each opponent."""
    best: dict[str, HeadToHead] = {}
    for opponent, result in results:
        if opponent not in best or result.vagueness <= best[opponent].vagueness:
            best[opponent] = result
    return best


def _rank(claim: Claim) -> int:
    return get_args(Claim).index(claim)


def _known_fields(
    record: type[ExploitabilityRecord] | type[HeadToHead] | type[StreetPart],
    entry: dict[str, Any],
    section: str,
    required: set[str],
) -> dict[str, Any]:
    """The values of an entry by field; a `ValueError` if one is missing or of a wrong type."""
    if not isinstance(entry, dict):
        raise ValueError(f"an entry of {section} is an object, not {entry!r}")
    missing = sorted(required - entry.keys())
    if missing:
        raise ValueError(f"an entry of {section} needs {', '.join(missing)}")
    known = {}
    for field in dataclasses.fields(record):
        if field.name in entry:
            known[field.name] = value = entry[field.name]
            if not _fits(value, str(field.type)):
                raise ValueError(f"{field.name} of an entry of {section} cannot be {value!r}")
    return known


def _fits(value: Any, annotation: str) -> bool:
    """Whether a value is of the type that a field is annotated with."""
    wanted = annotation.removesuffix(" | None")
    if value is None:
        return wanted != annotation
    if wanted == "str":
        return isinstance(value, str)
    if wanted == "int":
        return isinstance(value, int) and not isinstance(value, bool)
    return _is_number(value) if wanted == "float" else True  # others are checked by themselves


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_pair(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all(map(_is_number, value))
