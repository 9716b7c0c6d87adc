"""Looking at a model instead of evaluating it: one situation explained, a pre-flop chart drawn."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import agents
from commands.evaluate_target import Models, Searcher
from interfaces.coach.advice import Coach
from interfaces.coach.analysis import situation_of, values_text
from interfaces.coach.range_grid import NO_CARDS, range_grids
from interfaces.coach.range_text import range_text
from interfaces.coach.reference import Reference
from interfaces.coach.situation import Situation
from models import Model, load
from models.questions import decision


def model_of(target: Models | Searcher) -> Model:
    """The model to look at, the newest of a run; with search on top where that is asked for."""
    if isinstance(target, Models):
        return load(target.folders[-1])
    (agent,) = agents.load(target.spec)
    assert agent.folder is not None
    return dataclasses.replace(load(agent.folder), answers=agent.policy)


def explained(model: Model, words: list[str], *, searches: bool) -> str:
    """How a model plays a situation; if a board is known, also values and both players' ranges."""
    hand, *rest = words
    line = rest.pop() if rest else ""
    board = rest[0] if rest else None
    street = int(model.game.tree.street[decision(model.game, line)])
    is_mean = board is None and model.game.rules.visible_board[street] > 0
    if is_mean and searches:
        raise ValueError("search solves one board at a time: give the board as well")
    text = model.explain(hand, board, line)
    if is_mean:
        return text
    coach = Coach(Reference(model.game, model.answers))
    situation = situation_of(coach, hand, board or "", line)
    parts = [text, values_text(coach.advise(situation)), *_ranges(coach, situation)]
    return "\n\n".join(parts)


def _ranges(coach: Coach, situation: Situation) -> Iterator[str]:
    """Who holds what, without the cards of the hand in question for the opponent."""
    player, hand = situation.player, situation.hand
    known = (NO_CARDS, hand) if player == 0 else (hand, NO_CARDS)
    grids = range_grids(coach.reference, situation.board, situation.node, known)
    yield range_text(grids[1 - player], "The opponent may hold")
    yield range_text(grids[player], "The player to act may hold, as the opponent sees it")
