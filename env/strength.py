"""`Strengths`: E[HS], the win rate against a random hand, of what a player sees on any street.

    river             exact, against every opposing hand
    turn              every river, and on each a sample of opposing hands (`sampled_win_rates`)
    flop, pre-flop    exact, from tables (`env.strength_tables`)

In flop hold'em, where the flop is the last street, the tables are made on the spot.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np

from env.arrays import Floats, Ints
from env.cards import NO_CARD, Cards, canonical
from env.rules import Rules
from env.strength_tables import (
    SCALE,
    StrengthSteps,
    by_row_number,
    canonical_flops,
    hole_classes,
    load_flop_table,
    load_preflop_table,
    preflop_means,
    row_numbers,
    to_steps,
)
from env.win_rates import exact_win_rates, sampled_win_rates, win_rates

TURN_CARDS, RIVER_CARDS = 4, 5  # on the board


def has_strengths(rules: Rules) -> bool:
    """Whether the game is hold'em with a full deck that ends on the flop or on the river."""
    return rules.is_holdem and len(rules.deck) == 52 and rules.streets in (2, 4)


def no_strengths(rules: Rules) -> str:
    """An error message that says why a game has no strengths."""
    return (
        "hand strength is known for hold'em of two or four streets with a full deck, "
        f"not for {rules.describe()}"
    )


@lru_cache(maxsize=4)
def strengths_of(rules: Rules) -> Strengths | None:
    """The strengths of a game, loaded once; None where it has none."""
    return Strengths(rules) if has_strengths(rules) else None


class Strengths:
    """E[HS] in one game that has it."""

    def __init__(self, rules: Rules) -> None:
        if not has_strengths(rules):
            raise ValueError(no_strengths(rules))
        self.last_board = rules.visible_board[-1]  # cards shown on the last street
        self._classes: Ints = hole_classes()

    @cached_property
    def _preflop(self) -> StrengthSteps:
        """By class of the hole cards. [169]"""
        if self.last_board == RIVER_CARDS:
            return load_preflop_table()
        _, multiplicities = canonical_flops()
        return to_steps(preflop_means(self._flop_rates, multiplicities))

    @cached_property
    def _flop(self) -> StrengthSteps:
        """By row number. [169 · 22100]"""
        if self.last_board == RIVER_CARDS:
            return load_flop_table()
        flops, _ = canonical_flops()
        return to_steps(by_row_number(self._flop_rates, flops))

    @cached_property
    def _flop_rates(self) -> Floats:
        """Win rates of all hands on the canonical flops, where no more cards come. [1755, 1326]"""
        return win_rates(canonical_flops()[0])

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
            return _from_steps(self._preflop[self._classes[views[:, 0], views[:, 1]]])
        if num_board < TURN_CARDS:
            return _from_steps(self._flop[row_numbers(views, self._classes)])
        out = np.empty(len(views), np.float32)
        if num_board == RIVER_CARDS:
            exact_win_rates(views, num_board, out)
        else:
            sampled_win_rates(views, out)
        return out


def _from_steps(steps: StrengthSteps) -> Floats:
    return (steps / np.float32(SCALE)).astype(np.float32)
