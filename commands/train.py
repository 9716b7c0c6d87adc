"""What `train.py` does: start or resume a run, and hand it the evaluator."""

from __future__ import annotations

import tensorflow as tf

from commands.train_evaluation import measure
from commands.train_options import Request
from deep_cfr.config import Config
from training.places import Places
from training.run import Run
from workers.tasks import Workers


def run(request: Request, places: Places, config: Config, workers: Workers) -> int:
    """The whole run; the exit code."""
    try:
        training = Run(config, places, measure, bool(request.resume), workers)
        return training.go(request.max_minutes)
    except tf.errors.ResourceExhaustedError as error:
        raise MemoryError(str(error).splitlines()[0]) from error
