"""Grades by loss, frequency and certainty."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from env.actions import CALL, FOLD, RAISE
from env.game import load_game
from interfaces.coach.advice import Coach
from interfaces.coach.grades import GRADES, Loss, Thresholds, grade
from interfaces.coach.reference import Reference
from interfaces.coach.rollouts import Sampling
from interfaces.coach.situation import Situation
from tests.coaching import cards_of
from tests.policies import Hashed

# What is lost of a pot of 10 big blinds, half the interval, how often the model plays it: grade.
TABLE = [
    (0.0, 0.0, 0.0, "best"),
    (0.05, 0.0, 0.0, "best"),
    (0.051, 0.0, 0.0, "fine"),
    (0.2, 0.0, 0.0, "fine"),
    (0.21, 0.0, 0.0, "inaccuracy"),
    (0.6, 0.0, 0.19, "inaccuracy"),
    (0.61, 0.0, 0.19, "mistake"),
    (1.5, 0.0, 0.0, "mistake"),
    (1.51, 0.0, 0.0, "blunder"),
    (9.0, 0.0, 0.2, "fine"),  # the model itself plays it
    (9.0, 0.0, 0.199, "blunder"),
    (1.51, 1.4, 0.0, "fine"),  # inside the noise
    (1.51, 1.0, 0.0, "inaccuracy"),
    (1.51, 0.5, 0.0, "mistake"),
    (0.04, 1.0, 0.0, "best"),
]


@pytest.mark.parametrize(("value", "interval", "probability", "expected"), TABLE)
def test_grades(value: float, interval: float, probability: float, expected: str) -> None:
    assert grade(Loss(value, interval, 10), probability, Thresholds()) == expected


def test_a_larger_loss_never_earns_a_better_grade() -> None:
    thresholds = Thresholds(best=0.01, fine=0.05, inaccuracy=0.1, mistake=0.3, often=0.5)
    losses = np.linspace(0, 1, 201)
    grades = [GRADES.index(grade(Loss(loss, 0.02, 1), 0.1, thresholds)) for loss in losses]
    assert grades == sorted(grades)
    assert set(grades) == set(range(5))


def test_advice_judges_every_action_as_plain_data() -> None:
    game = load_game("leduc")
    coach = Coach(Reference(game, Hashed(game.tree, 1)), sampling=Sampling(500, 5000))
    situation = Situation(game, game.tree.node("rc/r"), cards_of("Kc", 2), cards_of("Kd", 5))
    advice = coach.advise(situation)
    assert advice.values.values_bb[RAISE] > advice.values.values_bb[FOLD], "a pair of kings"
    assert advice.grade(advice.values.best) == "best"
    assert advice.loss(FOLD).pot_bb == 10
    strict = dataclasses.replace(coach, thresholds=Thresholds(0, 0, 0, 0, often=2.0))
    assert strict.advise(situation).grade(FOLD) == "blunder"
    shown = advice.to_json()
    assert shown["method"] == "exact"
    assert list(shown["actions"]) == ["fold", "call", "raise"]
    assert shown["actions"]["fold"]["value_bb"] == -3
    total = sum(row["probability"] for row in shown["actions"].values())
    assert total == pytest.approx(1)
    assert shown["actions"]["call"]["probability"] == pytest.approx(advice.strategy[CALL])
