"""Hand ranking: the known category counts, and agreement with an independent evaluator."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from phevaluator import evaluate_cards

from env.cards import NO_CARD, Cards, parse_cards
from env.hands import CATEGORIES, categories, hand_ranks

# Frequencies of five-card poker hands among all C(52, 5).
FIVE_CARD_COUNTS = {
    "high card": 1_302_540,
    "pair": 1_098_240,
    "two pair": 123_552,
    "three of a kind": 54_912,
    "straight": 10_200,
    "flush": 5_108,
    "full house": 3_744,
    "four of a kind": 624,
    "straight flush": 40,
}


def test_every_five_card_hand_has_its_category() -> None:
    count = 2_598_960
    flat = np.fromiter(
        (c for hand in combinations(range(52), 5) for c in hand), np.uint8, 5 * count
    )
    values = hand_ranks(flat.reshape(count, 5))
    counts = np.bincount(categories(values), minlength=9).tolist()
    assert dict(zip(CATEGORIES, counts, strict=True)) == FIVE_CARD_COUNTS
    assert len(np.unique(values)) == 7462, "the number of distinct five-card hands"


def random_hands(seed: int, n: int, num_cards: int) -> Cards:
    rng = np.random.default_rng(seed)
    return np.argsort(rng.random((n, 52)), axis=1)[:, :num_cards].astype(np.uint8)


@pytest.mark.parametrize(("num_cards", "pairs"), [(5, 20_000), (6, 20_000), (7, 110_000)])
def test_orders_pairs_as_an_independent_evaluator(num_cards: int, pairs: int) -> None:
    hands = random_hands(num_cards, 2 * pairs, num_cards)
    ours = hand_ranks(hands).reshape(pairs, 2)
    # phevaluator numbers cards as we do; its best rank is 1.
    theirs = -np.array([evaluate_cards(*hand) for hand in hands.tolist()]).reshape(pairs, 2)
    np.testing.assert_array_equal(
        np.sign(ours[:, 0] - ours[:, 1]), np.sign(theirs[:, 0] - theirs[:, 1])
    )


def test_hands_on_one_board_compare_as_an_independent_evaluator() -> None:
    """Shared boards make close calls and ties frequent, as at a real showdown."""
    deals = random_hands(99, 30_000, 9)
    first, second = deals[:, [0, 1, 4, 5, 6, 7, 8]], deals[:, [2, 3, 4, 5, 6, 7, 8]]
    ours = np.sign(hand_ranks(first) - hand_ranks(second))
    theirs = [
        evaluate_cards(*b) - evaluate_cards(*a)
        for a, b in zip(first.tolist(), second.tolist(), strict=True)
    ]
    np.testing.assert_array_equal(ours, np.sign(theirs))
    assert (ours == 0).mean() > 0.02


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("As Ks Qs Js Ts", "Ks Qs Js Ts 9s"),
        ("6c 5c 4c 3c 2c", "5c 4c 3c 2c Ac"),  # the wheel is the lowest straight flush
        ("5c 4d 3c 2c Ac", "Ah As Ac Kd Qd"),  # but a straight it is
        ("9c 9d 9h 9s 3c", "9c 9d 9h 9s 2c"),
        ("2c 2d 2h As Ad", "As Ks Qs Js 9s"),
        ("As Qs 9s 7s 6s", "As Qs 9s 7s 5s"),
        ("Ac Ad Kc Kd 3s", "Ac Ad Kc Kd 2s"),
        ("Ac Ad Kc Qd 4s", "Ac Ad Kc Qd 3s"),
        ("Ac Kd Qh Js 9c", "Ac Kd Qh Js 8c"),
        ("Kc Kd Qc Qd Jc Jd 9s", "Kc Kd Qc Qd Tc Td 9s"),  # the third pair is a mere kicker
        ("Kc Kd Kh Qc Qd Qh 2s", "Kc Kd Kh Jc Jd Qh 2s"),
        ("2c 2d", "Ac Kd"),  # short hands: a pair beats high cards
        ("Ac 3d", "Kc Qd"),
        ("Ac", "Kc"),
    ],
)
def test_close_calls(better: str, worse: str) -> None:
    strong, weak = (
        hand_ranks(np.array([parse_cards(hand)], np.uint8))[0] for hand in (better, worse)
    )
    assert strong > weak


def test_empty_slots_and_order_do_not_count() -> None:
    hands = random_hands(3, 500, 5)
    padded = np.full((500, 7), NO_CARD, np.uint8)
    padded[:, [6, 1, 3, 0, 4]] = hands
    np.testing.assert_array_equal(hand_ranks(padded), hand_ranks(hands))


def test_seven_cards_are_as_good_as_their_best_five() -> None:
    hands = random_hands(4, 3_000, 7)
    best = np.max([hand_ranks(hands[:, list(five)]) for five in combinations(range(7), 5)], axis=0)
    np.testing.assert_array_equal(hand_ranks(hands), best)


@pytest.mark.parametrize("shape", [(7,), (2, 9), (2, 2, 7)])
def test_what_is_no_list_of_hands_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="rows of at most 7 cards expected"):
        hand_ranks(np.zeros(shape, np.uint8))
