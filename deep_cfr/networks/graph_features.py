"""`Encoding` inside a TensorFlow graph: features by table lookup, from the bytes of infosets."""

from __future__ import annotations

import tensorflow as tf

from deep_cfr.networks.encoding import Encoding
from env.cards import NUM_SLOTS


class GraphFeatures:
    """An encoding's tables as constants on the device."""

    def __init__(self, encoding: Encoding) -> None:
        self._groups = encoding.groups
        self._card_table = tf.constant(encoding.card_table)
        self._strength_features = tf.constant(encoding.strength_features)
        self.bet_table = tf.constant(encoding.bet_table)  # [N, F]
        self.legal = tf.constant(encoding.legal)  # [N, 3]

    def cards(self, inputs: tf.Tensor) -> tf.Tensor:
        """`Encoding.card_features` of cards and strength byte. [B, 8] → [B, groups · C + K]"""
        groups = [
            tf.add_n([tf.gather(self._card_table, inputs[:, slot]) for slot in slots])
            for slots in self._groups
        ]
        if self._strength_features.shape[1]:
            groups.append(tf.gather(self._strength_features, inputs[:, NUM_SLOTS]))
        return tf.concat(groups, axis=1)
