"""Which rows of a memory a fit is validated on: whole deals, not single rows.

A traversal leaves a hundred rows of one deal behind, all settled by the same opposing hand and the
same run-out. With rows held out one by one, nearly every held-out row would have sisters among
those learned from; a network that learned the deals by heart would look ever better, and the fit
would not be stopped. Rows that share hole cards and flop are therefore held out together. (Suits
are renamed street by street, so the first five slots of a later view are the view of the flop.)
Before the flop, and in toy games, each view belongs to so many deals that single rows will do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from env.cards import NO_CARD

FLOP_VIEW = 5  # slots of hole cards and flop


def held_out(
    rows: NDArray[np.void], fraction: float, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Which rows are kept for validation, about that fraction of the deals, never all. [n]"""
    if not fraction:
        return np.zeros(len(rows), bool)
    held = rng.random(len(rows)) < fraction
    views = rows["cards"][:, :FLOP_VIEW]
    of_deal = np.flatnonzero((views != NO_CARD).all(axis=1))
    places = (NO_CARD + 1) ** np.arange(FLOP_VIEW)
    deals, deal = np.unique(views[of_deal] @ places, return_inverse=True)
    held[of_deal] = (rng.random(len(deals)) < fraction)[deal]
    return held & ~held.all()
