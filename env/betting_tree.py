"""The public betting tree as flat arrays.

In limit poker the betting does not depend on the cards, so one small tree (`env.compiler` makes
it) holds all there is to know about it. Dealing is not a node: a deal holds every card from the
start (`env.deals`), and a situation is a pair (deal, node). Nodes are numbered level by level,
so parents come before children and every level is a contiguous range.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from env.actions import ACTION_LETTERS, ACTION_NAMES

DECISION, FOLDED, SHOWDOWN = 0, 1, 2  # types of node
NONE = -1  # no child, no parent, no actor


class HistoryError(ValueError):
    """A betting history that does not exist in this tree; the message says where it goes wrong."""


@dataclass(frozen=True, eq=False)
class BettingTree:
    """One row per node; node 0 is the start of the hand. Arrays are read-only."""

    node_type: NDArray[np.int8]  # [N] DECISION, FOLDED or SHOWDOWN
    actor: NDArray[np.int8]  # [N] whose turn; NONE at terminals
    street: NDArray[np.int8]  # [N] of the next action; at terminals of the last one
    parent: NDArray[np.int32]  # [N] NONE at the root
    action: NDArray[np.int8]  # [N] the action that led here; NONE at the root
    children: NDArray[np.int32]  # [N, 3] by action; NONE where it is illegal
    contributions: NDArray[np.int32]  # [N, 2] chips in the pot
    depth: NDArray[np.int32]  # [N] actions since the root, ascending

    def __post_init__(self) -> None:
        for field in fields(self):
            _read_only(getattr(self, field.name))

    def __len__(self) -> int:
        return len(self.node_type)

    @cached_property
    def legal(self) -> NDArray[np.bool_]:
        """[N, 3] which actions exist at each node."""
        return _read_only(self.children != NONE)

    @cached_property
    def is_decision(self) -> NDArray[np.bool_]:
        """[N] somebody is to act."""
        return _read_only(self.node_type == DECISION)

    @cached_property
    def level_starts(self) -> NDArray[np.int64]:
        """[levels + 1] nodes of level d are level_starts[d] to level_starts[d + 1]."""
        return _read_only(np.searchsorted(self.depth, np.arange(self.depth[-1] + 2)))

    @cached_property
    def _stake(self) -> NDArray[np.int32]:
        """[N] what player 0 wins: at FOLDED nodes outright, at SHOWDOWN nodes if the hand wins."""
        lost = self.contributions.min(axis=1)
        player_0_folded = (self.node_type == FOLDED) & (self.actor[self.parent] == 0)
        return _read_only(np.where(player_0_folded, -lost, lost))

    @cached_property
    def stakes(self) -> NDArray[np.float64]:
        """[N] chips that player 0 wins: after a fold outright, at a showdown with the best hand."""
        return _read_only(self._stake.astype(np.float64))

    def entries(self, street: int) -> NDArray[np.intp]:
        """The first decision nodes of a street, and the showdowns of players all-in before it."""
        is_first = (self.street == street) & (
            (self.street[self.parent] < street) | (self.parent == NONE)
        )
        all_in = (self.node_type == SHOWDOWN) & (self.street < street)
        return np.flatnonzero(self.is_decision & is_first | all_in)

    def payoffs(self, nodes: NDArray[np.integer], results: NDArray[np.int8]) -> NDArray[np.int32]:
        """Chips won by player 0 at terminal nodes, given each deal's showdown result. [n]"""
        decided = np.where(self.node_type[nodes] == FOLDED, np.int8(1), results)
        return self._stake[nodes] * decided

    def path(self, node: int) -> Iterator[int]:
        """The nodes from the root to this one, both included."""
        ancestors = [int(node)]
        while ancestors[-1] > 0:
            ancestors.append(int(self.parent[ancestors[-1]]))
        return reversed(ancestors)

    def text(self, node: int) -> str:
        """The node's betting history, such as `crc/cc/rrc/`."""
        letters, street = "", 0
        for step in self.path(node):
            if step:
                letters += ACTION_LETTERS[self.action[step]]
            letters += "/" * (int(self.street[step]) - street)
            street = int(self.street[step])
        return letters

    def node(self, text: str) -> int:
        """The node of a betting history; the inverse of `text`.

        Slashes may be left out, but not misplaced.
        """
        node = 0
        for position, letter in enumerate(text.strip()):
            before = text.strip()[:position]
            if letter == "/":
                if not before or before[-1] == "/" or not self._closed_a_street(node):
                    raise HistoryError(f"{text!r}: no street ends after {before!r}")
                continue
            action = ACTION_LETTERS.find(letter)
            if action < 0:
                raise HistoryError(
                    f"{text!r}: {letter!r} is no action; write f (fold), c (call or check), "
                    "r (raise or bet) and / between streets"
                )
            if self.node_type[node] != DECISION:
                raise HistoryError(f"{text!r}: the hand is over after {before!r}")
            if self.children[node, action] == NONE:
                legal = [name for a, name in enumerate(ACTION_NAMES) if self.legal[node, a]]
                raise HistoryError(
                    f"{text!r}: {ACTION_NAMES[action]} is not legal "
                    f"after {before!r}; legal: {', '.join(legal)}"
                )
            node = int(self.children[node, action])
        return node

    def _closed_a_street(self, node: int) -> bool:
        after_parent = self.street[node] > self.street[self.parent[node]]
        return bool(after_parent or self.node_type[node] == SHOWDOWN)

    def decisions_by_street(self, streets: int) -> list[int]:
        """How many decision nodes each of the game's streets has."""
        return np.bincount(self.street[self.is_decision], minlength=streets).tolist()


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array
