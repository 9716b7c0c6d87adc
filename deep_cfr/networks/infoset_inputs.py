"""What a saved strategy model takes of an infoset, as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deep_cfr.endgame.board_features import board_features, canonical_boards
from deep_cfr.endgame.grid import grid_of, hat_weights
from deep_cfr.networks.encoding import Encoding
from env.arrays import Floats, Nodes
from env.cards import Cards
from env.views import Views


def infoset_features(
    encoding: Encoding,
    cards: Cards,
    nodes: Nodes,
    with_bucket_rows: bool = False,
    taught: tuple[int, ...] = (),
) -> tuple[NDArray[Any], ...]:
    """Encoded cards, encoded bets, legal mask. [n, 7], [n]

    With `with_bucket_rows` also the rows of the strength table, for a model that has one; for a
    model with endgame networks of the streets `taught`, then the features of the boards and, for
    each of the streets, the weights of its knots.
    """
    views = Views(encoding.game, cards)
    features: list[NDArray[Any]] = [
        encoding.card_features(views),
        encoding.bet_table[nodes],
        encoding.legal[nodes],
    ]
    if with_bucket_rows:
        features.append(encoding.bucket_rows(nodes, views.buckets(np.arange(len(views)))))
    if taught:
        features.append(board_features(canonical_boards(views.cards)))
        features += [_knot_weights(encoding, street, views, nodes) for street in taught]
    return tuple(features)


def _knot_weights(encoding: Encoding, street: int, views: Views, nodes: Nodes) -> Floats:
    """Weights of a street's knots, all 0 in infosets of other streets. → [n, G · K]"""
    grid = grid_of(encoding.game.rules, street)
    rows = np.flatnonzero(encoding.game.tree.street[nodes] == street)
    out = np.zeros((len(nodes), grid.num_buckets, len(grid.knots)), np.float32)
    buckets = views.buckets(rows) if grid.num_buckets > 1 else np.zeros(len(rows), np.intp)
    out[rows, buckets] = hat_weights(grid.knots, views.strengths(rows))
    return out.reshape(len(nodes), -1)
