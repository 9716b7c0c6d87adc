"""What pages ask the coach, and what they fetch of saved sessions: questions in, plain data out.

Nothing here changes a session. A page learns about a hand what its seat sees, at any moment of the
hand that has been reached, and what the coach makes of that.
"""

from __future__ import annotations

import dataclasses
import time
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from env.actions import ACTION_NAMES
from env.cards import card_text
from env.game import Game
from env.transcript import counted
from interfaces.coach.analysis import analyse
from interfaces.coach.at_table import figures_at
from interfaces.coach.choosing import reference_for, review_key
from interfaces.coach.report import Report, Review, review
from interfaces.opponents import Opponent, short_name
from interfaces.review import history_text, played
from interfaces.seat_view import seat_view
from interfaces.session import saved_table
from interfaces.storage import HandRow, SessionRow
from interfaces.web.messages import MessageError, NewSession
from interfaces.web.rooms import Json, Rooms
from models import questions

REVIEW_SECONDS = 1.5  # of one question; a page asks again until nothing is left
FORMATS = {"jsonl": "jsonl", "pokerstars": "txt", "phh": "phh"}  # with the ending of a file


class Coaching:
    """Answers questions about situations, hands and sessions."""

    def __init__(self, rooms: Rooms, pretrained: Path) -> None:
        self._pretrained = pretrained  # where the models lie that judge
        self._store, self._thinker, self._menu = rooms.store, rooms.thinker, rooms.menu

    def models(self) -> Json:
        """Whom one can ask on the page for analysis."""
        return {"models": self._menu().to_json()}

    async def situation(self, model: str, search: str, hand: str, board: str, line: str) -> Json:
        """Everything about a situation that somebody set up; without figures while cards lack."""
        spec, rules = self._menu().chosen(NewSession(model, search == "1", 0))
        agent = await self._thinker.opponent(spec, rules)
        game = agent.game
        node = questions.decision(game, line)
        needed = rules.visible_board[int(game.tree.street[node])]
        given = questions.board_cards(rules, board)
        if len(given) > rules.visible_board[-1]:
            raise MessageError(f"a board has at most {counted(rules.visible_board[-1], 'card')}")
        lies = [card_text(card) for card in given[:needed]]
        found = _betting(game, node) | {"needed": needed, "figures": None, "lacks": ""}
        missing = needed - len(lies)
        if missing > 0:
            have = f"The {found['street']} has {counted(needed, 'card')}"
            found["lacks"] = f"{have}; {missing} more, please."
        elif hand and _number_of_cards(game, hand) < rules.hole_cards:
            found["lacks"] = "The hand lacks a card. With no card at all you see the ranges alone."
        else:
            job = partial(analyse, agent.coach, hand or None, " ".join(lies), line)
            found["figures"] = await self._thinker.work(job)
        return found

    async def moment(self, session: str, hand: int, step: int) -> Json:
        """What the coach says of a moment of a hand, in play or over."""
        row = self._store.session(session)
        table = saved_table(row, self._store.hand(session, hand - 1)).after(step)
        reference = await self._reference(row)
        found = await self._thinker.work(partial(figures_at, reference.coach, table))
        return found | {
            "seat": table.hand.human_seat,
            "coach": reference.agent.name,
            "hand_number": hand,
            "step": step,
        }

    async def hand(self, session: str, hand: int) -> Json:
        """A hand step by step as its seat saw it; with the coach's review once it is over."""
        row, saved = self._store.session(session), self._store.hand(session, hand - 1)
        table = saved_table(row, saved)
        steps = int(table.game.tree.depth[table.hand.node])
        return {
            "session": session,
            "opponent": short_name(row.opponent),
            "game": row.rules.describe(),
            "chip": row.rules.smallest_chips,
            "streets": row.rules.street_names,
            "hand_number": hand,
            "hands": self._store.count_hands(session),
            "big_blind": row.rules.big_blind_chips,
            "views": [
                dataclasses.asdict(seat_view(table.after(step))) for step in range(steps + 1)
            ],
            "review": await self._review_of(row, saved) if table.is_over else None,
        }

    async def review(self, session: str) -> Json:
        """Look at hands of a session for a moment; how many are left."""
        row = self._store.session(session)
        key = await self._key(row)
        end = time.monotonic() + REVIEW_SECONDS
        pending = self._store.unreviewed(session, key)
        while pending and time.monotonic() < end:
            await self._reviewed(row, pending.pop(0), key)
        return {"pending": len(pending)}

    async def report(self, session: str) -> Json:
        """A session in figures, as far as the coach has looked at its hands."""
        row = self._store.session(session)
        reviews = self._store.reviews(session, await self._key(row))
        finished = [hand for hand in self._store.hands(session) if hand.won is not None]
        return {
            "session": session,
            "opponent": short_name(row.opponent),
            "started": row.started,
            "game": row.rules.describe(),
            "big_blind": row.rules.big_blind_chips,
            "coach": (await self._reference(row)).agent.name,
            "hands": [_hand_line(row, hand, reviews.get(hand.number)) for hand in finished],
            **Report(reviews).to_json(),
        }

    def history(self, session: str, form: str, hand: int | None) -> tuple[str, str]:
        """Finished hands as text, and a name for the file."""
        if form not in FORMATS:
            raise MessageError(f"a format is one of {', '.join(FORMATS)}")
        text = history_text(self._store, session, form, None if hand is None else hand - 1)
        ending = FORMATS[form] + ("s" if form == "phh" and hand is None else "")
        name = session if hand is None else f"{session}-{hand}"
        return text, f"{name}.{ending}"

    async def _reference(self, row: SessionRow) -> Opponent:
        """Who judges a session."""
        spec = reference_for(row.rules, row.opponent, self._pretrained)
        return await self._thinker.opponent(spec, row.rules)

    async def _key(self, row: SessionRow) -> str:
        """What names the reviews of whoever judges a session."""
        reference = await self._reference(row)
        return review_key(reference.spec, reference.agent)

    async def _review_of(self, row: SessionRow, hand: HandRow) -> Json:
        """The review of a finished hand, made if there is none."""
        key = await self._key(row)
        found = self._store.reviews(row.id, key).get(hand.number)
        return await self._reviewed(row, hand, key) if found is None else found

    async def _reviewed(self, row: SessionRow, hand: HandRow, key: str) -> Json:
        """Look at a finished hand and keep what was found."""
        reference = await self._reference(row)
        found = await self._thinker.work(partial(review, reference.coach, played(row, hand)))
        self._store.keep_review(row.id, hand.number, key, found)
        return found


