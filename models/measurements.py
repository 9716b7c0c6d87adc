"""Measurements of a saved model, kept beside it so that measuring never changes the model.

    measurements.jsonl      a line for each measurement, oldest first
      {"measured": "exploitability", "method": …, "hands": …, "seed": …, "date": …}
      {"measured": "head_to_head", "opponent": …, "hands": …, "seed": …, "date": …}

A new measurement stands beside the earlier ones; only an equal repetition, with the same settings,
replaces itself. Writers take turns by a lock, and the file is replaced as a whole, so neither two
writers nor a crash can lose a line.

Published models, and models of earlier versions, hold measurements in their model.json:

    info["evaluations"][method]      an `ExploitabilityRecord`
    info["head_to_head"][opponent]   a `HeadToHead`
"""

from __future__ import annotations

import dataclasses
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.layout import read_info
from models.locks import exclusive_lock
from models.origin import is_published
from models.records import (
    ExploitabilityRecord,
    HeadToHead,
    most_precise,
    most_precise_matches,
)
from models.storage import MANIFEST, StorageError, checked_folder, whole_file

MEASUREMENTS, LOCK = "measurements.jsonl", ".measurements.lock"
EXPLOITABILITY, HEAD_TO_HEAD = "exploitability", "head_to_head"  # what a line says was measured
# What comes out of a measurement. Everything else in a line are its settings.
OUTCOMES = {
    *("exploitability_mbb", "interval_mbb", "br_mbb", "value_mbb", "seconds", "date"),
    "by_street",
    *("mbb", "ci95", "games_won"),
}


class Published(StorageError):  # noqa: N818 - the name says what is the case
    """A published model takes no measurements; the message says so in one line."""


@dataclass(frozen=True)
class Measurements:
    """Everything that is known of a model."""

    training: list[ExploitabilityRecord]  # by training itself, without details
    evaluations: list[ExploitabilityRecord]
    matches: list[tuple[str, HeadToHead]]  # each with the name of the opponent

    @classmethod
    def of(cls, folder: Path) -> Measurements:
        """What a model folder holds; a `ValueError` for a description that nobody can read."""
        info = read_info(folder)
        saved = _section(info, "evaluations"), _section(info, HEAD_TO_HEAD)
        evaluations = [ExploitabilityRecord.from_json(*item) for item in saved[0].items()]
        matches = [(name, HeadToHead.from_json(entry)) for name, entry in saved[1].items()]
        for line in _lines(folder / MEASUREMENTS):
            entry = _parsed(line)
            try:
                if entry.get("measured") == EXPLOITABILITY:
                    evaluations.append(ExploitabilityRecord.from_json(str(entry["method"]), entry))
                elif entry.get("measured") == HEAD_TO_HEAD:
                    matches.append((str(entry["opponent"]), HeadToHead.from_json(entry)))
            except (ValueError, KeyError):
                continue  # a line that somebody else wrote hides no other line
        training = ExploitabilityRecord.of_training(_section(info, "metrics"))
        return cls(training, evaluations, matches)

    @property
    def best_evaluations(self) -> list[ExploitabilityRecord]:
        """The most precise evaluation by each method, exact ones first."""
        return most_precise([*self.training, *self.evaluations])

    @property
    def best_matches(self) -> dict[str, HeadToHead]:
        """The most precise result against each opponent."""
        return most_precise_matches(self.matches)


def record_evaluation(folder: Path, found: ExploitabilityRecord) -> None:
    """Keep an evaluation beside its model."""
    _add(folder, {"measured": EXPLOITABILITY} | dataclasses.replace(found, date=_now()).to_json())


def record_head_to_head(folder: Path, opponent: str, result: HeadToHead) -> None:
    """Keep the result of a match beside its model."""
    if not opponent:
        raise ValueError("a head-to-head result needs the name of the opponent")
    entry = dataclasses.replace(result, date=_now()).to_json()
    _add(folder, {"measured": HEAD_TO_HEAD, "opponent": opponent} | entry)


def _add(folder: Path, entry: dict[str, Any]) -> None:
    """Write a line, in place of one with the same settings if there is one."""
    if (folder / MANIFEST).exists():
        folder = checked_folder(folder)
    if is_published(read_info(folder)):
        raise Published(
            f"{folder} is a published model, which is changed only by publishing "
            "(python -m models.publish)"
        )
    line = json.dumps(entry, allow_nan=False).encode()
    settings = _settings(entry)
    with exclusive_lock(folder / LOCK, wait=True):
        kept = [old for old in _lines(folder / MEASUREMENTS) if _settings(_parsed(old)) != settings]
        whole_file(folder / MEASUREMENTS, b"\n".join([*kept, line, b""]))


def _settings(entry: dict[str, Any]) -> dict[str, Any]:
    """What was measured and how. An exact figure does not depend on a seed."""
    left_out = OUTCOMES | ({"seed"} if entry.get("kind") == "exact" else set())
    return {name: value for name, value in entry.items() if name not in left_out}


def _lines(file: Path) -> list[bytes]:
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return []
    return [line for line in content.split(b"\n") if line.strip()]


def _parsed(line: bytes) -> dict[str, Any]:
    """The entry of a line, or an empty one if the line is not of this program."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def _section(info: dict[str, Any], name: str) -> dict[str, Any]:
    section = info.get(name, {})
    if not isinstance(section, dict):
        raise ValueError(f"{name} of a model.json is an object, not {section!r}")
    return section


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
