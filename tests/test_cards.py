"""Card text and suit-canonical forms, against brute force over all renamings of suits."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from env.cards import NO_CARD, Cards, canonical, card_text, cards_text, parse_card, parse_cards


def test_card_text_and_back() -> None:
    assert card_text(0) == "2c"
    assert card_text(51) == "As"
    assert parse_card("Td") == 33
    assert [parse_card(card_text(card)) for card in range(52)] == list(range(52))
    assert parse_card("aS") == 51
    assert cards_text([51, NO_CARD, 0]) == "As 2c"
    assert parse_cards("AsKd") == parse_cards(" As, kD ") == (51, 45)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("Ax", "'Ax' is not a card"),
        ("1s", "'1s' is not a card"),
        ("AsK", "'K' is not a card"),
        ("As As", "As appears twice"),
    ],
)
def test_bad_card_text_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse_cards(text)


def test_bad_card_codes_are_refused() -> None:
    with pytest.raises(ValueError, match="53 is not a card code"):
        card_text(53)


def brute_force_class(row: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The least of all 24 renamings, with hole and flop as sorted groups."""

    def renamed(suits: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        cards = [c if c == NO_CARD else c // 4 * 4 + suits[c % 4] for c in row]
        return (tuple(sorted(cards[:2])), tuple(sorted(cards[2:5])), (cards[5],), (cards[6],))

    return min(renamed(suits) for suits in permutations(range(4)))


def random_rows(seed: int, n: int) -> Cards:
    """Visible cards on random streets; half of them close relatives of the row before."""
    rng = np.random.default_rng(seed)
    rows = np.stack([rng.permutation(52)[:7] for _ in range(n)]).astype(np.uint8)
    suits = np.stack([rng.permutation(4) for _ in range(n)])
    related = np.arange(1, n, 2)
    base = rows[related - 1]
    rows[related] = base // 4 * 4 + np.take_along_axis(suits[related], base % 4, axis=1)
    rows[related, :2] = rows[related, 1::-1]
    swap = related[rng.random(len(related)) < 0.3]  # no longer the same: turn and river differ
    rows[swap, 5:] = rows[swap, 6:4:-1]
    shown = rng.choice([2, 5, 6, 7], n)
    shown[related] = shown[related - 1]
    rows[np.arange(7) >= shown[:, None]] = NO_CARD
    return rows


def test_same_class_exactly_when_equal_up_to_suits() -> None:
    rows = random_rows(0, 4000)
    by_class: dict[tuple[tuple[int, ...], ...], set[bytes]] = {}
    for row, form in zip(rows, canonical(rows), strict=True):
        by_class.setdefault(brute_force_class(tuple(row.tolist())), set()).add(form.tobytes())
    assert all(len(forms) == 1 for forms in by_class.values()), "one class, one form"
    forms = [next(iter(forms)) for forms in by_class.values()]
    assert len(set(forms)) == len(forms), "one form, one class"
    assert len(forms) < len(rows) * 0.8, "the sample holds many equal classes"


def test_small_decks_exhaustively() -> None:
    """Every hole and flop of a deck of two ranks and four suits."""
    deck = range(8)
    rows = [
        (*hole, *flop, NO_CARD, NO_CARD)
        for hole in permutations(deck, 2)
        for flop in permutations(sorted(set(deck) - set(hole)), 3)
    ]
    forms = [form.tobytes() for form in canonical(np.array(rows, np.uint8))]
    classes = [brute_force_class(row) for row in rows]
    assert len(set(forms)) == len(set(classes)) == len(set(zip(forms, classes, strict=True)))


cards_on_streets = st.tuples(
    st.lists(st.integers(0, 51), min_size=7, max_size=7, unique=True), st.sampled_from([2, 5, 6, 7])
).map(lambda drawn: drawn[0][: drawn[1]] + [NO_CARD] * (7 - drawn[1]))


@given(row=cards_on_streets, suits=st.permutations(range(4)), hole=st.booleans(), flop=st.data())
def test_renaming_suits_and_reordering_change_nothing(
    row: list[int], suits: list[int], hole: bool, flop: st.DataObject
) -> None:
    other = [c if c == NO_CARD else c // 4 * 4 + suits[c % 4] for c in row]
    if hole:
        other[:2] = other[1::-1]
    other[2:5] = flop.draw(st.permutations(other[2:5]))
    forms = canonical(np.array([row, other], np.uint8))
    assert forms[0].tolist() == forms[1].tolist()


@given(row=cards_on_streets)
def test_the_form_belongs_to_its_own_class(row: list[int]) -> None:
    form = canonical(np.array([row], np.uint8))
    assert brute_force_class(tuple(form[0].tolist())) == brute_force_class(tuple(row))
    assert canonical(form).tolist() == form.tolist()


def test_1755_flops_and_169_hands() -> None:
    flops = np.full((22100, 7), NO_CARD, np.uint8)
    flops[:, 2:5] = list(combinations(range(52), 3))
    classes, multiplicities = np.unique(canonical(flops), axis=0, return_counts=True)
    assert len(classes) == 1755
    counts = dict(zip(*np.unique(multiplicities, return_counts=True), strict=True))
    assert sum(size * count for size, count in counts.items()) == 22100
    # Three of a suit or of a rank; two of a suit; three suits.
    assert counts == {4: 286 + 13, 12: 13 * 12 + 3 * 286 + 13 * 12, 24: 286}
    hands = np.full((1326, 7), NO_CARD, np.uint8)
    hands[:, :2] = list(combinations(range(52), 2))
    classes, multiplicities = np.unique(canonical(hands), axis=0, return_counts=True)
    assert len(classes) == 169
    counts = dict(zip(*np.unique(multiplicities, return_counts=True), strict=True))
    assert counts == {6: 13, 4: 78, 12: 78}, "pairs, suited, offsuit"


def test_turn_and_river_are_kept_apart() -> None:
    row = [*parse_cards("AsKs Qs7d2c 9h 4c")]
    swapped = [*row[:5], row[6], row[5]]
    forms = canonical(np.array([row, swapped], np.uint8))
    assert forms[0].tolist() != forms[1].tolist()


def test_any_leading_shape() -> None:
    rows = random_rows(1, 24)
    stacked = canonical(rows.reshape(2, 3, 4, 7))
    assert stacked.shape == (2, 3, 4, 7)
    np.testing.assert_array_equal(stacked.reshape(-1, 7), canonical(rows))
    assert canonical(rows[:0]).shape == (0, 7)


@pytest.mark.parametrize(
    ("cards", "error"),
    [
        (np.zeros((7, 9), np.uint8), "rows of 7 cards expected"),
        (np.zeros((14,), np.uint8), "rows of 7 cards expected"),
        (np.full((1, 7), 300), "card codes run from 0 to 52"),
        (np.full((1, 7), -1), "card codes run from 0 to 52"),
        (np.full((1, 7), 1.9), "whole numbers"),
    ],
)
def test_what_is_no_row_of_cards_is_refused(cards: Cards, error: str) -> None:
    with pytest.raises((ValueError, TypeError), match=error):
        canonical(cards)
