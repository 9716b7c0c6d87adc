"""What `train.py` does: start or resume a run, and hand it the evaluator."""

from __future__ import annotations

import time
from pathlib import Path

from commands.train_evaluation import measure
from commands.train_options import Request
from deep_cfr.config import Config, ConfigError
from deep_cfr.presets import DEFAULT_PRESET
from env.rules import parse_rules
from models.run_state import latest_state
from training.run import Places, Run, find_run


def run(request: Request) -> int:
    """The whole run; the exit code."""
    config, places = _resumed(request) if request.resume else _new(request)
    return Run(config, places, measure, resume=bool(request.resume)).go(request.max_minutes)


def _new(request: Request) -> tuple[Config, Places]:
    """Settings and folders of a new run; names that are taken are refused."""
    preset = request.preset or DEFAULT_PRESET
    name = request.run_name or f"{preset}-{time.strftime('%Y%m%d-%H%M%S')}"
    folder = request.checkpoints / name
    logs = (request.logdir or Path("runs")) / name
    if folder.exists() or logs.exists():
        raise ConfigError(
            f"there is a run {name!r} already; --resume {name} goes on with it, "
            "another --run-name starts a new one"
        )
    return request.config(), Places(name, logs, folder)


def _resumed(request: Request) -> tuple[Config, Places]:
    """Settings and folders of a saved run; settings that decide its results must stay."""
    folder = find_run(str(request.resume), request.checkpoints)
    state = latest_state(folder)
    saved = state.config.for_game(parse_rules(state.config.game))
    config = request.config(saved)
    changed = saved.differences(config)
    if changed:
        raise ConfigError("a resumed run keeps its settings; these differ: " + "; ".join(changed))
    name = folder.name
    logs = request.logdir / name if request.logdir else Path(state.extra["logs"])
    return config, Places(name, logs, folder)
