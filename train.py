"""Train Deep CFR: `python train.py --help`."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from deep_cfr.command import Request, parse
from deep_cfr.config import DEFAULT_PRESET, Config, ConfigError
from deep_cfr.quiet import quiet_without_gpu
from env.compiler import TreeTooLarge
from env.rules import RulesError, parse_rules

if TYPE_CHECKING:
    from deep_cfr.policy import Policy
    from deep_cfr.progress import Steps
    from deep_cfr.run import Measured
    from deep_cfr.solver import Solver


def main(arguments: list[str]) -> int:
    """Run the command; one line on stderr and exit code 2 for what makes no sense."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        request = parse(arguments)
        if not request.resume:
            parse_rules(request.config().game)  # bad settings are refused before TensorFlow loads
        return _train(request)
    except (ConfigError, RulesError, TreeTooLarge, ArithmeticError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(f"error: too little memory: {error}; smaller memories help", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped at once; --resume goes on from the last save", file=sys.stderr)
        return 130


def _train(request: Request) -> int:
    with quiet_without_gpu():  # slow imports, only once they are needed
        from deep_cfr import checkpoint  # noqa: PLC0415
        from deep_cfr.run import Places, Run, find_run  # noqa: PLC0415

    if request.resume:
        folder = find_run(request.resume, request.checkpoints)
        state = checkpoint.latest_state(folder)
        saved = Config(**state["config"])
        config = request.config(saved)
        changed = saved.differences(config)
        if changed:
            raise ConfigError(
                "a resumed run keeps its settings; these differ: " + "; ".join(changed)
            )
        name = folder.name
        logs = request.logdir / name if request.logdir else Path(state["extra"]["logs"])
    else:
        config = request.config()
        preset = request.preset or DEFAULT_PRESET
        name = request.run_name or f"{preset}-{time.strftime('%Y%m%d-%H%M%S')}"
        folder = request.checkpoints / name
        logs = (request.logdir or Path("runs")) / name
        if folder.exists() or logs.exists():
            raise ConfigError(
                f"there is a run {name!r} already; --resume {name} goes on with it, "
                "another --run-name starts a new one"
            )
    run = Run(config, Places(name, logs, folder), measure, resume=bool(request.resume))
    return run.go(request.max_minutes)


def measure(solver: Solver, policy: Policy, steps: Steps) -> Measured | None:
    """Exploitability, exact or from a sample of flops; None where only other tools can tell."""
    from deep_cfr.run import Measured  # noqa: PLC0415
    from env.boards import num_board_classes  # noqa: PLC0415
    from evaluation.best_response import exploitability, is_feasible  # noqa: PLC0415

    rules, config = solver.rules, solver.config
    if not is_feasible(rules):
        return None
    is_exact = not rules.is_holdem or not 0 < config.eval_boards < num_board_classes(rules)
    # The same boards every time, so that one estimate can be compared with the next.
    sample = None if is_exact else (config.eval_boards, np.random.default_rng(config.seed))
    found = exploitability(rules, solver.tree, policy, sample=sample, steps=steps)
    return Measured(found.exploitability_mbb, is_exact)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
