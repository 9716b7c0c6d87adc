"""Which run another one started from: what config.json, model.json and model cards say of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from models.json_object import whole_number

STARTED_FROM = "started_from"  # the entry that lists starting points, in state.json as well
MAX_ITERATION = 65_535


@dataclass(frozen=True)
class StartingPoint:
    """A run, the iteration whose networks and memories were taken over, and what changed."""

    run: str
    iteration: int
    changed: tuple[str, ...]  # settings, as `name: before → after`

    @classmethod
    def from_json(cls, saved: Any) -> StartingPoint:
        """The starting point as a file holds it; a `ValueError` if it makes no sense."""
        if not isinstance(saved, dict):
            raise ValueError(f"a starting point must be a table, not {saved!r:.40}")
        run, changed = saved.get("run"), saved.get("changed")
        if not isinstance(run, str) or not isinstance(changed, list | tuple):
            raise ValueError("a starting point must name a run and what changed")
        iteration = whole_number(saved, "iteration", MAX_ITERATION)
        return cls(run, iteration, tuple(str(setting) for setting in changed))


def starting_points(saved: dict[str, Any]) -> tuple[StartingPoint, ...]:
    """Every run that a saved run or model goes back to, the earliest first."""
    points = saved.get(STARTED_FROM, [])
    if not isinstance(points, list | tuple):
        raise ValueError(f"{STARTED_FROM} must be a list, not {points!r:.40}")
    return tuple(map(StartingPoint.from_json, points))
