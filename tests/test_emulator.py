"""The emulator protocol: turns, legal actions, immutability, views, transcripts."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from env.actions import CALL, FOLD, RAISE
from env.cards import parse_cards
from env.emulator import HULHEmulator, make_emulator
from env.rules import FHP, HULH, HULH_80, KUHN, LEDUC, PRESETS, Rules, parse_rules
from env.states import TERMINAL, Emulator, IllegalAction, State

DEAL = "AsKd 7h2c Td9s3c 4d 8h"


def play(emulator: Emulator, deal: str, line: str) -> State:
    state = emulator.start(deal)
    for letter in line.replace("/", ""):
        state = emulator.act(state, "fcr".index(letter))
    return state


def test_a_hand_of_limit_holdem() -> None:
    emulator = make_emulator(HULH)
    state = emulator.start(DEAL)
    assert (state.actor, state.street, state.contributions) == (0, 0, (5, 10))
    assert emulator.legal(state) == (True, True, True)
    state = emulator.act(state, CALL)
    assert (state.actor, state.history) == (1, "c")
    assert emulator.legal(state) == (False, True, True), "checking is free, so no folding"
    state = emulator.act(state, RAISE)
    state = emulator.act(state, CALL)
    assert (state.actor, state.street, state.history) == (1, 1, "crc/")
    assert state.contributions == (20, 20)
    state = play(emulator, DEAL, "crc/cc/rrc/rf")
    assert (state.is_terminal, state.actor, state.street) == (True, TERMINAL, 3)
    assert state.contributions == (60, 80)
    assert emulator.payoffs(state) == (-60, 60)
    assert state.history == "crc/cc/rrc/rf"


def test_all_in_on_a_short_stack() -> None:
    emulator = HULHEmulator(HULH_80)
    state = play(emulator, DEAL, "rrrc/rrrr")
    assert emulator.legal(state) == (True, True, False)
    state = emulator.act(state, CALL)
    assert state.is_terminal, "no betting once both are all-in"
    assert state.contributions == (80, 80)
    assert emulator.payoffs(state) == (80, -80), "ace high wins on the whole board"
    cut = play(HULHEmulator(parse_rules("hulh:stack=27")), DEAL, "rr")
    assert cut.contributions == (20, 27), "the raise is cut to the stack"


def test_flop_holdem_ends_after_the_flop() -> None:
    emulator = HULHEmulator(FHP)
    state = play(emulator, "AsKd 7h2c Td9s3c", "rc/crc")
    assert state.is_terminal
    assert emulator.payoffs(state) == (30, -30)
    with pytest.raises(ValueError, match="a deal of fhp has 7 cards"):
        emulator.start("AsKd 7h2c")


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
@pytest.mark.parametrize("action", [-1, 3, 17, "raise", None, 1.0, True])
def test_what_is_no_action_is_refused_by_name(rules: Rules, action: object) -> None:
    emulator = make_emulator(rules)
    state = emulator.start(np.random.default_rng(0))
    with pytest.raises(IllegalAction, match=f"action {action!r} is not legal"):
        emulator.act(state, action)  # type: ignore[arg-type]


def test_illegal_actions_are_refused_by_name() -> None:
    emulator = HULHEmulator(HULH)
    with pytest.raises(IllegalAction, match="fold is not legal for player 1 on the pre-flop"):
        emulator.act(play(emulator, DEAL, "c"), FOLD)
    with pytest.raises(IllegalAction, match=r"raise is not legal .* legal: fold, call"):
        emulator.act(play(emulator, DEAL, "rrr"), RAISE)
    with pytest.raises(IllegalAction, match="call is not legal: the hand is over"):
        emulator.act(play(emulator, DEAL, "f"), CALL)
    with pytest.raises(ValueError, match="the hand is not over: player 0 is to act"):
        emulator.payoffs(emulator.start(DEAL))
    with pytest.raises(ValueError, match="leduc is not hold'em"):
        HULHEmulator(LEDUC)


def snapshot(state: State) -> bytes:
    return pickle.dumps(copy.deepcopy(vars(state)))


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_states_are_never_changed(rules: Rules) -> None:
    """Every state on random hands is continued in every way and stays byte for byte the same."""
    emulator, rng = make_emulator(rules), np.random.default_rng(1)
    for _ in range(15):
        state = emulator.start(rng)
        while not state.is_terminal:
            before = snapshot(state)
            legal = [action for action in (FOLD, CALL, RAISE) if emulator.legal(state)[action]]
            children = [emulator.act(state, action) for action in legal]
            again = [emulator.act(state, action) for action in legal]
            assert children == again
            assert snapshot(state) == before
            state = children[rng.integers(len(children))]
        emulator.payoffs(state)


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), name=st.sampled_from(["hulh", "hulh80", "fhp", "leduc", "kuhn"]))
def test_every_hand_keeps_the_books(seed: int, name: str) -> None:
    rules = PRESETS[name]
    emulator, rng = make_emulator(rules), np.random.default_rng(seed)
    state = emulator.start(rng)
    forced = sum(state.contributions)
    while not state.is_terminal:
        assert state.raises <= rules.max_raises[state.street]
        assert max(state.contributions) <= rules.stack
        state = emulator.act(state, int(rng.choice(np.flatnonzero(emulator.legal(state)))))
    payoffs = emulator.payoffs(state)
    assert sum(payoffs) == 0
    assert sum(state.contributions) == forced + sum(move.paid for move in state.moves)
    assert max(payoffs) in (0, min(state.contributions))


def test_visible_cards_follow_the_street() -> None:
    emulator = HULHEmulator(HULH)
    state = play(emulator, DEAL, "cc/cc/")
    assert emulator.visible_cards(state, 0).tolist() == [*parse_cards("AsKdTd9s3c4d"), 52]
    assert emulator.visible_cards(state, 1).tolist() == [*parse_cards("7h2cTd9s3c4d"), 52]
    leduc = make_emulator(LEDUC)
    assert leduc.visible_cards(leduc.start("JcQdKc"), 1).tolist() == [41, *[52] * 6]
    assert leduc.visible_cards(play(leduc, "JcQdKc", "cc"), 1).tolist()[:3] == [41, 52, 44]


def test_the_table_shows_the_dealt_cards() -> None:
    """PyPokerEngine's own table holds the cards of the deal, player by player."""
    emulator = HULHEmulator(HULH)
    state = emulator.start(DEAL)
    for line in ("cc", "cc", "cc"):
        for letter in line:
            state = emulator.act(state, "fcr".index(letter))
    table = state.table["table"]
    assert [str(c) for c in table.seats.players[0].hole_card] == ["SA", "DK"]
    assert [str(c) for c in table.seats.players[1].hole_card] == ["H7", "C2"]
    assert [str(c) for c in table.get_community_card()] == ["DT", "S9", "C3", "D4", "H8"]


