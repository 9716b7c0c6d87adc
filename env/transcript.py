"""A hand as text that a person would read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from env.actions import CALL, FOLD
from env.cards import cards_text
from env.hands import CATEGORIES, categories, hand_ranks
from env.rules import Rules

if TYPE_CHECKING:
    from env.states import Move, State


def transcript(rules: Rules, state: State, won: int | None) -> str:
    """The hand so far, a line per event; `won` is player 0's payoff once the hand is over."""
    return "\n".join(_lines(rules, state, won))


def _lines(rules: Rules, state: State, won: int | None) -> Iterator[str]:
    board = state.deal[4:]
    button = " (button)" if rules.is_holdem else ""
    yield rules.describe()
    yield f"player 0{button}: {cards_text(state.deal[:2])}"
    yield f"player 1: {cards_text(state.deal[2:4])}"
    pot = [rules.ante + rules.small_blind, rules.ante + rules.big_blind]
    moves = list(state.moves)
    for street in range(state.street + 1):
        shown = cards_text(board[: rules.visible_board[street]])
        yield f"{rules.street_names[street]}{' ' + shown if shown else ''}: pot {sum(pot)}"
        opening = min(pot) if street else rules.ante  # blinds count as bets, antes do not
        while moves and moves[0].street == street:
            move = moves.pop(0)
            level = max(pot) - opening
            pot[move.player] += move.paid
            action = describe_action(move, level, pot[move.player] - opening)
            is_all_in = move.paid and rules.stack_binds and pot[move.player] == rules.stack
            yield f"  player {move.player} {action}{' and is all-in' if is_all_in else ''}"
    if won is not None:
        yield from _ending(rules, state, won)


def describe_action(move: Move, level: int, total: int, *, with_increase: bool = False) -> str:
    """An action in words: "folds", "checks", "calls 10", "bets 10" or "raises to 30".

    `level` is the bet that the player faces and `total` what the player has paid on this street
    after the action. `with_increase` adds by how much a raise goes beyond the bet faced, as
    PokerStars writes it: "raises 10 to 30".
    """
    if move.action == FOLD:
        return "folds"
    if move.action == CALL:
        return f"calls {move.paid}" if move.paid else "checks"
    if not level:
        return f"bets {total}"
    return f"raises {total - level} to {total}" if with_increase else f"raises to {total}"


def _ending(rules: Rules, state: State, won: int) -> Iterator[str]:
    board = state.deal[4 : 4 + rules.visible_board[-1]]
    if state.folded is None:
        hands = np.array([(*state.deal[:2], *board), (*state.deal[2:4], *board)], np.uint8)
        first, second = (CATEGORIES[i] for i in categories(hand_ranks(hands)))
        on = f" on {cards_text(board)}" if board else ""
        yield f"showdown{on}: player 0 has {_article(first)}, player 1 has {_article(second)}"
    if won == 0:
        yield "the pot is split"
    else:
        yield f"player {0 if won > 0 else 1} wins {abs(won)} {'chip' if abs(won) == 1 else 'chips'}"


def _article(category: str) -> str:
    return category if category[:3] in ("two", "thr", "fou") else f"a {category}"


def counted(number: int, thing: str) -> str:
    """`1 card`, `2 cards`."""
    return f"{number} {thing}{'' if number == 1 else 's'}"
