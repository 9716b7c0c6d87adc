"""The coach's figures at one decision, and its judgement of what was done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from env.actions import ACTION_NAMES
from env.arrays import Doubles
from interfaces.coach.grades import Loss, Thresholds, grade
from interfaces.coach.reference import Reference
from interfaces.coach.rollouts import Sampling
from interfaces.coach.situation import Situation
from interfaces.coach.values import ActionValues, action_values


@dataclass(frozen=True, eq=False)
class Advice:
    """What the model does with a hand, and what each action is worth."""

    situation: Situation
    strategy: Doubles  # [3]
    values: ActionValues
    thresholds: Thresholds

    def loss(self, action: int) -> Loss:
        """What an action gives away against the best one."""
        values = self.values
        return Loss(
            float(values.losses_bb[action]),
            float(values.loss_intervals_bb[action]),
            self.situation.pot_bb,
        )

    def grade(self, action: int) -> str:
        """How good an action is."""
        return grade(self.loss(action), float(self.strategy[action]), self.thresholds)

    def to_json(self) -> dict[str, Any]:
        """Plain data: legal actions by name, amounts in big blinds."""
        values, actions = self.values, np.flatnonzero(self.situation.legal).tolist()
        return {
            "method": values.method,
            "equity": values.equity,
            "pot_bb": self.situation.pot_bb,
            "best": ACTION_NAMES[values.best],
            "actions": {
                ACTION_NAMES[action]: {
                    "probability": float(self.strategy[action]),
                    "value_bb": float(values.values_bb[action]),
                    "interval_bb": float(values.intervals_bb[action]),
                    "loss_bb": float(values.losses_bb[action]),
                    "loss_interval_bb": float(values.loss_intervals_bb[action]),
                    "grade": self.grade(action),
                }
                for action in actions
            },
        }


@dataclass(frozen=True, eq=False)
class Coach:
    """Gives advice from one reference."""

    reference: Reference
    thresholds: Thresholds = field(default_factory=Thresholds)
    sampling: Sampling = field(default_factory=Sampling)

    def advise(self, situation: Situation) -> Advice:
        """The figures at a decision. The same question always gets the same answer."""
        strategy = situation.strategy(self.reference)
        values = action_values(self.reference, situation, self.sampling)
        return Advice(situation, strategy, values, self.thresholds)
