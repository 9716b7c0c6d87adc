"""`Strengths`: E[HS], the win rate against a random hand, of what a player sees on any street.

    last street       exact, against every opposing hand
    turn              every river, and on each a sample of opposing hands (`sampled_win_rates`)
    flop, pre-flop    exact, from tables (`agents.strength_tables`)

In flop hold'em the flop is the last street, and a starting hand is worth its mean over flops.
"""

from __future__ import annotations

import numpy as np

from agents.strength_tables import (
    SCALE,
    Ints,
    Steps,
    canonical_flops,
    hole_classes,
    load_flop_table,
    load_preflop_table,
    preflop_means,
    row_numbers,
)
from agents.win_rates import Floats, exact_win_rates, sampled_win_rates, win_rates
from env.cards import NO_CARD, Cards, canonical
from env.rules import Rules

TURN_CARDS, RIVER_CARDS = 4, 5  # on the board


class Strengths:
    """E[HS] in one game: hold'em with a full deck that ends on the flop or on the river."""

    def __init__(self, rules: Rules) -> None:
        if not rules.is_holdem or len(rules.deck) != 52 or rules.streets not in (2, 4):
            raise ValueError(
                "hand strength is known for hold'em of two or four streets with a full deck, "
                f"not for {rules.describe()}"
            )
        self._last = rules.visible_board[-1]
        self._classes: Ints = hole_classes()
        if self._last == RIVER_CARDS:
            self._preflop = _from_steps(load_preflop_table())
            self._flop = load_flop_table()
        else:
            flops, multiplicities = canonical_flops()
            self._preflop = preflop_means(win_rates(flops), multiplicities)

    def expected(self, views: Cards) -> Floats:
        """What each view is worth, between 0 and 1. [n, 7] → [n]"""
        rows = canonical(views)
        shown = (rows[:, 2:] != NO_CARD).sum(axis=1)
        out = np.empty(len(rows), np.float32)
        for num_board in np.unique(shown).tolist():
            same = np.flatnonzero(shown == num_board)
            out[same] = self._on_street(rows[same], num_board)
        return out

    def _on_street(self, views: Cards, num_board: int) -> Floats:
        if num_board == 0:
            return self._preflop[self._classes[views[:, 0], views[:, 1]]]
        out = np.empty(len(views), np.float32)
        if num_board == self._last:
            exact_win_rates(views, num_board, out)
        elif num_board == TURN_CARDS:
            sampled_win_rates(views, out)
        else:
            out[:] = _from_steps(self._flop[row_numbers(views, self._classes)])
        return out


def _from_steps(steps: Steps) -> Floats:
    return (steps / np.float32(SCALE)).astype(np.float32)
