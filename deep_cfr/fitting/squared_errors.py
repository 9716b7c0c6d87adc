"""The squared errors of a network on memory rows, inside the TensorFlow graph.

The loss of a fit (`deep_cfr.fitting.trainer`) is their weighted mean. Rows lie on the device as the
bytes that memories keep; what a network receives and what it should answer are decoded from them
minibatch by minibatch, so that millions of rows take little room.
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from deep_cfr.memory import ROW
from deep_cfr.networks.graph_features import GraphFeatures
from deep_cfr.networks.network import Network
from deep_cfr.networks.softmax import ILLEGAL_LOGIT
from deep_cfr.networks.strength_table import add_table_values
from env.actions import NUM_ACTIONS
from env.views import Views

VALIDATION_BATCH = 8192


class SquaredErrors:
    """Σ_a (y(a) − ŷ(a))² over the legal actions a of each row, for one network."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._features = GraphFeatures(network.encoding)

    def on_device(self, rows: NDArray[np.void]) -> tf.Tensor:
        """Rows as bytes [n, 24], or [n, 36] with what a strength table adds to their outputs."""
        content = rows.view(np.uint8).reshape(-1, ROW.itemsize)
        if self._network.strength_table is not None:
            encoding, table = self._network.encoding, self._network.strength_table.numpy()
            buckets = Views(encoding.game, rows["cards"]).buckets(np.arange(len(rows)))
            bucket_rows = encoding.bucket_rows(rows["node"], buckets)
            values = np.zeros((len(rows), NUM_ACTIONS), np.float32)
            is_strategy = self._network.is_strategy
            add_table_values(table, bucket_rows, rows["strength"], is_strategy, values)
            content = np.concatenate([content, values.view(np.uint8)], axis=1)
        return tf.constant(content)

    def __call__(self, rows: tf.Tensor, training: bool) -> tuple[tf.Tensor, tf.Tensor]:
        """Squared errors summed over legal actions, and iterations, of some rows. [B], [B]"""
        views, nodes, t, targets, table_values = self._decode(rows)
        legal = tf.gather(self._features.legal, nodes)  # [B, 3]
        bets = tf.gather(self._features.bet_table, nodes)
        summed = self._network.cards(self._features.cards(views), training=training)
        summed += self._network.bets(bets, training=training)
        outputs = self._network.head(summed, training=training) + table_values  # [B, 3]
        if self._network.is_strategy:
            outputs = tf.nn.softmax(tf.where(legal > 0, outputs, ILLEGAL_LOGIT))
        return tf.reduce_sum(legal * tf.square(targets - outputs), axis=1), t

    def weighted_mean(self, rows: tf.Tensor) -> float:
        """Σ t · error / Σ t over unmerged rows, which is the validation loss."""
        total, weight = self._weighted_sums(rows)
        return float(total / weight)

    @tf.function(reduce_retracing=True)
    def _weighted_sums(self, rows: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Σ t · error and Σ t."""
        total, weight = tf.constant(0.0), tf.constant(0.0)
        for start in tf.range(0, tf.shape(rows)[0], VALIDATION_BATCH):
            errors, t = self(rows[start : start + VALIDATION_BATCH], training=False)
            total += tf.reduce_sum(t * errors)
            weight += tf.reduce_sum(t)
        return total, weight

    def _decode(self, rows: tf.Tensor) -> tuple[tf.Tensor, ...]:
        """Bytes to views [B, 8], nodes [B], t [B], targets [B, 3], table values [B, 3] or 0."""
        views = tf.cast(rows[:, :8], tf.int32)
        nodes = tf.cast(tf.bitcast(rows[:, 8:10], tf.uint16), tf.int32)
        t = tf.cast(tf.bitcast(rows[:, 10:12], tf.uint16), tf.float32)
        floats = tf.bitcast(tf.reshape(rows[:, 12:], [tf.shape(rows)[0], -1, 4]), tf.float32)
        has_table = self._network.strength_table is not None
        table_values = floats[:, NUM_ACTIONS:] if has_table else tf.constant(0.0)
        return views, nodes, t, floats[:, :NUM_ACTIONS], table_values
