"""Heads-up limit hold'em on PyPokerEngine 1.0.1; the only module that imports it.

PyPokerEngine knows no-limit hold'em at a ring table. This file puts its faults for our game
right, with the betting rules of `env.states` and the hand ranking of `env.hands`;
`tests/test_engine_faults.py` shows each in the bare engine:

1. Order of play. Heads-up, the engine gives the button to the big blind and lets the small blind
   act first on every street. Here player 0 holds the button, posts the small blind, acts first
   before the flop and last after it.
2. Minimum raise. With blinds 5/10 the engine accepts a raise to 15. Here a raise is always the
   call plus one fixed bet, cut to the stack.
3. Bet sizes and caps. The engine has neither. `Rules` has both, and `Emulator.legal` applies
   them.
4. Illegal raises. The engine folds the hand of whoever asks for one. `act` refuses by name
   before the engine hears of it.
5. Showdowns. The engine breaks ties by hole cards, ignores kickers, keeps only the top card of a
   flush and does not know the wheel. Payoffs come from `env.hands`; the engine's own distribution
   of the pot is ignored.
6. Randomness. The engine shuffles with Python's global generator. Here every card is drawn up
   front from the caller's generator and the engine is handed a stacked deck.

Also: the engine always plays four streets; games with fewer end when their last one does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from pypokerengine.api.emulator import Emulator as Engine
from pypokerengine.engine.deck import Deck
from pypokerengine.engine.poker_constants import PokerConstants

from env.actions import ACTION_NAMES, CALL, FOLD, RAISE
from env.cards import NO_CARD
from env.rules import Rules
from env.states import TERMINAL, DealSource, Emulator, Move, State
from env.toy import ToyEmulator

_FINISHED = PokerConstants.Street.FINISHED


@dataclass(frozen=True)
class HandState(State):
    """A hold'em hand with PyPokerEngine's view of it. Engine states are copied, never changed."""

    table: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)


class _LimitTable:
    """PyPokerEngine's `Emulator` with the corrections listed above."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._engine = Engine()
        self._engine.set_game_rule(
            player_num=2, max_round=1, small_blind_amount=rules.small_blind, ante_amount=0
        )

    def start(self, deal: tuple[int, ...]) -> dict[str, Any]:
        """The engine's state with blinds posted and cards dealt."""
        players = {
            str(player): {"name": f"player {player}", "stack": self._rules.stack}
            for player in (0, 1)
        }
        table = self._engine.generate_initial_game_state(players)
        table["table"].deck = _stacked_deck(deal)
        # Starting moves the button on to seat 1, so that seat 0 posts the small blind; then seat 0
        # gets it back, as heads-up rules have it.
        table["table"].dealer_btn = 0
        table, _ = self._engine.start_new_round(table)
        table["table"].dealer_btn = 0
        return table

    def act(self, table: dict[str, Any], action: int, paid: int) -> dict[str, Any]:
        """The engine's state after a legal action of limit poker that costs `paid` chips."""
        street = table["street"]
        player = table["table"].seats.players[table["next_player"]]
        total = 0 if action == FOLD else player.paid_sum() + paid  # on this street
        after, _ = self._engine.apply_action(table, ACTION_NAMES[action], total)
        if street < after["street"] < self._rules.streets:
            after["next_player"] = self._rules.first_to_act[after["street"]]
        return after


class HULHEmulator(Emulator):
    """Heads-up limit hold'em, flop hold'em and their variants, played by PyPokerEngine."""

    version = f"PyPokerEngine {version('PyPokerEngine')}"

    def __init__(self, rules: Rules) -> None:
        if not rules.is_holdem:
            raise ValueError(f"{rules.name} is not hold'em; make_emulator picks the right emulator")
        super().__init__(rules)
        self._limit_table = _LimitTable(rules)

    def start(self, source: DealSource) -> HandState:
        deal = self.resolve_deal(source)
        table = self._limit_table.start(deal)
        return HandState(deal, 0, table["next_player"], _pot(table), (), table)

    def act(self, state: State, action: int) -> HandState:
        action = self.check_action(state, action)
        if not isinstance(state, HandState):
            raise TypeError(f"not a state of {self.rules.name}: {state}")
        paid = {FOLD: 0, CALL: state.to_call, RAISE: self.raise_cost(state)}[action]
        table = self._limit_table.act(state.table, action, paid)
        moves = (*state.moves, Move(state.street, state.actor, action, paid))
        if table["street"] >= self.rules.streets or table["street"] == _FINISHED:
            # The engine may have paid the pot out already, so the last payment is added here.
            pot = list(state.contributions)
            pot[state.actor] += paid
            return HandState(state.deal, state.street, TERMINAL, (pot[0], pot[1]), moves, table)
        return HandState(
            state.deal, table["street"], table["next_player"], _pot(table), moves, table
        )


def make_emulator(rules: Rules) -> Emulator:
    """The emulator that plays these rules."""
    return HULHEmulator(rules) if rules.is_holdem else ToyEmulator(rules)


def _pot(table: dict[str, Any]) -> tuple[int, int]:
    first, second = (player.pay_info.amount for player in table["table"].seats.players)
    return (first, second)


def _stacked_deck(deal: tuple[int, ...]) -> Deck:
    """A deck that deals these cards in this order.

    Ten cards: four streets of hold'em use nine, and the engine takes an empty deck for a new one.
    The engine copies the deck at every action, so more would only slow it down.
    """
    dealt = [card for card in deal if card != NO_CARD]
    below = [card for card in range(NO_CARD) if card not in dealt][: 10 - len(dealt)]
    return Deck(cheat=True, cheat_card_ids=[_engine_card_id(card) for card in dealt + below])


def _engine_card_id(card: int) -> int:
    """PyPokerEngine counts 1 to 52, suit by suit in our order, each from ace up to king."""
    rank, suit = card >> 2, card & 3
    return 13 * suit + (1 if rank == 12 else rank + 2)
