"""Fitting a network to a memory from scratch: iteration-weighted MSE in one compiled loop.

Loss (Brown et al. 2019, Algorithm 1 and equation 8): Σ_i t_i Σ_a (y_ia − ŷ_ia)² over legal actions
a, divided by Σ_i t_i so that its scale does not drift. Advantage networks predict y directly, the
strategy network through a softmax over legal actions.

Samples of the same infoset are merged first and minibatches draw rows in proportion to a weight
(`deep_cfr.fitting.merging`), which takes noise out and gives rare infosets their share. The merged
rows lie on the device as bytes; minibatches are drawn, decoded, expanded into features and learned
from inside the graph. If a minibatch could hold all merged rows, as in Leduc, every update uses all
of them, each with its weight, and no noise of drawing is left. Python runs only between blocks of
updates, to validate, to show progress and to stop early; blocks that would take long are computed
in pieces, so that a fit can also be ended from outside.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from deep_cfr.config import FitSettings
from deep_cfr.fitting.descent import Descent, shared_out
from deep_cfr.fitting.merging import Merged, alias_table, merge
from deep_cfr.fitting.squared_errors import SquaredErrors
from deep_cfr.fitting.validation import held_out
from deep_cfr.networks import device
from deep_cfr.networks.network import Network, initial_weights
from env.arrays import Floats

BLOCK = 100  # updates from one validation, or entry of the loss curve, to the next
SECONDS_AT_ONCE = 0.5  # that a compiled call takes at most, so that a fit can be stopped soon
SOUND_ROWS = 1024  # that a fitted network is asked about, to see that it answers with numbers
# (updates made, how many to make, sum of losses so far) → that sum with the new losses
Learner = Callable[[int, int, tf.Tensor], tf.Tensor]
Merging = Callable[[NDArray[np.void], Floats], Merged]  # (rows, legal [N, 3]) → one row per infoset
Progress = Callable[[int], None]  # called with the updates made since the last call


class Diverged(ArithmeticError):  # noqa: N818 - the name says what happened
    """A fit whose loss, weights or answers are no longer numbers."""


@dataclass
class FitResult:
    """What happened during a fit."""

    updates: int = 0
    curve: list[tuple[int, float, float | None]] = field(default_factory=list)
    # (update, training loss since the last entry, validation loss if any)

    @property
    def loss(self) -> float:
        """Training loss at the end; 0 when there was nothing to learn from."""
        return self.curve[-1][1] if self.curve else 0.0

    @property
    def validation_loss(self) -> float | None:
        """The best validation loss, which is that of the weights kept."""
        seen = [entry[2] for entry in self.curve if entry[2] is not None]
        return min(seen) if seen else None


class Trainer:
    """Owns a network and the compiled loop that fits it, again and again.

    `towers` is into how many parts a minibatch is split to be computed side by side; None takes
    what the device was prepared for. `merging` makes of the samples of an infoset what is learned.
    """

    def __init__(
        self,
        network: Network,
        batch_size: int,
        towers: int | None = None,
        merging: Merging = merge,
    ) -> None:
        self.network, self._merging = network, merging
        self._batch_size = batch_size
        self._towers = towers or device.towers()
        self._errors = SquaredErrors(network)
        self._descent = Descent(network.trainable)
        self._piece = 1  # updates per compiled call, as many as take little time

    def fit(
        self,
        rows: NDArray[np.void],
        settings: FitSettings,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> FitResult:
        """Train from fresh weights on a memory's rows; the network keeps the best or last ones.

        The network's strength table, if it has one, stays as it is and lies under the outputs.
        """
        self._reset(settings, initial_weights(self.network, rng))
        if not len(rows):  # nothing was ever sampled: the network stays one that returns 0
            self.network.set_learned(initial_weights(self.network, rng, zero=True))
            return FitResult()
        seed = int(rng.integers(1 << 31))
        held = held_out(rows, settings.validation_fraction, rng)
        learned_from = rows[~held] if held.any() else rows
        merged = self._merging(learned_from, self.network.encoding.legal)
        if progress:
            progress(0)  # merging many millions of rows takes seconds
        learn = (
            self._all_rows(merged)
            if len(merged.rows) <= settings.batch_size
            else self._minibatches(merged, seed)
        )
        block, validation_rows = BLOCK, None
        if held.any():
            block = min(BLOCK, -(-len(learned_from) // settings.batch_size))  # at most an epoch
            validation_rows = self._errors.on_device(rows[held])
        result = self._learn(learn, settings, block, merged.noise, validation_rows, progress)
        self._refuse_nonsense(rows[:SOUND_ROWS])
        return result

    def _learn(
        self,
        learn: Learner,
        settings: FitSettings,
        block: int,
        noise: float,
        validation_rows: tf.Tensor | None,
        progress: Progress | None,
    ) -> FitResult:
        """Blocks of updates until there are enough or validation stops getting better."""
        result = FitResult()
        best_weights: list[Floats] | None = None
        stale = 0  # validations since the last new best
        while result.updates < settings.updates and stale < max(settings.patience, 1):
            count = min(block, settings.updates - result.updates)
            loss = self._learn_block(learn, result.updates, count, progress)
            result.updates += count
            if not np.isfinite(loss):
                raise Diverged(
                    f"the loss became {float(loss)} after {result.updates} updates; "
                    "a lower learning rate helps"
                )
            validation = (
                None if validation_rows is None else self._errors.weighted_mean(validation_rows)
            )
            best = result.validation_loss
            result.curve.append((result.updates, float(loss) + noise, validation))
            if validation is None:
                continue
            if best is None or validation < best:
                best_weights, stale = self.network.get_learned(), 0
            else:
                stale += 1
        if best_weights is not None:
            self.network.set_learned(best_weights)
        return result

    def _refuse_nonsense(self, rows: NDArray[np.void]) -> None:
        """An error if the weights after the last update are no numbers, or answer with none."""
        weights_are_finite = all(np.isfinite(value).all() for value in self.network.get_learned())
        errors, _ = self._errors(self._errors.on_device(rows), training=False)
        if not weights_are_finite or not np.isfinite(errors).all():
            raise Diverged(
                "the network's weights or answers are no numbers after the last update; "
                "a lower learning rate helps"
            )

    def _learn_block(
        self, learn: Learner, done: int, count: int, progress: Progress | None
    ) -> np.float32:
        """The mean loss over `count` updates, made in pieces that take little time each.

        The pieces change nothing: what an update draws depends on its number, and the losses are
        added up in the same order.
        """
        total, made = tf.constant(0.0), 0
        while made < count:
            piece = min(self._piece, count - made)
            start = time.perf_counter()
            total = learn(done + made, piece, total)
            total.numpy()  # waits until the updates are made
            seconds = (time.perf_counter() - start) / piece
            self._piece = max(1, min(2 * piece, int(SECONDS_AT_ONCE / max(seconds, 1e-9))))
            made += piece
            if progress:
                progress(piece)
        return np.float32(total / tf.cast(count, tf.float32))

    def _minibatches(self, merged: Merged, seed: int) -> Learner:
        keep, other = (tf.constant(table) for table in alias_table(merged.weights))
        rows = self._errors.on_device(merged.rows)
        return lambda done, count, total: self._block(
            rows, keep, other, tf.constant([seed, done]), tf.constant(count), total
        )

    def _all_rows(self, merged: Merged) -> Learner:
        weights = tf.constant(merged.weights / merged.weights.sum(), tf.float32)
        rows = self._errors.on_device(merged.rows)
        return lambda done, count, total: self._block_of_all(
            rows, weights, tf.constant(count), total
        )

    def _reset(self, settings: FitSettings, weights: list[Floats]) -> None:
        self.network.set_learned(weights)
        self._descent.reset(settings)

    @tf.function(reduce_retracing=True)
    def _block(
        self,
        rows: tf.Tensor,
        keep: tf.Tensor,
        other: tf.Tensor,
        seed: tf.Tensor,
        count: tf.Tensor,
        total: tf.Tensor,
    ) -> tf.Tensor:
        """`count` updates; `total` with their losses added."""
        size = tf.shape(rows)[0]
        for step in tf.range(count):
            key = seed + tf.stack([0, step])
            column = tf.random.stateless_uniform(
                [self._batch_size], key, maxval=size, dtype=tf.int32
            )
            number = tf.random.stateless_uniform([self._batch_size], key + tf.constant([1, 0]))
            picked = tf.where(number < tf.gather(keep, column), column, tf.gather(other, column))
            parts = shared_out(picked, self._batch_size, self._towers)
            share = 1.0 / self._batch_size
            total += self._update([(tf.gather(rows, part), share) for part in parts])
        return total

    @tf.function(reduce_retracing=True)
    def _block_of_all(
        self, rows: tf.Tensor, weights: tf.Tensor, count: tf.Tensor, total: tf.Tensor
    ) -> tf.Tensor:
        """`count` updates, each from all rows; `total` with their losses. weights [n] sum to 1"""
        parts = shared_out(tf.range(tf.shape(rows)[0]), tf.shape(rows)[0], self._towers)
        shared = [(tf.gather(rows, part), tf.gather(weights, part)) for part in parts]
        for _ in tf.range(count):
            total += self._update(shared)
        return total

    def _update(self, parts: list[tuple[tf.Tensor, tf.Tensor | float]]) -> tf.Tensor:
        """One step of Adam on Σ weight · error over rows shared out between towers; the loss."""
        return self._descent.update(
            lambda: [
                tf.reduce_sum(weights * self._errors(rows, training=True)[0])
                for rows, weights in parts
            ]
        )
