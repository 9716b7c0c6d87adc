"""A saved average strategy as a policy that needs no TensorFlow.

An answer depends on the infoset alone, to the last bit, and not on what else is asked with it
(`deep_cfr.networks.row_products`).
"""

from __future__ import annotations

import numpy as np

from deep_cfr.networks.keras_file import SavedNetwork
from deep_cfr.networks.softmax import masked_softmax
from deep_cfr.networks.strength_table import add_table_values
from env.actions import NUM_ACTIONS
from env.arrays import Floats, Nodes, Rows
from env.cards import Cards
from env.views import Views
from policies.policy import ViewStrategies

_HEAD_ROWS = 2048  # computed at once, so that hidden units stay in the processor's cache


class NumpyPolicy:
    """The answers of `average_strategy_policy` up to rounding."""

    def __init__(self, network: SavedNetwork) -> None:
        self._network = network

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        views = Views(self._network.encoding.game, cards)
        return self.for_views(views)(np.arange(len(nodes)), nodes)

    def for_views(self, views: Views) -> ViewStrategies:
        """The card branch runs once per view, here; the bet branch once per node of a question."""
        network = self._network
        encoding = network.encoding
        cards = network.cards(encoding.card_features(views))  # [n, d]

        def answer(rows: Rows, nodes: Nodes) -> Floats:
            asked, place = np.unique(nodes, return_inverse=True)
            bets = network.bets(encoding.bet_table[asked])
            outputs = np.empty((len(rows), NUM_ACTIONS), np.float32)
            for start in range(0, len(rows), _HEAD_ROWS):
                part = slice(start, start + _HEAD_ROWS)
                outputs[part] = network.head(cards[rows[part]] + bets[place[part]])
            if network.strength_table is not None:
                bucket_rows = encoding.bucket_rows(nodes, views.buckets(rows))
                levels = views.strength_bytes(rows)
                add_table_values(network.strength_table, bucket_rows, levels, True, outputs)
            return masked_softmax(outputs, encoding.legal[nodes])

        return answer
