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


def run(request: Request, places: Places, config: Config, source: Path | None) -> int:
    """The whole run, a new one with or without a run that it starts from; the exit code."""
    try:
        game = game_named(config.game)
        is_resumed = bool(request.resume)
        training = Run(config, places, measure, is_resumed, source=source, game=game)
        return training.go(request.max_minutes)
    except tf.errors.ResourceExhaustedError as error:
        raise MemoryError(str(error).splitlines()[0]) from error
