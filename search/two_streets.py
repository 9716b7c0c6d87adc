"""Solving a subgame of the last street but one, with everything that can come on the last street.

The street itself is one forest with the leaves where the next street begins. `leaf_values` says
what those are worth to a player, given how both players reach them. Here `LastStreetLeaves` does
so by carrying on CFR below: every card that can come has a forest of its own with the leaves as
entries, solved in the same iterations. A network that predicts values would take its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numba import njit, prange

from env.arrays import Floats, Ints, Longs
from env.ranges import RankedHands
from search.forest import Forest
from search.gadgets import gadget_number, learn_to_enter, opponent_reach
from search.kernels import (
    Step,
    Tables,
    ascend,
    carry,
    descend,
    fill_uniform,
    normalise,
    respond,
    settle,
)
from search.variants import Variant, schedule


class LeafValues(Protocol):
    """What the entries of the next street are worth."""

    def __call__(self, player: int, step: Step, own: Floats, reach: Floats) -> Floats:
        """Counterfactual values for a player. Own and the opponent's reach [L, E] → [L, E]"""
        ...


class Runouts(NamedTuple):
    """R cards that can come, each leaving K of the L hands, in order of showdown rank."""

    live: Longs  # [R, K] numbers of hands of the street before
    cards: Floats  # [R, K, 2]
    ties: Ints  # [R, K, 2]
    weights: Floats  # [R] how many cards each one stands for, by the number that may come
