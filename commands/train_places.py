"""The folders and settings of the run that `train.py` is asked for, before TensorFlow loads."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from commands.train_options import Request
from deep_cfr.config import Config, ConfigError
from deep_cfr.presets import DEFAULT_PRESET
from models.run_state import latest_state
from training.places import Places, find_run, new_places, resumed_places, unnamed_places


@contextmanager
def claimed(request: Request) -> Iterator[tuple[Places, Config]]:
    """The run's folders, which no other process writes to meanwhile, and its settings."""
    logdir = request.logdir or Path("runs")
    if request.resume:
        folder = find_run(request.resume, request.checkpoints)
        with resumed_places(folder, logdir) as places:
            yield places, _resumed_config(request, folder)
        return
    config = request.config()  # bad settings are refused before a folder is made
    if request.run_name:
        with new_places(request.run_name, logdir, request.checkpoints) as places:
            yield places, config
        return
    stem = f"{request.preset or DEFAULT_PRESET}-{time.strftime('%Y%m%d-%H%M%S')}"
    with unnamed_places(stem, logdir, request.checkpoints) as places:
        yield places, config


def _resumed_config(request: Request, folder: Path) -> Config:
    """Settings of a saved run; those that decide its results must stay."""
    state = latest_state(folder)
    saved = state.config
    config = request.config(saved)
    changed = saved.differences(config)
    if changed:
        raise ConfigError("a resumed run keeps its settings; these differ: " + "; ".join(changed))
    return config
