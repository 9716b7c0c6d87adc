"""Networks as policies: the card branch runs once per view, the bet branch once per node."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from deep_cfr.networks import device
from deep_cfr.networks.graph_features import GraphFeatures
from deep_cfr.networks.network import Network
from deep_cfr.networks.softmax import masked_softmax
from deep_cfr.networks.strength_table import add_table_values
from deep_cfr.regret_matching import regret_matching
from env.cards import NUM_SLOTS, Cards
from env.views import Views
from policies.policy import Floats, Nodes, ViewStrategies

CARD_BATCH = 1 << 16  # views pushed through a card branch at once; bounds the memory it takes


class NetworkPolicy:
    """A network's outputs, turned into strategies by `to_strategies(outputs, legal)`.

    `towers` is into how many parts a batch is split to be computed side by side; None takes what
    the device was prepared for.
    """

    def __init__(
        self,
        network: Network,
        to_strategies: Callable[[Floats, Floats], Floats],
        towers: int | None = None,
    ) -> None:
        self.network = network
        self._towers = towers or device.towers()
        self._to_strategies = to_strategies
        self._features = GraphFeatures(network.encoding)
        # With signatures of any length each graph is built once.
        hidden = tf.TensorSpec([None, network.head.input_shape[1]], network.cards.output.dtype)
        numbers = tf.TensorSpec([None], tf.int32)
        self._card_branch = tf.function(
            self._compute_cards, input_signature=[tf.TensorSpec([None, NUM_SLOTS + 1], tf.uint8)]
        )
        self._bet_branch = tf.function(
            lambda: network.bets(self._features.bet_table, training=False), input_signature=[]
        )
        self._head = tf.function(self._compute_head, input_signature=[hidden, hidden, numbers])

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        views = Views(self.network.encoding.game, cards)
        return self.for_views(views)(np.arange(len(nodes)), nodes)

    def for_views(self, views: Views) -> NetworkViews:
        """The bet branch runs once per node, here; the card branch once per view, when needed."""
        return NetworkViews(self, views)

    def card_branch(self, views: Views, rows: NDArray[np.integer]) -> tf.Tensor:
        """Hidden units of some views. [r] → [r, d]"""
        inputs = np.zeros((len(rows), NUM_SLOTS + 1), np.uint8)
        inputs[:, :NUM_SLOTS] = views.cards[rows]
        if self.network.encoding.uses_strength:
            inputs[:, NUM_SLOTS] = views.strength_bytes(rows)
        return self._card_branch(tf.constant(inputs))

    def bet_branch(self) -> tf.Tensor:
        """Hidden units of every node. [N, d]"""
        return self._bet_branch()

    def outputs(self, cards: tf.Tensor, bets: tf.Tensor, nodes: NDArray[np.int32]) -> Floats:
        """The head's outputs from hidden units of cards [n, d] and of all nodes. [n, 3]"""
        return self._head(cards, bets, tf.constant(nodes)).numpy()

    def to_strategies(self, outputs: Floats, nodes: NDArray[np.int32]) -> Floats:
        """Strategies at nodes from outputs there. [n, 3], [n] → [n, 3]"""
        return self._to_strategies(outputs, self.network.encoding.legal[nodes])

    def _compute_cards(self, inputs: tf.Tensor) -> tf.Tensor:
        outputs = [
            self.network.cards(self._features.cards(tf.cast(part, tf.int32)), training=False)
            for part in self._parts(inputs)
        ]
        return tf.concat(outputs, axis=0)

    def _compute_head(self, cards: tf.Tensor, bets: tf.Tensor, nodes: tf.Tensor) -> tf.Tensor:
        outputs = [
            self.network.head(part + tf.gather(bets, n), training=False)
            for part, n in zip(self._parts(cards), self._parts(nodes), strict=True)
        ]
        return tf.concat(outputs, axis=0)

    def _parts(self, rows: tf.Tensor) -> list[tf.Tensor]:
        """Rows shared out between the towers."""
        size = tf.shape(rows)[0]
        edges = [size * tower // self._towers for tower in range(self._towers + 1)]
        return [rows[start:end] for start, end in itertools.pairwise(edges)]


class NetworkViews:
    """A network's answers about some views: each goes through the card branch once."""

    def __init__(self, policy: NetworkPolicy, views: Views) -> None:
        self._policy, self._views = policy, views
        self._bets = policy.bet_branch()
        table = policy.network.strength_table
        self._table = None if table is None else table.numpy()
        hidden = tf.zeros([len(views), self._bets.shape[1]], self._bets.dtype)
        self._cards = tf.Variable(hidden, trainable=False)
        self._known = np.zeros(len(views), bool)

    def __call__(self, rows: NDArray[np.integer], nodes: Nodes) -> Floats:
        """Strategies for rows of the views. [n], [n] → [n, 3]"""
        new = np.flatnonzero(np.bincount(rows[~self._known[rows]], minlength=len(self._known)))
        self._known[new] = True
        for start in range(0, len(new), CARD_BATCH):
            batch = new[start : start + CARD_BATCH]
            hidden = self._policy.card_branch(self._views, batch)
            self._cards.scatter_update(tf.IndexedSlices(hidden, tf.constant(batch)))
        # Only the rows asked for are read: handing over the variable would copy all of it.
        mine = self._cards.sparse_read(tf.constant(rows.astype(np.int32)))
        nodes32 = nodes.astype(np.int32)
        outputs = self._policy.outputs(mine, self._bets, nodes32)
        if self._table is not None:
            network = self._policy.network
            bucket_rows = network.encoding.bucket_rows(nodes32, self._views.buckets(rows))
            levels = self._views.strength_bytes(rows)
            add_table_values(self._table, bucket_rows, levels, network.is_strategy, outputs)
        return self._policy.to_strategies(outputs, nodes32)


class StoredPolicy:
    """One of many policies that share a network: its weights are put in place for each answer."""

    def __init__(self, policy: NetworkPolicy, weights: list[Floats]) -> None:
        self._policy, self._weights = policy, weights

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        self._policy.network.set_weights(self._weights)
        return self._policy.strategies(cards, nodes)

    def for_views(self, views: Views) -> ViewStrategies:
        return lambda rows, nodes: self.strategies(views.cards[rows], nodes)


def regret_matching_policy(network: Network, towers: int | None = None) -> NetworkPolicy:
    """Regret matching on an advantage network's predictions."""
    return NetworkPolicy(network, regret_matching, towers)


def average_strategy_policy(network: Network, towers: int | None = None) -> NetworkPolicy:
    """What a strategy network has learned: the softmax over legal actions."""
    return NetworkPolicy(network, masked_softmax, towers)
