"""Settings of a run from a file: `train.py --config FILE`.

A TOML file holds what would otherwise be flags, by the same names. It is translated to flags, which
stand before those of the command line, so that the command line wins. The JSON file of a run or
model holds every setting of a run at once; such a run can be made again from it.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from deep_cfr.config import Config, ConfigError
from deep_cfr.config_checks import no_such_setting
from models.description import checked_config
from models.json_object import read_object
from models.messages import one_line
from models.starting_points import StartingPoint, starting_points

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MAX_BYTES = 1 << 20  # far above what anybody writes by hand
IN_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text in quotes"}


class SavedSettings(NamedTuple):
    """What config.json or model.json says of a run."""

    config: Config
    started_from: tuple[StartingPoint, ...]  # the runs that it goes back to, if any


def is_saved(file: Path) -> bool:
    """Whether a file is one that a run wrote, rather than one that somebody wrote by hand."""
    return file.suffix.lower() == ".json"


def saved_settings(file: Path) -> SavedSettings:
    """All settings of a run or model, from the JSON file that describes it."""
    content = read_object(file)
    if "config" not in content:
        raise ConfigError(f'{file} has no entry "config", which holds the settings of a run')
    try:
        return SavedSettings(checked_config(content["config"]), starting_points(content))
    except ValueError as error:
        raise ConfigError(f"{file}: {error}") from None


def as_flags(file: Path, options: Collection[str]) -> list[str]:
    """The flags that a TOML file stands for; `options` are flags that are no settings."""
    types: dict[str, type] = dict.fromkeys(options, str)
    types |= {field.name: type(field.default) for field in dataclasses.fields(Config)}
    flags: dict[str, str] = {}
    for key, value in _read(file).items():
        name = key.replace("-", "_")
        if name not in types:
            raise ConfigError(f"{file}: {_unknown(key, value, types)}")
        if name in flags:
            raise ConfigError(f"{file}: {name} is given twice, with - and with _")
        problem = _problem_of(value, types[name], is_option=name in options)
        if problem:
            raise ConfigError(f"{file}: {name} {problem}")
        flags[name] = _flag(name, value)
    return list(flags.values())


def _read(file: Path) -> dict[str, Any]:
    """What a TOML file holds. Only regular files are opened, since a pipe could wait for ever."""
    if not file.is_file():
        what = "is not a file" if file.exists() else "does not exist"
        raise ConfigError(f"--config {file} {what}")
    if file.stat().st_size > MAX_BYTES:
        raise ConfigError(f"--config {file} is too large to be a file of settings")
    try:
        return tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"--config {file} is not TOML: {one_line(error)}") from None


def _unknown(key: str, value: Any, known: Collection[str]) -> str:
    if isinstance(value, dict):
        return f"[{key:.40}] is a table, but settings stand at the top, each as NAME = VALUE"
    return no_such_setting(key, known)


def _problem_of(value: Any, wanted: type, is_option: bool) -> str | None:
    """Why a value cannot be one of that type; None if it can."""
    fitting: tuple[type, ...] = (int, float) if wanted is float else (wanted,)
    if is_option:  # what these mean is for the command line to say
        fitting = (str, int, float)
    if type(value) not in fitting:
        return f"must be {IN_WORDS[wanted]}, not {value!r:.40}"
    if isinstance(value, str) and not value.isprintable():
        return "has characters that cannot be printed"
    return None


def _flag(name: str, value: Any) -> str:
    flag = name.replace("_", "-")
    if isinstance(value, bool):
        return f"--{flag}" if value else f"--no-{flag}"
    return f"--{flag}={value}"
