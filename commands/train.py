"""What `train.py` does: start or resume a run, and hand it the evaluator."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from commands.train_options import Request
from deep_cfr.config import Config
from deep_cfr.solver import Solver
from env.boards import num_board_classes
from env.progress import NewBar
from evaluation.best_response import exploitability, is_feasible
from policies.policy import Policy
from training.places import Places
from training.run import Measured, Run


def run(request: Request, places: Places, config: Config) -> int:
    """The whole run; the exit code."""
    try:
        training = Run(config, places, measure, resume=bool(request.resume))
        return training.go(request.max_minutes)
    except tf.errors.ResourceExhaustedError as error:
        raise MemoryError(str(error).splitlines()[0]) from error


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