def test_given_deals_are_checked() -> None:
    emulator = HULHEmulator(HULH)
    with pytest.raises(ValueError, match="As appears twice"):
        emulator.start("AsKd As2c Td9s3c 4d 8h")
    with pytest.raises(ValueError, match="'Xx' is not a card"):
        emulator.start("AsKd Xx2c Td9s3c 4d 8h")
    for nonsense in (None, 5, [51.7, 50, 0, 1, 2, 3, 4, 5, 6], ["As"] * 9):
        with pytest.raises(TypeError, match="is no deal"):
            emulator.start(nonsense)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="card codes run from 0 to 51"):
        emulator.start([-1, 99, 0, 1, 2, 3, 4, 5, 6])


def test_states_of_other_games_are_refused() -> None:
    with pytest.raises(TypeError, match="not a state of hulh"):
        HULHEmulator(HULH).act(make_emulator(LEDUC).start("JcQdKc"), CALL)


def test_single_hands_may_be_played_in_any_thread() -> None:
    emulator = make_emulator(HULH)

    def play_out(seed: int) -> tuple[int, int]:
        state: State = emulator.start(np.random.default_rng(seed))
        while not state.is_terminal:
            state = emulator.act(state, CALL)
        return emulator.payoffs(state)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(play_out, range(8))) == [play_out(seed) for seed in range(8)]


def test_transcript_of_a_whole_hand() -> None:
    emulator = HULHEmulator(HULH)
    text = emulator.transcript(play(emulator, DEAL, "crc/cc/rrc/cc"))
    assert text.splitlines() == [
        HULH.describe(),
        "player 0 (button): As Kd",
        "player 1: 7h 2c",
        "pre-flop: pot 15",
        "  player 0 calls 5",
        "  player 1 raises to 20",
        "  player 0 calls 10",
        "flop Td 9s 3c: pot 40",
        "  player 1 checks",
        "  player 0 checks",
        "turn Td 9s 3c 4d: pot 40",
        "  player 1 bets 20",
        "  player 0 raises to 40",
        "  player 1 calls 20",
        "river Td 9s 3c 4d 8h: pot 120",
        "  player 1 checks",
        "  player 0 checks",
        "showdown on Td 9s 3c 4d 8h: player 0 has a high card, player 1 has a high card",
        "player 0 wins 60 chips",
    ]


def test_transcripts_of_other_endings() -> None:
    short = HULHEmulator(HULH_80)
    lines = short.transcript(play(short, DEAL, "rrrc/rrrrc")).splitlines()
    assert lines[-4:-2] == [
        "  player 0 raises to 40 and is all-in",
        "  player 1 calls 10 and is all-in",
    ]
    kuhn = make_emulator(KUHN)
    assert kuhn.transcript(play(kuhn, "JcKc", "cr")).splitlines()[-1] == "  player 1 bets 1"
    assert kuhn.transcript(play(kuhn, "JcKc", "crf")).splitlines()[-2:] == [
        "  player 0 folds",
        "player 1 wins 1 chip",
    ]
    split = HULHEmulator(HULH)
    royal = split.transcript(play(split, "2c3d 4h5d AsKsQs Js Ts", "cc/cc/cc/cc"))
    assert royal.splitlines()[-1] == "the pot is split"
