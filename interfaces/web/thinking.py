"""Agents asked in one thread, so that the server stays awake while they think.

Questions that arrive while the thread is at work, or within a few milliseconds, are put to an agent
together: a network answers fifty tables almost as fast as one. Streets that have to be solved take
longer, so they are asked about apart from the others and a few at a time. Compiled kernels may not
be entered twice at the same time, so one thread does all the work with cards.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple, TypeAlias, TypeVar

from env.arrays import Floats
from env.progress import Advance
from env.rules import Rules
from interfaces.opponents import Opponent, load_opponent
from interfaces.table import Question

GATHER_SECONDS = 0.002  # waited for questions of other tables
MOST_AT_ONCE, MOST_SEARCHED = 64, 4  # questions to one agent; others are not kept waiting for long
KEPT_OPPONENTS = 4  # loaded ones; a model that searches keeps its solutions, too
MOST_JOBS = 16  # pieces of other work that wait

TELL_SECONDS = 0.05  # between two reports of how far search is

T = TypeVar("T")
Hear: TypeAlias = Callable[[int, int], None]  # takes the iterations done and those in all
Group: TypeAlias = tuple[Opponent, bool]  # and whether it has to search


class Waiting(NamedTuple):
    """Somebody who waits for an answer."""

    question: Question
    answer: asyncio.Future[Floats]
    hear: Hear


class BusyError(ValueError):
    """More work than will be done soon; the message says so in one line."""


class Thinker:
    """Loads agents and asks them."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "thinking")
        self._waiting: OrderedDict[Group, list[Waiting]]
        self._waiting = OrderedDict()  # the group at the front is asked about next
        self._loaded: OrderedDict[tuple[str, Rules], Opponent] = OrderedDict()
        self._rounds: asyncio.Task[None] | None = None
        self._at_work = asyncio.Lock()  # one piece of work at a time lies before the thread
        self._jobs = 0

    def close(self) -> None:
        """Ask nothing more."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def opponent(self, spec: str, rules: Rules) -> Opponent:
        """The agent of a text, loaded if it is not."""
        key = (spec, rules)
        found = self._loaded.pop(key, None)
        if found is None:
            load = partial(load_opponent, spec, rules)
            found = await asyncio.get_running_loop().run_in_executor(self._thread, load)
        self._loaded[key] = found
        while len(self._loaded) > KEPT_OPPONENTS:
            self._loaded.popitem(last=False)
        return found

    async def work(self, job: Callable[[], T]) -> T:
        """Anything else that has to do with cards, such as what the coach works out.

        Pieces of work wait for each other, so that a table waits for at most one of them.
        """
        if self._jobs >= MOST_JOBS:
            raise BusyError("the coach has too much to do; ask again in a moment")
        self._jobs += 1
        try:
            async with self._at_work:
                return await asyncio.get_running_loop().run_in_executor(self._thread, job)
        finally:
            self._jobs -= 1

    async def ask(self, opponent: Opponent, question: Question, hear: Hear) -> Floats:
        """An agent's strategy in one decision; how far its search is, meanwhile. [3]"""
        answer: asyncio.Future[Floats] = asyncio.get_running_loop().create_future()
        searches = opponent.searches(int(opponent.game.tree.street[question.node]))
        self._waiting.setdefault((opponent, searches), []).append(Waiting(question, answer, hear))
        if self._rounds is None or self._rounds.done():
            self._rounds = asyncio.create_task(self._ask_all())
        return await answer

    async def _ask_all(self) -> None:
        """Ask until nobody waits, one group after the other."""
        await asyncio.sleep(GATHER_SECONDS)
        loop = asyncio.get_running_loop()
        while self._waiting:
            group, waiting = self._waiting.popitem(last=False)
            opponent, searches = group
            most = MOST_SEARCHED if searches else MOST_AT_ONCE
            asked, later = waiting[:most], waiting[most:]
            if later:
                self._waiting[group] = later  # at the end: everybody's turn comes
            questions = [one.question for one in asked]
            heard = partial(_tell, loop, [one.hear for one in asked])
            job = (
                partial(opponent.strategies, questions, heard)
                if searches
                else partial(opponent.strategies, questions)
            )
            try:
                rows = await loop.run_in_executor(self._thread, job)
            except Exception as error:  # whatever goes wrong is for those who asked to hear
                for one in asked:
                    if not one.answer.done():
                        one.answer.set_exception(error)
                continue
            for one, row in zip(asked, rows, strict=True):
                if not one.answer.done():
                    one.answer.set_result(row)


def _tell(loop: asyncio.AbstractEventLoop, hear: list[Hear], what: str, total: int) -> Advance:
    """Progress of the thinking thread, told in the thread of the server, now and then."""
    done, told = 0, time.monotonic()

    def advance(more: int) -> None:
        nonlocal done, told
        done += more
        if time.monotonic() - told >= TELL_SECONDS:
            told = time.monotonic()
            for one in hear:
                loop.call_soon_threadsafe(one, done, total)

    return advance
