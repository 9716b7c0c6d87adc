"""Hand buckets: examples by hand, and indifference to suits."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from env.cards import NO_CARD, canonical, parse_cards
from env.deals import canonical_views, deal
from env.hand_buckets import hand_buckets, num_buckets
from env.rules import FHP, HULH, Rules

PAIR, SUITED_CLOSE, SUITED_FAR, OFFSUIT_CLOSE, OFFSUIT_FAR = range(5)
MADE = 4


def view(text: str) -> NDArray[np.uint8]:
    cards = parse_cards(text)
    return np.array([[*cards, *[NO_CARD] * (7 - len(cards))]], np.uint8)


@pytest.mark.parametrize(
    ("cards", "bucket"),
    [
        ("8c 8d", PAIR),
        ("9c 6c", SUITED_CLOSE),
        ("9c 5c", SUITED_FAR),
        ("9c 8d", OFFSUIT_CLOSE),
        ("Ac 2d", OFFSUIT_FAR),
        ("Ac Kd 9h 7s 2d", 0),  # nothing; two queens away from anything
        ("Jc Td 9h 7s 2d", 1),  # an eight only
        ("Jc Td 9h 8s 2d", 2),  # a queen or a seven
        ("Ac 5d 3h 2s Kd", 1),  # a four: the ace is low
        ("Ac 7c 9c 3c 2d", 2),  # a flush
        ("8c 7c 6c 5c Kd", 3),  # a flush or a straight
        ("Ad 7d 9c 3c 2c Kc", 0),  # the board's four of a suit are nobody's own draw
        ("Ac Kd Kh 7s 2d", MADE),
        ("7c 8c 8d 9c 6c", MADE + 3),
        ("Ac Kd 9h 9s 2d", 0),  # the board's pair is everybody's
    ],
)
def test_on_the_way(cards: str, bucket: int) -> None:
    assert hand_buckets(view(cards), 5).tolist() == [bucket]


@pytest.mark.parametrize(
    ("board", "bucket"),
    [
        ("Kc 9d 9h 4s 2d", 0),
        ("Kc 9d 8h 7s 6d", 1),
        ("Kc 9d 8h 4s 2d", 2),
        ("Kc 9d 9h 4d 2d", 3),
        ("Kd 9d 8h 4s 2d", 5),
        ("Kd 9d 8d 4s 2d", 8),
        ("As 2d 3h 4d Td", 4),
    ],
)
def test_boards_to_the_river(board: str, bucket: int) -> None:
    assert hand_buckets(view(f"Js Jh {board}"), 5).tolist() == [bucket]


@pytest.mark.parametrize(
    ("board", "bucket"),
    [
        ("Ac 9d 9h", 0),
        ("Kc 9d 9h", 9),
        ("7c 6d 3h", 37),
        ("Qc 9d 2h", 20),
        ("Jc 9c 2h", 23),
        ("Tc 7c 6c", 34),
        ("9c 5d 2h", 29),
        ("8c 4d 2h", 38),
    ],
)
def test_boards_of_flop_holdem(board: str, bucket: int) -> None:
    assert hand_buckets(view(f"Js Jh {board}"), 3).tolist() == [bucket]


@pytest.mark.parametrize("rules", [FHP, HULH], ids=lambda rules: rules.name)
def test_suits_and_the_order_of_cards_do_not_matter(rules: Rules) -> None:
    rng = np.random.default_rng(5)
    views = canonical_views(rules, deal(rules, 500, rng))[:, 0].reshape(-1, 7)
    buckets = hand_buckets(views, rules.visible_board[-1])
    suits = rng.permutation(4).astype(np.uint8)
    renamed = np.where(views == NO_CARD, NO_CARD, views // 4 * 4 + suits[views % 4]).astype("u1")
    renamed[:, [0, 1, 2, 3, 4]] = renamed[:, [1, 0, 4, 2, 3]]
    assert (canonical(renamed) == canonical(views)).all()
    assert (hand_buckets(renamed, rules.visible_board[-1]) == buckets).all()
    assert len(set(buckets)) > 0.7 * num_buckets(rules.visible_board[-1])
    assert buckets.max() < num_buckets(rules.visible_board[-1])
