"""What `train.py` does: start or resume a run, and hand it the evaluator."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from commands.train_options import Request
from deep_cfr.config import Config, ConfigError
from deep_cfr.presets import DEFAULT_PRESET
from deep_cfr.solver import Solver
from env.boards import num_board_classes
from env.progress import NewBar
from env.rules import parse_rules
from evaluation.best_response import exploitability, is_feasible
from models.run_state import latest_state
from policies.policy import Policy
from training.run import Measured, Places, Run, find_run


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
    logs = request.logdir / name if request.logdir else state.logs
    return config, Places(name, logs, folder)


def measure(solver: Solver, policy: Policy, new_bar: NewBar) -> Measured | None:
    """Exploitability, exact or from a sample of flops; None in games too large for either."""
    rules, config = solver.game.rules, solver.config
    if not is_feasible(rules):
        return None
    is_exact = not rules.is_holdem or not 0 < config.eval_boards < num_board_classes(rules)
    # The same boards every time, so that one estimate can be compared with the next.
    sample = None if is_exact else (config.eval_boards, np.random.default_rng(config.seed))
    found = exploitability(solver.game, policy, sample=sample, new_bar=new_bar)
    return Measured(found.exploitability_mbb, is_exact)
