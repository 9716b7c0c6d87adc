"""A played hand step by step with the coach's figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from env.actions import ACTION_NAMES
from env.arrays import Doubles
from env.cards import cards_text
from interfaces.coach.advice import Advice, Coach
from interfaces.coach.played import PlayedHand
from models.questions import action_names


@dataclass(frozen=True, eq=False)
class Decision:
    """What somebody did, and the advice that there was."""

    advice: Advice
    action: int

    @property
    def grade(self) -> str:
        return self.advice.grade(self.action)

    @property
    def loss_bb(self) -> float:
        """What the action cost, in big blinds, as totals count it.

        Nothing where the loss lies within its interval or where the model often does the same:
        the best of several noisy values is too high, and many small losses would add up to blame
        for nothing.
        """
        loss = self.advice.loss(self.action)
        often = self.advice.strategy[self.action] >= self.advice.thresholds.often
        return 0.0 if often or loss.value_bb <= loss.interval_bb else loss.value_bb

    def to_json(self) -> dict[str, Any]:
        """Plain data: the situation, the advice and what was done."""
        situation = self.advice.situation
        return {
            "line": situation.tree.text(situation.node),
            "step": int(situation.tree.depth[situation.node]),
            "street": situation.game.rules.street_names[situation.street],
            "player": situation.player,
            "hand": cards_text(situation.hand),
            "board": cards_text(situation.board),
            "names": action_names(situation.game, situation.node),
            "advice": self.advice.to_json(),
            "action": ACTION_NAMES[self.action],
            "grade": self.grade,
            "loss_bb": self.loss_bb,
        }


@dataclass(frozen=True, eq=False)
class Replay:
    """All decisions of one seat in one hand."""

    hand: PlayedHand
    decisions: list[Decision]

    @property
    def loss_bb(self) -> float:
        """What the decisions cost together."""
        return sum(decision.loss_bb for decision in self.decisions)

    @property
    def loss_by_street_bb(self) -> Doubles:
        """[streets]"""
        losses = np.zeros(self.hand.game.rules.streets)
        for decision in self.decisions:
            losses[decision.advice.situation.street] += decision.loss_bb
        return losses

    def to_json(self) -> dict[str, Any]:
        """Plain data for a replayer."""
        names = self.hand.game.rules.street_names
        losses = self.loss_by_street_bb.tolist()
        return {
            "line": self.hand.line,
            "seat": self.hand.seat,
            "decisions": [decision.to_json() for decision in self.decisions],
            "loss_bb": self.loss_bb,
            "loss_by_street_bb": dict(zip(names, losses, strict=True)),
        }


def replay(coach: Coach, hand: PlayedHand) -> Replay:
    """The coach's figures at each decision of the hand's seat."""
    decisions = [Decision(coach.advise(situation), action) for situation, action in hand.choices()]
    return Replay(hand, decisions)
