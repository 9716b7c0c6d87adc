"""Hands that cannot lose: found as by brute force, and never folded by a loaded model."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import agents
from env.actions import CALL, FOLD
from env.arrays import Floats, Nodes
from env.boards import private_hands
from env.cards import NO_CARD, NUM_SLOTS, Cards, canonical, parse_cards
from env.deals import canonical_views, deal
from env.game import load_game
from env.hands import hand_ranks
from env.rules import HULH, LEDUC, PRESETS, Rules, parse_rules
from env.unbeatable import cannot_lose
from env.views import Views
from models.loading import load_answers
from models.model import load
from policies.fixed import always
from policies.ranges import AnswersRanges
from policies.unbeatable import never_folding

PRETRAINED = Path(__file__).parent.parent / "checkpoints" / "pretrained"
SMALL = "hulh:ranks=9TJQKA,suits=cdhs"
ROYAL = "AsKsQsJsTs"


def view(hand: str, board: str = "") -> Cards:
    """Hole cards and the board so far. [7]"""
    row = np.full(NUM_SLOTS, NO_CARD, np.uint8)
    row[: len(parse_cards(hand))] = parse_cards(hand)
    row[2 : 2 + len(parse_cards(board))] = parse_cards(board)
    return row


def by_brute_force(rules: Rules, row: Cards) -> bool:
    """Every board that can come, every opposing hand on it."""
    shown = row[2:][row[2:] != NO_CARD]
    left = [card for card in rules.deck if card not in row]
    for coming in combinations(left, rules.visible_board[-1] - len(shown)):
        others = list(combinations([c for c in left if c not in coming], rules.hole_cards))
        board = np.tile(np.array([*shown, *coming], np.uint8), (len(others) + 1, 1))
        hands = np.array([row[: rules.hole_cards], *others], np.uint8)
        ranks = hand_ranks(np.concatenate([hands, board], axis=1))
        if (ranks[1:] > ranks[0]).any():
            return False
    return True


@pytest.mark.parametrize(
    ("game", "streets", "num_deals"),
    [
        ("hulh", (2, 3), 1_500),
        ("fhp", (1,), 3_000),
        (SMALL, (1, 2, 3), 400),
        ("fhp:ranks=TJQKA,suits=cd", (1,), 400),
        ("leduc", (1,), 200),
        ("leduc:ranks=9TJQKA,suits=cdh", (1,), 300),
    ],
)
def test_random_hands_agree_with_brute_force(
    game: str, streets: tuple[int, ...], num_deals: int
) -> None:
    rules, rng = parse_rules(game), np.random.default_rng(0)
    for street in streets:
        views = canonical_views(rules, deal(rules, num_deals, rng))[:, 0, street]
        found = cannot_lose(rules, views)
        # What is found is rare; all of it is checked, and some of the rest.
        checked = np.unique([*np.flatnonzero(found)[:60], *range(60)])
        expected = [by_brute_force(rules, row) for row in views[checked]]
        assert found[checked].tolist() == expected
        assert found.any() or street < rules.streets - 1, "nothing would be tested"


@pytest.mark.parametrize(
    ("hand", "board", "expected"),
    [
        ("2c3d", ROYAL, True),  # everybody splits
        ("AcAd", "AhAs7d8c2h", True),  # quads without a straight flush against them
        ("AcAd", "AhAs7h8h9h", False),  # with one
        ("KcKd", "AhAsAcKh2d", False),  # the fourth ace is left
        ("AcKd", "KsKhKc2d3h", True),  # quads with the best kicker
        ("QcKd", "KsKhKc2d3h", True),  # quads: who else holds a king?
        ("3c4d", "KsKhKcKdAh", True),  # quads on the board, the ace too
        ("3c4d", "KsKhKcKd2h", False),  # an ace is a better kicker
        ("AdKc", "QsJhTd2c3h", True),  # a nut straight
        ("AdKc", "QsJhTd2s3s", False),  # with a flush against it
        ("As2s", "KsTs5s7d4h", True),  # a nut flush
        ("As2s", "KsTs5s5d4h", False),  # with full houses against it
        ("AsKs", "QsJsTs", True),  # on the flop, whatever comes
        ("9s8s", "QsJsTs", False),  # the ace and the king make a better one
        ("AcAd", "AhAs7d2c", True),  # on the turn: no river makes a straight flush
        ("AcAd", "AhAs7d8d", False),  # the nine, ten or six of diamonds may
        ("2c3d", "AsKsQsJs", False),  # the ten has not come
        ("AcAd", "", False),  # before the flop
    ],
)
def test_hands_that_are_known(hand: str, board: str, expected: bool) -> None:
    row = view(hand, board)
    assert cannot_lose(HULH, row[None])[0] == expected
    assert cannot_lose(HULH, canonical(row)[None])[0] == expected
    if board:
        assert by_brute_force(HULH, row) == expected


def test_leduc_by_hand() -> None:
    """A pair cannot lose, and every other hand can: to a pair."""
    for hand in LEDUC.deck:
        for board in LEDUC.deck:
            if hand != board:
                row = np.full(NUM_SLOTS, NO_CARD, np.uint8)
                row[0], row[2] = hand, board
                assert cannot_lose(LEDUC, row[None])[0] == (hand >> 2 == board >> 2)


def river_questions(rules: Rules, size: int) -> tuple[Cards, NDArray[np.int64]]:
    """Random views at random nodes where a fold is legal, many of them of unbeatable hands."""
    rng, tree = np.random.default_rng(0), load_game(rules).tree
    nodes = rng.choice(np.flatnonzero(tree.legal[:, FOLD]), size)
    views = canonical_views(rules, deal(rules, size, rng))[:, 0]
    return views[np.arange(size), tree.street[nodes]], nodes


@pytest.mark.parametrize("name", ["hulh", "leduc", "fhp"])
def test_the_rule_calls_where_an_unbeatable_hand_folded_and_changes_nothing_else(name: str) -> None:
    game = load_game(PRESETS[name])
    cards, nodes = river_questions(game.rules, 20_000)
    safe = cannot_lose(game.rules, cards)
    assert 0 < safe.sum() < len(safe)
    raw = load_answers(PRETRAINED / name).policy.raw
    ruled = never_folding(game, raw)
    expected = raw.strategies(cards, nodes)
    kept = ruled.strategies(cards, nodes)
    assert kept.dtype == expected.dtype
    np.testing.assert_array_equal(kept[~safe], expected[~safe])
    assert (kept[safe, FOLD] == 0).all()
    np.testing.assert_array_equal(kept[safe, CALL], expected[safe, CALL] + expected[safe, FOLD])
    np.testing.assert_array_equal(kept[safe, 2], expected[safe, 2])
    rows = np.random.default_rng(1).permutation(len(nodes))
    by_views = ruled.for_views(Views(game, cards))(rows, nodes[rows])
    np.testing.assert_array_equal(by_views, kept[rows])


def test_answers_of_the_policy_below_are_not_written_to() -> None:
    game = load_game("hulh")

    class Shared:
        """Gives away the same array again and again."""

        def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
            return answers

        def for_views(self, views: Views) -> Any:
            return lambda rows, nodes: answers

    node = game.tree.node("cc/cc/cc/r")
    answers = np.array([[0.5, 0.25, 0.25]], np.float32)
    kept = never_folding(game, Shared()).strategies(view("2c3d", ROYAL)[None], np.array([node]))
    assert kept.tolist() == [[0, 0.75, 0.25]]
    assert answers.tolist() == [[0.5, 0.25, 0.25]]


class FoldsInRanges:
    """Answers for public states itself: folds wherever that is legal."""

    def __init__(self, name: str) -> None:
        self._tree = load_game(name).tree
        self._policy = always(self._tree, FOLD)

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        return self._policy.strategies(cards, nodes)

    def for_views(self, views: Views) -> Any:
        return self._policy.for_views(views)

    def range_strategies(self, boards: Cards, hands: Cards, nodes: Nodes) -> Floats:
        answers = self._policy.strategies(np.empty((0, 7), np.uint8), nodes)
        return np.repeat(answers[:, None], len(hands), axis=1)


@pytest.mark.parametrize("name", ["hulh", "leduc"])
def test_the_rule_holds_for_whole_ranges(name: str) -> None:
    game, rng = load_game(name), np.random.default_rng(0)
    hands = private_hands(game.rules)
    bets = np.flatnonzero(game.tree.legal[:, FOLD])
    nodes = rng.choice(bets, 40)
    full = deal(game.rules, 10, rng)[:, 4:][rng.integers(10, size=40)]
    shown = np.array(game.rules.visible_board)[game.tree.street[nodes]]
    boards = np.where(np.arange(5) < shown[:, None], full, NO_CARD).astype(np.uint8)
    policy = never_folding(game, FoldsInRanges(name))
    assert isinstance(policy, AnswersRanges)
    assert not isinstance(never_folding(game, always(game.tree, FOLD)), AnswersRanges)
    answers = policy.range_strategies(boards, hands, nodes)
    found = 0
    for board, answer in zip(boards, answers, strict=True):
        views = np.concatenate([hands, np.tile(board, (len(hands), 1))], axis=1)
        safe = cannot_lose(game.rules, views)
        possible = ~np.isin(hands, board[board != NO_CARD]).any(axis=1)
        assert (answer[possible & safe] == [0, 1, 0]).all()
        assert (answer[possible & ~safe, FOLD] == 1).all()
        found += (possible & safe).sum()
    assert found > 0


@pytest.mark.parametrize(
    ("hand", "board", "line"),
    [
        ("2c3d", ROYAL, None),
        ("AcAd", "AhAs7d8c2h", "cc/cc/rc/rrrr"),
        ("AdKc", "QsJhTd2c3h", "cc/cc/rc/rrrr"),
        ("AsKs", "QsJsTs7d2c", "cc/cc/rc/rrrr"),
    ],
)
def test_the_shipped_model_folds_no_hand_that_cannot_lose(
    hand: str, board: str, line: str | None
) -> None:
    model = load(PRETRAINED / "hulh")
    tree = model.game.tree
    nodes = np.flatnonzero((tree.street == 3) & tree.legal[:, FOLD])
    if line is not None:
        assert model.ask(hand, board, line)["fold"] == 0
        nodes = np.array([tree.node(line)])
    cards = np.tile(canonical(view(hand, board)), (len(nodes), 1))
    for policy in (model.answers, model.policy):
        assert (policy.strategies(cards, nodes)[:, FOLD] == 0).all()
    raw = load_answers(PRETRAINED / "hulh").policy.raw.strategies(cards, nodes)
    assert raw[:, FOLD].max() > 0.002, "the network by itself does"


def test_searching_models_follow_the_rule() -> None:
    (agent,) = agents.load(f"search:{PRETRAINED / 'hulh'}:iterations=4")
    tree = load_game("hulh").tree
    nodes = np.array([tree.node("cc/cc/rc/rrrr"), tree.node("rc/rc/rc/r")])
    cards = np.tile(canonical(view("AdKc", "QsJhTd2c3h")), (2, 1))
    assert (agent.policy.strategies(cards, nodes)[:, FOLD] == 0).all()
