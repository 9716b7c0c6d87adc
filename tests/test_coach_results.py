"""Adjusted results and the baseline against recursion, enumeration and OpenSpiel."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from agents.bots import make_bot
from env.cards import parse_cards
from env.deals import deal
from env.game import load_game
from interfaces.coach.played import PlayedHand
from interfaces.coach.reference import Reference
from interfaces.coach.results import (
    all_in_adjusted_chips,
    baseline_chips,
    range_adjusted_chips,
    results,
)
from tests.brute_force import InOpenSpiel, every_deal
from tests.coaching import SlowTable, played_hands
from tests.policies import Hashed

SMALL_HOLDEM = "fhp:ranks=QKA,suits=cdh"


@pytest.mark.parametrize("name", ["leduc", SMALL_HOLDEM, "hulh:stack=25"])
def test_the_baseline_is_a_plain_recursion(name: str) -> None:
    game = load_game(name)
    policy = Hashed(game.tree, 1)
    table = SlowTable(game, policy)
    for cards in deal(game.rules, 4, np.random.default_rng(0)):
        dealt = tuple(cards.tolist())
        expected = table.value(table.emulator.start(dealt), 0)
        assert baseline_chips(game, policy, dealt) == pytest.approx(expected, abs=1e-4)


def test_baselines_average_to_the_value_of_the_game() -> None:
    oracle = InOpenSpiel("leduc")
    policy = Hashed(oracle.tree, 2)
    game = load_game("leduc")
    found = [baseline_chips(game, policy, tuple(row.tolist())) for row in every_deal(game.rules)]
    assert np.mean(found) == pytest.approx(oracle.value(policy, policy), abs=1e-5)


def test_without_showdown_or_cards_to_come_nothing_is_adjusted() -> None:
    game = load_game("hulh80")
    reference = Reference(game, make_bot("random", game))
    streets = set()
    for hand in played_hands(game, 40, seed=1):
        all_in = all_in_adjusted_chips(reference, hand)
        if hand.is_fold:
            assert range_adjusted_chips(reference, hand) == all_in == hand.won_chips
        elif hand.street == 3:
            assert all_in == hand.won_chips
            assert abs(range_adjusted_chips(reference, hand)) <= hand.stake_chips
        streets.add((hand.is_fold, hand.street))
    assert {(False, 3), (True, 0)} <= streets


def all_in_on_the_flop(seat: int) -> PlayedHand:
    """The nut flush draw against a set of nines, all-in on the flop of hulh80."""
    game = load_game("hulh80")
    cards = "AsQs 9c9d 9s2s7h Kd 3s"
    return PlayedHand(game, parse_cards(cards), "rrrc/rrrrc", seat)


def test_all_in_adjusted_counts_the_cards_that_could_come() -> None:
    """On the flop 990 turns and rivers can come."""
    hand = all_in_on_the_flop(0)
    game, reference = hand.game, Reference(hand.game, make_bot("call", hand.game))
    assert hand.won_chips == 80, "the flush came"
    # Independently: the emulator's own showdown for every turn and river.
    total = count = 0
    left = [card for card in game.rules.deck if card not in hand.deal[:7]]
    for i, turn in enumerate(left):
        for river in left[:i]:
            dealt = (*hand.deal[:7], turn, river)
            total += dataclasses.replace(hand, deal=dealt).won_chips
            count += 1
    assert count == 990
    assert all_in_adjusted_chips(reference, hand) == pytest.approx(total / count)
    other = all_in_on_the_flop(1)
    assert all_in_adjusted_chips(reference, other) == pytest.approx(-total / count)


def test_range_adjusted_averages_over_what_the_opponent_could_hold() -> None:
    game = load_game("leduc")
    policy = Hashed(game.tree, 3)
    reference, table = Reference(game, policy), SlowTable(game, policy)
    checked = 0
    for hand in played_hands(game, 60, seed=2):
        if hand.is_fold:
            continue
        total = weight = 0.0
        for card in game.rules.deck:
            if card not in (hand.deal[2 * hand.seat], hand.deal[4]):
                dealt = list(hand.deal)
                dealt[2 - 2 * hand.seat] = card
                _, reach = table.after(tuple(dealt), hand.node)
                won = dataclasses.replace(hand, deal=tuple(dealt)).won_chips
                total += reach[1 - hand.seat] * won
                weight += reach[1 - hand.seat]
        if weight > 0:
            found = range_adjusted_chips(reference, hand)
            assert found == pytest.approx(total / weight, abs=1e-5)
            checked += 1
    assert checked > 10


def test_results_are_from_the_seats_side_in_big_blinds() -> None:
    game = load_game("leduc")
    reference = Reference(game, Hashed(game.tree, 4))
    hand = PlayedHand(game, parse_cards("Kc Qc Kd"), "rc/cc", 0)
    mine, theirs = results(reference, hand), results(reference, dataclasses.replace(hand, seat=1))
    assert mine.won_bb == 3 == -theirs.won_bb
    assert mine.baseline_bb == -theirs.baseline_bb
    assert mine.all_in_adjusted_bb == 3
    assert mine.showdown_adjusted_bb == 1.5 == -theirs.showdown_adjusted_bb, "a queen may come"
    assert mine.range_adjusted_bb == pytest.approx(3), "nothing beats a pair of kings"
    assert theirs.range_adjusted_bb > -3, "a queen may meet a jack"
    assert list(mine.to_json()) == [
        "won_bb",
        "all_in_adjusted_bb",
        "showdown_adjusted_bb",
        "range_adjusted_bb",
        "baseline_bb",
    ]


def test_unfinished_hands_are_refused() -> None:
    game = load_game("leduc")
    with pytest.raises(ValueError, match="not over"):
        PlayedHand(game, parse_cards("Kc Qc Kd"), "rc/c", 0)
    with pytest.raises(ValueError, match="seats are 0 and 1"):
        PlayedHand(game, parse_cards("Kc Qc Kd"), "rc/cc", 2)
