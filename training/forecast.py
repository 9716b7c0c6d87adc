"""How long the work ahead of a run will take: guessed before it starts, then measured."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from deep_cfr.config import Config
from deep_cfr.networks import device
from deep_cfr.solver import Iteration, Solver

OVERHEAD = 2.0  # time of an update over that of its matrix products at full speed
MODEL_OVERHEAD = 1.5  # time of the first model, evaluated and saved, over that of its fit
# To solve a subgame of the last street, of the street before, and to learn from them once.
SUBGAME_S, TURN_SUBGAME_S, ENDGAME_UPDATE_S = 0.01, 1.5, 0.03


class Forecast:
    """Keeps the time that the steps of a run took, to say how long the next will take."""

    def __init__(self, solver: Solver) -> None:
        self._config: Config = solver.config
        flops = 6 * solver.advantage_nets[0].num_parameters  # of one row forth and back
        self._row_s = OVERHEAD * flops / device.matmul_flops()  # seconds per row of a minibatch
        self._traversal_s = 0.0  # of an iteration
        self._model_s: float | None = None  # to fit, evaluate and save the average strategy
        self._save_s = 0.0  # to save what a resume needs

    def learn(self, done: Iteration) -> None:
        """Take in what an iteration took."""
        self._traversal_s = done.seconds_traversing
        rows = sum(fit.updates for fit in done.fits) * self._config.batch_size
        if rows:
            self._row_s = done.seconds_fitting / rows

    @contextmanager
    def timing_model(self) -> Iterator[None]:
        """Measure how long it takes to make a model."""
        start = time.perf_counter()
        yield
        self._model_s = time.perf_counter() - start

    @contextmanager
    def timing_save(self) -> Iterator[None]:
        """Measure how long a save takes."""
        start = time.perf_counter()
        yield
        self._save_s = time.perf_counter() - start

    def closing_s(self) -> float:
        """Seconds that the closing model and the last saves will take."""
        return self._next_model_s() + 2 * self._save_s

    def hours(self, first: int, last: int) -> float:
        """Time of the iterations from `first` to `last` with their models."""
        config = self._config
        iterations = range(first, last + 1)
        updates = 2 * sum(config.advantage_fit(t).updates for t in iterations if config.refits(t))
        fits = updates * config.batch_size * self._row_s
        models = self._next_model_s() * (len(iterations) // config.checkpoint_every)
        return (fits + models + self._traversal_s * len(iterations)) / 3600

    def _next_model_s(self) -> float:
        """As the last one took; before there is one, guessed from the rows that its fit reads."""
        if self._model_s is not None:
            return self._model_s
        rows = self._config.strategy_updates * self._config.strategy_batch_size
        return MODEL_OVERHEAD * rows * self._row_s + self._endgames_s()

    def _endgames_s(self) -> float:
        """A guess for what is learned from solved subgames."""
        config = self._config
        solving = config.last_street_subgames * SUBGAME_S + config.turn_subgames * TURN_SUBGAME_S
        streets = bool(config.last_street_subgames) + bool(config.turn_subgames)
        return solving + streets * config.endgame_updates * ENDGAME_UPDATE_S
