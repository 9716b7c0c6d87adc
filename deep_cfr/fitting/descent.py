"""Adam with a learning rate that decays linearly within a fit, inside a compiled loop.

The optimiser is built once for a network and set back before every fit, so nothing is compiled
again. Minibatches are shared out between towers (`deep_cfr.networks.device`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import keras
import tensorflow as tf

from deep_cfr.config import FitSettings

CLIP_NORM = 1.0  # largest norm of a gradient, as in the paper


class _LinearDecay(keras.optimizers.schedules.LearningRateSchedule):
    """A learning rate that can be set anew for every fit without compiling again."""

    def __init__(self) -> None:
        self.start = tf.Variable(0.0, trainable=False)
        self.end_fraction = tf.Variable(1.0, trainable=False)
        self.updates = tf.Variable(1.0, trainable=False)

    def __call__(self, step: tf.Tensor) -> tf.Tensor:
        done = tf.minimum(tf.cast(step, tf.float32) / self.updates, 1.0)
        return self.start * (1.0 - done * (1.0 - self.end_fraction))


class Descent:
    """Gradient descent on some weights."""

    def __init__(self, trainable: list[keras.Variable]) -> None:
        self._trainable = trainable
        self._rate = _LinearDecay()
        self._optimizer = keras.optimizers.Adam(self._rate, global_clipnorm=CLIP_NORM)
        self._optimizer.build(trainable)

    def reset(self, settings: FitSettings) -> None:
        """Forget all gradients of earlier fits."""
        for variable in self._optimizer.variables:
            variable.assign(tf.zeros_like(variable))
        self._rate.start.assign(settings.learning_rate)
        self._rate.end_fraction.assign(settings.learning_rate_end)
        self._rate.updates.assign(float(max(settings.updates, 1)))

    def update(self, losses: Callable[[], list[tf.Tensor]]) -> tf.Tensor:
        """One step on the sum of some losses, one of each tower; that sum."""
        with tf.GradientTape() as tape:
            loss = tf.add_n(losses())
        weights = [variable.value for variable in self._trainable]
        self._optimizer.apply(tape.gradient(loss, weights), self._trainable)
        return loss


def shared_out(picked: tf.Tensor, size: int | tf.Tensor, towers: int) -> list[tf.Tensor]:
    """The row numbers of a minibatch in as many parts as there are towers."""
    edges = [size * tower // towers for tower in range(towers + 1)]
    return [picked[start:end] for start, end in itertools.pairwise(edges)]
