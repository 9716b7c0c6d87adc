"""The range viewer's squares against sums over hands."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from env.actions import CALL, RAISE
from env.cards import NUM_SLOTS, canonical, cards_text
from env.game import load_game
from interfaces.coach.range_grid import cells, range_grids
from interfaces.coach.reference import Reference
from models.charts import hand_name
from policies.fixed import uniform_policy
from tests.coaching import cards_of
from tests.policies import Hashed


def test_the_square_is_that_of_charts() -> None:
    game = load_game("hulh")
    reference = Reference(game, uniform_policy(game.tree))
    squares = cells(game.rules, reference.hands)
    assert len(squares.names) == 169
    for name, (row, column) in zip(squares.names, squares.place.tolist(), strict=True):
        assert name == hand_name(row, column)
    sizes = dict(zip(squares.names, squares.sums(np.ones(1326)), strict=True))
    assert (sizes["AA"], sizes["AKs"], sizes["AKo"], sizes["72o"]) == (6, 4, 12, 12)
    for hand, number in zip(reference.hands, squares.of_hand, strict=True):
        ranks = sorted(cards_text(hand)[::3])
        assert ranks == sorted(squares.names[number][:2])


def test_grids_before_any_action_are_full() -> None:
    game = load_game("hulh")
    reference = Reference(game, Hashed(game.tree, 1))
    held = cards_of("AhKh", 2)
    blind_sees = (held, cards_of("", 2))
    button, blind = range_grids(reference, cards_of("", 5), 0, blind_sees)
    assert (button.shares == 1).all()
    assert button.total_combos == 50 * 49 / 2
    assert blind.total_combos == 1326, "whoever holds the cards may hold them"
    names = button.cells.names
    assert button.combos[names.index("AKs")] == 3
    assert button.combos[names.index("AA")] == 3
    assert list(button.plays) == [""]
    assert list(blind.plays) == ["c", "r"], "behind a fold there is nothing to do"


@pytest.mark.parametrize("line", ["r", "rc/", "crc/r", "rrc/rc/", "rc/cc/cc/r", "rc/cc/cc/rc"])
def test_shares_and_rates_are_means_over_hands(line: str) -> None:
    game = load_game("hulh")
    tree, policy = game.tree, Hashed(game.tree, 2)
    reference, node = Reference(game, policy), tree.node(line)
    board = cards_of("2c7dTsKc3h", 5)
    shown = game.rules.visible_board[tree.street[node]]
    grids = range_grids(reference, board, node)
    for player, grid in enumerate(grids):
        i = grid.cells.names.index("T7s")
        hands = [f"T{suit} 7{suit}" for suit in "cdhs"]
        hands = [h for h in hands if not shown or ("Ts" not in h and "7d" not in h)]
        assert grid.combos[i] == len(hands)
        reached, played = [], []
        for hand in hands:
            reach = 1.0
            for step, after in pairwise(tree.path(node)):
                if tree.actor[step] == player:
                    reach *= _strategy(policy, game, hand, board, step)[tree.action[after]]
            reached.append(reach)
            if tree.actor[node] == player:
                played.append(reach * _strategy(policy, game, hand, board, node))
        assert grid.shares[i] == pytest.approx(np.mean(reached), rel=1e-5, abs=1e-7)
        if played and sum(reached) > 1e-6:
            rates = np.sum(played, axis=0) / sum(reached)
            assert grid.plays[""][i] == pytest.approx(rates, abs=1e-5)
        for rates in grid.plays.values():
            totals = rates[grid.shares > 0].sum(axis=1)
            assert totals == pytest.approx(np.ones(len(totals)))
        assert grid.total_combos == pytest.approx((grid.combos * grid.shares).sum())
        json.dumps(grid.to_json())
    if not tree.is_decision[node]:
        assert not grids[0].plays
        assert not grids[1].plays


def _strategy(policy: Hashed, game, hand: str, board, node):  # type: ignore[no-untyped-def]
    view = np.full((1, NUM_SLOTS), 52, np.uint8)
    view[0, :2] = cards_of(hand, 2)
    shown = game.rules.visible_board[game.tree.street[node]]
    view[0, 2 : 2 + shown] = board[:shown]
    answer = policy.strategies(canonical(view), np.array([node]))[0].astype(float)
    return answer / answer.sum()


def test_games_of_one_card_have_one_row() -> None:
    game = load_game("leduc")
    reference = Reference(game, uniform_policy(game.tree))
    grids = range_grids(reference, cards_of("Kd", 5), game.tree.node("rc/r"))
    shown = grids[1].to_json()["classes"]
    assert [(row["name"], row["row"], row["column"]) for row in shown] == [
        ("K", 0, 0),
        ("Q", 0, 1),
        ("J", 0, 2),
    ]
    assert [row["combos"] for row in shown] == [1, 2, 2]
    assert shown[0]["share"] == pytest.approx(1 / 3, abs=1e-5), "fold, call and raise alike"
    assert grids[1].plays[""][0, [CALL, RAISE]] == pytest.approx([1 / 3, 1 / 3])
