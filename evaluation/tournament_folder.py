"""The out folder of a tournament: results.json after every pair, so that it can be gone on with.

results.json is replaced as a whole each time. What is there must have been played by the same
agents (same weights), with the same rules and settings; then finished pairs are kept as they are.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents import Agent
from deep_cfr.layout import MODEL_FILE
from deep_cfr.storage import StorageError, whole_file
from env.rules import Rules

RESULTS = "results.json"
NOTE = (
    "mbb: thousandths of a big blind per hand that a wins from b; ci95: half the width of the 95 % "
    "interval, over deals, each played from both seats. All pairs play the same deals. pot: all "
    "chips in the middle at the end of a hand. agents of a pair: a, then b."
)

Entry = dict[str, Any]


@dataclass
class Results:
    """What is known so far; `save` after each change."""

    folder: Path
    header: Entry  # rules, settings, agents, …
    pairs: list[Entry] = field(default_factory=list)
    summary: Entry = field(default_factory=dict)  # ranking and so on, once all pairs are played

    def pair(self, a: str, b: str) -> Entry | None:
        """The entry of a finished pair."""
        return next((pair for pair in self.pairs if (pair["a"], pair["b"]) == (a, b)), None)

    def save(self) -> None:
        """Write results.json, whole or not at all."""
        seconds = round(sum(pair["seconds"] for pair in self.pairs), 3)
        content = self.header | {"seconds": seconds} | self.summary | {"pairs": self.pairs}
        text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
        whole_file(self.folder / RESULTS, f"{text}\n".encode())


def about(agent: Agent, spec: str) -> Entry:
    """An agent's entry, with a digest of the weights where one file holds them."""
    file = agent.folder / MODEL_FILE if agent.folder is not None else None
    digest = (
        hashlib.sha256(file.read_bytes()).hexdigest()
        if file is not None and file.is_file()
        else None
    )
    return {
        "name": agent.name,
        "kind": agent.kind,
        "spec": spec,
        "folder": None if agent.folder is None else str(agent.folder),
        "iteration": agent.iteration,
        "sha256": digest,
    }


def open_results(folder: Path, header: Entry) -> Results:
    """New results, or those that an interrupted tournament with the same header left there."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / RESULTS).exists():
        results = Results(folder, header)
        results.save()
        return results
    try:
        found = json.loads((folder / RESULTS).read_text())
        difference = _difference(found, header)
        pairs = list(found["pairs"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StorageError(f"{folder / RESULTS} is no tournament's: {error!r}") from None
    if difference:
        raise ValueError(f"{folder} holds another tournament: {difference}; name another --out")
    kept = {key: found[key] for key in header}  # the command it was started with, and when
    return Results(folder, kept, pairs)


def _difference(found: Entry, header: Entry) -> str | None:
    """In what two tournaments differ, as far as it changes results."""
    if found["rules"] != header["rules"]:
        then, now = (Rules.from_dict(h["rules"]).describe() for h in (found, header))
        return f"its rules are {then}, not {now}"
    then, now = (
        found["settings"] | {"seed": found["seed"]},
        header["settings"] | {"seed": header["seed"]},
    )
    for key in dict.fromkeys([*then, *now]):
        if then.get(key) != now.get(key):
            return f"its {key.replace('_', ' ')} is {then.get(key)}, not {now.get(key)}"
    names, mine = ([agent["name"] for agent in h["agents"]] for h in (found, header))
    if names != mine:
        return f"its agents are {', '.join(names)}, not {', '.join(mine)}"
    for before, agent in zip(found["agents"], header["agents"], strict=True):
        for key in ("kind", "iteration", "sha256"):
            if before[key] != agent[key]:
                what = "weights are" if key == "sha256" else f"{key} is"
                return f"{agent['name']} has changed since: its {what} not the same"
    return None


def write_csv(results: Results) -> None:
    """A row per pair; what each of the two did is under a_… and b_…."""
    rows = [_flat(pair) for pair in results.pairs]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    whole_file(results.folder / "results.csv", text.getvalue().encode())


def _flat(pair: Entry) -> Entry:
    row = {key: value for key, value in pair.items() if key not in ("agents", "seat_mbb")}
    row |= {f"seat_{seat}_mbb": won for seat, won in enumerate(pair["seat_mbb"])}
    for letter, agent in zip("ab", pair["agents"], strict=True):
        for key, value in agent.items():
            if key != "actions":
                row[f"{letter}_{key}"] = value
        for street, shares in agent["actions"].items():
            for action, share in shares.items():
                row[f"{letter}_{street.replace(' ', '_')}_{action}"] = share
    return row
