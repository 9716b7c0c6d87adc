"""Hand strength against slow loops, known equities and its own symmetries."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from env.cards import NO_CARD, NUM_SLOTS, Cards, canonical, parse_cards
from env.deals import canonical_views, deal
from env.hands import hand_ranks
from env.rules import FHP, HULH, LEDUC, Rules, parse_rules
from env.strength import Strengths
from env.strength_tables import (
    FILE,
    SCALE,
    canonical_flops,
    canonical_holes,
    canonical_rows,
    hole_classes,
    load_flop_table,
    row_numbers,
)
from env.win_rates import HANDS, expected_strengths, hand_number, win_rates


@pytest.fixture(scope="module")
def hulh() -> Strengths:
    return Strengths(HULH)


def view(text: str) -> Cards:
    row = np.full((1, NUM_SLOTS), NO_CARD, np.uint8)
    cards = parse_cards(text)
    row[0, : len(cards)] = cards
    return canonical(row)


def views_of(rules: Rules, street: int, count: int, seed: int) -> Cards:
    deals = deal(rules, count, np.random.default_rng(seed))
    return canonical_views(rules, deals)[:, 0, street]


def slow_rate(hole: Cards, board: Cards) -> float:
    """HS by meeting every opposing hand one by one."""
    left = [c for c in range(NO_CARD) if c not in hole and c not in board]
    opponents = np.array(list(combinations(left, 2)), np.uint8)
    rows = np.concatenate([opponents, np.tile(board, (len(opponents), 1))], axis=1)
    mine = hand_ranks(np.concatenate([hole, board])[None])[0]
    theirs = hand_ranks(rows)
    return float((mine > theirs).mean() + (mine == theirs).mean() / 2)


def slow_strength(seen: Cards, num_board: int) -> float:
    """E[HS] by completing the board in every way."""
    shown = seen[seen != NO_CARD]
    left = [c for c in range(NO_CARD) if c not in shown]
    coming = combinations(left, num_board + 2 - len(shown))
    rates = [slow_rate(shown[:2], np.array([*shown[2:], *more], np.uint8)) for more in coming]
    return float(np.mean(rates))


@pytest.mark.parametrize(
    ("hand", "equity"),
    [("AsAh", 0.8520), ("7s2h", 0.3458), ("AsKs", 0.6704), ("2s2h", 0.5033), ("3s2h", 0.3230)],
)
def test_known_equities_of_starting_hands(hulh: Strengths, hand: str, equity: float) -> None:
    assert hulh.expected(view(hand))[0] == pytest.approx(equity, abs=1e-4)


def test_starting_hands_average_to_one_half(hulh: Strengths) -> None:
    views = np.full((len(HANDS), NUM_SLOTS), NO_CARD, np.uint8)
    views[:, :2] = HANDS
    assert hulh.expected(views).mean() == pytest.approx(0.5, abs=1e-5)
    assert Strengths(FHP).expected(views).mean() == pytest.approx(0.5, abs=1e-5)


def test_river_is_exact(hulh: Strengths) -> None:
    views = views_of(HULH, 3, 30, 1)
    slow = [slow_rate(row[:2], row[2:]) for row in views]
    np.testing.assert_allclose(hulh.expected(views), slow, atol=1e-6)


def test_turn_is_near_the_exact_value_and_unbiased(hulh: Strengths) -> None:
    views = views_of(HULH, 2, 300, 2)
    exact = np.array(
        [expected_strengths(row[2:6])[hand_number(int(row[0]), int(row[1]))] for row in views]
    )
    errors = hulh.expected(views) - exact
    assert abs(errors).max() < 0.06
    assert 0.005 < errors.std() < 0.015  # a sample, of the documented size
    assert abs(errors.mean()) < 4 * 0.015 / np.sqrt(len(views))


def test_exact_kernel_on_turn_equals_a_slow_loop() -> None:
    row = views_of(HULH, 2, 1, 3)[0]
    mine = expected_strengths(row[2:6])[hand_number(int(row[0]), int(row[1]))]
    assert mine == pytest.approx(slow_strength(row, 5), abs=1e-6)


def test_flop_table_equals_recomputed_entries(hulh: Strengths) -> None:
    """Every hand on a few random flops, and one hand by the slow loop."""
    flops = canonical_flops()[0]
    for flop in flops[np.random.default_rng(4).choice(len(flops), 8, replace=False)]:
        exact = expected_strengths(flop)
        possible = exact >= 0
        views = np.full((possible.sum(), NUM_SLOTS), NO_CARD, np.uint8)
        views[:, :2], views[:, 2:5] = HANDS[possible], flop
        np.testing.assert_allclose(hulh.expected(views), exact[possible], atol=1 / SCALE)
    row = views_of(HULH, 1, 1, 5)[0]
    assert hulh.expected(row[None])[0] == pytest.approx(slow_strength(row, 5), abs=1 / SCALE)


def test_flop_table_has_one_row_per_class_and_fits_the_repository() -> None:
    rows = canonical_rows()
    assert len(rows) == len(np.unique(rows)) == 1_286_792
    assert len(canonical_holes()) == 169
    flops, multiplicities = canonical_flops()
    assert (len(flops), multiplicities.sum()) == (1755, 22_100)
    table = load_flop_table()
    assert (table[rows] > 0).all()
    assert np.count_nonzero(table) == len(rows)
    assert FILE.stat().st_size < 3e6
    views = views_of(HULH, 1, 5000, 6)
    assert np.isin(row_numbers(views, hole_classes()), rows).all()


def test_flop_holdem_ends_on_the_flop() -> None:
    fhp = Strengths(FHP)
    views = views_of(FHP, 1, 20, 7)
    slow = [slow_rate(row[:2], row[2:5]) for row in views]
    np.testing.assert_allclose(fhp.expected(views), slow, atol=1e-5)  # in steps of 1/65534
    # A starting hand on every flop that it can see, hand by hand.
    hole = np.array(parse_cards("9s8s"), np.uint8)
    left = [c for c in range(NO_CARD) if c not in hole]
    rows = np.full((19_600, NUM_SLOTS), NO_CARD, np.uint8)
    rows[:, :2], rows[:, 2:5] = hole, list(combinations(left, 3))
    mean = fhp.expected(rows).mean(dtype=np.float64)
    assert fhp.expected(view("9s8s"))[0] == pytest.approx(mean, abs=1e-5)


def test_all_hands_of_a_board_at_once_equal_one_by_one(hulh: Strengths) -> None:
    boards = np.array([parse_cards("AsKsQsJsTs"), parse_cards("2c2d7h7s9c")], np.uint8)
    found = win_rates(boards)
    for board, rates in zip(boards, found, strict=True):
        blocked = np.isin(HANDS, board).any(axis=1)
        assert ((rates < 0) == blocked).all()
        views = np.concatenate([HANDS, np.tile(board, (len(HANDS), 1))], axis=1)[~blocked]
        np.testing.assert_array_equal(rates[~blocked], hulh.expected(views))
    assert set(found[0][found[0] >= 0].tolist()) == {0.5}, "everybody plays the board"


def test_suits_do_not_matter_and_answers_repeat(hulh: Strengths) -> None:
    rng = np.random.default_rng(8)
    views = canonical_views(HULH, deal(HULH, 200, rng))[:, 0].reshape(-1, NUM_SLOTS)
    expected = hulh.expected(views)
    for _ in range(3):
        suits = rng.permutation(4)
        renamed = np.where(views < NO_CARD, views // 4 * 4 + suits[views % 4], NO_CARD)
        renamed[:, :2] = renamed[:, 1::-1]  # and hole cards in the other order
        np.testing.assert_array_equal(hulh.expected(renamed.astype(np.uint8)), expected)
    one_by_one = [Strengths(HULH).expected(row[None])[0] for row in views[:12]]
    np.testing.assert_array_equal(one_by_one, expected[:12])


@pytest.mark.parametrize(
    "game", ["leduc", "fhp:ranks=6789TJQKA", "hulh:streets=3,bet_sizes=10/10/20,max_raises=3/4/4"]
)
def test_other_games_are_refused(game: str) -> None:
    rules = LEDUC if game == "leduc" else parse_rules(game)
    with pytest.raises(ValueError, match="hand strength is known for hold'em of two or four"):
        Strengths(rules)
