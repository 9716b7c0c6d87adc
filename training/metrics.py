"""One line of metrics.csv: what is recorded of an iteration.

Values that were not measured, such as the loss of an iteration that fitted no network, are None in
the record and empty in the file.
"""

from __future__ import annotations

import csv
import dataclasses
import io
from dataclasses import dataclass
from typing import Any

from deep_cfr.solver import PLAYERS, Iteration, Solver

MILLI = 1000  # a value in big blinds becomes one in thousandths of it


@dataclass(frozen=True)
class IterationMetrics:
    """The columns of metrics.csv, in their order."""

    t: int
    nodes_touched: int
    wall_s: float
    infosets: int
    infosets_per_s: int
    traversal_s: float
    fit_s: float
    value_mbb: float
    loss_p0: float | None = None
    loss_p1: float | None = None
    validation_loss_p0: float | None = None
    validation_loss_p1: float | None = None
    updates_p0: int = 0
    updates_p1: int = 0
    advantages_p0: int = 0
    advantages_p1: int = 0
    strategies: int = 0
    strategy_loss: float | None = None
    exploitability_mbb: float | None = None
    exploitability_estimate_mbb: float | None = None
    exploitability_of_memory_mbb: float | None = None
    lbr_mbb: float | None = None
    lbr_interval_mbb: float | None = None
    won_from_loose_aggressive_mbb: float | None = None
    won_from_loose_aggressive_interval_mbb: float | None = None
    won_from_call_mbb: float | None = None
    won_from_call_interval_mbb: float | None = None
    unbeatable_folded_random: float | None = None
    unbeatable_folded_reached: float | None = None

    @classmethod
    def of(cls, solver: Solver, done: Iteration, wall_s: float) -> IterationMetrics:
        """What an iteration did, `wall_s` seconds after the run began."""
        by_player: dict[str, Any] = {}
        for player in PLAYERS:
            fit = done.fits[player]
            by_player |= {
                f"loss_p{player}": round(fit.loss, 6) if fit.curve else None,
                f"validation_loss_p{player}": _rounded(fit.validation_loss),
                f"updates_p{player}": fit.updates,
                f"advantages_p{player}": solver.advantage_memories[player].seen,
            }
        return cls(
            t=done.t,
            nodes_touched=solver.nodes_touched,
            wall_s=round(wall_s, 2),
            infosets=done.infosets,
            infosets_per_s=round(done.infosets / max(done.seconds_traversing, 1e-9)),
            traversal_s=round(done.seconds_traversing, 3),
            fit_s=round(done.seconds_fitting, 3),
            value_mbb=round((done.values[0] - done.values[1]) / 2 * MILLI, 2),
            strategies=solver.strategy_memory.seen,
            **by_player,
        )

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> IterationMetrics:
        """The record as `to_json` wrote it."""
        known: dict[str, Any] = {name: value for name, value in saved.items() if value != ""}
        return cls(**known)

    def to_json(self) -> dict[str, Any]:
        """By column; what was not measured is empty."""
        return {
            name: "" if value is None else value for name, value in dataclasses.asdict(self).items()
        }

    def updates(self, player: int) -> int:
        """Gradient updates of a player's advantage fit."""
        return (self.updates_p0, self.updates_p1)[player]


def as_csv(records: list[IterationMetrics]) -> str:
    """The whole of metrics.csv."""
    columns = [field.name for field in dataclasses.fields(IterationMetrics)]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(record.to_json() for record in records)
    return text.getvalue()


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
