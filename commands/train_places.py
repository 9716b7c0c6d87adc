"""The folders and settings of the run that `train.py` is asked for, before TensorFlow loads."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from commands.train_options import Request
from deep_cfr.config import Config, ConfigError
from deep_cfr.presets import DEFAULT_PRESET
from models.run_state import latest_state
from training.places import Places, find_run, new_places, resumed_places, unnamed_places
from training.takeover import config_of_new_run


class Claim(NamedTuple):
    """What a run needs to begin."""

    places: Places
    config: Config
    source: Path | None  # the run that this one starts from, if it starts from one


@contextmanager
def claimed(request: Request) -> Iterator[Claim]:
    """The run's folders, which no other process writes to meanwhile, and its settings."""
    logdir = request.logdir or Path("runs")
    if request.resume:
        folder = find_run(request.resume, request.checkpoints)
        with resumed_places(folder, logdir) as places:
            yield Claim(places, _resumed_config(request, folder), None)
        return
    source = None
    if request.source:
        source = find_run(request.source, request.checkpoints, is_source=True)
    # Bad settings are refused before a folder is made.
    config = request.config() if source is None else _config_from(request, source)
    if request.run_name:
        with new_places(request.run_name, logdir, request.checkpoints) as places:
            yield Claim(places, config, source)
        return
    stem = f"{_stem(request, config, source)}-{time.strftime('%Y%m%d-%H%M%S')}"
    with unnamed_places(stem, logdir, request.checkpoints) as places:
        yield Claim(places, config, source)


def _stem(request: Request, config: Config, source: Path | None) -> str:
    """What the name of a run begins with that was given none."""
    if source is not None:
        return source.resolve().name
    return config.game.partition(":")[0] if request.base else request.preset or DEFAULT_PRESET


def _config_from(request: Request, source: Path) -> Config:
    """Settings of a new run that starts from another one: the other run's, unless named."""
    state = latest_state(source)
    return config_of_new_run(state, request.config(state.config), request.overrides)


def _resumed_config(request: Request, folder: Path) -> Config:
    """Settings of a saved run; those that decide its results must stay."""
    state = latest_state(folder)
    saved = state.config
    config = request.config(saved)
    changed = saved.differences(config)
    if changed:
        raise ConfigError(
            "a resumed run keeps its settings (--from starts a new run with changed ones); these "
            f"differ: {'; '.join(changed)}"
        )
    return config
