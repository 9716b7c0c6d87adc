"""What was measured of a saved model, as its model.json keeps it.

    info["evaluations"][method]      an `ExploitabilityRecord`; its claim is stored as "kind"
    info["head_to_head"][opponent]   a `HeadToHead`

A model folder carries a manifest of checksums (`models.storage`), and two files cannot be replaced
at one moment. So model.json is first taken off the manifest, then it is replaced, then it is put
on the manifest again. Each step is one atomic replacement: whenever a crash comes, model.json is
the old one or the new one, whole, and every file on the manifest has the checksum given there.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from models.layout import MODEL_INFO, read_info
from models.storage import MANIFEST, checked_folder, digest_of, whole_file

Claim = Literal["exact", "lower bound", "estimate"]  # what a figure says of the exploitability
ESTIMATE_NOTE = "too high on average"  # a best response adapts to the boards of a sample


@dataclass(frozen=True)
class ExploitabilityRecord:
    """How exploitable a policy is, and what that statement is worth.

    Entries of earlier versions hold the claim and the exploitability only.
    """

    method: str
    claim: Claim
    exploitability_mbb: float
    interval_mbb: float | None = None  # half of a 95 % interval; 0 if exact, None if unknown
    br_mbb: tuple[float, float] | None = None  # what the responder wins in seat 0, in seat 1
    value_mbb: float | None = None  # of seat 0 when the policy plays itself
    hands: int = 0  # played; 0 for an exact best response
    boards: int = 0  # visited; 0 where boards are not counted
    seed: int | None = None
    seconds: float | None = None
    note: str = ""

    @classmethod
    def from_json(cls, method: str, entry: dict[str, Any]) -> ExploitabilityRecord:
        """The record that an entry of model.json stands for; a `ValueError` if it is none."""
        known = _known_fields(cls, entry, "evaluations", required={"kind", "exploitability_mbb"})
        claim, responses = entry["kind"], entry.get("br_mbb")
        if claim not in get_args(Claim):
            raise ValueError(f"an evaluation is {' or '.join(get_args(Claim))}, not {claim!r}")
        pair = None if responses is None else (float(responses[0]), float(responses[1]))
        value_mbb = float(entry["exploitability_mbb"])
        checked = {"claim": claim, "exploitability_mbb": value_mbb, "br_mbb": pair}
        return cls(**known | checked | {"method": method})

    def to_json(self) -> dict[str, Any]:
        """The entry of model.json."""
        values = dataclasses.asdict(self)
        return {"kind" if name == "claim" else name: value for name, value in values.items()}

    @classmethod
    def all_of(cls, info: dict[str, Any]) -> list[ExploitabilityRecord]:
        """Everything that a model.json says of its model's exploitability.

        Training writes one figure into the metrics. A record of the same method replaces it,
        because it says more.
        """
        metrics, entries = info.get("metrics", {}), info.get("evaluations", {})
        records: dict[str, ExploitabilityRecord] = {}
        if "exploitability_mbb" in metrics:
            records["exact"] = cls("exact", "exact", metrics["exploitability_mbb"])
        if "exploitability_estimate_mbb" in metrics:
            value_mbb = metrics["exploitability_estimate_mbb"]
            method = "sampled boards"
            records[method] = cls(method, "estimate", value_mbb, note=ESTIMATE_NOTE)
        records |= {method: cls.from_json(method, entry) for method, entry in entries.items()}
        return list(records.values())


@dataclass(frozen=True)
class HeadToHead:
    """What a model won from an opponent, in mbb per hand."""

    mbb: float
    ci95: float  # half of a 95 % interval
    hands: int
    games: int | None = None  # of a tournament
    games_won: float | None = None  # a drawn game counts half

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> HeadToHead:
        """The result that an entry of model.json stands for; a `ValueError` if it is none."""
        known = _known_fields(cls, entry, "head_to_head", required={"mbb", "ci95", "hands"})
        return cls(**known)

    def to_json(self) -> dict[str, Any]:
        """The entry of model.json; games only where games were played."""
        values = dataclasses.asdict(self)
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def all_of(cls, info: dict[str, Any]) -> dict[str, HeadToHead]:
        """Every result that a model.json holds, by opponent."""
        entries = info.get("head_to_head", {})
        return {opponent: cls.from_json(entry) for opponent, entry in entries.items()}


def record_evaluation(folder: Path, found: ExploitabilityRecord) -> None:
    """Keep an evaluation with its model, in place of an earlier one by the same method."""
    _put(folder, "evaluations", found.method, found.to_json())


def record_head_to_head(folder: Path, opponent: str, result: HeadToHead) -> None:
    """Keep a result with its model, in place of an earlier one against the same opponent."""
    _put(folder, "head_to_head", opponent, result.to_json())


def _known_fields(
    record: type[ExploitabilityRecord] | type[HeadToHead],
    entry: dict[str, Any],
    section: str,
    required: set[str],
) -> dict[str, Any]:
    """The values of an entry by field; a `ValueError` if something required is missing."""
    if not isinstance(entry, dict):
        raise ValueError(f"an entry of {section} is an object, not {entry!r}")
    missing = sorted(required - entry.keys())
    if missing:
        raise ValueError(f"an entry of {section} needs {', '.join(missing)}")
    names = {field.name for field in dataclasses.fields(record)}
    return {name: value for name, value in entry.items() if name in names}


def _put(folder: Path, section: str, name: str, entry: dict[str, Any]) -> None:
    """Write an entry into model.json.

    Folders that have no manifest, such as copies of just the two files, take entries as well.
    """
    if not name:
        raise ValueError(f"an entry of {section} needs a name")
    has_manifest = (folder / MANIFEST).exists()
    if has_manifest:
        folder = checked_folder(folder)
    info = read_info(folder)
    info[section] = info.get(section, {}) | {name: entry}
    content = json.dumps(info, indent=1, allow_nan=False).encode()
    if has_manifest:
        _replace_listed(folder, content)
    else:
        whole_file(folder / MODEL_INFO, content)


def _replace_listed(folder: Path, content: bytes) -> None:
    """Replace model.json in a folder whose manifest lists it."""
    manifest: dict[str, str] = json.loads((folder / MANIFEST).read_text())
    others = {name: digest for name, digest in manifest.items() if name != MODEL_INFO}
    listed = others | {MODEL_INFO: digest_of([content])}
    whole_file(folder / MANIFEST, json.dumps(others, indent=1).encode())
    whole_file(folder / MODEL_INFO, content)
    whole_file(folder / MANIFEST, json.dumps(listed, indent=1).encode())
