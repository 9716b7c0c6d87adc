"""What search computes with: sums over opposing hands, renamed suits, views of whole ranges."""

from __future__ import annotations

from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from env.arrays import Floats, Integers, Nodes, Reals
from env.boards import private_hands
from env.cards import NO_CARD, NUM_SLOTS, SUITS, Cards, canonical, suit_renaming
from env.deals import canonical_views, deal
from env.game import load_game
from env.lanes import LANES, transpose
from env.range_views import RangeViews
from env.ranges import RankedHands, count_weaker, ranked, sum_unblocked
from env.rules import parse_rules
from models.loading import load_answers
from policies.ranges import AnswersRanges, for_ranges
from search.public_state import canonical_board, hands_on, renamed_hands
from tests.policies import Fixed, Hashed
from tests.subgames import random_board

PRETRAINED = Path(__file__).parent.parent / "checkpoints" / "pretrained"
GAMES = ("leduc", "leduc:suits=cdhs,ranks=TJQKA", "fhp:ranks=TJQKA,suits=cd", "hulh")


# Sums over hands


def some_hands(text: str, rng: np.random.Generator) -> tuple[RankedHands, Integers]:
    """A hundred of a game's hands at most, with made-up ranks many of which are equal."""
    cards = private_hands(parse_rules(text))
    cards = cards[rng.permutation(len(cards))[:100]]
    ranks = np.sort(rng.integers(0, max(len(cards) // 4, 2), len(cards))).astype(np.int32)
    return ranked(cards, ranks), ranks


def disjoint(cards: Cards) -> Reals:
    """1 for two hands that share no card. [L, L]"""
    held = [set(hand.tolist()) - {NO_CARD} for hand in cards]
    return np.array([[float(not a & b) for b in held] for a in held])


@pytest.mark.parametrize(("dtype", "error"), [(np.float32, 1e-4), (np.float64, 1e-12)])
@pytest.mark.parametrize("text", GAMES)
def test_sums_equal_those_over_every_pair(
    text: str, dtype: type[np.floating], error: float
) -> None:
    rng = np.random.default_rng(0)
    hands, ranks = some_hands(text, rng)
    reach = rng.random((len(ranks), LANES)).astype(dtype)
    reach[rng.random(reach.shape) < 0.3] = 0
    found, unblocked = np.full_like(reach, np.nan), np.full_like(reach, np.nan)
    both = disjoint(hands.cards)
    sum_unblocked(hands.cards, reach, found)
    np.testing.assert_allclose(found, both @ reach, rtol=0, atol=error)
    count_weaker(hands, reach, found, unblocked)
    order = np.sign(ranks[:, None] - ranks[None])
    assert (order == 0).sum() > len(ranks), "some hands tie"
    np.testing.assert_allclose(found, (both * order) @ reach, rtol=0, atol=error)
    np.testing.assert_allclose(unblocked, both @ reach, rtol=0, atol=error)


def test_ranges_side_by_side_are_summed_by_themselves() -> None:
    rng = np.random.default_rng(0)
    hands, ranks = some_hands("hulh", rng)
    reach = rng.random((len(ranks), LANES)).astype(np.float32)
    alone = np.zeros_like(reach)
    alone[:, 5] = reach[:, 5]
    for_all, for_one = np.zeros((2, 2, *reach.shape), np.float32)
    count_weaker(hands, reach, *for_all)
    count_weaker(hands, alone, *for_one)
    np.testing.assert_array_equal(for_one[:, :, 5], for_all[:, :, 5])
    assert (np.delete(for_one, 5, axis=2) == 0).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_squares_are_transposed(dtype: type[np.floating]) -> None:
    given_rows = np.arange(2 * LANES * 3 * LANES, dtype=dtype).reshape(2 * LANES, 3 * LANES)
    found = np.zeros(given_rows.shape[::-1], dtype)
    transpose(given_rows, found)
    np.testing.assert_array_equal(found, given_rows.T)


# Suits


@st.composite
def rows(draw: st.DrawFn) -> tuple[Cards, str]:
    """What one player sees in some deck, from nothing on, and the deck's suits."""
    num_suits = draw(st.integers(1, 4))
    deck = [rank * 4 + suit for rank in range(13) for suit in range(num_suits)]
    shown = draw(st.integers(0, NUM_SLOTS))
    row = np.full(NUM_SLOTS, NO_CARD, np.uint8)
    row[:shown] = draw(st.permutations(deck))[:shown]
    if draw(st.booleans()):
        row[:2] = NO_CARD  # a board by itself
    return row, SUITS[:num_suits]


@given(rows())
def test_renamed_suits_make_the_canonical_form(given_row: tuple[Cards, str]) -> None:
    row, suits = given_row
    renaming = suit_renaming(row)
    renamed = renaming[row]
    for part in (slice(0, 2), slice(2, 5)):  # hole and flop run from high to low
        there = sorted(set(renamed[part].tolist()) - {NO_CARD}, reverse=True)
        renamed[part] = NO_CARD
        renamed[part][: len(there)] = there
    assert renamed.tolist() == canonical(row).tolist()
    assert sorted(renaming.tolist()) == list(range(NO_CARD + 1))
    assert renaming[NO_CARD] == NO_CARD
    cards = np.arange(NO_CARD)
    assert (renaming[cards] // 4 == cards // 4).all(), "ranks stay"
    inside = cards[cards % 4 < len(suits)]
    assert (renaming[inside] % 4 < len(suits)).all(), "a small deck's suits stay in it"


@pytest.mark.parametrize("text", [*GAMES, "hulh:ranks=QKA,suits=cdhs"])
def test_hands_are_renamed_with_the_board(text: str) -> None:
    """What a hand sees is the same before and after, and no hand gets lost."""
    game = load_game(text)
    rules, hands = game.rules, private_hands(game.rules)
    for seed in range(20):
        board = random_board(game, rules.streets - 1, seed)
        renaming = canonical_board(board)
        live = hands_on(rules, board.tobytes()).live
        numbers = renamed_hands(rules, hands[live], renaming.cards)
        expected = hands_on(rules, renaming.board.tobytes()).live
        assert sorted(numbers.tolist()) == sorted(expected.tolist())
        before = canonical(np.column_stack([hands[live], np.tile(board, (len(live), 1))]))
        boards = np.tile(renaming.board, (len(live), 1))
        after = canonical(np.column_stack([hands[numbers], boards]))
        np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("text", GAMES)
def test_live_hands_are_in_order_and_know_their_like(text: str) -> None:
    game = load_game(text)
    rules = game.rules
    for seed in range(5):
        board = random_board(game, rules.streets - 1, seed)
        found = hands_on(rules, board.tobytes())
        np.testing.assert_array_equal(found.cards, private_hands(rules)[found.live])
        assert not np.isin(found.cards, board[board != NO_CARD]).any()
        assert (np.diff(found.ties[:, 0]) >= 0).all()
        views = np.column_stack([found.cards, np.tile(board, (len(found.live), 1))])
        seen = [row.tobytes() for row in canonical(views)]
        assert found.classes.tolist() == [seen.index(view) for view in seen]


# Views of whole ranges


@pytest.mark.parametrize("text", GAMES)
def test_views_are_numbered(text: str) -> None:
    rules = parse_rules(text)
    hands = private_hands(rules)
    last = rules.streets - 1
    boards = np.array([random_board(load_game(rules), street, 1) for street in (0, last, last)])
    seen = RangeViews(hands, boards)
    assert seen.first_view.tolist() == [0, *np.cumsum(seen.num_views)[:-1]]
    assert len(seen.views) == seen.num_views.sum()
    for v, board in enumerate(boards):
        free = ~np.isin(hands, board[board != NO_CARD]).any(axis=1)
        np.testing.assert_array_equal(seen.possible[v], free)
        expected = canonical(np.column_stack([hands, np.tile(board, (len(hands), 1))])[free])
        numbers = seen.first_view[v] + seen.view_of[v, free]
        np.testing.assert_array_equal(seen.views[numbers], expected)
        assert len(np.unique(expected, axis=0)) == seen.num_views[v], "no view twice"


def infosets(text: str, count: int) -> tuple[Cards, Nodes]:
    """Random situations of a game."""
    game, rng = load_game(text), np.random.default_rng(3)
    nodes = rng.choice(np.flatnonzero(game.tree.is_decision), count)
    views = canonical_views(game.rules, deal(game.rules, count, rng))
    return views[np.arange(count), game.tree.actor[nodes], game.tree.street[nodes]], nodes


@pytest.mark.parametrize("text", GAMES[:3])
def test_public_states_are_answered_infoset_by_infoset(text: str) -> None:
    game = load_game(text)
    policy = Hashed(game.tree, 8)
    assert not isinstance(policy, AnswersRanges)
    last = game.rules.streets - 1
    boards = np.array([random_board(game, last, seed) for seed in range(3)])
    seen = RangeViews(private_hands(game.rules), boards)
    nodes = np.flatnonzero(game.tree.is_decision & (game.tree.street == last))[::7]
    asked = np.random.default_rng(0).integers(0, 3, len(nodes))
    answers = for_ranges(game, policy, seen)(asked, nodes)
    for row, node, found in zip(asked, nodes, answers, strict=True):
        free = seen.possible[row]
        views = np.column_stack([seen.hands, np.tile(boards[row], (len(seen.hands), 1))])
        slow = policy.strategies(canonical(views[free]), np.full(free.sum(), node))
        np.testing.assert_allclose(found[free], slow, atol=1e-6)
    hands = seen.possible[asked].argmax(axis=1)
    alone = for_ranges(game, policy, seen).of_hands(asked, nodes, hands)
    np.testing.assert_array_equal(alone, answers[np.arange(len(asked)), hands])


def test_public_answers_are_checked() -> None:
    game = load_game("leduc")
    seen = RangeViews(private_hands(game.rules), random_board(game, 0, 0)[None])
    with pytest.raises(ValueError, match="not a distribution"):
        for_ranges(game, Fixed([0.0, 0.5, 0.4]), seen)(np.array([0]), np.array([0]))


# Networks


@pytest.mark.parametrize("name", ["leduc", "hulh"])
def test_answers_do_not_depend_on_what_else_is_asked(name: str) -> None:
    policy = load_answers(PRETRAINED / name).policy
    cards, nodes = infosets(name, 700)
    rng = np.random.default_rng(0)
    parts = [rng.permutation(700)[:size] for size in (1, 2, 3, 63, 64, 65, 500, 700)]
    before = numba.get_num_threads()
    answers: list[Floats] = []
    try:
        for threads in (1, min(2, before)):
            numba.set_num_threads(threads)
            answers.append(policy.strategies(cards, nodes))
            for part in parts:
                np.testing.assert_array_equal(
                    policy.strategies(cards[part], nodes[part]), answers[0][part]
                )
    finally:
        numba.set_num_threads(before)
    np.testing.assert_array_equal(answers[0], answers[1])
