"""How a policy opens hold'em, over all starting hands as they are dealt.

What good players agree on is seen here at a glance. The solution of limit hold'em almost never
limps: it calls first in with 0.06 % of all hands, and with none more than one time in two hundred
(Bowling, Burch, Johanson and Tammelin 2015).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from env.actions import CALL, FOLD, RAISE
from env.arrays import Doubles
from env.betting_tree import NONE
from env.boards import hand_classes, private_hands
from env.cards import NO_CARD, NUM_SLOTS
from env.game import Game
from evaluation.results import class_name
from policies.policy import Policy


@dataclass(frozen=True)
class PreflopHabits:
    """Shares of fold, call and raise over all hands; one class of hands and its share."""

    first_in: tuple[float, float, float]  # of the button
    facing_raise: tuple[float, float, float] | None  # of the big blind; None if nobody may raise
    most_limped: tuple[str, float]  # the hand called with most often, first in
    aces_raise: float | None  # first in; None in a deck without aces


def preflop_habits(game: Game, policy: Policy) -> PreflopHabits | None:
    """The habits of a policy; None in games without blinds."""
    if not game.rules.is_holdem:
        return None
    hands, members = hand_classes(private_hands(game.rules))
    weights = np.bincount(members) / len(members)  # [C] how often each class is dealt
    views = np.full((len(hands), NUM_SLOTS), NO_CARD, np.uint8)
    views[:, :2] = hands

    def strategies(node: int) -> Doubles:
        answers = policy.strategies(views, np.full(len(views), node))
        return np.asarray(answers, np.float64)

    opening, raised = strategies(0), int(game.tree.children[0, RAISE])
    names = [class_name(hand) for hand in hands]
    limped = int(opening[:, CALL].argmax())
    return PreflopHabits(
        first_in=_shares(weights, opening),
        facing_raise=None if raised == NONE else _shares(weights, strategies(raised)),
        most_limped=(names[limped], float(opening[limped, CALL])),
        aces_raise=float(opening[names.index("AA"), RAISE]) if "AA" in names else None,
    )


def _shares(weights: Doubles, strategies: Doubles) -> tuple[float, float, float]:
    """The mean strategy. [C], [C, 3] → fold, call, raise"""
    fold, call, raised = (float(weights @ strategies[:, a]) for a in (FOLD, CALL, RAISE))
    return fold, call, raised
