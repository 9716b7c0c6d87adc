"""Hand histories against the emulator's own account and PokerKit's reading of them."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from arena.hand_history import Hand, as_json_lines, as_pokerstars, as_text, hands_of
from arena.match import batches
from env.cards import cards_text
from env.emulator import make_emulator
from env.game import load_game
from env.rules import FHP, HULH, HULH_80, KUHN, LEDUC, Rules
from tests.policies import hashed_pair

NAMES = ("run/iter_0010", "call")
GAMES = (HULH, HULH_80, FHP, LEDUC, KUHN)


def some_hands(rules: Rules, count: int, seed: int = 0) -> list[Hand]:
    game = load_game(rules)
    (played,) = batches(game, *hashed_pair(game.tree), count, seed)
    return list(hands_of(game.tree, NAMES, played))


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_states_are_the_emulators(rules: Rules) -> None:
    hands = some_hands(rules, 40)
    emulator = make_emulator(rules)
    assert [hand.number for hand in hands] == list(range(1, 41))
    for first, second in zip(hands[::2], hands[1::2], strict=True):
        assert first.state.deal == second.state.deal
        assert first.players == NAMES == second.players[::-1]
    for hand in hands:
        state = emulator.start(hand.state.deal)
        for move in hand.state.moves:
            state = emulator.act(state, move.action)
        assert state.moves == hand.state.moves
        assert (state.street, state.contributions) == (hand.state.street, hand.state.contributions)
        assert emulator.payoffs(state)[0] == hand.won
        assert emulator.transcript(state) in as_text(rules, [hand])


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_json_lines_replay(rules: Rules) -> None:
    hands = some_hands(rules, 20)
    emulator = make_emulator(rules)
    lines = as_json_lines(rules, hands).splitlines()
    assert len(lines) == len(hands)
    for line, hand in zip(lines, hands, strict=True):
        entry = json.loads(line)
        cards = " ".join([*entry["hole"][0], *entry["hole"][1], *entry["board"]])
        state = emulator.start(cards)
        for move in entry["moves"]:
            assert move["player"] == state.actor
            assert move["street"] == rules.street_names[state.street]
            state = emulator.act(state, ("fold", "call", "raise").index(move["action"]))
        assert entry["history"] == state.history
        assert entry["won_chips"] == list(emulator.payoffs(state))
        assert entry["showdown"] == (state.folded is None)
        assert entry["contributions_chips"] == list(state.contributions)
        assert entry["players"] == list(hand.players)


@pytest.mark.parametrize("rules", [HULH, HULH_80], ids=lambda rules: rules.name)
@pytest.mark.filterwarnings("ignore:The field 'time_zone_abbreviation'")  # PokerKit's own
def test_pokerkit_reads_the_pokerstars_text(rules: Rules) -> None:
    """Its reader knows no-limit only: called that, each hand must be played out as we did."""
    notation = pytest.importorskip("pokerkit.notation")
    hands = some_hands(rules, 60)
    for hand in hands:
        text = as_pokerstars(rules, [hand]).replace("Hold'em Limit", "Hold'em No Limit")
        (read,) = notation.PokerStarsParser()(text)
        assert sorted(read.players) == sorted(NAMES)
        assert sorted(read.blinds_or_straddles) == [rules.small_blind, rules.big_blind]
        *_, final = read
        won = dict(zip(read.players, final.payoffs, strict=True))
        assert won[hand.players[0]] == hand.won == -won[hand.players[1]]
        assert cards_text(hand.state.deal[:2]).replace(" ", "") in "".join(read.actions)


@pytest.mark.parametrize("rules", [HULH, HULH_80, FHP], ids=lambda rules: rules.name)
def test_pokerstars_text_adds_up(rules: Rules) -> None:
    hands = some_hands(rules, 200, seed=1)
    paragraphs = as_pokerstars(rules, hands).strip().split("\n\n\n")
    assert len(paragraphs) == len(hands)
    endings = set()
    for number, (text, hand) in enumerate(zip(paragraphs, hands, strict=True), start=1):
        stakes = f"{rules.bet_sizes[0]}/{rules.bet_sizes[-1]}"
        assert text.startswith(f"PokerStars Hand #{number}: Hold'em Limit ({stakes}) - ")
        assert f"Seat #{hand.seating + 1} is the button" in text
        put, taken = _money(text, hand)
        assert [t - p for p, t in zip(put, taken, strict=True)] == [hand.won, -hand.won]
        pot = re.search(r"Total pot (\d+) \| Rake 0", text)
        assert pot is not None
        assert int(pot[1]) == 2 * min(hand.state.contributions)
        shown = re.findall(r"\*\*\* (FLOP|TURN|RIVER)", text)
        if hand.state.folded is None:
            assert len(shown) == rules.streets - 1
        endings.add((hand.state.folded is None, int(np.sign(hand.won))))
    assert {(True, 1), (True, -1), (False, 1), (False, -1)} <= endings


def _money(text: str, hand: Hand) -> tuple[list[int], list[int]]:
    """Chips each player put in and got back, added up from the amounts in the text alone."""
    put, taken, street = [0, 0], [0, 0], [0, 0]
    for line in text.split("*** SUMMARY", maxsplit=1)[0].splitlines():
        if line.startswith("*** ") and "HOLE" not in line:
            street = [0, 0]
        for player, name in enumerate(hand.players):
            if found := re.fullmatch(rf"{name}: (posts \w+ blind|calls|bets) (\d+).*", line):
                put[player] += int(found[2])
                street[player] += int(found[2])
            elif found := re.fullmatch(rf"{name}: raises (\d+) to (\d+).*", line):
                assert int(found[2]) - int(found[1]) == street[1 - player]
                put[player] += int(found[2]) - street[player]
                street[player] = int(found[2])
            back = rf"{name} collected (\d+) from pot|Uncalled bet \((\d+)\) returned to {name}"
            if found := re.fullmatch(back, line):
                taken[player] += int(found[1] or found[2])
    return put, taken


SHOWDOWN = [
    "PokerStars Hand #1: Hold'em Limit (10/20) - 2000/01/01 00:00:00 ET",
    "Table 'A against B' 2-max (Play Money) Seat #1 is the button",
    "Seat 1: A (240 in chips)",
    "Seat 2: B (240 in chips)",
    "A: posts small blind 5",
    "B: posts big blind 10",
    "*** HOLE CARDS ***",
    "Dealt to A [As Kh]",
    "Dealt to B [7h 2c]",
    "A: raises 10 to 20",
    "B: calls 10",
    "*** FLOP *** [Td 9h 3d]",
    "B: checks",
    "A: checks",
    "*** TURN *** [Td 9h 3d] [4d]",
    "B: checks",
    "A: bets 20",
    "B: calls 20",
    "*** RIVER *** [Td 9h 3d 4d] [8h]",
    "B: checks",
    "A: checks",
    "*** SHOW DOWN ***",
    "B: shows [7h 2c] (high card)",
    "A: shows [As Kh] (high card)",
    "A collected 80 from pot",
    "*** SUMMARY ***",
    "Total pot 80 | Rake 0",
    "Board [Td 9h 3d 4d 8h]",
    "Seat 1: A (button) (small blind) showed [As Kh] and won (80) with high card",
    "Seat 2: B (big blind) showed [7h 2c] and lost with high card",
]
FOLD_AT_ONCE = [
    "B: posts small blind 5",
    "A: posts big blind 10",
    "*** HOLE CARDS ***",
    "Dealt to B [As Kh]",
    "Dealt to A [7h 2c]",
    "B: folds",
    "Uncalled bet (5) returned to A",
    "A collected 10 from pot",
    "*** SUMMARY ***",
    "Total pot 10 | Rake 0",
    "Seat 1: A (big blind) collected (10)",
    "Seat 2: B (button) (small blind) folded before Flop",
]


def test_a_showdown_and_a_fold_word_for_word() -> None:
    game = load_game(HULH)
    tree = game.tree
    (played,) = batches(game, *hashed_pair(tree), 2, 0)
    deal = [51, 46, 22, 0, 33, 30, 5, 9, 26]  # As Kh, 7h 2c, Td 9h 3d 4d 8h
    played.deals[0] = deal
    played.nodes[0] = [tree.node("rc/cc/crc/cc"), tree.node("f")]
    played.chips[0] = [40, 5]
    first, second = as_pokerstars(HULH, hands_of(tree, ("A", "B"), played)).strip().split("\n\n\n")
    assert first.splitlines() == SHOWDOWN
    assert second.splitlines()[4:] == FOLD_AT_ONCE


def test_toy_games_have_no_form_at_pokerstars() -> None:
    hands = some_hands(LEDUC, 2)
    with pytest.raises(ValueError, match="not hold'em"):
        as_pokerstars(LEDUC, hands)
