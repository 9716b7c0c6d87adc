"""Ranges for people to look at: a square of hand classes, as charts of starting hands have it.

Pairs lie on the diagonal, suited hands above it and offsuit hands below, from the highest rank
down. Games of one hole card have a single row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from env.actions import ACTION_LETTERS, NUM_ACTIONS
from env.arrays import Bools, Doubles, Longs
from env.betting_tree import NONE
from env.cards import NO_CARD, RANKS, Cards
from env.range_views import overlaps
from env.rules import Rules
from interfaces.coach.reference import Reference

NO_CARDS = np.zeros(0, np.uint8)
_DIGITS = 5  # of plain data; more would only make it longer


@dataclass(frozen=True, eq=False)
class Cells:
    """The classes of a game's hands and where they stand in the square. C classes, H hands."""

    names: list[str]  # [C] such as AKs, AKo, AA; K in games of one hole card
    place: Longs  # [C, 2] row and column
    of_hand: Longs  # [H] the class of each hand

    def sums(self, per_hand: Doubles) -> Doubles:
        """What the hands of each class have together. [H] → [C]"""
        return np.bincount(self.of_hand, per_hand, len(self.names)).astype(np.float64)


def cells(rules: Rules, hands: Cards) -> Cells:
    """The classes of all hands of a game. [H, 2]"""
    ranks = sorted(rules.ranks, key=RANKS.index, reverse=True)
    place: dict[str, tuple[int, int]] = {}
    of_hand = []
    for first, second in hands.tolist():
        name, where = _class(ranks, first, second)
        place.setdefault(name, where)
        of_hand.append(name)
    names = sorted(place, key=place.__getitem__)
    number = {name: i for i, name in enumerate(names)}
    return Cells(
        names,
        np.array([place[name] for name in names]),
        np.array([number[name] for name in of_hand]),
    )


def _class(ranks: list[str], first: int, second: int) -> tuple[str, tuple[int, int]]:
    """The name of a hand's class and its place."""
    one = ranks.index(RANKS[first >> 2])
    if second == NO_CARD:
        return ranks[one], (0, one)
    other = ranks.index(RANKS[second >> 2])
    high, low = min(one, other), max(one, other)
    if high == low:
        return ranks[high] * 2, (high, high)
    if first & 3 == second & 3:
        return f"{ranks[high]}{ranks[low]}s", (high, low)
    return f"{ranks[high]}{ranks[low]}o", (low, high)


@dataclass(frozen=True, eq=False)
class RangeGrid:
    """One player's range at a node, by class. C classes."""

    player: int
    cells: Cells
    combos: Doubles  # [C] hands of the class that the cards leave
    shares: Doubles  # [C] how much of them is still there; 0 where the cards leave none
    plays: dict[str, Doubles]  # [C, 3] what the class does next, by what the other does first
    total_combos: float  # hands still there, each weighted by how much of it is

    def to_json(self) -> dict[str, Any]:
        """Plain data, a row per class. What is not there does nothing: an empty strategy."""
        rows = []
        for i, name in enumerate(self.cells.names):
            there = self.shares[i] > 0
            rows.append(
                {
                    "name": name,
                    "row": int(self.cells.place[i, 0]),
                    "column": int(self.cells.place[i, 1]),
                    "combos": int(self.combos[i]),
                    "share": round(float(self.shares[i]), _DIGITS),
                    "plays": {
                        first: [round(float(x), _DIGITS) for x in rates[i]] if there else []
                        for first, rates in self.plays.items()
                    },
                }
            )
        return {"player": self.player, "combos": self.total_combos, "classes": rows}


def range_grids(
    reference: Reference,
    board: Cards,
    node: int,
    known: tuple[Cards, Cards] = (NO_CARDS, NO_CARDS),
) -> tuple[RangeGrid, RangeGrid]:
    """Both players' ranges at any node, decision or end, on what lies of a board. [5]

    `known` says which cards each player cannot hold, because the viewer holds them.
    For the player to act `plays` has one entry, "": what it does now. For the other it has an entry
    for each action that leaves that player a decision on the same street: "r" for a raise.
    """
    rules, tree = reference.game.rules, reference.game.tree
    squares = cells(rules, reference.hands)
    visible = board.copy()
    visible[rules.visible_board[int(tree.street[node])] :] = NO_CARD
    ranges = reference.ranges(board, node)
    grids = []
    for player in (0, 1):
        possible = ~overlaps(reference.hands, np.concatenate([visible, known[player]]))
        range_ = np.where(possible, ranges[player], 0)
        asked = _next_decisions(reference, node, player)
        strategies = reference.strategies(board, np.array(list(asked.values()), np.int64))
        plays = {
            first: _rates(squares, range_, strategy)
            for first, strategy in zip(asked, strategies, strict=True)
        }
        grids.append(_grid(squares, player, possible, range_, plays))
    return grids[0], grids[1]


def _next_decisions(reference: Reference, node: int, player: int) -> dict[str, int]:
    """Where a player decides next on this street, by what the other one does first."""
    tree = reference.game.tree
    if not tree.is_decision[node]:
        return {}
    if tree.actor[node] == player:
        return {"": node}
    return {
        ACTION_LETTERS[action]: child
        for action, child in enumerate(tree.children[node].tolist())
        if child != NONE and tree.actor[child] == player and tree.street[child] == tree.street[node]
    }


def _rates(squares: Cells, range_: Doubles, strategy: Doubles) -> Doubles:
    """Mean action probabilities of each class. [H], [H, 3] → [C, 3]"""
    weights = squares.sums(range_)
    played = [squares.sums(range_ * strategy[:, action]) for action in range(NUM_ACTIONS)]
    safe = np.where(weights > 0, weights, 1)
    return np.stack(played, axis=1) / safe[:, None]


def _grid(
    squares: Cells, player: int, possible: Bools, range_: Doubles, plays: dict[str, Doubles]
) -> RangeGrid:
    combos = squares.sums(possible.astype(np.float64))
    shares = squares.sums(range_) / np.maximum(combos, 1)
    return RangeGrid(player, squares, combos, shares, plays, float(range_.sum()))
