"""The only place that writes TensorBoard events, progress bars and metrics.csv.

Scalars appear by iteration, and the important ones once more in groups `…_by_nodes` with the nodes
touched as their step; wall time is an axis of TensorBoard's own. Losses during a fit are shown
against updates, counted over the whole run. `training.tags` describes every tag.
"""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tensorboard.plugins.hparams import api as hparams
from tqdm import tqdm

from deep_cfr.config import Config
from deep_cfr.endgame.learner import LearnedEndgames
from deep_cfr.fitting.trainer import FitResult
from deep_cfr.solver import PLAYERS, Iteration, Solver
from env.actions import ACTION_NAMES, RAISE
from env.betting_tree import NONE
from env.progress import Advance
from models.charts import preflop_chart
from models.storage import whole_file
from policies.policy import Policy
from training.console import say
from training.figures import Figure
from training.metrics import IterationMetrics, as_csv
from training.tags import BY_NODES, LEARNING, MEMORY, PLAY, SPEED, STRENGTH, about, street_tag

HISTOGRAM_ROWS = 20_000
MEGA = 1e6
SECONDS_BETWEEN_LINES = 5.0  # at least, between lines of one kind that say nothing special
# Figures of HPARAMS: name, folder below the run's (what evaluate.py writes), heading.
SHOWN_FIRST = (
    ("exploitability_mbb", None, "exploitability, mbb"),
    ("exploitability_estimate_mbb", None, "exploitability (estimate), mbb"),
    ("lbr_mbb", None, "local best response, mbb"),
    ("won_from_loose_aggressive_mbb", None, "won from loose-aggressive, mbb"),
    ("won_from_call_mbb", None, "won from call, mbb"),
    ("exploitability_mbb", "evaluation", "exploitability by evaluate.py, mbb"),
    ("lbr_mbb", "evaluation", "local best response by evaluate.py, mbb"),
)


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
        self._last_lines: dict[str, float] = {}  # when a line of each kind was shown
        self._is_complete = True  # until something could not be written
        self._updates = [sum(record.updates(p) for record in records) for p in PLAYERS]
        with self._events(0):
            _declare(config, run=folder.name)

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

    def is_measured(self, t: int) -> bool:
        """Whether the strength of the average strategy after iteration t is recorded."""
        found = [record for record in self.records if record.t == t]
        return any(
            figure is not None
            for record in found
            for figure in (record.strategy_loss, record.exploitability_of_memory_mbb)
        )

    def iteration(
        self, solver: Solver, done: Iteration, wall_s: float, always: bool = True
    ) -> None:
        """Record one iteration; a line is shown always, or if the last one is seconds ago."""
        record = IterationMetrics.of(solver, done, wall_s)
        self.records.append(record)
        with self._events(done.t):
            self._scalars(solver, done, record)
            self._curves(done.fits)
            self._histograms(solver)
        self._save()
        if self._outer is not None:
            self._outer.update()
        line = (
            f"iteration {done.t}: {record.infosets:,} infosets at {record.infosets_per_s:,}/s, "
            f"{_losses(done)}value {record.value_mbb:+.0f} mbb, "
            f"traversal {record.traversal_s:.1f} s, fit {record.fit_s:.1f} s{_work(done)}"
        )
        self._say_now_and_then("iteration", line, always)

    def model(self, solver: Solver, policy: Policy, fit: FitResult) -> None:
        """Record a fit of the average strategy."""
        with self._events(solver.t):
            _scalar(f"{LEARNING}/loss_average_strategy", fit.loss)
            name = f"average_strategy_t_{solver.t:04d}"
            for update, loss, validation in fit.curve:
                _scalar(f"{LEARNING}_in_fits/{name}", loss, update)
                if validation is not None:
                    _scalar(f"{LEARNING}_in_fits/validation_{name}", validation, update)
            if solver.game.rules.is_holdem and len(solver.game.rules.deck) == 52:
                raised = int(solver.game.tree.children[0, RAISE])
                charts = [(0, "first to act"), (raised, "facing a raise")]
                for node, what in charts[: 1 + (raised != NONE)]:  # some rules know no raise
                    image = preflop_chart(policy, node, f"iteration {solver.t}, {what}")
                    tag = f"{PLAY}/chart_{what.replace(' ', '_')}"
                    tf.summary.image(tag, image[None], description=about(tag))
        self._amend(solver.t, strategy_loss=round(fit.loss, 6))

    def endgames(self, solver: Solver, learned: LearnedEndgames) -> None:
        """Record how well the last streets were learned from solved subgames."""
        with self._events(solver.t):
            for street, distance in learned.distances.items():
                name = solver.game.rules.street_names[street].replace(" ", "_")
                _scalar(f"{LEARNING}/distance_seen_{name}", distance.seen)
                _scalar(f"{LEARNING}/distance_unseen_{name}", distance.unseen)
                self.say(
                    f"iteration {solver.t}: {name} learned from solved subgames, squared distance "
                    f"{distance.unseen:.4f} to others, {distance.seen:.4f} to those learned from"
                )

    def strength(self, solver: Solver, figures: list[Figure], always: bool = True) -> None:
        """Record how strong a policy is: the average strategy, or uniform play at iteration 0.

        A line is shown always, or if the last one is seconds ago.
        """
        if not figures:
            return
        columns: dict[str, float] = {}
        with self._events(solver.t):
            for figure in figures:
                _scalar(f"{STRENGTH}/{figure.name}", figure.value)
                _scalar(f"{STRENGTH}{BY_NODES}/{figure.name}", figure.value, solver.nodes_touched)
                if figure.interval_mbb is not None:
                    _scalar(f"{STRENGTH}_intervals/{figure.name}", figure.interval_mbb)
                for part in figure.by_street:
                    tag = street_tag(figure.name.removesuffix("_mbb"), part.street)
                    _scalar(f"{STRENGTH}_by_street/{tag}", part.mbb)
                    _scalar(f"{STRENGTH}_intervals/{tag}", part.interval_mbb)
                columns |= figure.columns
        self._amend(solver.t, **{name: round(value, 4) for name, value in columns.items()})
        who = f"iteration {solver.t}" if solver.t else "uniform play"
        line = f"{who}: {'; '.join(figure.text for figure in figures)}"
        self._say_now_and_then("strength", line, always)

    def close(self) -> None:
        """Finish bars and files."""
        for bar in (self._bar, self._outer):
            if bar is not None:
                bar.close()
        with self._surviving():
            self._writer.close()

    def _say_now_and_then(self, kind: str, line: str, always: bool) -> None:
        """Iterations of a toy game take a fraction of a second; a line for each would flood."""
        now = time.perf_counter()
        if always or now - self._last_lines.get(kind, -inf) >= SECONDS_BETWEEN_LINES:
            self._last_lines[kind] = now
            self.say(line)

    def _scalars(self, solver: Solver, done: Iteration, record: IterationMetrics) -> None:
        nodes = solver.nodes_touched
        _scalar(f"{LEARNING}/value_mbb", record.value_mbb)
        _scalar(f"{LEARNING}{BY_NODES}/value_mbb", record.value_mbb, nodes)
        for player, fit in enumerate(done.fits):
            if fit.curve:
                _scalar(f"{LEARNING}/loss_p{player}", fit.loss)
                _scalar(f"{LEARNING}{BY_NODES}/loss_p{player}", fit.loss, nodes)
            if fit.validation_loss is not None:
                _scalar(f"{LEARNING}/validation_loss_p{player}", fit.validation_loss)
        for street, name in enumerate(solver.game.rules.street_names):
            shares = np.mean([shares[street] for shares in done.action_shares], axis=0)
            for action, share in zip(ACTION_NAMES, shares, strict=True):
                _scalar(f"{PLAY}/{name.replace(' ', '_')}_{action}", share)
        _scalar(f"{SPEED}/infosets_per_s", record.infosets_per_s)
        _scalar(f"{SPEED}/nodes_touched", nodes)
        _scalar(f"{SPEED}/seconds_traversing", done.seconds_traversing)
        _scalar(f"{SPEED}/seconds_fitting", done.seconds_fitting)
        if done.work.workers:
            _scalar(f"{SPEED}/workers", done.work.workers)
            _scalar(f"{SPEED}/chunks_per_s", _chunks_per_s(done))
            _scalar(f"{SPEED}/chunks_repeated", done.work.repeated)
            _scalar(f"{SPEED}/seconds_waiting", done.work.waiting_s)
            _scalar(f"{SPEED}/megabytes_moved", done.work.bytes_moved / MEGA)
        memories = {f"advantages_p{p}": solver.advantage_memories[p] for p in PLAYERS}
        for name, memory in {**memories, "strategies": solver.strategy_memory}.items():
            _scalar(f"{MEMORY}/seen_{name}", memory.seen)
            _scalar(f"{MEMORY}/fill_{name}", len(memory) / memory.capacity)

    def _curves(self, fits: list[FitResult]) -> None:
        """Losses inside each fit, against updates since the run began."""
        for player, fit in enumerate(fits):
            for update, loss, validation in fit.curve:
                step = self._updates[player] + update
                _scalar(f"{LEARNING}_in_fits/p{player}", loss, step)
                if validation is not None:
                    _scalar(f"{LEARNING}_in_fits/validation_p{player}", validation, step)
            self._updates[player] += fit.updates

    def _histograms(self, solver: Solver) -> None:
        for player in PLAYERS:
            rows = solver.advantage_memories[player].rows[-HISTOGRAM_ROWS:]
            legal = solver.game.tree.legal[rows["node"]]
            tag = f"{LEARNING}/advantages_p{player}"
            tf.summary.histogram(tag, rows["targets"][legal], description=about(tag))

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
        """A full disk costs logs and does not end the run: a warning is printed once.

        All lines of metrics.csv are also kept in `latest/`, so the file is complete as soon as it
        can be written again.
        """
        try:
            yield
        except (OSError, tf.errors.OpError) as error:
            if self._is_complete:
                reason = str(error).splitlines()[0][:200]
                self.say(f"warning: the logs in {self._csv.parent} are incomplete: {reason}")
            self._is_complete = False


