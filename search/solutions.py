"""Solutions of public states, and a cache that keeps the latest of them."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from env.arrays import Floats, Ints, Longs

BOTH = -1  # instead of a player, where one solution serves either


class PublicState(NamedTuple):
    """Where a street begins, for the player whose strategy is wanted."""

    board: bytes  # five slots, suit-canonical
    entry: int
    resolver: int  # a player, or BOTH


class Solution(NamedTuple):
    """How the resolver plays a street."""

    decisions: Longs  # [D] nodes of the street, both players'
    place: Ints  # [H] row of each private hand; −1 where the board rules it out
    strategies: Floats  # [L, D, 3] of both players; only the resolver's is meant to be played

    @property
    def num_bytes(self) -> int:
        return self.strategies.nbytes + self.place.nbytes


class Sized(Protocol):
    """What a cache can keep."""

    @property
    def num_bytes(self) -> int: ...


S = TypeVar("S", bound=Sized)


@dataclass
class Cache(Generic[S]):
    """Solutions by public state; the longest unused go when they take more than `limit` bytes."""

    limit: int
    _kept: OrderedDict[PublicState, S] = field(default_factory=OrderedDict)
    _num_bytes: int = 0

    def get(self, state: PublicState) -> S | None:
        """The solution of a public state, if it is kept."""
        if state in self._kept:
            self._kept.move_to_end(state)
        return self._kept.get(state)

    def put(self, state: PublicState, solution: S) -> None:
        """Keep a solution."""
        self._kept[state] = solution
        self._num_bytes += solution.num_bytes
        while self._num_bytes > self.limit and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._num_bytes -= dropped.num_bytes


def places(live: Longs, num_hands: int) -> Ints:
    """The row of each private hand among the live ones; −1 for the others. [L] → [H]"""
    place = np.full(num_hands, -1, np.int32)
    place[live] = np.arange(len(live))
    return place
