"""Grades for actions: how much of the pot an action gives away, and how sure that is.

A loss that is sampled counts only as far as it exceeds its interval, so that nobody is blamed for
noise. An action that the model itself plays often is never worse than fine: where it mixes, the
values of its actions ought to be equal, and if they are not, that is the model's own error.
"""

from __future__ import annotations

from dataclasses import dataclass

BEST, FINE, INACCURACY, MISTAKE, BLUNDER = GRADES = (
    "best",
    "fine",
    "inaccuracy",
    "mistake",
    "blunder",
)


@dataclass(frozen=True)
class Thresholds:
    """The largest loss that still earns a grade, as a fraction of the pot before the action."""

    best: float = 0.005
    fine: float = 0.02
    inaccuracy: float = 0.06
    mistake: float = 0.15  # beyond it: a blunder
    often: float = 0.2  # probability with which the model plays an action that is never blamed


@dataclass(frozen=True)
class Loss:
    """What an action gave away, in big blinds."""

    value_bb: float
    interval_bb: float  # 0: exact
    pot_bb: float  # before the action

    @property
    def of_pot(self) -> float:
        """The loss that is beyond doubt, as a fraction of the pot."""
        return max(self.value_bb - self.interval_bb, 0.0) / self.pot_bb


def grade(loss: Loss, probability: float, thresholds: Thresholds) -> str:
    """The grade of an action that the model plays with this probability."""
    if loss.value_bb <= thresholds.best * loss.pot_bb:
        return BEST
    if probability >= thresholds.often or loss.of_pot <= thresholds.fine:
        return FINE
    if loss.of_pot <= thresholds.inaccuracy:
        return INACCURACY
    return MISTAKE if loss.of_pot <= thresholds.mistake else BLUNDER
