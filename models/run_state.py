"""What a run was last saved with: the state.json of its folder `latest/`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deep_cfr.config import Config
from models.storage import StorageError, checked_folder

STATE_FILE = "state.json"


@dataclass(frozen=True)
class RunState:
    """Settings and counters of a run between two iterations."""

    config: Config
    t: int  # iterations done
    nodes_touched: int
    seen: tuple[int, int]  # samples ever shown to each advantage memory
    strategy_seen: int  # and to the strategy memory
    extra: dict[str, Any]  # what whoever saved it wants back


def latest_state(run: Path) -> RunState:
    """The state a run was last saved with, or a `StorageError` of one line."""
    folder = checked_folder(run / "latest")
    try:
        state = json.loads((folder / STATE_FILE).read_text())
        return RunState(
            config=Config.from_saved(state["config"]),
            t=state["t"],
            nodes_touched=state["nodes_touched"],
            seen=tuple(state["seen"]),
            strategy_seen=state["strategy_seen"],
            extra=state["extra"],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise StorageError(f"{folder / STATE_FILE} is not of this program: {error}") from None
