"""What a run was last saved with: the state.json of its folder `latest/`."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from deep_cfr.config import Config
from env.own_game import names_own_game
from env.rules import parse_rules
from models.description import MAX_COUNT, MAX_ITERATION, checked_config
from models.json_object import read_object, whole_number
from models.messages import one_line
from models.starting_points import STARTED_FROM, StartingPoint, starting_points
from models.storage import StorageError, checked_folder

STATE_FILE = "state.json"


@dataclass(frozen=True)
class RunProgress:
    """What a run knows of itself besides its solver; state.json keeps it under "extra"."""

    rows: list[dict[str, Any]] = field(default_factory=list)  # of metrics.csv
    wall_s: float = 0.0  # time that the run has taken so far
    logs: str = ""  # the folder that the logs were written to
    made_with: dict[str, str] = field(default_factory=dict)  # threads and versions
    started_from: tuple[StartingPoint, ...] = ()  # runs that it goes back to, the earliest first

    @classmethod
    def from_json(cls, saved: Any) -> RunProgress:
        """The progress as state.json holds it; a `ValueError` if it makes no sense."""
        if not isinstance(saved, dict):
            raise ValueError("extra must be a table")
        known = {field.name: saved[field.name] for field in fields(cls) if field.name in saved}
        progress = cls(**known | {STARTED_FROM: starting_points(saved)})
        if not isinstance(progress.rows, list) or not isinstance(progress.made_with, dict):
            raise ValueError("rows must be a list and made_with a table")
        if not isinstance(progress.logs, str):
            raise ValueError("logs must be the name of a folder")
        if isinstance(progress.wall_s, bool) or not 0 <= float(progress.wall_s) < float("inf"):
            raise ValueError("wall_s is no time")
        return progress


@dataclass(frozen=True)
class RunState:
    """Settings and counters of a run between two iterations."""

    config: Config
    t: int  # iterations done
    nodes_touched: int
    seen: tuple[int, int]  # samples ever shown to each advantage memory
    strategy_seen: int  # and to the strategy memory
    progress: RunProgress
    digests: dict[str, str]  # of the arrays saved with it; empty in runs of earlier versions


def latest_state(run: Path) -> RunState:
    """The state a run was last saved with, or a `StorageError` of one line."""
    folder = checked_folder(run / "latest")
    state = read_object(folder / STATE_FILE)
    try:
        return _checked(state)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        reason = one_line(error)
        raise StorageError(f"{folder / STATE_FILE} is not of this program: {reason}") from None


def in_its_game(config: Config) -> Config:
    """Saved settings without what their game does not read.

    Those of a game of a user's own are saved so; its code does not run for a look at a file.
    """
    return config if names_own_game(config.game) else config.for_game(parse_rules(config.game))


def _checked(state: dict[str, Any]) -> RunState:
    """A state with every field of its type; a `ValueError` if one is not."""
    config, seen = checked_config(state["config"]), state["seen"]
    digests = state.get("digests", {})
    if not isinstance(seen, list) or len(seen) != 2:
        raise ValueError("seen must be two numbers")
    if not isinstance(digests, dict) or not all(isinstance(d, str) for d in digests.values()):
        raise ValueError("digests must be a table of texts")
    by_player = {str(player): number for player, number in enumerate(seen)}
    return RunState(
        config=in_its_game(config),
        t=whole_number(state, "t", MAX_ITERATION),
        nodes_touched=whole_number(state, "nodes_touched", MAX_COUNT),
        seen=(whole_number(by_player, "0", MAX_COUNT), whole_number(by_player, "1", MAX_COUNT)),
        strategy_seen=whole_number(state, "strategy_seen", MAX_COUNT),
        progress=RunProgress.from_json(state["extra"]),
        digests=digests,
    )
