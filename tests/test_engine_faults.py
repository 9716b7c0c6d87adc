"""PyPokerEngine's faults for limit hold'em: each shown in the bare engine, and gone in ours."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from pypokerengine.api.emulator import Emulator as Engine
from pypokerengine.engine.card import Card
from pypokerengine.engine.deck import Deck
from pypokerengine.engine.hand_evaluator import HandEvaluator

from env.actions import CALL, FOLD, RAISE
from env.cards import card_text, parse_cards
from env.deals import deal, showdown_results
from env.emulator import HULHEmulator
from env.rules import HULH
from env.states import IllegalAction

DEAL = "AsKd 7h2c Td9s3c 4d 8h"


def bare_hand(cards: str | None = None) -> tuple[Engine, dict[str, Any]]:
    """A heads-up hand in the bare engine; seat "a" holds the button."""
    engine = Engine()
    engine.set_game_rule(player_num=2, max_round=1, small_blind_amount=5, ante_amount=0)
    players = {name: {"name": name, "stack": 240} for name in ("a", "b")}
    state = engine.generate_initial_game_state(players)
    if cards:
        order = [engine_card(card).to_id() for card in parse_cards(cards)]
        state["table"].deck = Deck(cheat=True, cheat_card_ids=[*order, 1])
    state, _ = engine.start_new_round(state)
    return engine, state


def engine_card(card: int) -> Card:
    text = card_text(card)
    return Card.from_str(text[1].upper() + text[0])


def whose_turn(state: dict[str, Any]) -> str:
    return state["table"].seats.players[state["next_player"]].uuid


def test_order_of_play() -> None:
    engine, state = bare_hand()
    button = state["table"].seats.players[state["table"].dealer_btn].uuid
    small_blind = whose_turn(state)
    assert small_blind != button, "fault: the button posts the big blind"
    for _ in range(3):  # flop, turn, river
        for _ in range(2):
            amount = engine.generate_possible_actions(state)[1]["amount"]
            state, _ = engine.apply_action(state, "call", amount)
        assert whose_turn(state) == small_blind, "fault: the small blind opens every street"

    ours = HULHEmulator(HULH)
    hand = ours.start(DEAL)
    assert hand.contributions == (5, 10), "player 0, the button, posts the small blind"
    assert hand.table["table"].dealer_btn == 0
    openers = [hand.actor]
    for _ in range(3):
        hand = ours.act(ours.act(hand, CALL), CALL)
        openers.append(hand.actor)
    assert openers == [0, 1, 1, 1]


def test_minimum_raise() -> None:
    engine, state = bare_hand()
    assert engine.generate_possible_actions(state)[2]["amount"]["min"] == 15, "fault"
    after, _ = engine.apply_action(state, "raise", 15)
    assert sorted(p.pay_info.amount for p in after["table"].seats.players) == [10, 15]

    hand = HULHEmulator(HULH).act(HULHEmulator(HULH).start(DEAL), RAISE)
    assert hand.contributions == (20, 10)


def test_fixed_bet_size() -> None:
    engine, state = bare_hand()
    after, _ = engine.apply_action(state, "raise", 137)
    assert max(p.pay_info.amount for p in after["table"].seats.players) == 137, "fault: any size"

    ours = HULHEmulator(HULH)
    hand = ours.start(DEAL)
    for street, size in enumerate((10, 10, 20, 20)):
        raised = ours.act(hand, RAISE)
        level = max(hand.contributions)
        assert raised.contributions[hand.actor] == level + size, f"street {street}"
        hand = ours.act(ours.act(hand, CALL), CALL)


def test_raise_cap() -> None:
    engine, state = bare_hand()
    for total in (20, 30, 40, 50, 60, 70):
        state, _ = engine.apply_action(state, "raise", total)
    assert max(p.pay_info.amount for p in state["table"].seats.players) == 70, "fault: no cap"

    ours = HULHEmulator(HULH)
    hand = ours.start(DEAL)
    for _ in range(3):
        hand = ours.act(hand, RAISE)
    assert ours.legal(hand) == (True, True, False)
    hand = ours.act(hand, CALL)
    for _ in range(4):
        hand = ours.act(hand, RAISE)
    assert ours.legal(hand) == (True, True, False)


def test_illegal_raise_becomes_a_fold() -> None:
    engine, state = bare_hand()
    state, _ = engine.apply_action(state, "raise", 11)
    assert [p.stack for p in state["table"].seats.players] == [245, 235], "fault: it was a fold"

    ours = HULHEmulator(HULH)
    hand = ours.start(DEAL)
    for _ in range(3):
        hand = ours.act(hand, RAISE)
    with pytest.raises(IllegalAction, match="raise is not legal for player 1"):
        ours.act(hand, RAISE)


def bare_winner(deals: np.ndarray) -> int:
    """+1, 0 or −1 as the bare engine would share the pot."""
    cards = [engine_card(int(card)) for card in deals]
    scores = [HandEvaluator.eval_hand(cards[2 * p : 2 * p + 2], cards[4:]) for p in (0, 1)]
    return (scores[0] > scores[1]) - (scores[0] < scores[1])


@pytest.mark.parametrize(
    ("cards", "right"),
    [
        ("2c3d 4h5d AsKsQs Js Ts", 0),  # a royal flush on the board is everybody's
        ("Ac2d KcKd 5h4s3h 9d Js", 1),  # the wheel is a straight
        ("6d8h 2c5d 9hAsTh 3h 3s", 0),  # both play the pair and the kickers on the board
        ("8s5s 8d7c AdAcAs Kd Ah", 0),  # four aces and a king on the board
        ("7h6c As2c 8cKdKc 5c 4c", 1),  # two flushes to the king: the six beats the two
        ("3cJc 6c6d 8s9s4s Qs Js", 0),  # a flush on the board
        ("KsTd Kd9h AcAd7h 7c Js", 0),  # two pair on the board and a king each
    ],
)
def test_showdowns_that_the_bare_engine_gets_wrong(cards: str, right: int) -> None:
    row = np.array(parse_cards(cards), np.uint8)
    assert bare_winner(row) != right, "fault"
    assert showdown_results(row[None])[0] == right
    ours = HULHEmulator(HULH)
    hand = ours.start(cards)
    while not hand.is_terminal:
        hand = ours.act(hand, CALL)
    assert ours.payoffs(hand) == (10 * right, -10 * right)


def test_share_of_wrong_showdowns_in_the_bare_engine() -> None:
    deals = deal(HULH, 3_000, np.random.default_rng(0))
    bare = np.array([bare_winner(row) for row in deals])
    wrong = (bare != showdown_results(deals)).mean()
    assert 0.02 < wrong < 0.08, f"fault: {wrong:.1%} of random showdowns are scored wrongly"


def test_global_randomness() -> None:
    random.seed(1)
    _, first = bare_hand()
    random.seed(1)
    _, second = bare_hand()
    holes = [[str(c) for c in s["table"].seats.players[0].hole_card] for s in (first, second)]
    assert holes[0] == holes[1], "fault: the global generator deals the cards"

    ours = HULHEmulator(HULH)
    random.seed(1)
    before = random.getstate()
    hands = [ours.start(np.random.default_rng(5)) for _ in range(2)]
    for hand in hands:
        ours.act(hand, FOLD)
    assert random.getstate() == before, "the global generator is not touched"
    assert hands[0].deal == hands[1].deal, "the given one decides"
