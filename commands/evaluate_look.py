"""Looking at a model instead of evaluating it: one situation explained, a pre-flop chart drawn."""

from __future__ import annotations

import dataclasses

import agents
from commands.evaluate_target import Models, Searcher
from interfaces.coach.advice import Coach
from interfaces.coach.analysis import situation_of, values_text
from interfaces.coach.reference import Reference
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
    """How a model plays a situation, and what each action is worth if a board is known."""
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
    advice = coach.advise(situation_of(coach, hand, board or "", line))
    return f"{text}\n\n{values_text(advice)}"
