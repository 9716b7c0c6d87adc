"""Deals: uniform, complete, and seen by each player as the rules say."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from env.cards import NO_CARD, canonical, parse_cards
from env.deals import (
    canonical_views,
    check_deal,
    deal,
    deal_slots,
    showdown_results,
    visible_cards,
)
from env.hands import hand_ranks
from env.rules import FHP, HULH, KUHN, LEDUC, PRESETS, Rules


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_deals_fill_their_slots_with_different_cards_of_the_deck(rules: Rules) -> None:
    deals = deal(rules, 5_000, np.random.default_rng(0))
    slots = deal_slots(rules)
    assert deals.shape == (5_000, 9)
    assert np.isin(deals[:, slots], rules.deck).all()
    assert (np.delete(deals, slots, axis=1) == NO_CARD).all()
    in_order = np.sort(deals[:, slots], axis=1)
    assert (np.diff(in_order.astype(int), axis=1) > 0).all()


def test_the_generator_alone_decides() -> None:
    first, second = (deal(HULH, 100, np.random.default_rng(7)) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert (first != deal(HULH, 100, np.random.default_rng(8))).any()


def test_every_card_is_equally_likely_in_every_slot() -> None:
    n = 520_000
    deals = deal(HULH, n, np.random.default_rng(1))
    for slot in range(9):
        counts = np.bincount(deals[:, slot], minlength=52)
        chi_squared = ((counts - n / 52) ** 2 / (n / 52)).sum()
        assert chi_squared < 110, "51 degrees of freedom: beyond 110 once in a million"


@pytest.mark.parametrize("rules", [KUHN, LEDUC], ids=lambda rules: rules.name)
def test_every_whole_deal_of_a_toy_game_is_equally_likely(rules: Rules) -> None:
    slots = deal_slots(rules)
    expected = list(permutations(rules.deck, len(slots)))
    n = 1_000 * len(expected)
    deals = deal(rules, n, np.random.default_rng(2))[:, slots]
    found, counts = np.unique(deals, axis=0, return_counts=True)
    assert sorted(map(tuple, found.tolist())) == sorted(expected)
    assert np.abs(counts - 1_000).max() < 6 * np.sqrt(1_000)


def test_visible_cards_by_street() -> None:
    row = np.array([parse_cards("AsKd 7h2c Td9s3c 4d 8h")], np.uint8)
    empty = [NO_CARD] * 5
    assert visible_cards(HULH, row, 0, 0)[0].tolist() == [*parse_cards("AsKd"), *empty]
    assert visible_cards(HULH, row, 1, 1)[0].tolist() == [*parse_cards("7h2cTd9s3c"), 52, 52]
    assert visible_cards(HULH, row, 1, 2)[0].tolist() == [*parse_cards("7h2cTd9s3c4d"), 52]
    assert visible_cards(HULH, row, 0, 3)[0].tolist() == [*parse_cards("AsKdTd9s3c4d8h")]


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_canonical_views_are_canonical_visible_cards(rules: Rules) -> None:
    deals = deal(rules, 300, np.random.default_rng(3))
    views = canonical_views(rules, deals)
    assert views.shape == (300, 2, rules.streets, 7)
    rng = np.random.default_rng(4)
    players, streets = rng.integers(0, 2, 300), rng.integers(0, rules.streets, 300)
    seen = visible_cards(rules, deals, players, streets)
    np.testing.assert_array_equal(views[np.arange(300), players, streets], canonical(seen))


@given(
    cards=st.permutations(range(52)),
    player=st.integers(0, 1),
    street=st.integers(0, 3),
    data=st.data(),
)
def test_hidden_cards_never_change_what_a_player_sees(
    cards: list[int], player: int, street: int, data: st.DataObject
) -> None:
    row = np.array([cards[:9]], np.uint8)
    seen = visible_cards(HULH, row, player, street)
    unseen = sorted(set(range(52)) - set(seen[0].tolist()))
    hidden_slots = [2 - 2 * player, 3 - 2 * player, *range(4 + HULH.visible_board[street], 9)]
    other = row.copy()
    other[0, hidden_slots] = data.draw(st.permutations(unseen))[: len(hidden_slots)]
    np.testing.assert_array_equal(visible_cards(HULH, other, player, street), seen)
    np.testing.assert_array_equal(
        canonical_views(HULH, other)[:, player, street],
        canonical_views(HULH, row)[:, player, street],
    )


@pytest.mark.parametrize("rules", [HULH, FHP], ids=lambda rules: rules.name)
def test_showdowns_compare_the_hands(rules: Rules) -> None:
    deals = deal(rules, 20_000, np.random.default_rng(5))
    mine, theirs = deals[:, [0, 1, *range(4, 9)]], deals[:, 2:]
    expected = np.sign(hand_ranks(mine) - hand_ranks(theirs))
    np.testing.assert_array_equal(showdown_results(deals), expected)
    swapped = deals[:, [2, 3, 0, 1, *range(4, 9)]]
    np.testing.assert_array_equal(showdown_results(swapped), -expected)


def test_deals_are_checked() -> None:
    full = check_deal(HULH, parse_cards("AsKd7h2cTd9s3c4d8h"))
    assert check_deal(HULH, full) == full
    assert check_deal(LEDUC, parse_cards("JcQdKc")) == (36, 52, 41, 52, 44, 52, 52, 52, 52)
    for rules, cards, complaint in [
        (HULH, "AsKd", "a deal of hulh has 9 cards, not 2"),
        (LEDUC, "JcQdAc", "Ac is not in the deck of leduc"),
    ]:
        with pytest.raises(ValueError, match=complaint):
            check_deal(rules, parse_cards(cards))
    with pytest.raises(ValueError, match="As is dealt twice"):
        check_deal(HULH, [51, 51, 0, 1, 2, 3, 4, 5, 6])
    with pytest.raises(ValueError, match="fills the slots"):
        check_deal(FHP, parse_cards("AsKd7h2cTd9s3c4d8h"))


def test_what_is_no_list_of_deals_is_refused() -> None:
    deals = deal(FHP, 5, np.random.default_rng(0))
    for function in (showdown_results, lambda rows: canonical_views(FHP, rows)):
        with pytest.raises(ValueError, match="rows of 9 cards expected"):
            function(deals[:, :7])
        with pytest.raises(ValueError, match="a list of deals expected"):
            function(deals[0])
    for player, street in ((2, 0), (-1, 0), (0, 2), (0, -1)):
        with pytest.raises(ValueError, match=r"players are|streets of fhp run"):
            visible_cards(FHP, deals, player, street)
