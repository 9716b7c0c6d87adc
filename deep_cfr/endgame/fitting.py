"""Fitting an endgame network to solved subgames.

Loss, over the rows of `deep_cfr.endgame.solutions` with weights W:

    Σ_rows √W Σ_bins w_b Σ_a (σ_b(a) − σ̂_b(a))² / Σ_rows √W,        Σ_b w_b = 1 in each row

With the square root, decisions that a solution seldom comes to keep a share of the capacity: an
opponent who plays differently goes there.
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from deep_cfr.config import FitSettings
from deep_cfr.endgame.board_features import board_features
from deep_cfr.endgame.network import EndgameNetwork
from deep_cfr.endgame.solutions import LEVELS, SolvedRows
from deep_cfr.fitting.descent import Descent, shared_out
from deep_cfr.fitting.trainer import Diverged
from deep_cfr.networks import device
from deep_cfr.networks.network import fresh_weights
from deep_cfr.networks.softmax import ILLEGAL_LOGIT
from env.actions import NUM_ACTIONS
from env.arrays import Floats
from env.progress import Advance

UPDATES_AT_ONCE = 50  # in a compiled call
LEAST_WEIGHT = 1e-4  # of a row


class EndgameFit:
    """The compiled loop that fits one network."""

    def __init__(self, network: EndgameNetwork, batch_size: int) -> None:
        self.network = network
        self._batch_size, self._towers = batch_size, device.towers()
        self._descent = Descent(network.trainable)
        self._bet_table = tf.constant(network.encoding.bet_table)
        self._legal = tf.constant(network.encoding.legal)
        self._knot_weights = tf.constant(network.grid.knot_weights())  # [B, K]

    def fit(
        self, rows: SolvedRows, settings: FitSettings, rng: np.random.Generator, progress: Advance
    ) -> float:
        """Train from fresh weights; the mean loss of the last updates."""
        weights, outputs = self.network.trainable, self.network.head.layers[-1].weights
        for weight, value in zip(weights, fresh_weights(weights, outputs, rng), strict=True):
            weight.assign(value)
        self._descent.reset(settings)
        boards, board_of = np.unique(rows.boards, axis=0, return_inverse=True)
        data = (
            tf.constant(board_features(boards).astype(np.float16)),
            tf.constant(board_of.reshape(-1).astype(np.int32)),
            tf.constant(rows.nodes.astype(np.int32)),
            tf.constant(relative_weights(rows.weights)),
            tf.constant(rows.bins),
        )
        seed, loss = int(rng.integers(1 << 31)), 0.0
        for done in range(0, settings.updates, UPDATES_AT_ONCE):
            count = min(UPDATES_AT_ONCE, settings.updates - done)
            loss = float(self._block(*data, tf.constant([seed, done]), tf.constant(count)))
            if not np.isfinite(loss):
                raise Diverged(f"the loss of an endgame network became {loss}")
            progress(count)
        return loss

    def errors(self, rows: SolvedRows) -> Floats:
        """Squared distances between solutions and the network's strategies, by row. [n]"""
        out = np.empty(len(rows.nodes), np.float32)
        for start in range(0, len(out), self._batch_size):
            part = slice(start, start + self._batch_size)
            features = tf.constant(board_features(rows.boards[part]))
            nodes = tf.constant(rows.nodes[part].astype(np.int32))
            out[part] = self._errors(features, nodes, tf.constant(rows.bins[part])).numpy()
        return out

    @tf.function(reduce_retracing=True)
    def _block(
        self,
        boards: tf.Tensor,
        board_of: tf.Tensor,
        nodes: tf.Tensor,
        weights: tf.Tensor,
        bins: tf.Tensor,
        seed: tf.Tensor,
        count: tf.Tensor,
    ) -> tf.Tensor:
        """The mean loss over `count` updates."""
        total = tf.constant(0.0)
        for step in tf.range(count):
            picked = tf.random.stateless_uniform(
                [self._batch_size],
                seed + tf.stack([0, step]),
                maxval=tf.shape(nodes)[0],
                dtype=tf.int32,
            )
            parts = shared_out(picked, self._batch_size, self._towers)
            total += self._update(
                [
                    (
                        tf.gather(weights, part),
                        tf.gather(boards, tf.gather(board_of, part)),
                        tf.gather(nodes, part),
                        tf.gather(bins, part),
                    )
                    for part in parts
                ]
            )
        return total / tf.cast(count, tf.float32)

    def _update(self, parts: list[tuple[tf.Tensor, ...]]) -> tf.Tensor:
        """One step on rows shared out between towers; the loss."""
        return self._descent.update(
            lambda: [
                tf.reduce_sum(weights * self._errors(*rows)) / self._batch_size
                for weights, *rows in parts
            ]
        )

    @tf.function(reduce_retracing=True)
    def _errors(self, boards: tf.Tensor, nodes: tf.Tensor, bins: tf.Tensor) -> tf.Tensor:
        """[B, F], [B], [B, G, bins, 4] → [B]"""
        network, size = self.network, tf.shape(nodes)[0]
        hidden = network.cards(tf.cast(boards, tf.float32), training=True)
        hidden += network.bets(tf.gather(self._bet_table, nodes), training=True)
        groups, knots = network.grid.num_buckets, len(network.grid.knots)
        outputs = tf.reshape(
            network.head(hidden, training=True), [size, groups, knots, NUM_ACTIONS]
        )
        legal = tf.gather(self._legal, nodes)[:, None, None]
        at_knots = tf.nn.softmax(tf.where(legal > 0, outputs, ILLEGAL_LOGIT))
        strategies = tf.einsum("ngka,bk->ngba", at_knots, self._knot_weights)
        solved = tf.cast(bins, tf.float32) / LEVELS
        weights = solved[..., 3] / tf.reduce_sum(solved[..., 3], axis=(1, 2), keepdims=True)
        squares = tf.reduce_sum(tf.square(solved[..., :3] - strategies), axis=3)
        return tf.reduce_sum(weights * squares, axis=(1, 2))


def relative_weights(weights: Floats) -> Floats:
    """√W of rows, 1 on average. [n]"""
    roots = np.sqrt(np.maximum(weights, LEAST_WEIGHT))
    return (roots / roots.mean()).astype(np.float32)
