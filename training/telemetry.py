"""The only place that writes TensorBoard events, progress bars and metrics.csv.

Scalars appear by iteration, and the important ones once more under `by_nodes/` with the nodes
touched as their step; wall time is an axis of TensorBoard's own. Losses during a fit are shown
against updates, counted over the whole run.
"""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tensorboard.plugins.hparams import api as hparams
from tqdm import tqdm

from deep_cfr.config import Config
from deep_cfr.fitting.trainer import FitResult
from deep_cfr.solver import PLAYERS, Iteration, Solver
from env.actions import ACTION_NAMES, RAISE
from env.betting_tree import NONE
from env.progress import Advance
from models.charts import preflop_chart
from models.storage import whole_file
from policies.policy import Policy
from training.console import say
from training.metrics import IterationMetrics, as_csv

HISTOGRAM_ROWS = 20_000
SECONDS_BETWEEN_LINES = 5.0  # at least, between iterations of which nothing special is to be said


class Telemetry:
    """Watches one run."""

    def __init__(self, folder: Path, config: Config, records: list[IterationMetrics]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._csv = folder / "metrics.csv"
        self.records = records  # the lines of metrics.csv so far
        self._writer = tf.summary.create_file_writer(str(folder))
        self._bar: tqdm[Any] | None = None
        self._outer: tqdm[Any] | None = None
        self._is_terminal = sys.stderr.isatty()
        self._last_line = -SECONDS_BETWEEN_LINES
        self._is_complete = True  # until something could not be written
        self._updates = [sum(record.updates(p) for record in records) for p in PLAYERS]
        with self._events(0):
            hparams.hparams(dataclasses.asdict(config))

    def start(self, done: int, total: int) -> None:
        """Open the bar that counts iterations."""
        self._outer = tqdm(
            total=total,
            initial=done,
            desc="iterations",
            unit="it",
            position=0,
            disable=not self._is_terminal,
        )

    def new_bar(self, what: str, total: int) -> Advance:
        """A bar below, for the step in hand."""
        if self._bar is not None:
            self._bar.close()
        bar = self._bar = tqdm(
            total=total,
            desc=f"  {what}",
            position=1,
            leave=False,
            unit_scale=True,
            disable=not self._is_terminal,
        )

        def advance(done: int) -> None:
            bar.update(done)

        return advance

    def say(self, line: str) -> None:
        """A line that stays, above the bars."""
        say(line)

    def has_strategy_loss(self, t: int) -> bool:
        """Whether the average strategy after iteration t was fitted and recorded."""
        return any(record.t == t and record.strategy_loss is not None for record in self.records)

    def iteration(
        self, solver: Solver, done: Iteration, wall_s: float, always: bool = True
    ) -> None:
        """Record one iteration; a line is shown always, or if the last is seconds ago."""
        record = IterationMetrics.of(solver, done, wall_s)
        self.records.append(record)
        with self._events(done.t):
            self._scalars(solver, done, record)
            self._curves(done.fits)
            self._histograms(solver)
        self._save()
        if self._outer is not None:
            self._outer.update()
        if not always and time.perf_counter() - self._last_line < SECONDS_BETWEEN_LINES:
            return
        self._last_line = time.perf_counter()
        self.say(
            f"iteration {done.t}: {record.infosets:,} infosets at {record.infosets_per_s:,}/s, "
            f"{_losses(done)}value {record.value_mbb:+.0f} mbb, "
            f"traversal {record.traversal_s:.1f} s, fit {record.fit_s:.1f} s"
        )

    def model(self, solver: Solver, policy: Policy, fit: FitResult) -> None:
        """Record a fit of the average strategy."""
        with self._events(solver.t):
            tf.summary.scalar("loss/average_strategy", fit.loss)
            for update, loss, validation in fit.curve:
                tf.summary.scalar(f"fit_average_strategy/t_{solver.t:04d}", loss, step=update)
                if validation is not None:
                    name = f"fit_average_strategy_validation/t_{solver.t:04d}"
                    tf.summary.scalar(name, validation, step=update)
            if solver.game.rules.is_holdem and len(solver.game.rules.deck) == 52:
                raised = int(solver.game.tree.children[0, RAISE])
                charts = [(0, "first to act"), (raised, "facing a raise")]
                for node, what in charts[: 1 + (raised != NONE)]:  # some rules know no raise
                    image = preflop_chart(policy, node, f"iteration {solver.t}, {what}")
                    tf.summary.image(f"preflop/{what.replace(' ', '_')}", image[None])
        self._amend(solver.t, strategy_loss=round(fit.loss, 6))

    def exploitability(self, solver: Solver, name: str, value_mbb: float) -> None:
        """Record an evaluation of the average strategy under the name of what it is."""
        with self._events(solver.t):
            tf.summary.scalar(name, value_mbb)
            tf.summary.scalar(f"by_nodes/{name}", value_mbb, step=solver.nodes_touched)
        self._amend(solver.t, **{name: round(value_mbb, 4)})

    def close(self) -> None:
        """Finish bars and files."""
        for bar in (self._bar, self._outer):
            if bar is not None:
                bar.close()
        with self._surviving():
            self._writer.close()

    def _scalars(self, solver: Solver, done: Iteration, record: IterationMetrics) -> None:
        tf.summary.scalar("infosets_per_s", record.infosets_per_s)
        tf.summary.scalar("value_mbb", record.value_mbb)
        tf.summary.scalar("nodes_touched", record.nodes_touched)
        tf.summary.scalar("by_nodes/value_mbb", record.value_mbb, step=solver.nodes_touched)
        tf.summary.scalar("seconds/traversal", done.seconds_traversing)
        tf.summary.scalar("seconds/fit", done.seconds_fitting)
        memories = {f"advantages_p{p}": solver.advantage_memories[p] for p in PLAYERS}
        for name, memory in {**memories, "strategies": solver.strategy_memory}.items():
            tf.summary.scalar(f"memory_seen/{name}", memory.seen)
            tf.summary.scalar(f"memory_fill/{name}", len(memory) / memory.capacity)
        for player, fit in enumerate(done.fits):
            if fit.curve:
                tf.summary.scalar(f"loss/p{player}", fit.loss)
                tf.summary.scalar(f"by_nodes/loss_p{player}", fit.loss, step=solver.nodes_touched)
            if fit.validation_loss is not None:
                tf.summary.scalar(f"validation_loss/p{player}", fit.validation_loss)
        for street, name in enumerate(solver.game.rules.street_names):
            shares = np.mean([shares[street] for shares in done.action_shares], axis=0)
            for action, share in zip(ACTION_NAMES, shares, strict=True):
                tf.summary.scalar(f"actions_{name}/{action}", share)

    def _curves(self, fits: list[FitResult]) -> None:
        """Losses inside each fit, against updates since the run began."""
        for player, fit in enumerate(fits):
            for update, loss, validation in fit.curve:
                step = self._updates[player] + update
                tf.summary.scalar(f"fit/p{player}", loss, step=step)
                if validation is not None:
                    tf.summary.scalar(f"fit_validation/p{player}", validation, step=step)
            self._updates[player] += fit.updates

    def _histograms(self, solver: Solver) -> None:
        for player in PLAYERS:
            rows = solver.advantage_memories[player].rows[-HISTOGRAM_ROWS:]
            legal = solver.game.tree.legal[rows["node"]]
            tf.summary.histogram(f"advantages/p{player}", rows["targets"][legal])

    def _amend(self, t: int, **measured: float) -> None:
        """Fill in columns of an iteration that is recorded already."""
        self.records[:] = [
            dataclasses.replace(record, **measured) if record.t == t else record  # type: ignore[arg-type]
            for record in self.records
        ]
        self._save()

    def _save(self) -> None:
        with self._surviving():
            whole_file(self._csv, as_csv(self.records).encode())

    @contextmanager
    def _events(self, step: int) -> Iterator[None]:
        """Events written inside belong to this step."""
        with self._surviving():
            with self._writer.as_default(step=step):
                yield
            self._writer.flush()

    @contextmanager
    def _surviving(self) -> Iterator[None]:
        """A full disk costs logs, never the run: said once, and tried again the next time.

        All lines of metrics.csv are also kept in `latest/`, so the file is complete as soon as it
        can be written again.
        """
        try:
            yield
        except (OSError, tf.errors.OpError) as error:
            if self._is_complete:
                reason = str(error).splitlines()[0][:200]
                self.say(f"warning: could not write logs to {self._csv.parent}: {reason}")
            self._is_complete = False


def _losses(done: Iteration) -> str:
    """The losses of an iteration that fitted networks."""
    if not any(fit.curve for fit in done.fits):
        return ""
    return f"loss {done.fits[0].loss:.4g} / {done.fits[1].loss:.4g}, "
