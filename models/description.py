"""What a model.json must say before the model that it describes is loaded or evaluated."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from deep_cfr.config import DROPPED, RENAMED, Config
from deep_cfr.config_checks import no_such_setting
from env.rules import Rules, parse_rules
from models.json_object import whole_number

MAX_ITERATION = 65_535  # as memories count iterations in two bytes
MAX_COUNT = 2**63 - 1
FORMER_SETTINGS = {*DROPPED, "traversal_batch"}  # of earlier versions


@dataclass(frozen=True)
class Description:
    """The game, the settings and the counters of a saved model."""

    rules: Rules
    config: Config
    iteration: int
    nodes_touched: int | None  # None where the file does not say it


def described(info: dict[str, Any]) -> Description:
    """What a model.json says, checked; a `ValueError` of one line if it makes no sense."""
    missing = [name for name in ("rules", "config", "iteration") if name not in info]
    if missing:
        raise ValueError(f"the description lacks {', '.join(missing)}")
    rules, config = Rules.from_dict(info["rules"]), checked_config(info["config"])
    own = parse_rules(config.game)
    # How deep stacks are that never bind is for the rules to say, not for the name of the game.
    if dataclasses.replace(own, name=rules.name, stack=rules.stack) != rules:
        raise ValueError(
            f"the description gives the rules {rules.describe()}, but the settings are of "
            f"{own.describe()}"
        )
    return Description(
        rules,
        config.for_game(rules),
        whole_number(info, "iteration", MAX_ITERATION),
        whole_number(info, "nodes_touched", MAX_COUNT) if "nodes_touched" in info else None,
    )


def checked_config(saved: Any) -> Config:
    """Settings as JSON holds them, each of its own type; a `ValueError` if one is not."""
    if not isinstance(saved, dict):
        raise ValueError(f"the settings are no table of names and values: {saved!r:.40}")
    types = {field.name: type(field.default) for field in dataclasses.fields(Config)}
    given: dict[str, Any] = saved
    for name, value in given.items():
        if name in FORMER_SETTINGS:
            continue
        wanted = types.get(RENAMED.get(str(name), str(name)))
        if wanted is None:
            raise ValueError(no_such_setting(str(name), types))
        if type(value) is not wanted and not (wanted is float and type(value) is int):
            raise ValueError(f"{name} must be of type {wanted.__name__}, not {value!r:.40}")
    return Config.from_saved(saved)