def _betting(game: Game, node: int) -> Json:
    """Where the betting stands, and how it came there."""
    tree, rules = game.tree, game.rules
    path = list(tree.path(node))
    steps: list[dict[str, Any]] = [
        {
            "line": tree.text(int(after)),
            "player": int(tree.actor[before]),
            "street": rules.street_names[int(tree.street[before])],
            "name": questions.action_name(game, int(before), int(tree.action[after])),
        }
        for before, after in pairwise(path)
    ]
    children = {
        name: int(tree.children[node, ACTION_NAMES.index(name)])
        for name in questions.action_names(game, node)
    }
    return {
        "game": rules.name,
        "ranks": rules.ranks,
        "suits": rules.suits,
        "hole": rules.hole_cards,
        "line": tree.text(node),
        "street": rules.street_names[int(tree.street[node])],
        "player": int(tree.actor[node]),
        "button": rules.is_holdem,
        "steps": steps,
        "next": {
            name: {
                "name": questions.action_names(game, node)[name],
                "line": tree.text(child) if tree.is_decision[child] else None,
            }
            for name, child in children.items()
        },
    }


def _number_of_cards(game: Game, hand: str) -> int:
    """How many cards a text names; a class of hands counts as a whole hand."""
    if not hand or questions.is_class(game.rules, hand):
        return game.rules.hole_cards if hand else 0
    return len(questions.board_cards(game.rules, hand))


def _hand_line(row: SessionRow, hand: HandRow, found: Review | None) -> Json:
    """A line of the list of hands."""
    view = seat_view(saved_table(row, hand))
    return {
        "hand": view.hand,
        "own_cards": view.own_cards,
        "board": view.board,
        "opponent_cards": view.opponent_cards,
        "won": hand.won,
        "loss_bb": None if found is None else found["loss_bb"],
        "grades": [] if found is None else [decision["grade"] for decision in found["decisions"]],
    }
