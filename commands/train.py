"""What `train.py` does: start or resume a run, and hand it the evaluator."""

from __future__ import annotations

from pathlib import Path

import tensorflow as tf

from commands.train_evaluation import measure
from commands.train_options import Request
from deep_cfr.config import Config
from env.own_game import game_named
from training.places import Places
from training.run import Run
from workers.tasks import Workers


def run(
    request: Request, places: Places, config: Config, source: Path | None, workers: Workers
) -> int:
    """The whole run, a new one with or without a run that it starts from; the exit code."""
    try:
        training = Run(
            config,
            places,
            measure,
            bool(request.resume),
            source=source,
            game=game_named(config.game),
            workers=workers,
        )
        return training.go(request.max_minutes)
    except tf.errors.ResourceExhaustedError as error:
        raise MemoryError(str(error).splitlines()[0]) from error
