"""What a worker does with a request, wherever it runs: keep what is shared, call, answer."""

from __future__ import annotations

import traceback
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from workers.packing import Packed, pack

KEPT = 16  # shared values that a worker remembers, the newest


class Request(NamedTuple):
    """A task as it is sent."""

    function: Callable[..., Any]
    shared: tuple[int, ...]  # numbers of the shared values that the function is called with
    arguments: tuple[Any, ...]
    new: dict[int, Any]  # shared values that the worker has not been sent before


@dataclass(frozen=True)
class Failure:
    """An answer that says how a task failed."""

    reason: str


class Remembered:
    """The numbers of the shared values that a worker has: the same on both sides."""

    def __init__(self) -> None:
        self._numbers: OrderedDict[int, None] = OrderedDict()

    def use(self, numbers: tuple[int, ...]) -> tuple[list[int], list[int]]:
        """Those that are new, and those to be forgotten because newer ones are used."""
        new = [number for number in dict.fromkeys(numbers) if number not in self._numbers]
        for number in numbers:
            self._numbers[number] = None
            self._numbers.move_to_end(number)
        forgotten = []
        while len(self._numbers) > max(KEPT, len(set(numbers))):
            forgotten.append(self._numbers.popitem(last=False)[0])
        return new, forgotten


class Performer:
    """Does tasks, one after the other."""

    def __init__(self) -> None:
        self._remembered = Remembered()
        self._values: dict[int, Any] = {}

    def answer(self, request: Request) -> Packed:
        """The packed result, or a `Failure`."""
        try:
            self._values |= request.new
            _, forgotten = self._remembered.use(request.shared)
            for number in forgotten:
                self._values.pop(number, None)
            shared = [self._values[number] for number in request.shared]
            return pack(request.function(*shared, *request.arguments, lambda done: None))
        except Exception as error:
            lines = traceback.extract_tb(error.__traceback__)[-1:]
            place = "".join(f" in {line.name}" for line in lines)
            text = (str(error).splitlines() or [""])[0]
            return pack(Failure(f"{type(error).__name__}{place}: {text}"))
