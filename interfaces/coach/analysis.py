"""One situation and all the coach's figures: for a page, a terminal, a file.

A situation is given as people write it (`models.questions`): "AhKd", "2c7dTs", "rc/r". The answer
is plain data, which `json.dumps` takes as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.agent import Agent
from env.betting_tree import NONE
from env.cards import Cards, cards_text, parse_cards
from env.game import load_game
from interfaces.coach.advice import Advice, Coach
from interfaces.coach.range_grid import NO_CARDS, range_grids
from interfaces.coach.reference import Reference
from interfaces.coach.situation import Situation
from models import questions


def coach_of(agent: Agent) -> Coach:
    """A coach who judges by an agent. It remembers what it has worked out, so keep it."""
    return Coach(Reference(load_game(agent.rules), agent.policy))


def situation_of(coach: Coach, hand: str, board: str, line: str) -> Situation:
    """The situation that texts describe, or a ValueError of one line that says what is wrong."""
    game = coach.reference.game
    node = questions.decision(game, line)
    if board.strip() and questions.class_of(game.rules, hand) is not None:
        raise ValueError(f"with a board the suits of a hand matter: name the cards of {hand!r}")
    view = questions.views(game, hand, board, node)[0]
    return Situation(game, node, view[:2], view[2:])


def analyse(coach: Coach, hand: str | None, board: str = "", line: str = "") -> dict[str, Any]:
    """Strategy and values of a hand and both players' ranges, as plain data.

    Without a hand only the ranges. With one, its cards are left out of the opponent's range, and
    the player's own range is shown whole.
    """
    game = coach.reference.game
    if hand is None:
        node = questions.decision(game, line)
        return figures(coach, node, _board(coach, board, line))
    situation = situation_of(coach, hand, board, line)
    found = figures(coach, situation.node, situation.board, situation.player, situation.hand)
    return found | {"hand": questions.hand_text(game.rules, hand)}


def figures(
    coach: Coach, node: int, board: Cards, seat: int | None = None, hand: Cards = NO_CARDS
) -> dict[str, Any]:
    """Everything that one seat, which holds a hand, can be told at a node, as plain data.

    The node may be a decision of either player or the end of a hand. [5], [2]
    """
    game = coach.reference.game
    tree, player = game.tree, int(game.tree.actor[node])
    is_turn = seat is not None and bool(tree.is_decision[node]) and player == seat
    advice = coach.advise(Situation(game, node, hand, board)) if is_turn else None
    known = (NO_CARDS, hand) if seat == 0 else (hand, NO_CARDS)
    paid, unit = tree.contributions[node], game.rules.big_blind_chips
    return {
        "game": game.rules.name,
        "line": tree.text(node),
        "street": game.rules.street_names[int(tree.street[node])],
        "player": player,
        "board": cards_text(board),
        "pot_bb": float(paid.sum() / unit),
        "to_call_bb": float((paid.max() - paid[player]) / unit) if player != NONE else 0.0,
        "names": questions.action_names(game, node),
        "hand": cards_text(hand) if len(hand) else None,
        "advice": None if advice is None else advice.to_json(),
        "ranges": [grid.to_json() for grid in range_grids(coach.reference, board, node, known)],
    }


def _board(coach: Coach, board: str, line: str) -> Cards:
    """A board without a hand, checked: some hand that it leaves stands in for the missing one."""
    rules = coach.reference.game.rules
    try:
        shown = parse_cards(board)
    except ValueError as error:
        raise ValueError(f"board {board!r}: {error}") from None
    left = [card for card in rules.deck if card not in shown]
    stand_in = cards_text(left[: rules.hole_cards])
    return situation_of(coach, stand_in, board, line).board


def values_text(advice: Advice) -> str:
    """The values of a situation for the terminal, a line for each action."""
    values, situation = advice.values, advice.situation
    unit = "big blinds" if situation.game.rules.is_holdem else "antes"
    lines = [
        f"value of the whole hand in {unit}, {values.method}; equity {values.equity:.1%}",
    ]
    for action in np.flatnonzero(situation.legal).tolist():
        name = questions.action_name(situation.game, situation.node, action)
        text = f"{name:<7} {values.values_bb[action]:>+8.3f}"
        if values.intervals_bb[action] > 0:
            text += f" ± {values.intervals_bb[action]:.3f}"
        lines.append(f"{text:<26}  {advice.grade(action)}")
    return "\n".join(lines)


def strategy_text(advice: Advice) -> str:
    """What the reference does with the hand, in a line."""
    situation = advice.situation
    shares = [
        f"{questions.action_name(situation.game, situation.node, action)} "
        f"{advice.strategy[action]:.0%}"
        for action in np.flatnonzero(situation.legal).tolist()
    ]
    return ", ".join(shares)


def verdict_text(advice: Advice, action: int) -> str:
    """What an action was worth and what it cost, in a line."""
    values, loss = advice.values, advice.loss(action)
    how_far = "" if values.is_exact else f" ± {loss.interval_bb:.2f}"
    situation = advice.situation
    best = questions.action_name(situation.game, situation.node, values.best)
    cost = "nothing is clearly worth more"
    if loss.value_bb > max(loss.interval_bb, 0.005):
        cost = f"{best} is worth {loss.value_bb:.2f}{how_far} more"
    return (
        f"{advice.grade(action)}. Worth {values.values_bb[action]:+.2f} bb; {cost} "
        f"({'exact' if values.is_exact else 'sampled'})."
    )
