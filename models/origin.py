"""Where a model comes from: the command that trained it, and how long that took.

A run's model.json depends on settings and seed alone, so neither is in there. A model that is
handed on (`models.publish`) has left its run behind and carries its origin in model.json. By that
it is known to be published. A model that was made of another one (`commands.learn_endgames`) has
the same under another name, because it may still be measured.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.layout import read_info
from models.storage import known_json

MADE_OF = "made_of"  # the entry of a model that was made of another one, outside a run


@dataclass(frozen=True)
class Origin:
    """What is known of a model's training; None where nothing is."""

    command: str | None = None
    resumed_with: str | None = None  # the command that resumed the run last
    wall_s: float | None = None
    learned_with: str | None = None  # the command that learned its last streets anew

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Origin:
        """The origin as `to_json` wrote it; values of other types are not known."""
        words = map(saved.get, ("command", "resumed_with", "learned_with"))
        command, resumed_with, learned_with = (
            text if isinstance(text, str) else None for text in words
        )
        wall_s = saved.get("wall_s")
        seconds = float(wall_s) if isinstance(wall_s, int | float) else None
        return cls(command, resumed_with, seconds, learned_with)

    def to_json(self) -> dict[str, Any]:
        """What is known, by name."""
        values = dataclasses.asdict(self)
        return {name: value for name, value in values.items() if value is not None}


def is_published(info: dict[str, Any]) -> bool:
    """Whether a model.json is of a model that was handed on; only publishing changes those."""
    return "origin" in info


def origin_of(model: Path) -> Origin:
    """Where the model of a folder comes from, by itself or by the run it lies in."""
    return known_origin(read_info(model), model.parent)


def known_origin(info: dict[str, Any], run: Path) -> Origin:
    """What a model.json says, or else the files of the run that the model belongs to."""
    for name in ("origin", MADE_OF):
        if name in info:
            saved = info[name]
            return Origin.from_json(saved) if isinstance(saved, dict) else Origin()
    return _from_run(run, int(info["iteration"]))


def _from_run(run: Path, iteration: int) -> Origin:
    """What a run was started or resumed with, and how long it had taken by an iteration."""
    extra = known_json(run / "latest" / "state.json").get("extra", {})
    logs = Path(extra.get("logs", run.parent.parent / "runs" / run.name))
    config = known_json(logs / "config.json")
    wall_s = next((row["wall_s"] for row in extra.get("rows", []) if row["t"] == iteration), None)
    return Origin.from_json(config | {"wall_s": wall_s})
