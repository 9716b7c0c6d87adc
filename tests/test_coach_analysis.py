"""One situation as plain data, as a page and a terminal show it."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest

from agents.agent import Agent
from agents.bots import make_bot
from env.game import load_game
from interfaces.coach.advice import Coach
from interfaces.coach.analysis import analyse, coach_of, situation_of, values_text
from interfaces.coach.reference import Reference
from interfaces.coach.rollouts import Sampling
from tests.policies import Hashed


@pytest.fixture(scope="module")
def coach() -> Coach:
    game = load_game("hulh")
    return Coach(Reference(game, Hashed(game.tree, 1)), sampling=Sampling(300, 3000))


def test_an_analysis_is_plain_data(coach: Coach) -> None:
    found: dict[str, Any] = json.loads(json.dumps(analyse(coach, "10hKd", "2c7dTs", "rc/b")))
    assert (found["game"], found["line"], found["street"]) == ("hulh", "rc/r", "flop")
    assert (found["player"], found["hand"], found["board"]) == (0, "Th Kd", "2c 7d Ts")
    assert (found["pot_bb"], found["to_call_bb"]) == (5, 1)
    assert found["names"] == {"fold": "fold", "call": "call", "raise": "raise"}
    assert found["advice"]["method"].startswith("sampled ± ")
    assert [grid["player"] for grid in found["ranges"]] == [0, 1]
    own, theirs = ({row["name"]: row for row in grid["classes"]} for grid in found["ranges"])
    assert len(own) == 169
    assert own["KTs"]["combos"] == 3, "one's own hand is in one's range; the board has a ten"
    assert theirs["KTs"]["combos"] == 1, "Kc Tc: not the ten of spades, nor one's own two"
    assert theirs["TT"]["combos"] == 1
    for row in own.values():
        if row["share"]:
            assert sum(row["plays"][""]) == pytest.approx(1, abs=1e-4)


def test_the_last_street_is_exact_and_the_same_for_any_face(coach: Coach) -> None:
    words = ("AhKd", "2c7dTsKc3h", "rc/rc/cc/r")
    found = analyse(coach, *words)
    advice = coach.advise(situation_of(coach, *words))
    assert found["advice"] == advice.to_json()
    assert found["advice"]["method"] == "exact"
    lines = values_text(advice).splitlines()
    assert lines[0].startswith("value of the whole hand in big blinds, exact; equity ")
    assert [line.split()[0] for line in lines[1:]] == ["fold", "call", "raise"]
    assert [float(line.split()[1]) for line in lines[1:]] == pytest.approx(
        advice.values.values_bb, abs=1e-3
    )


def test_the_order_of_cards_changes_no_figure(coach: Coach) -> None:
    first = analyse(coach, "10hKd", "2c7dTs", "rc/b")
    assert analyse(coach, "KdTh", "Ts2c7d", "rc/r")["advice"] == first["advice"]


def test_ranges_alone_need_no_hand(coach: Coach) -> None:
    found = analyse(coach, None, "2c7dTs", "rc/")
    assert found["hand"] is None
    assert found["advice"] is None
    assert found["ranges"][1]["classes"][0]["combos"] == 6
    assert found["names"] == {"call": "check", "raise": "bet"}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("AhKd", "2c7d", "rc/"), "the board has 3 cards; 2 given"),
        (("AhKd", "", "rrrrr"), "cannot be played in hulh"),
        (("AhKd", "Ah2c3c", "rc/"), "is in the hand and on the board"),
        (("AKs", "2c3c4c", "rc/"), "the suits of a hand matter"),
        ((None, "2c2c4c", "rc/"), "2c appears twice"),
        ((None, "2cXx4c", "rc/"), "is not a card"),
        ((None, "2c", "rc/"), "the board has 3 cards; 1 given"),
        ((None, "", "rf"), "the hand is over"),
    ],
)
def test_nonsense_is_named_in_one_line(
    coach: Coach, words: tuple[str, ...], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint) as raised:
        analyse(coach, *words)
    assert "\n" not in str(raised.value)


def test_any_agent_can_be_the_reference() -> None:
    game = load_game("hulh")
    agent = Agent("call", make_bot("call", game), game.rules, "bot")
    caller = dataclasses.replace(coach_of(agent), sampling=Sampling(200, 20_000))
    found = analyse(caller, "AA")["advice"]["actions"]
    assert found["call"]["probability"] == 1
    assert found["call"]["value_bb"] == pytest.approx(0.70, abs=0.03), "85 % of a pot of two"
    assert found["raise"]["value_bb"] == pytest.approx(2 * found["call"]["value_bb"])
    assert found["call"]["grade"] == "fine", "the caller does nothing else"
    assert found["fold"]["grade"] == "blunder"
    assert np.isclose(found["raise"]["loss_bb"], 0)
