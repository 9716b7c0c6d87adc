"""Looking at a model instead of evaluating it: one situation explained, a pre-flop chart drawn."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

import numpy as np

import agents
from commands.evaluate_target import Models, Searcher
from env.actions import NUM_ACTIONS
from env.cards import NO_CARD, NUM_BOARD, NUM_SLOTS, Cards, canonical, cards_text, parse_cards
from env.game import Game
from interfaces.coach.advice import Coach
from interfaces.coach.analysis import situation_of, values_text
from interfaces.coach.range_chart import draw_ranges
from interfaces.coach.range_grid import NO_CARDS, range_grids
from interfaces.coach.range_text import range_text
from interfaces.coach.read_history import ReadHand, is_history, line_of, read_hand
from interfaces.coach.reference import Reference
from interfaces.coach.situation import Situation
from models import Model, load
from models.questions import action_name, class_of, decision, views


def model_of(target: Models | Searcher, game: Game | None = None) -> Model:
    """The model to look at, the newest of a run; with search on top where that is asked for.

    `game` is needed for models of a game of the user's own.
    """
    if isinstance(target, Models):
        return load(target.folders[-1], game)
    (agent,) = agents.load(target.spec, game)
    assert agent.folder is not None
    return dataclasses.replace(load(agent.folder, game), answers=agent.policy)


def explained(model: Model, words: list[str], *, searches: bool) -> str:
    """How a model plays a situation; if a board is known, also values and both players' ranges."""
    if len(words) == 1 and (history := played_hand(words[0])) is not None:
        return explained_history(model, history)
    hand, *rest = words
    line = rest.pop() if rest else ""
    board = rest[0] if rest else None
    street = int(model.game.tree.street[decision(model.game, line)])
    has_board = model.game.rules.visible_board[street] > 0
    is_mean = board is None and has_board
    if is_mean and searches:
        raise ValueError("search solves one board at a time: give the board as well")
    text = model.explain(hand, board, line)
    if is_mean or (has_board and class_of(model.game.rules, hand) is not None):
        return text  # a value is that of one hand on one board
    coach = Coach(Reference(model.game, model.answers))
    situation = situation_of(coach, hand, board or "", line)
    parts = [text, values_text(coach.advise(situation)), *_ranges(coach, situation)]
    return "\n\n".join(parts)


def played_hand(word: str) -> str | None:
    """The text of a played hand that a word is, or that lies in the file that it names."""
    if is_history(word):
        return word
    try:
        file = Path(word)
        return file.read_text(encoding="utf-8") if file.is_file() else None
    except OSError:  # a name that no file can have
        return None
    except UnicodeDecodeError:
        raise ValueError(f"{word} is no text") from None


def explained_history(model: Model, text: str) -> str:
    """How a model plays each decision of a played hand, and what was done there."""
    if not is_history(text):
        raise ValueError("the text is no played hand, neither PokerStars-like nor PHH")
    hand = read_hand(text, model.game)
    return "\n".join(_decisions(model, hand))


def _decisions(model: Model, hand: ReadHand) -> Iterator[str]:
    game = model.game
    yield from (game.rules.describe(), "")
    for player, (name, hole) in enumerate(zip(hand.names, hand.holes, strict=True)):
        role = ("button", "big blind")[player]
        yield f"{name} ({role}): {cards_text(hole) if hole else 'cards not shown'}"
    nodes, street = line_of(hand, game), -1
    for (node, _), action in zip(pairwise(nodes), hand.actions, strict=True):
        if game.tree.street[node] != street:
            street = int(game.tree.street[node])
            lies = cards_text(hand.board[: game.rules.visible_board[street]])
            yield from ("", f"{game.rules.street_names[street]} {lies}".rstrip())
        yield "  " + _decision(model, hand, node, action)


def _decision(model: Model, hand: ReadHand, node: int, action: int) -> str:
    """`Ann raises      fold 0.0%, call 3.1%, raise 96.9%   after 'rc/'`."""
    game = model.game
    player = int(game.tree.actor[node])
    name, hole = hand.names[player], hand.holes[player]
    done = f"{name}: {action_name(game, node, action)}"
    if hole is None:
        return f"{done:<24} (cards not shown)"
    shown = game.rules.visible_board[int(game.tree.street[node])]
    view = np.full((1, NUM_SLOTS), NO_CARD, np.uint8)
    view[0, :2], view[0, 2 : 2 + shown] = hole, hand.board[:shown]
    strategy = model.answers.strategies(canonical(view), np.array([node]))[0]
    legal = np.flatnonzero(game.tree.legal[node]).tolist()
    shares = ", ".join(f"{action_name(game, node, a)} {float(strategy[a]):.1%}" for a in legal)
    return f"{done:<24} {shares}"


def draw_range_chart(model: Model, board: str, line: str, file: BinaryIO) -> None:
    """Both players' ranges on a board after a betting line, as PNG."""
    game, rules = model.game, model.game.rules
    node = decision(game, line)
    lies = _board_of(model, board, node)
    grids = range_grids(Reference(game, model.answers), lies, node)
    actor = int(game.tree.actor[node])
    roles = ("button", "big blind") if rules.is_holdem else ("first", "second")
    names = tuple(
        action_name(game, node, action) if game.tree.legal[node, action] else ""
        for action in range(NUM_ACTIONS)
    )
    after = f"after {game.tree.text(node)}" if node else "at the start"
    title = f"{rules.name}, iteration {model.description.iteration}: {cards_text(lies)} {after}"
    acts = ["", ""]
    acts[actor] = ", to act"
    titles = (f"{roles[0]}{acts[0]}", f"{roles[1]}{acts[1]}")
    draw_ranges(grids, actor, titles, names, title, file)


def _board_of(model: Model, board: str, node: int) -> Cards:
    """A board without a hand, checked: some hand that it leaves stands in for the missing one."""
    game = model.game
    known = parse_cards(board)
    left = [card for card in game.rules.deck if card not in known][: game.rules.hole_cards]
    found = np.full(NUM_BOARD, NO_CARD, np.uint8)
    found[:] = views(game, cards_text(left), board, node)[0, 2:]
    return found


def _ranges(coach: Coach, situation: Situation) -> Iterator[str]:
    """Who holds what, without the cards of the hand in question for the opponent."""
    player, hand = situation.player, situation.hand
    known = (NO_CARDS, hand) if player == 0 else (hand, NO_CARDS)
    grids = range_grids(coach.reference, situation.board, situation.node, known)
    yield range_text(grids[1 - player], "The opponent may hold")
    yield range_text(grids[player], "The player to act may hold, as the opponent sees it")
