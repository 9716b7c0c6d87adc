"""The habits by which poker players describe each other: VPIP, PFR, three-bet and others.

Each is a share of the hands or decisions in which there was a chance to do it:

- vpip (voluntarily put chips in the pot): of all hands, those in which the player called or raised
  before the flop. Posting a blind is not voluntary, and neither is checking the big blind.
- pfr (pre-flop raise): of all hands, those in which the player raised before the flop.
- three_bet: of the times that the player faced the first raise before the flop and could raise
  again, those in which it did. The big blind counts as the first bet; where there are only antes,
  the first bet is the first, so there the third one is asked about.
- aggression: bets and raises for every call, after the flop. aggression_frequency: the share of
  bets and raises in all decisions after the flop but checks.
- went_to_showdown: of the hands in which the player saw the flop, those that ended in a showdown.
  A hand that is all-in before the flop has seen it. In games of one street: of all hands.

What happened in a hand before its showdown is known from the node where it ended, so a table over
nodes, made once, counts any number of hands. Games with other streets are counted alike: "before
the flop" is their first street.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.match import Played
from env.actions import CALL, FOLD, RAISE
from env.betting_tree import SHOWDOWN
from env.game import Game

Counts = NDArray[np.int64]
RATES = (
    "vpip",
    "pfr",
    "three_bet",
    "aggression",
    "aggression_frequency",
    "went_to_showdown",
)


@dataclass(frozen=True)
class Habits:
    """What an agent did in some hands, counted."""

    hands: int = 0
    entered: int = 0  # hands: called or raised before the flop
    raised: int = 0  # hands: raised before the flop
    three_bet_chances: int = 0  # decisions
    three_bets: int = 0
    bets: int = 0  # decisions after the flop: bets and raises
    calls: int = 0  # decisions after the flop; checks are none
    folds: int = 0  # decisions after the flop
    saw_flop: int = 0  # hands
    showdowns: int = 0  # hands

    @property
    def vpip(self) -> float | None:
        return _share(self.entered, self.hands)

    @property
    def pfr(self) -> float | None:
        return _share(self.raised, self.hands)

    @property
    def three_bet(self) -> float | None:
        return _share(self.three_bets, self.three_bet_chances)

    @property
    def aggression(self) -> float | None:
        return _share(self.bets, self.calls)

    @property
    def aggression_frequency(self) -> float | None:
        return _share(self.bets, self.bets + self.calls + self.folds)

    @property
    def went_to_showdown(self) -> float | None:
        return _share(self.showdowns, self.saw_flop)

    def __add__(self, other: Habits) -> Habits:
        sums = zip(dataclasses.astuple(self), dataclasses.astuple(other), strict=True)
        return Habits(*(mine + theirs for mine, theirs in sums))

    def to_json(self) -> dict[str, float | int | None]:
        """The rates and what they are counted from."""
        return {name: getattr(self, name) for name in RATES} | dataclasses.asdict(self)

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> Habits:
        """The inverse of `to_json`."""
        return cls(**{field.name: int(entry[field.name]) for field in dataclasses.fields(cls)})


def habits_of(game: Game, played: Played) -> tuple[Habits, Habits]:
    """What agents A and B did in finished hands."""
    table = _table(game)
    ended = [np.bincount(played.nodes[:, seat], minlength=len(game.tree)) for seat in (0, 1)]
    counts = [ended[0] @ table[:, who] + ended[1] @ table[:, 1 - who] for who in (0, 1)]
    first, second = (Habits(*map(int, row)) for row in counts)
    return first, second


@lru_cache(maxsize=2)
def _table(game: Game) -> Counts:
    """What each player has done on the way to a node, in the order of `Habits`. [N, 2, K]"""
    tree, names = game.tree, [field.name for field in dataclasses.fields(Habits)]
    column = {name: number for number, name in enumerate(names)}
    table = np.zeros((len(tree), 2, len(names)), np.int64)
    raises = np.zeros(len(tree), np.int64)  # on the street of the next action
    for node in range(1, len(tree)):  # parents come first
        parent, action = int(tree.parent[node]), int(tree.action[node])
        player, street = int(tree.actor[parent]), int(tree.street[parent])
        pays = tree.contributions[node, player] > tree.contributions[parent, player]
        table[node] = table[parent]
        own = table[node, player]
        if street == 0:
            own[column["entered"]] |= action == RAISE or (action == CALL and pays)
            own[column["raised"]] |= action == RAISE
            if raises[parent] == (1 if game.rules.is_holdem else 2) and tree.legal[parent, RAISE]:
                own[column["three_bet_chances"]] += 1
                own[column["three_bets"]] += action == RAISE
        else:
            own[column["bets"]] += action == RAISE
            own[column["calls"]] += action == CALL and pays
            own[column["folds"]] += action == FOLD
        if tree.street[node] == street:
            raises[node] = raises[parent] + (action == RAISE)
    is_showdown = tree.node_type == SHOWDOWN
    sees_flop = (tree.street > 0) | is_showdown | (game.rules.streets == 1)
    table[:, :, column["hands"]] = 1
    table[:, :, column["saw_flop"]] = sees_flop[:, None]
    table[:, :, column["showdowns"]] = is_showdown[:, None]
    return table


def _share(part: int, whole: int) -> float | None:
    """None where there was no chance."""
    return part / whole if whole else None
