"""Figures that say how strong a policy is, as an evaluator hands them to a training run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from deep_cfr.solver import Solver
from env.progress import NewBar
from models.records import StreetPart
from policies.policy import Policy


@dataclass(frozen=True)
class Figure:
    """One figure of strength: thousandths of a big blind per hand, unless it is a share.

    Under its name it is a column of metrics.csv, an entry of model.json's metrics and, in
    TensorBoard, a tag in the group `1_strength`.
    """

    name: str  # ends in _mbb if the value is that
    value: float
    text: str  # as a line of the terminal shows it
    interval_mbb: float | None = None  # half of a 95 % interval, where chance plays a part
    by_street: tuple[StreetPart, ...] = ()  # parts that add up to it; in TensorBoard only

    @property
    def columns(self) -> dict[str, float]:
        """The figure and, where there is one, its interval, by their names."""
        if self.interval_mbb is None:
            return {self.name: self.value}
        interval = self.name.removesuffix("_mbb") + "_interval_mbb"
        return {self.name: self.value, interval: self.interval_mbb}


# (solver, policy, bars) → what was found. The policy is None between two models, when no average
# strategy was fitted: the answer then holds what can be said without one, perhaps nothing.
Evaluator = Callable[[Solver, Policy | None, NewBar], list[Figure]]
