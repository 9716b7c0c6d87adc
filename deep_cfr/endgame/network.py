"""Endgame networks in Keras: board and betting → strategies at all knots of a grid.

The layers are those of the paper's network. What they take is public, and so they run once for all
hands; a hand's own strategy lies between the two knots nearest to its strength.
"""

from __future__ import annotations

from dataclasses import dataclass

import keras
import numpy as np
import tensorflow as tf

from deep_cfr.endgame.board_features import board_width
from deep_cfr.endgame.grid import Grid
from deep_cfr.endgame.policy import EndgameParts, EndgamePolicy, Part
from deep_cfr.networks.architectures import PARTS, endgame_part
from deep_cfr.networks.encoding import Encoding
from deep_cfr.networks.network import paper_parts
from env.arrays import Floats


@dataclass(frozen=True)
class EndgameNetwork:
    """Two branches and a head that answer on one street."""

    street: int
    encoding: Encoding
    grid: Grid
    cards: keras.Model  # [B, F] → [B, d] boards
    bets: keras.Model  # [B, F] → [B, d]
    head: keras.Model  # [B, d] → [B, G · K · 3]

    @property
    def trainable(self) -> list[keras.Variable]:
        return [
            weight
            for part in (self.cards, self.bets, self.head)
            for weight in part.trainable_variables
        ]

    @property
    def num_parameters(self) -> int:
        return sum(int(np.prod(weight.shape)) for weight in self.trainable)

    def policy(self) -> EndgamePolicy:
        """The network as a policy on its street."""
        parts = (_as_function(part) for part in (self.cards, self.bets, self.head))
        return EndgamePolicy(self.encoding, self.grid, EndgameParts(*parts))


def make_endgame_network(encoding: Encoding, street: int, grid: Grid, width: int) -> EndgameNetwork:
    """A network for one street, before its fit."""
    prefix = endgame_part(street, "")
    parts = paper_parts(board_width(), encoding.bet_width, width, grid.num_outputs, prefix)
    return EndgameNetwork(street, encoding, grid, *parts)


def endgame_network_of(
    model: keras.Model, encoding: Encoding, street: int, grid: Grid
) -> EndgameNetwork:
    """The endgame network of a street that a strategy model was made of."""
    parts = (model.get_layer(endgame_part(street, part)) for part in PARTS)
    return EndgameNetwork(street, encoding, grid, *parts)


def _as_function(model: keras.Model) -> Part:
    """A part as a compiled function of arrays."""
    width = model.input_shape[1]

    @tf.function(input_signature=[tf.TensorSpec([None, width], tf.float32)])
    def compute(inputs: tf.Tensor) -> tf.Tensor:
        return model(inputs, training=False)

    def answer(inputs: Floats) -> Floats:
        return compute(tf.constant(inputs)).numpy()

    return answer
