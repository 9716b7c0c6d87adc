"""Made-up memory rows: random infosets of a game with random targets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deep_cfr.memory import make_rows
from env.deals import canonical_views, deal
from env.game import Game


def random_rows(game: Game, count: int, rng: np.random.Generator) -> NDArray[np.void]:
    """Rows of iteration 1 at decisions drawn evenly, with any strengths."""
    nodes = rng.choice(np.flatnonzero(game.tree.is_decision), count)
    views = canonical_views(game.rules, deal(game.rules, count, rng))
    cards = views[np.arange(count), game.tree.actor[nodes], game.tree.street[nodes]]
    targets = rng.normal(size=(count, 3)).astype(np.float32)
    strength_bytes = rng.integers(0, 256, count, dtype=np.uint8)
    return make_rows(cards, nodes, 1, targets, strength_bytes)
