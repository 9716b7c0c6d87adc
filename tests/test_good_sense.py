"""What is said of a policy's good sense: folds of unbeatable hands, and how it opens hold'em."""

from __future__ import annotations

import dataclasses
import json
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import evaluate
from agents.bots import make_bot
from env.actions import CALL, FOLD, RAISE
from env.arrays import Floats, Nodes
from env.cards import Cards
from env.game import Game, load_game
from env.rules import HULH
from evaluation.dominated_folds import DominatedFolds, dominated_folds
from evaluation.good_sense import good_sense
from evaluation.preflop_habits import preflop_habits
from models import load
from policies.fixed import TabularPolicy, uniform_policy
from policies.unbeatable import never_folding

PRETRAINED = Path(__file__).parent.parent / "checkpoints" / "pretrained"


def folds_of(game: Game, bot: str) -> DominatedFolds:
    found = dominated_folds(game, make_bot(bot, game), 0)
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["hulh", "fhp", "leduc"])
def test_callers_fold_nothing_and_folders_everything(name: str) -> None:
    game = load_game(name)
    called, folded, raised = (folds_of(game, bot) for bot in ("call", "fold", "raise"))
    assert called.random.share == raised.random.share == raised.reached.share == 0
    assert called.random.situations == folded.random.situations > 1_500
    assert (called.reached.share, called.reached.situations) == (None, 0), "nobody bets"
    assert raised.reached.situations > 1_000
    assert folded.random.share == 1


def test_uniform_play_folds_by_the_number_of_legal_actions() -> None:
    """Nodes are drawn evenly, so the share is the mean of one half or one third over a street."""
    tree = load_game("hulh").tree
    faced = tree.legal[:, FOLD] & (tree.street == 3)  # nearly all such hands hold on the river
    expected = (1 / tree.legal[faced].sum(axis=1)).mean()
    found = folds_of(load_game("hulh"), "random")
    assert found.random.share == pytest.approx(expected, abs=0.01)


def exact_leduc_share() -> float:
    """Of uniform play: over all deals and lines, by reach."""
    game = load_game("leduc")
    tree, folded, reached = game.tree, 0.0, 0.0
    reach = np.ones(len(tree))
    for node in range(1, len(tree)):
        reach[node] = reach[tree.parent[node]] / tree.legal[tree.parent[node]].sum()
    for first, second, board in permutations(game.rules.deck, 3):
        for node in np.flatnonzero((tree.street == 1) & tree.legal[:, FOLD]).tolist():
            if (first, second)[tree.actor[node]] >> 2 == board >> 2:  # a pair
                reached += reach[node]
                folded += reach[node] / tree.legal[node].sum()
    return folded / reached


def test_reached_situations_count_by_reach() -> None:
    found = folds_of(load_game("leduc"), "random").reached
    assert found.share == pytest.approx(exact_leduc_share(), abs=4 * 0.084 / found.situations**0.5)
    assert found.situations > 200


def test_a_fold_by_line_is_found_in_play_only_as_often_as_it_is_reached() -> None:
    """A policy that checks and calls, and would fold to raises that nobody makes."""
    game = load_game("hulh")
    table = np.eye(3, dtype=np.float32)[np.where(game.tree.legal[:, FOLD], FOLD, CALL)]
    table[0] = [0, 1, 0]
    found = dominated_folds(game, TabularPolicy(lambda cards, nodes: table[nodes]), 0)
    assert found is not None
    assert (found.random.share, found.reached.situations) == (1, 0)


def test_games_without_a_board_and_without_blinds_say_nothing() -> None:
    kuhn, leduc = load_game("kuhn"), load_game("leduc")
    sense = good_sense(kuhn, uniform_policy(kuhn.tree), 0)
    assert (sense.to_json(), sense.lines()) == ({}, [])
    assert list(good_sense(leduc, uniform_policy(leduc.tree), 0).to_json()) == ["dominated_folds"]


def test_the_rule_brings_it_to_zero_and_the_network_alone_is_shown_beside_it() -> None:
    model = load(PRETRAINED / "leduc")
    sense = good_sense(model.game, model.answers, 0)
    assert sense.folds is not None
    assert sense.folds_without_rule is not None
    assert sense.folds.random.share == sense.folds.reached.share == 0
    assert 0 < (sense.folds_without_rule.random.share or 0) < 0.05
    assert "without the rule" in sense.lines()[0][1]


def opening(cards: Cards, nodes: Nodes) -> Floats:
    """Raises pairs, limps suited hands half of the time and folds the rest."""
    out = np.zeros((len(nodes), 3), np.float32)
    pairs = cards[:, 0] >> 2 == cards[:, 1] >> 2
    suited = cards[:, 0] & 3 == cards[:, 1] & 3
    out[:, RAISE] = pairs
    out[:, CALL] = np.where(suited, 0.5, 0)
    out[:, FOLD] = 1 - out[:, RAISE] - out[:, CALL]
    return out


def test_habits_are_shares_of_the_hands_that_are_dealt() -> None:
    game = load_game("hulh")
    habits = preflop_habits(game, TabularPolicy(opening))
    assert habits is not None
    expected = ((1326 - 78 - 156) / 1326, 156 / 1326, 78 / 1326)
    assert habits.first_in == pytest.approx(expected)
    assert habits.facing_raise == pytest.approx(expected)
    assert habits.most_limped[1] == 0.5
    assert habits.most_limped[0].endswith("s")
    assert habits.aces_raise == 1


def test_rules_without_a_raise_or_aces() -> None:
    game = load_game(dataclasses.replace(HULH, name="x", max_raises=(0, 4, 4, 4), ranks="23456789"))
    habits = preflop_habits(game, uniform_policy(game.tree))
    assert habits is not None
    assert (habits.facing_raise, habits.aces_raise) == (None, None)
    assert habits.first_in == pytest.approx((0.5, 0.5, 0))


def test_evaluate_shows_and_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    words = ["random", "--game", "hulh", "--hands", "128", "--json", str(out), "--threads", "1"]
    assert evaluate.main([*words, "--logdir", str(tmp_path / "runs")]) == 0
    shown, written = capsys.readouterr().out, json.loads(out.read_text())
    for label in ("dominated folds", "first in", "against a raise"):
        assert f"\n{label}" in shown
    assert written["dominated_folds"]["random"]["share"] > 0.3
    assert written["preflop"]["first_in"] == pytest.approx([1 / 3] * 3)
    assert "dominated_folds_without_rule" not in written


def test_a_policy_with_the_rule_is_asked_twice() -> None:
    game = load_game("fhp")
    sense = good_sense(game, never_folding(game, uniform_policy(game.tree)), 0)
    assert sense.folds is not None
    assert sense.folds_without_rule is not None
    assert sense.folds.random.share == 0
    assert (sense.folds_without_rule.random.share or 0) > 0.3
