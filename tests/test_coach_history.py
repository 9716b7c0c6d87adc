"""Histories of played hands, read back by PokerKit chip for chip."""

from __future__ import annotations

import importlib.util
import re

import pytest

from env.cards import card_text, parse_cards
from env.game import load_game
from interfaces.coach.history import Entry, phh_text, pokerstars_text
from interfaces.coach.played import PlayedHand
from tests.coaching import played_hands

HAS_POKERKIT = importlib.util.find_spec("pokerkit") is not None
needs_pokerkit = pytest.mark.skipif(not HAS_POKERKIT, reason="PokerKit needs Python 3.11")
NAMES = ("button", "blind")


def entries(name: str, count: int, *, shows_all: bool = True) -> list[Entry]:
    hands = played_hands(load_game(name), count, seed=3)
    return [Entry(hand, number, NAMES, shows_all) for number, hand in enumerate(hands, start=1)]


@needs_pokerkit
@pytest.mark.parametrize("name", ["hulh", "hulh80", "hulh-paper", "hulh:stack=33"])
@pytest.mark.parametrize("shows_all", [True, False])
def test_pokerkit_reads_phh(name: str, shows_all: bool) -> None:
    from pokerkit import HandHistory  # noqa: PLC0415 - not to be had for Python 3.10

    seen = set()
    for entry in entries(name, 150, shows_all=shows_all):
        hand, rules = entry.hand, entry.hand.game.rules
        text = phh_text(entry)
        read = HandHistory.loads(text)
        *_, final = read
        assert not final.status, "the hand is over"
        won = hand.won_chips if hand.seat == 0 else -hand.won_chips
        assert list(final.payoffs) == [-won, won], text
        assert list(final.stacks) == [rules.stack - won, rules.stack + won]
        assert list(final.stacks) == read.finishing_stacks
        assert read.players == [NAMES[1], NAMES[0]]
        assert read.hand == entry.number
        bets = [
            state.total_pot_amount
            for state, action in read.state_actions
            if action is not None and action.split()[1] in ("f", "cc", "cbr") and state.status
        ]
        tree = hand.game.tree
        assert bets == [
            tree.contributions[node].sum() for node in list(tree.path(hand.node))[1 : 1 + len(bets)]
        ]
        assert len(bets) >= tree.depth[hand.node] - 1
        board = "".join(card_text(card) for card in hand.board(3))
        dealt = "".join(repr(card) for cards in final.board_cards for card in cards)
        assert board.startswith(dealt)
        if hand.is_showdown:
            assert dealt == board
        seen.add((hand.is_showdown, hand.street))
    assert {(True, 3), (False, 0)} <= seen or name != "hulh"


@needs_pokerkit
def test_phh_is_read_with_its_betting_and_cards() -> None:
    """PokerKit replays a hand that was written down by hand, and so is the text."""
    game = load_game("hulh")
    hand = PlayedHand(game, parse_cards("AsKh 7h2c Td9h3d 4d 8h"), "rc/cc/crc/cc", 0)
    assert phh_text(Entry(hand, 7, ('Ann "A" \\ é', "Bob\x7f\n"), shows_all=True)) == (
        'variant = "FT"\n'
        "ante_trimming_status = true\n"
        "antes = [0, 0]\n"
        "blinds_or_straddles = [5, 10]\n"
        "small_bet = 10\n"
        "big_bet = 20\n"
        "starting_stacks = [240, 240]\n"
        'actions = ["d dh p1 7h2c", "d dh p2 AsKh", "p2 cbr 20", "p1 cc", "d db Td9h3d", '
        '"p1 cc", "p2 cc", "d db 4d", "p1 cc", "p2 cbr 20", "p1 cc", "d db 8h", "p1 cc", '
        '"p2 cc", "p1 sm 7h2c", "p2 sm AsKh"]\n'
        "hand = 7\n"
        'players = ["Bob\\u007f\\n", "Ann \\"A\\" \\\\ é"]\n'
        "finishing_stacks = [200, 280]\n"
    )
    from pokerkit import HandHistory  # noqa: PLC0415

    text = phh_text(Entry(hand, 7, ('Ann "A" \\ é', "Bob\x7f\n"), shows_all=True))
    assert HandHistory.loads(text).players == ["Bob\x7f\n", 'Ann "A" \\ é']


@pytest.mark.parametrize("shows_all", [True, False])
def test_hands_that_nobody_has_seen_stay_unknown(shows_all: bool) -> None:
    for entry in entries("hulh", 60, shows_all=shows_all):
        other = entry.hand.deal[2 - 2 * entry.hand.seat : 4 - 2 * entry.hand.seat]
        cards = [card_text(card) for card in other]
        hidden = entry.hand.is_fold and not shows_all
        for text in (phh_text(entry), pokerstars_text([entry])):
            assert (" ".join(cards) in text or "".join(cards) in text) != hidden
            if hidden:
                assert not any(card in text for card in cards)


def test_pokerstars_text_is_from_the_seats_side() -> None:
    some = entries("hulh80", 30)
    text = pokerstars_text(some)
    paragraphs = text.strip().split("\n\n\n")
    assert len(paragraphs) == 30
    for paragraph, entry in zip(paragraphs, some, strict=True):
        assert f"Seat 1: {NAMES[entry.hand.seat]} (80 in chips)" in paragraph
        assert f"Seat #{entry.hand.seat + 1} is the button" in paragraph
        assert paragraph.count("Dealt to") == 2
        pot = re.search(r"Total pot (\d+)", paragraph)
        assert pot is not None
        assert int(pot[1]) == 2 * entry.hand.stake_chips
    assert pokerstars_text([]) == ""


@pytest.mark.parametrize("name", ["leduc", "fhp", "hulh:bet_sizes=10/20/20/20"])
def test_what_phh_cannot_say_is_refused(name: str) -> None:
    entry = entries(name, 1)[0]
    with pytest.raises(ValueError, match="no form in PHH"):
        phh_text(entry)
    capped = load_game("hulh:max_raises=3/5/4/4")
    hand = played_hands(capped, 1, seed=0)[0]
    with pytest.raises(ValueError, match="allows 4 bets"):
        phh_text(Entry(hand, 1, NAMES, shows_all=True))
