"""What a run was last saved with: the state.json of its folder `latest/`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deep_cfr.config import Config
from env.rules import parse_rules
from models.description import MAX_COUNT, MAX_ITERATION, checked_config
from models.json_object import read_object, whole_number
from models.messages import one_line
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
    digests: dict[str, str]  # of the arrays saved with it; empty in runs of earlier versions

    @property
    def logs(self) -> Path:
        """Where the run writes its logs."""
        folder = self.extra.get("logs")
        if not isinstance(folder, str):
            raise StorageError(f"{STATE_FILE} does not say where the logs are; give --logdir")
        return Path(folder)


def latest_state(run: Path) -> RunState:
    """The state a run was last saved with, or a `StorageError` of one line."""
    folder = checked_folder(run / "latest")
    state = read_object(folder / STATE_FILE)
    try:
        return _checked(state)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        reason = one_line(error)
        raise StorageError(f"{folder / STATE_FILE} is not of this program: {reason}") from None


def _checked(state: dict[str, Any]) -> RunState:
    """A state with every field of its kind; a `ValueError` if one is not."""
    config, extra, seen = checked_config(state["config"]), state["extra"], state["seen"]
    digests = state.get("digests", {})
    if not isinstance(extra, dict) or not isinstance(seen, list) or len(seen) != 2:
        raise ValueError("extra must be a table and seen two numbers")
    if not isinstance(digests, dict) or not all(isinstance(d, str) for d in digests.values()):
        raise ValueError("digests must be a table of texts")
    by_player = {str(player): number for player, number in enumerate(seen)}
    return RunState(
        config=config.for_game(parse_rules(config.game)),
        t=whole_number(state, "t", MAX_ITERATION),
        nodes_touched=whole_number(state, "nodes_touched", MAX_COUNT),
        seen=(whole_number(by_player, "0", MAX_COUNT), whole_number(by_player, "1", MAX_COUNT)),
        strategy_seen=whole_number(state, "strategy_seen", MAX_COUNT),
        extra=extra,
        digests=digests,
    )