def _scalar(tag: str, value: float, step: int | None = None) -> None:
    """One point of a curve with its description; without a step it is the iteration's."""
    tf.summary.scalar(tag, value, step=step, description=about(tag))


def _declare(config: Config, run: str) -> None:
    """The settings and the figures that TensorBoard's HPARAMS shows.

    Every run is a session of its own, also beside runs of equal settings, and the figures appear in
    the order of `SHOWN_FIRST`.
    """
    settings = dataclasses.asdict(config)
    metrics = [
        hparams.Metric(f"{STRENGTH}/{name}", group=group, display_name=display)
        for name, group, display in SHOWN_FIRST
    ]
    hparams.hparams_config(hparams=[hparams.HParam(name) for name in settings], metrics=metrics)
    hparams.hparams(settings, trial_id=run)


def _work(done: Iteration) -> str:
    """What workers did in an iteration, if there are any."""
    work = done.work
    if not work.workers:
        return ""
    repeated = f", {work.repeated} done again" if work.repeated else ""
    return (
        f"; {work.workers} workers, {_chunks_per_s(done):.1f} chunks/s{repeated}, "
        f"waited {work.waiting_s:.1f} s, {work.bytes_moved / MEGA:.0f} MB moved"
    )


def _chunks_per_s(done: Iteration) -> float:
    return done.work.chunks / max(done.seconds_traversing, 1e-9)


def _losses(done: Iteration) -> str:
    """The losses of an iteration that fitted networks."""
    if not any(fit.curve for fit in done.fits):
        return ""
    return f"loss {done.fits[0].loss:.4g} / {done.fits[1].loss:.4g}, "
