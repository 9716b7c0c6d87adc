"""The tables of docs/reference/settings.md, made from `Config` and the presets.

`python -m tests.settings_tables` writes them into the page when a setting or a preset has changed.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

from commands import train_options
from deep_cfr.config import Config
from deep_cfr.presets import DEFAULT_PRESET, PRESETS

ROOT = Path(__file__).parent.parent

PAGE = ROOT / "docs" / "reference" / "settings.md"
BEGIN, END = "<!-- {} -->\n", "\n<!-- end of {} -->"


def shown(value: Any) -> str:
    """A value as it is typed."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def flag(name: str) -> str:
    return f"`--{name.replace('_', '-')}`"


def settings() -> str:
    """Every setting with its meaning."""
    lines = ["| setting | meaning | default | on resume |", "|---|---|---|---|"]
    for field in dataclasses.fields(Config):
        value = shown(getattr(PRESETS[DEFAULT_PRESET][1], field.name))
        about = field.metadata["help"].replace("|", "\\|")
        may_change = "may change" if field.metadata["safe"] else "stays"
        lines.append(f"| {flag(field.name)} | {about} | {value} | {may_change} |")
    return "\n".join(lines)


def presets() -> str:
    """The settings in which presets differ."""
    configs = [config for _, config in PRESETS.values()]
    lines = [
        f"| setting | {' | '.join(f'`{name}`' for name in PRESETS)} |",
        "|---" * (len(PRESETS) + 1) + "|",
    ]
    for field in dataclasses.fields(Config):
        values = [shown(getattr(config, field.name)) for config in configs]
        if len(set(values)) > 1:
            lines.append(f"| {flag(field.name)} | {' | '.join(values)} |")
    return "\n".join(lines)


def flags() -> str:
    """What `train.py` takes besides settings."""
    names = {field.name for field in dataclasses.fields(Config)} | {"help"}
    lines = ["| flag | meaning |", "|---|---|"]
    for action in train_options._parser()._actions:
        if action.dest not in names:
            typed = f"`{action.option_strings[0]} {action.metavar or action.dest.upper()}`"
            lines.append(f"| {typed} | {str(action.help).replace('%%', '%')} |")
    return "\n".join(lines)


TABLES = {"settings": settings, "presets": presets, "flags": flags}


def with_tables(text: str) -> str:
    """The page with its tables as they ought to be."""
    for name, table in TABLES.items():
        begin, end = BEGIN.format(name), END.format(name)
        pattern = re.escape(begin) + ".*?" + re.escape(end)
        parts = re.split(pattern, text, flags=re.DOTALL)
        if len(parts) != 2:
            raise ValueError(f"{PAGE} has no place for the table of {name}")
        text = f"{parts[0]}{begin}\n{table()}\n{end}{parts[1]}"
    return text


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text()))
