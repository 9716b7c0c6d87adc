"""Replays: the right decisions, and losses that add up."""

from __future__ import annotations

import json

import pytest

from env.actions import ACTION_NAMES
from env.game import load_game
from interfaces.coach.advice import Coach
from interfaces.coach.reference import Reference
from interfaces.coach.replay import replay
from interfaces.coach.rollouts import Sampling
from tests.coaching import played_hands
from tests.policies import Hashed


def test_replays_add_up() -> None:
    game = load_game("leduc")
    coach = Coach(Reference(game, Hashed(game.tree, 1)), sampling=Sampling(200, 2000))
    replays = [replay(coach, hand) for hand in played_hands(game, 40, seed=0)]
    for one in replays:
        line, seat = one.hand.line, one.hand.seat
        mine = [d.advice.situation for d in one.decisions]
        assert all(situation.player == seat for situation in mine)
        for decision, situation in zip(one.decisions, mine, strict=True):
            before = game.tree.text(situation.node).rstrip("/")
            assert line.startswith(before)
            played = line[len(game.tree.text(situation.node)) :][0]
            assert "fcr".index(played) == decision.action
            assert situation.hand[0] == one.hand.deal[2 * seat]
            assert (situation.board[0] == one.hand.deal[4]) == (situation.street == 1)
            assert 0 <= decision.loss_bb <= decision.advice.loss(decision.action).value_bb
        assert len(mine) == sum(
            game.tree.actor[node] == seat for node in list(game.tree.path(one.hand.node))[:-1]
        )
        assert one.loss_bb == pytest.approx(one.loss_by_street_bb.sum())
        shown = json.loads(json.dumps(one.to_json()))
        assert [d["action"] for d in shown["decisions"]] == [
            ACTION_NAMES[d.action] for d in one.decisions
        ]


def test_noise_and_the_models_own_actions_cost_nothing() -> None:
    game = load_game("leduc")
    coach = Coach(Reference(game, Hashed(game.tree, 2)), sampling=Sampling(50, 500))
    excused = 0
    for hand in played_hands(game, 60, seed=1):
        for decision in replay(coach, hand).decisions:
            loss = decision.advice.loss(decision.action)
            often = decision.advice.strategy[decision.action] >= 0.2
            if often or loss.value_bb <= loss.interval_bb:
                assert decision.loss_bb == 0
                assert decision.grade in ("best", "fine")
                excused += loss.value_bb > 0
            else:
                assert decision.loss_bb == loss.value_bb
    assert excused > 5
