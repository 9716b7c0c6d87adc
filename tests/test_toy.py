"""Kuhn and Leduc equal OpenSpiel's, in every state of every deal."""

from __future__ import annotations

from itertools import permutations

import pyspiel
import pytest

from env.actions import CALL, FOLD, RAISE
from env.deals import deal_slots
from env.emulator import make_emulator
from env.rules import KUHN, LEDUC, Rules
from env.states import Emulator, State

PASS, BET = 0, 1  # OpenSpiel's Kuhn actions


def their_action(rules: Rules, state: State, action: int) -> int:
    if rules == LEDUC:
        return action
    return PASS if action == (FOLD if state.to_call else CALL) else BET


def compare(emulator: Emulator, state: State, theirs: pyspiel.State) -> int:
    """Walk both games in step below one deal; returns the number of states compared."""
    assert state.is_terminal == theirs.is_terminal()
    if state.is_terminal:
        assert list(emulator.payoffs(state)) == theirs.returns()
        return 1
    assert state.actor == theirs.current_player()
    legal = [action for action in (FOLD, CALL, RAISE) if emulator.legal(state)[action]]
    ours_as_theirs = sorted(their_action(emulator.rules, state, action) for action in legal)
    assert ours_as_theirs == theirs.legal_actions()
    count = 1
    for action in legal:
        child = theirs.child(their_action(emulator.rules, state, action))
        after = emulator.act(state, action)
        if child.is_chance_node():  # Leduc's board card
            board = emulator.rules.deck.index(state.deal[4])
            assert board in child.legal_actions()
            child.apply_action(board)
        count += compare(emulator, after, child)
    return count


@pytest.mark.parametrize(
    ("rules", "name", "states"),
    [(KUHN, "kuhn_poker", 6 * 9), (LEDUC, "leduc_poker", 120 * 85)],
    ids=["kuhn", "leduc"],
)
def test_equals_openspiel_exhaustively(rules: Rules, name: str, states: int) -> None:
    emulator, game = make_emulator(rules), pyspiel.load_game(name)
    compared = 0
    for cards in permutations(rules.deck, len(deal_slots(rules))):
        theirs = game.new_initial_state()
        for card in cards[:2]:
            theirs.apply_action(rules.deck.index(card))
        compared += compare(emulator, emulator.start(cards), theirs)
    assert compared == states
