"""The table: its hands are the emulator's, and a seat sees nothing that it may not see."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from env.actions import ACTION_NAMES, NUM_ACTIONS
from env.cards import card_text
from env.emulator import make_emulator
from env.game import load_game
from env.states import Emulator, State
from interfaces.seat_view import YOU, SeatView, seat_view
from interfaces.table import Table, TableError
from interfaces.winnings import Winnings

UNIFORM = np.full(NUM_ACTIONS, 1 / NUM_ACTIONS, np.float32)


def play_hand(table: Table, rng: np.random.Generator) -> list[SeatView]:
    """Both sides at random; everything that the human saw."""
    seen = [seat_view(table)]
    while not table.is_over:
        if table.is_humans_turn:
            choices = seat_view(table).choices
            table.act(ACTION_NAMES.index(choices[rng.integers(len(choices))].action))
        else:
            table.answer(UNIFORM)
        seen.append(seat_view(table))
    return seen


def check_step(emulator: Emulator, state: State, view: SeatView, seat: int) -> None:
    """What a seat sees is what the emulator says of the state."""
    assert view.paid == (state.contributions[seat], state.contributions[1 - seat])
    assert view.pot + sum(view.bets) == sum(state.contributions)
    assert (view.to_act == YOU) == (state.actor == seat)
    if view.to_act == YOU:
        legal = [name for name, ok in zip(ACTION_NAMES, emulator.legal(state), strict=True) if ok]
        assert [choice.action for choice in view.choices] == legal
    else:
        assert not view.choices
    if not state.is_terminal:
        own = [card_text(c) for c in emulator.visible_cards(state, seat) if c != 52]
        assert [*view.own_cards, *view.board] == own


@pytest.mark.parametrize("name", ["hulh", "hulh80", "fhp", "leduc", "kuhn"])
def test_hands_are_the_emulators(name: str) -> None:
    game, rng = load_game(name), np.random.default_rng(5)
    emulator, table = make_emulator(game.rules), Table(game, seed=11)
    for number in range(40):
        assert table.hand.number == number
        seat = table.hand.human_seat
        views = play_hand(table, rng)
        state = emulator.start(table.hand.deal)
        check_step(emulator, state, views[0], seat)
        for view in views[1:]:
            costs = {choice.action: choice.cost for choice in views[view.step - 1].choices}
            move = view.moves[-1]
            assert costs.get(move.action, move.paid) == move.paid
            state = emulator.act(state, ACTION_NAMES.index(move.action))
            assert state.moves[-1].paid == move.paid
            check_step(emulator, state, view, seat)
        assert state.is_terminal
        result = views[-1].result
        assert result is not None
        assert result.won == table.won == emulator.payoffs(state)[seat]
        table.next_hand()


def test_the_opponents_cards_are_seen_after_a_showdown_only() -> None:
    table, rng = Table(load_game("hulh"), seed=3), np.random.default_rng(1)
    endings = set()
    for _ in range(60):
        views = play_hand(table, rng)
        seat = table.hand.human_seat
        hole = table.hand.deal[2 - 2 * seat : 4 - 2 * seat]
        texts = [f'"{card_text(card)}"' for card in hole]
        for view in views:
            text = json.dumps(dataclasses.asdict(view))
            is_shown = view.result is not None and view.result.showdown
            assert [word in text for word in texts] == [is_shown, is_shown]
        endings.add(views[-1].result is not None and views[-1].result.showdown)
        table.next_hand()
    assert endings == {True, False}


def test_seats_alternate_and_a_seed_gives_the_same_deals() -> None:
    game = load_game("hulh")
    tables = [Table(game, seed=9), Table(game, seed=9), Table(game, seed=10)]
    for number in range(6):
        for table in tables:
            play_hand(table, np.random.default_rng(number))
        assert tables[0].hand == tables[1].hand
        assert tables[0].hand.deal != tables[2].hand.deal
        assert tables[0].hand.human_seat == number % 2
        for table in tables:
            table.next_hand()


def test_what_cannot_be_done_changes_nothing() -> None:
    table = Table(load_game("hulh"), seed=1)
    before = table.hand
    with pytest.raises(TableError, match="not over"):
        table.next_hand()
    with pytest.raises(TableError, match="not over"):
        _ = table.won
    with pytest.raises(TableError, match="opponent's turn"):
        table.answer(UNIFORM)
    for action in (-1, 3, 10**30):
        with pytest.raises(TableError, match="legal: fold, call, raise"):
            table.act(action)
    assert table.hand == before
    table.act(1)
    with pytest.raises(TableError, match="not your turn"):
        table.act(1)
    table.hand = dataclasses.replace(table.hand, node=table.game.tree.node("f"))
    with pytest.raises(TableError, match="over"):
        table.act(1)


def test_winnings_in_small_bets_per_100_hands() -> None:
    rules, won = load_game("hulh").rules, [10, -30, 50, 0]
    winnings = Winnings.of(won)
    assert winnings == Winnings().with_hand(10).with_hand(-30).with_hand(50).with_hand(0)
    assert winnings.small_bets_per_100(rules) == 100 * 30 / 4 / 10
    expected = 1.96 * 100 / 10 * np.std(won, ddof=1) / 2
    assert winnings.interval(rules) == pytest.approx(expected, rel=1e-4)
    assert Winnings().text(rules) == "no hand finished yet"
    assert Winnings.of([5]).text(rules) == "+5 chips in 1 hand: +50.0 small bets/100"
