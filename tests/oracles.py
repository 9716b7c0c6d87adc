"""Two independent engines behind one small interface: OpenSpiel and PokerKit."""

from __future__ import annotations

from typing import Any

import pyspiel

from env.actions import CALL, FOLD, RAISE
from env.cards import card_text
from env.rules import Rules


class OpenSpiel:
    """`universal_poker` with our seats. Its limit games know no stacks."""

    def __init__(self, rules: Rules) -> None:
        def spaced(numbers: tuple[int, ...]) -> str:
            return " ".join(map(str, numbers))

        first = tuple(player + 1 for player in rules.first_to_act[: rules.streets])
        self._game = pyspiel.load_game(
            "universal_poker",
            {
                "betting": "limit",
                "numPlayers": 2,
                "numRounds": rules.streets,
                "blind": f"{rules.small_blind} {rules.big_blind}",
                "firstPlayer": spaced(first),
                "raiseSize": spaced(rules.bet_sizes),
                "maxRaises": spaced(rules.max_raises),
                "numSuits": 4,
                "numRanks": 13,
                "numHoleCards": 2,
                "numBoardCards": spaced(rules.board_cards[: rules.streets]),
                "stack": f"{10 * rules.stack} {10 * rules.stack}",
            },
        )

    def start(self, deal: tuple[int, ...]) -> OpenSpielHand:
        return OpenSpielHand(self._game.new_initial_state(), deal)


class OpenSpielHand:
    """Cards are dealt by ourselves, whenever the game stands at a chance node."""

    def __init__(self, state: pyspiel.State, deal: tuple[int, ...]) -> None:
        self._state = state
        self._cards = iter(deal)
        self._deal()

    def _deal(self) -> None:
        while self._state.is_chance_node():
            self._state.apply_action(next(self._cards))  # its card codes are ours

    def actor(self) -> int | None:
        return None if self._state.is_terminal() else int(self._state.current_player())

    def legal(self) -> tuple[bool, ...]:
        actions = self._state.legal_actions()
        return tuple(action in actions for action in (FOLD, CALL, RAISE))

    def act(self, action: int) -> None:
        self._state.apply_action(action)
        self._deal()

    def payoffs(self) -> tuple[int, int]:
        first, second = self._state.returns()
        return (int(first), int(second))


class PokerKit:
    """A fixed-limit `State` with the rules' own raise maxima; its seat 0 is the big blind."""

    def __init__(self, rules: Rules) -> None:
        import pokerkit  # noqa: PLC0415 - not to be had for Python 3.10

        automation = pokerkit.Automation
        self._arguments: dict[str, Any] = {
            "automations": (
                automation.ANTE_POSTING,
                automation.BET_COLLECTION,
                automation.BLIND_OR_STRADDLE_POSTING,
                automation.HOLE_CARDS_SHOWING_OR_MUCKING,
                automation.HAND_KILLING,
                automation.CHIPS_PUSHING,
                automation.CHIPS_PULLING,
            ),
            "deck": pokerkit.Deck.STANDARD,
            "hand_types": (pokerkit.StandardHighHand,),
            "streets": tuple(
                pokerkit.Street(
                    card_burning_status=False,
                    hole_dealing_statuses=() if street else (False, False),
                    board_dealing_count=rules.board_cards[street],
                    draw_status=False,
                    opening=pokerkit.Opening.POSITION,
                    min_completion_betting_or_raising_amount=rules.bet_sizes[street],
                    max_completion_betting_or_raising_count=rules.max_raises[street],
                )
                for street in range(rules.streets)
            ),
            "betting_structure": pokerkit.BettingStructure.FIXED_LIMIT,
            "ante_trimming_status": True,
            "raw_antes": 0,
            "raw_blinds_or_straddles": (rules.small_blind, rules.big_blind),
            "bring_in": 0,
            "raw_starting_stacks": rules.stack,
            "player_count": 2,
        }
        self._state_class = pokerkit.State

    def start(self, deal: tuple[int, ...]) -> PokerKitHand:
        return PokerKitHand(self._state_class(**self._arguments), deal)


class PokerKitHand:
    def __init__(self, state: Any, deal: tuple[int, ...]) -> None:
        self._state = state
        texts = [card_text(card) for card in deal]
        self._board = iter(texts[4:])
        state.deal_hole(texts[2] + texts[3])  # the big blind is dealt first
        state.deal_hole(texts[0] + texts[1])

    def _deal(self) -> None:
        while self._state.can_deal_board():
            count = self._state.board_dealing_count
            self._state.deal_board("".join(next(self._board) for _ in range(count)))

    def actor(self) -> int | None:
        return None if self._state.actor_index is None else 1 - int(self._state.actor_index)

    def legal(self) -> tuple[bool, ...]:
        state = self._state
        # PokerKit warns of folding when checking is free; by our contract that is not legal.
        return (
            state.checking_or_calling_amount > 0,
            state.can_check_or_call(),
            state.can_complete_bet_or_raise_to(),
        )

    def act(self, action: int) -> None:
        state = self._state
        (state.fold, state.check_or_call, state.complete_bet_or_raise_to)[action]()
        self._deal()

    def payoffs(self) -> tuple[int, int]:
        return (int(self._state.payoffs[1]), int(self._state.payoffs[0]))
