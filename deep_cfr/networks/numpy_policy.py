"""A saved average strategy as a policy that needs no TensorFlow, for few questions at a time."""

from __future__ import annotations

import numpy as np

from deep_cfr.networks.keras_file import SavedNetwork
from deep_cfr.networks.softmax import masked_softmax
from deep_cfr.networks.strength_table import add_table_values
from env.cards import Cards
from env.views import Views
from policies.policy import Floats, Nodes, ViewStrategies


class NumpyPolicy:
    """The answers of `average_strategy_policy` up to rounding. Slower for thousands of infosets."""

    def __init__(self, network: SavedNetwork) -> None:
        self._network = network

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        network, encoding = self._network, self._network.encoding
        views = Views(encoding.game, cards)
        asked, place = np.unique(nodes, return_inverse=True)
        hidden = network.bets(encoding.bet_table[asked])[place]  # [n, d]
        outputs = network.head(network.cards(encoding.card_features(views)) + hidden)  # [n, 3]
        if network.strength_table is not None:
            rows = np.arange(len(views))
            bucket_rows = encoding.bucket_rows(nodes, views.buckets(rows))
            levels = views.strength_bytes(rows)
            add_table_values(network.strength_table, bucket_rows, levels, True, outputs)
        return masked_softmax(outputs, encoding.legal[nodes])

    def for_views(self, views: Views) -> ViewStrategies:
        return lambda rows, nodes: self.strategies(views.cards[rows], nodes)
