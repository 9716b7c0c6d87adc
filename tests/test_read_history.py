"""Histories of played hands, pasted into `--explain`: read back, and refused when they are odd."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands.evaluate_look import explained
from env.cards import parse_cards
from env.game import Game, load_game
from interfaces.coach.history import Entry, phh_text, pokerstars_text
from interfaces.coach.played import PlayedHand
from interfaces.coach.read_history import is_history, line_of, read_hand
from models import load
from tests.coaching import played_hands
from tests.small_runs import ROOT

NAMES = ("Ann", "Bob: x")


@pytest.fixture(scope="module")
def game() -> Game:
    return load_game("hulh")


def texts(entry: Entry) -> tuple[str, str]:
    return pokerstars_text([entry]), phh_text(entry)


@pytest.mark.parametrize("shows_all", [True, False])
def test_what_is_written_is_read(game: Game, shows_all: bool) -> None:
    for number, hand in enumerate(played_hands(game, 60, seed=3), start=1):
        entry = Entry(hand, number, NAMES, shows_all)
        for text in texts(entry):
            assert is_history(text)
            found = read_hand(text, game)
            assert found.names == NAMES
            assert line_of(found, game)[-1] == hand.node
            for player, hole in enumerate(found.holes):
                if player in entry.shown:
                    assert sorted(hole or ()) == sorted(hand.deal[2 * player : 2 * player + 2])
                else:
                    assert hole is None
            shown = tuple(card for card in hand.deal[4:] if card != 52)
            assert found.board == shown[: len(found.board)]


def played(game: Game) -> Entry:
    hand = PlayedHand(game, parse_cards("AsKh 7h2c Td9h3d 4d 8h"), "rc/cc/crc/cc", 0)
    return Entry(hand, 7, ("Ann", "Bob"), shows_all=True)


def test_hands_of_other_programs(game: Game) -> None:
    """Comments, dollars, an unfinished hand, single quotes: as other programs write them."""
    stars = """PokerStars Game #27738502010: Hold'em Limit ($0.50/$1.00 USD) - 2009/05/02 2:00:00 ET
Table 'Asteria' 2-max Seat #2 is the button
Seat 1: villain ($20 in chips)
Seat 2: hero ($25.50 in chips)
hero: posts small blind $0.25
villain: posts big blind $0.50
*** HOLE CARDS ***
Dealt to hero [Ah 9c]
hero: raises $0.50 to $1
villain said, "nice"
villain: calls $0.50
*** FLOP *** [2h 9d Ts]
villain: checks
"""
    found = read_hand(stars, game)
    assert found.names == ("hero", "villain")
    assert found.holes == (parse_cards("Ah9c"), None)
    assert game.tree.text(line_of(found, game)[-1]) == "rc/c"
    phh = """# a comment
variant = 'FT'
antes = [0, 0]
blinds_or_straddles = [1, 2]
small_bet = 2
big_bet = 4
starting_stacks = [100, 100]
actions = [
  'd dh p1 ????',
  'd dh p2 AhKh',
  'p2 cbr 4',  # a raise
  'p1 f',
]
"""
    pytest.importorskip("tomllib")
    found = read_hand(phh, game)
    assert found.names == ("p2", "p1")
    assert (found.holes, found.actions) == ((parse_cards("AhKh"), None), (2, 0))


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("Hold'em Limit (10/20)", "Hold'em No Limit (10/20)", "only limit hold'em"),
        ("Hold'em Limit (10/20)", "Omaha Limit (10/20)", "only limit hold'em"),
        ("Hold'em Limit (10/20)", "Hold'em Limit (10/30)", "bets 10/30"),
        ("Seat #1 is the button", "Seat #5 is the button", "two players"),
        ("[As Kh]", "[As As]", "twice"),
        ("[Td 9h 3d]\n", "[Td 9h 7h]\n", "board of the history changes from Td 9h 7h to"),
        ("[Td 9h 3d]", "[Td 9h 7h]", "changes"),
        ("[As Kh]", "[As]", "no hand of two cards"),
        ("Ann: raises 10 to 20\n", "Ann: checks\nAnn: checks\nAnn: checks\n", "possible"),
        ("Bob: calls 10\n", "Bob: raises 10 to 30\n" + "Ann: raises 1 to 2\n" * 9, "not possible"),
        ("Ann: raises 10 to 20\n", "PokerStars Hand #2: Hold'em Limit (10/20)\n", "several"),
    ],
)
def test_odd_histories_are_refused_in_one_line(
    game: Game, before: str, after: str, reason: str
) -> None:
    text = pokerstars_text([played(game)])
    assert before in text
    odd = text.replace(before, after)
    with pytest.raises(ValueError, match=reason) as caught:
        read_hand(odd, game)
    assert "\n" not in str(caught.value)


def test_odd_phh(game: Game) -> None:
    text = phh_text(played(game))
    for before, after, reason in (
        ('"FT"', '"NT"', "fixed-limit"),
        ("p1 cc", "p1 jumps", "not readable"),
        ("actions = [", "actions = [[", "readable PHH"),
        ("[240, 240]", "[240, 240, 240]", "two players"),
        ("big_bet = 20", "big_bet = 10", "bets 10/10"),
        ("d dh p2 AsKh", "d dh p2 ????", ""),
    ):
        assert before in text
        odd = text.replace(before, after)
        if reason:
            with pytest.raises(ValueError, match=reason):
                read_hand(odd, game)
    with pytest.raises(ValueError, match="of hold'em, not of leduc"):
        read_hand(text, load_game("leduc"))


def test_explain_takes_a_history(game: Game, tmp_path: Path) -> None:
    """Pasted or in a file: the answer at each decision is that of the situation asked by itself."""
    model = load(ROOT / "checkpoints/pretrained/hulh")
    stars, phh = texts(played(game))
    (tmp_path / "hand.txt").write_text(stars)
    shown = explained(model, [stars], searches=False)
    assert explained(model, [phh], searches=False) == shown
    assert explained(model, [str(tmp_path / "hand.txt")], searches=False) == shown
    assert "Ann (button): As Kh" in shown
    (line,) = (one for one in shown.splitlines() if "Ann: bet" in one)
    asked = model.ask("AsKh", "Td9h3d4d", "rc/cc/c")
    assert f"check {asked['call']:.1%}, bet {asked['raise']:.1%}" in line
    hidden = stars.replace("Dealt to Bob [7h 2c]\n", "").replace("Bob: shows [7h 2c]", "Bob: mucks")
    assert "Bob (big blind): cards not shown" in explained(model, [hidden], searches=False)
    (tmp_path / "note.txt").write_text("hello")
    with pytest.raises(ValueError, match="no played hand"):
        explained(model, [str(tmp_path / "note.txt")], searches=False)
