"""A network as a policy that needs no TensorFlow.

An answer depends on the infoset alone, to the last bit, and not on what else is asked with it or on
the number of threads.
"""

from __future__ import annotations

import numpy as np

from deep_cfr.networks.plain_network import PlainNetwork
from deep_cfr.networks.softmax import masked_softmax
from deep_cfr.networks.strength_table import add_table_values
from deep_cfr.regret_matching import regret_matching
from env.arrays import Floats, Nodes, Rows
from env.cards import Cards
from env.views import Views

_CARD_BATCH = 4096  # views pushed through a card branch at once; bounds the memory it takes


class NumpyPolicy:
    """The answers of `regret_matching_policy` or `average_strategy_policy`, up to rounding."""

    def __init__(self, network: PlainNetwork, strength_table: Floats | None = None) -> None:
        self.network = network
        self.strength_table = strength_table  # [R, K, 3]

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        views = Views(self.network.encoding.game, cards)
        return self.for_views(views)(np.arange(len(nodes)), nodes)

    def for_views(self, views: Views) -> NumpyViews:
        """The card branch runs once per view, when needed; the bet branch once per node."""
        return NumpyViews(self, views)


class NumpyViews:
    """A network's answers about some views."""

    def __init__(self, policy: NumpyPolicy, views: Views) -> None:
        self._network, self._table, self._views = policy.network, policy.strength_table, views
        self._cards = np.empty((len(views), policy.network.num_hidden), np.float32)
        self._known = np.zeros(len(views), bool)

    def __call__(self, rows: Rows, nodes: Nodes) -> Floats:
        """Strategies for rows of the views. [n], [n] → [n, 3]"""
        network, views = self._network, self._views
        self._compute_cards(rows)
        outputs = network.outputs(self._cards, rows, nodes)
        if self._table is not None:
            bucket_rows = network.encoding.bucket_rows(nodes, views.buckets(rows))
            levels = views.strength_bytes(rows)
            add_table_values(self._table, bucket_rows, levels, network.is_strategy, outputs)
        legal = network.encoding.legal[nodes]
        return (masked_softmax if network.is_strategy else regret_matching)(outputs, legal)

    def _compute_cards(self, rows: Rows) -> None:
        """Hidden units of the cards of some rows, for those that are not known yet."""
        missing = rows[~self._known[rows]]
        if not len(missing):
            return
        new = np.flatnonzero(np.bincount(missing, minlength=len(self._known)))
        encoding = self._network.encoding
        for start in range(0, len(new), _CARD_BATCH):
            batch = new[start : start + _CARD_BATCH]
            features = encoding.card_features(self._views, batch)
            self._cards[batch] = self._network.cards(features)
        self._known[new] = True
