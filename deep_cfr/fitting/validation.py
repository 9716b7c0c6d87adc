"""Which rows of a memory a fit is validated on: whole boards, not single rows.

A traversal produces about a hundred rows of one deal, all settled by the same opposing hand and the
same run-out; where many hands meet on a board they share its run-out as well. With rows held out
one by one, nearly every held-out row would have rows of the same deal in the training set; a
network that learned the deals by heart would look ever better, and the fit would not be stopped.
Rows whose flops have the same three ranks are therefore held out together: whatever suits were
renamed to, rows of one board have that in common. Before the flop, and in toy games, each view
belongs to so many deals that single rows will do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from env.cards import NO_CARD

FLOP = slice(2, 5)  # slots


def held_out(
    rows: NDArray[np.void], fraction: float, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Which rows are kept for validation, about that fraction of the boards, never all. [n]"""
    if not fraction:
        return np.zeros(len(rows), bool)
    held = rng.random(len(rows)) < fraction
    flops = rows["cards"][:, FLOP]  # in descending order
    dealt = np.flatnonzero((flops != NO_CARD).all(axis=1))
    ranks, group = np.unique(flops[dealt] // 4 @ (1, 13, 169), return_inverse=True)
    held[dealt] = (rng.random(len(ranks)) < fraction)[group]
    return held & ~held.all()
