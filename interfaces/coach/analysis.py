"""One situation and all the coach's figures: for a page, a terminal, a file.

A situation is given as people write it (`models.questions`): "AhKd", "2c7dTs", "rc/r". The answer
is plain data, which `json.dumps` takes as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.agent import Agent
from env.actions import ACTION_NAMES
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
    game, advice = coach.reference.game, None
    if hand is None:
        node, lies = questions.decision(game, line), _board(coach, board, line)
    else:
        situation = situation_of(coach, hand, board, line)
        advice = coach.advise(situation)
        node, lies = situation.node, situation.board
    player = int(game.tree.actor[node])
    own = NO_CARDS if advice is None else advice.situation.hand
    known = (NO_CARDS, own) if player == 0 else (own, NO_CARDS)
    grids = range_grids(coach.reference, lies, node, known)
    paid, unit = game.tree.contributions[node], game.rules.big_blind_chips
    return {
        "game": game.rules.name,
        "line": game.tree.text(node),
        "street": game.rules.street_names[int(game.tree.street[node])],
        "player": player,
        "board": cards_text(lies),
        "pot_bb": float(paid.sum() / unit),
        "to_call_bb": float((paid.max() - paid[player]) / unit),
        "names": {
            ACTION_NAMES[action]: questions.action_name(game, node, action)
            for action in np.flatnonzero(game.tree.legal[node]).tolist()
        },
        "hand": None if hand is None else questions.hand_text(game.rules, hand),
        "advice": None if advice is None else advice.to_json(),
        "ranges": [grid.to_json() for grid in grids],
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
