"""Turn a model of a run into one that can be handed on: small, checked, with its card.

    python -m models.publish checkpoints/RUN checkpoints/pretrained/hulh

takes the run's newest model (or the one named), with the most precise measurements of it, and adds
where it comes from (`models.origin`). Paths of this machine are left behind.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import shutil
import sys
from pathlib import Path
from typing import Any

from models.layout import MODEL_FILE, MODEL_INFO, models_at, read_info
from models.measurements import Measurements
from models.model_card import write_card
from models.origin import MADE_OF, Origin, origin_of
from models.records import most_precise
from models.shown_paths import portable, portable_text
from models.starting_points import STARTED_FROM, StartingPoint, starting_points
from models.storage import StorageError, whole_folder

MAX_BYTES = 4_000_000


def publish(source: Path, target: Path) -> Path:
    """Copy a model with its description to `target`, a folder of its own, and write its card."""
    model = models_at(source)[-1]
    info = read_info(model)
    size = (model / MODEL_FILE).stat().st_size
    if size > MAX_BYTES:
        raise StorageError(f"{model / MODEL_FILE} has {size:,} bytes, more than {MAX_BYTES:,}")
    if target.exists() and not (target / MODEL_INFO).is_file():
        raise StorageError(f"{target} is there already and holds something else; nothing written")
    info |= _measured(model) | {"origin": _portable(origin_of(model)).to_json()}
    info.pop(MADE_OF, None)
    if points := starting_points(info):
        info[STARTED_FROM] = [dataclasses.asdict(_portable_point(point)) for point in points]
    with whole_folder(target) as folder:
        shutil.copyfile(model / MODEL_FILE, folder / MODEL_FILE)
        (folder / MODEL_INFO).write_text(json.dumps(info, indent=1))
    return write_card(target)


def _measured(model: Path) -> dict[str, Any]:
    """The sections of model.json that hold the most precise measurements."""
    found = Measurements.of(model)
    evaluations = {record.method: record.to_json() for record in most_precise(found.evaluations)}
    matches = {portable_text(name): result.to_json() for name, result in found.best_matches.items()}
    sections = {"evaluations": evaluations, "head_to_head": matches}
    return {name: entries for name, entries in sections.items() if entries}


def _portable(origin: Origin) -> Origin:
    """The same origin without paths of this machine."""
    command, resumed_with, learned_with = (
        None if words is None else portable_text(words)
        for words in (origin.command, origin.resumed_with, origin.learned_with)
    )
    return Origin(command, resumed_with, origin.wall_s, learned_with)


def _portable_point(point: StartingPoint) -> StartingPoint:
    """The same starting point without paths of this machine."""
    run = Path(point.run)
    return dataclasses.replace(point, run=portable(run) if run.is_absolute() else point.run)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; one line on stderr and exit code 1 for what cannot be copied."""
    parser = argparse.ArgumentParser(
        prog="python -m models.publish",
        description="Copy a model, with its card and all that was measured of it, to hand it on.",
    )
    parser.add_argument("model", type=Path, help="a model's folder, or a run for its newest model")
    parser.add_argument("target", type=Path, help="the folder to make, or to replace")
    given = parser.parse_args(arguments)
    try:
        print(publish(given.model, given.target))
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
