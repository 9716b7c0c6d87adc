"""The out folder of a tournament, where every finished pair is saved at once.

results.json is replaced as a whole each time, so that an interrupted tournament can be continued:
pairs that are there already are not played again. They must be of the same agents (same weights),
under the same rules and with the same settings.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from arena.header import Header
from arena.results import PairResult
from arena.standings import Standings
from models.locks import exclusive_lock
from models.storage import StorageError, whole_file

RESULTS_JSON, RESULTS_CSV = "results.json", "results.csv"
LOCK_FILE = ".lock"


@dataclass
class Results:
    """What is known so far; `save` after each change."""

    folder: Path
    header: Header
    pairs: list[PairResult] = field(default_factory=list)
    standings: Standings | None = None  # once all pairs are played

    def pair(self, a: str, b: str) -> PairResult | None:
        """The result of a pair if it is finished."""
        return next((pair for pair in self.pairs if (pair.a, pair.b) == (a, b)), None)

    def save(self) -> None:
        """Write results.json, whole or not at all."""
        content = self.header.to_json()
        content["seconds"] = round(sum(pair.seconds for pair in self.pairs), 3)
        if self.standings is not None:
            content |= self.standings.to_json()
        content["pairs"] = [pair.to_json() for pair in self.pairs]
        text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
        whole_file(self.folder / RESULTS_JSON, f"{text}\n".encode())


@contextmanager
def claimed(folder: Path, is_new: bool) -> Iterator[Path]:
    """The folder, made for this process alone; a new one as name, name-2, name-3, … if need be.

    Two tournaments in one folder would replace each other's results, even if both end well.
    """
    place = _made(folder, is_new)
    try:
        with exclusive_lock(place / LOCK_FILE, wait=False):
            yield place
    finally:
        with suppress(OSError):  # what is not empty stays
            place.rmdir()


def _made(folder: Path, is_new: bool) -> Path:
    for number in count(1):
        place = folder if number == 1 else folder.with_name(f"{folder.name}-{number}")
        try:
            place.mkdir(parents=True, exist_ok=not is_new)  # of two processes only one succeeds
        except FileExistsError:
            if not is_new:
                raise
        else:
            break
    return place


def open_results(folder: Path, header: Header) -> Results:
    """New results, or those that an interrupted tournament with the same header left there."""
    file = folder / RESULTS_JSON
    if not file.exists():
        results = Results(folder, header)
        results.save()
        return results
    try:
        content = json.loads(file.read_text())
        found = Header.from_json(content)  # with the command it was started with, and when
        pairs = [PairResult.from_json(entry) for entry in content["pairs"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StorageError(f"{file} is no tournament's: {error!r}") from None
    if difference := found.difference(header):
        raise ValueError(f"{folder} holds another tournament: {difference}; name another --out")
    return Results(folder, found, pairs)


def write_csv(results: Results) -> None:
    """A row per pair; what each of the two did is under a_… and b_…."""
    rows = [_flat(pair) for pair in results.pairs]
    text = io.StringIO()
    columns = dict.fromkeys(column for row in rows for column in row)  # earlier versions had fewer
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    whole_file(results.folder / RESULTS_CSV, text.getvalue().encode())


def _flat(pair: PairResult) -> dict[str, Any]:
    """Columns and values of a row."""
    row = pair.to_json()
    del row["agents"], row["seat_mbb"], row["curve"]
    row |= {"a": _cell(pair.a), "b": _cell(pair.b)}
    row |= {f"seat_{seat}_mbb": won for seat, won in enumerate(pair.seat_mbb)}
    for letter, agent in zip("ab", pair.agents, strict=True):
        values = agent.to_json()
        actions, habits = values.pop("actions"), values.pop("habits") or {}
        row |= {f"{letter}_{key}": value for key, value in values.items()}
        row |= {f"{letter}_{key}": value for key, value in habits.items()}
        for street, shares in actions.items():
            column = f"{letter}_{street.replace(' ', '_')}"
            row |= {f"{column}_{action}": share for action, share in shares.items()}
    return row


def _cell(name: str) -> str:
    """A name that no spreadsheet takes for a formula: with an apostrophe if it begins like one."""
    return f"'{name}" if name.startswith(("=", "+", "-", "@", "\t", "\r")) else name
