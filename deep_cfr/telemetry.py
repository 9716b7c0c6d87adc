"""The only place that writes TensorBoard events, progress bars and metrics.csv.

Scalars appear by iteration, and the important ones once more under `by_nodes/` with the nodes
touched as their step; wall time is an axis of TensorBoard's own. Losses during a fit are shown
against updates, counted over the whole run.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tensorboard.plugins.hparams import api as hparams
from tqdm import tqdm

from deep_cfr.charts import preflop_chart
from deep_cfr.policy import Policy
from deep_cfr.solver import PLAYERS, Iteration, Solver
from deep_cfr.storage import whole_file
from deep_cfr.training import FitResult
from env.actions import ACTION_NAMES, RAISE

HISTOGRAM_ROWS = 20_000
COLUMNS = (
    "t", "nodes_touched", "wall_s", "infosets", "infosets_per_s", "traversal_s", "fit_s",
    "value_mbb", "loss_p0", "loss_p1", "validation_loss_p0", "validation_loss_p1",
    "updates_p0", "updates_p1", "advantages_p0", "advantages_p1", "strategies",
    "strategy_loss", "exploitability_mbb", "exploitability_estimate_mbb",
)  # fmt: skip


class Telemetry:
    """Watches one run."""

    def __init__(self, folder: Path, config: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._csv = folder / "metrics.csv"
        self._rows = rows  # of metrics.csv so far
        self._writer = tf.summary.create_file_writer(str(folder))
        self._bar: tqdm[Any] | None = None
        self._outer: tqdm[Any] | None = None
        self._is_terminal = sys.stderr.isatty()
        self._updates = {f"p{p}": sum(int(row[f"updates_p{p}"]) for row in rows) for p in PLAYERS}
        with self._writer.as_default(step=0):
            hparams.hparams(config)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The lines of metrics.csv, for a resumed run to go on with."""
        return self._rows

    def start(self, done: int, total: int) -> None:
        """Open the bar that counts iterations."""
        self._outer = tqdm(
            total=total, initial=done, desc="iterations", unit="it", position=0,
            disable=not self._is_terminal,
        )  # fmt: skip

    def steps(self, what: str, total: int) -> Callable[[int], None]:
        """A bar below, for the step in hand."""
        if self._bar is not None:
            self._bar.close()
        self._bar = tqdm(
            total=total, desc=f"  {what}", position=1, leave=False, unit_scale=True,
            disable=not self._is_terminal,
        )  # fmt: skip
        bar = self._bar

        def tell(done: int) -> None:
            bar.update(done)

        return tell

    def say(self, line: str) -> None:
        """A line that stays, above the bars."""
        tqdm.write(line, file=sys.stdout)
        sys.stdout.flush()

    def iteration(self, solver: Solver, done: Iteration, wall_s: float) -> None:
        """Record one iteration."""
        big_blind = 1000.0
        row: dict[str, Any] = dict.fromkeys(COLUMNS, "")
        row |= {
            "t": done.t,
            "nodes_touched": solver.nodes_touched,
            "wall_s": round(wall_s, 2),
            "infosets": done.infosets,
            "infosets_per_s": round(done.infosets / max(done.seconds_traversing, 1e-9)),
            "traversal_s": round(done.seconds_traversing, 3),
            "fit_s": round(done.seconds_fitting, 3),
            "value_mbb": round((done.values[0] - done.values[1]) / 2 * big_blind, 2),
            "strategies": solver.strategy_memory.seen,
        }
        for player, fit in enumerate(done.fits):
            row[f"loss_p{player}"] = round(fit.loss, 6) if fit.curve else ""
            row[f"validation_loss_p{player}"] = _blank(fit.validation_loss)
            row[f"updates_p{player}"] = fit.updates
            row[f"advantages_p{player}"] = solver.advantage_memories[player].seen
        self._rows.append(row)
        with self._writer.as_default(step=done.t):
            self._scalars(solver, done, row)
            self._curves({f"p{player}": fit for player, fit in enumerate(done.fits)})
            self._histograms(solver)
        self._save()
        if self._outer is not None:
            self._outer.update()
        self.say(
            f"iteration {done.t}: {row['infosets']:,} infosets at {row['infosets_per_s']:,}/s, "
            f"{_losses(done)}value {row['value_mbb']:+.0f} mbb, "
            f"traversal {row['traversal_s']:.1f} s, fit {row['fit_s']:.1f} s"
        )

    def model(self, solver: Solver, policy: Policy, fit: FitResult) -> None:
        """Record a fit of the average strategy."""
        with self._writer.as_default(step=solver.t):
            tf.summary.scalar("loss/average_strategy", fit.loss)
            for update, loss, validation in fit.curve:
                tf.summary.scalar(f"fit_average_strategy/t_{solver.t:04d}", loss, step=update)
                if validation is not None:
                    name = f"fit_average_strategy_validation/t_{solver.t:04d}"
                    tf.summary.scalar(name, validation, step=update)
            if solver.rules.is_holdem and len(solver.rules.deck) == 52:
                facing_raise = int(solver.tree.children[0, RAISE])
                for node, what in ((0, "first to act"), (facing_raise, "facing a raise")):
                    image = preflop_chart(policy, node, f"iteration {solver.t}, {what}")
                    tf.summary.image(f"preflop/{what.replace(' ', '_')}", image[None])
        self._note(solver.t, "strategy_loss", round(fit.loss, 6))

    def exploitability(self, solver: Solver, name: str, value_mbb: float) -> None:
        """Record an evaluation of the average strategy under the name of what it is."""
        with self._writer.as_default(step=solver.t):
            tf.summary.scalar(name, value_mbb)
            tf.summary.scalar(f"by_nodes/{name}", value_mbb, step=solver.nodes_touched)
        self._note(solver.t, name, round(value_mbb, 4))

    def close(self) -> None:
        """Finish bars and files."""
        for bar in (self._bar, self._outer):
            if bar is not None:
                bar.close()
        self._writer.close()

    def _scalars(self, solver: Solver, done: Iteration, row: dict[str, Any]) -> None:
        for name in ("infosets_per_s", "value_mbb", "nodes_touched"):
            tf.summary.scalar(name, row[name])
        tf.summary.scalar("by_nodes/value_mbb", row["value_mbb"], step=solver.nodes_touched)
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
        for street, name in enumerate(solver.rules.street_names):
            shares = np.mean([shares[street] for shares in done.action_shares], axis=0)
            for action, share in zip(ACTION_NAMES, shares, strict=True):
                tf.summary.scalar(f"actions_{name}/{action}", share)

    def _curves(self, fits: dict[str, FitResult]) -> None:
        """Losses inside each fit, against updates since the run began."""
        for name, fit in fits.items():
            for update, loss, validation in fit.curve:
                step = self._updates[name] + update
                tf.summary.scalar(f"fit/{name}", loss, step=step)
                if validation is not None:
                    tf.summary.scalar(f"fit_validation/{name}", validation, step=step)
            self._updates[name] += fit.updates

    def _histograms(self, solver: Solver) -> None:
        for player in PLAYERS:
            rows = solver.advantage_memories[player].rows[-HISTOGRAM_ROWS:]
            legal = solver.tree.legal[rows["node"]]
            tf.summary.histogram(f"advantages/p{player}", rows["targets"][legal])

    def _note(self, t: int, column: str, value: float) -> None:
        """Fill in a column of an iteration that is recorded already."""
        for row in self._rows:
            if row["t"] == t:
                row[column] = value
        self._save()

    def _save(self) -> None:
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self._rows)
        whole_file(self._csv, text.getvalue().encode())
        self._writer.flush()


def _blank(value: float | None) -> float | str:
    return "" if value is None else round(value, 6)


def _losses(done: Iteration) -> str:
    """The losses of an iteration that fitted networks."""
    if not any(fit.curve for fit in done.fits):
        return ""
    return f"loss {done.fits[0].loss:.4g} / {done.fits[1].loss:.4g}, "
