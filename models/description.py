"""What a model.json must say before the model that it describes is loaded or evaluated."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from deep_cfr.config import DROPPED, RENAMED, Config
from deep_cfr.config_checks import LARGEST, no_such_setting
from deep_cfr.networks.architectures import MOST_DENSE, PARTS
from env.actions import NUM_ACTIONS
from env.extensions import is_extension
from env.own_game import names_own_game
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
    tree: str | None = None  # the digest of the betting tree, of a game of a user's own
    units: dict[str, tuple[int, ...]] | None = None  # of dense layers, of a user's own network


def described(info: dict[str, Any]) -> Description:
    """What a model.json says, checked; a `ValueError` of one line if it makes no sense."""
    needed = ["rules", "config", "iteration"]
    saved = info.get("config")
    if isinstance(saved, dict) and is_extension(str(saved.get("network"))):
        needed.append("dense_units")
    missing = [name for name in needed if name not in info]
    if missing:
        raise ValueError(f"the description lacks {', '.join(missing)}")
    rules, config = Rules.from_dict(info["rules"]), checked_config(info["config"])
    if not names_own_game(config.game):  # whose code is not run for a look at a file
        _refuse_other_rules(rules, parse_rules(config.game))
    return Description(
        rules,
        config.for_game(rules),
        whole_number(info, "iteration", MAX_ITERATION),
        whole_number(info, "nodes_touched", MAX_COUNT) if "nodes_touched" in info else None,
        info.get("betting_tree"),
        _own_units(info["dense_units"]) if is_extension(config.network) else None,
    )


def _own_units(saved: Any) -> dict[str, tuple[int, ...]]:
    """The units of the dense layers of each part of a user's own network, checked."""
    if not isinstance(saved, dict) or set(saved) != set(PARTS):
        raise ValueError(f"dense_units is not a table of {', '.join(PARTS)}")
    for part, units in saved.items():
        is_list = isinstance(units, list) and 1 <= len(units) <= MOST_DENSE
        if not is_list or not all(type(n) is int and 1 <= n <= LARGEST["width"] for n in units):
            raise ValueError(f"dense_units of {part} are not sizes of layers")
    if saved["card_branch"][-1] != saved["bet_branch"][-1] or saved["head"][-1] != NUM_ACTIONS:
        raise ValueError("dense_units are not those of two branches and a head")
    return {part: tuple(saved[part]) for part in PARTS}


def _refuse_other_rules(rules: Rules, own: Rules) -> None:
    # How deep stacks are that never bind is for the rules to say, not for the name of the game.
    if dataclasses.replace(own, name=rules.name, stack=rules.stack) != rules:
        raise ValueError(
            f"the description gives the rules {rules.describe()}, but the settings are of "
            f"{own.describe()}"
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
