"""Rows of a memory that were saved earlier: could the run that they are for have sampled them?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from env.betting_tree import BettingTree
from env.cards import NO_CARD

ROWS_AT_ONCE = 1 << 20  # bounds the memory that checking takes


def rows_problem(
    rows: NDArray[np.void], tree: BettingTree, t: int, actor: int | None
) -> str | None:
    """What is wrong with rows of a run that has done t iterations; None if nothing is.

    `actor` is the player whose advantages they are; strategies are those of both players.
    """
    possible = tree.is_decision if actor is None else tree.is_decision & (tree.actor == actor)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        part = rows[start : start + ROWS_AT_ONCE]
        nodes = part["node"]
        if (nodes >= len(tree)).any() or not possible[nodes].all():
            return "rows of nodes where " + (
                "nobody decides" if actor is None else f"player {actor} does not decide"
            )
        if (part["cards"] > NO_CARD).any():
            return "rows with cards that do not exist"
        if (part["t"] < 1).any() or (part["t"] > t).any():
            return f"rows of other iterations than the {t} that are done"
        if not np.isfinite(part["targets"]).all():
            return "targets that are not finite numbers"
        if actor is None and ((part["targets"] < 0).any() or (part["targets"] > 1.001).any()):
            return "probabilities that are not between 0 and 1"
    return None
