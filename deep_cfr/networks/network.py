"""The networks, by name: `paper` (Brown et al. 2019, appendix C) and `thesis`.

Each is built in two branches and a head: cards [B, C] → [B, d], bets [B, F] → [B, d], and
head(relu(cards + bets)) [B, d] → [B, 3]. A dense layer over a concatenation is the sum of two
dense layers, so this is the printed architecture, arranged so that the card branch needs to run
only once per hand and street and the bet branch once per node. The paper's card embeddings feed a
dense layer with nothing nonlinear between, so the two are one matrix here: the same functions
with fewer multiplications.

Only stock Keras layers are used: a saved model opens with plain `keras.models.load_model`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import keras
import numpy as np
from keras import layers

from deep_cfr.networks.encoding import Encoding
from deep_cfr.networks.keras_file import TABLE_LAYER
from deep_cfr.networks.softmax import ILLEGAL_LOGIT
from deep_cfr.networks.strength_table import MIN_PROBABILITY
from env.actions import NUM_ACTIONS
from env.arrays import Floats

THESIS_INIT = 0.005


@dataclass(frozen=True)
class Network:
    """Two branches and a head with shared weights; `weights` is all of it in a fixed order."""

    architecture: str
    encoding: Encoding
    cards: keras.Model  # [B, C] → [B, d]
    bets: keras.Model  # [B, F] → [B, d]
    head: keras.Model  # [B, d] → [B, 3]
    is_strategy: bool = False  # outputs are logits of a strategy, otherwise advantages
    strength_table: keras.Variable | None = None  # [R, K, 3] see fitting.strength_regression

    @property
    def parts(self) -> tuple[keras.Model, keras.Model, keras.Model]:
        return (self.cards, self.bets, self.head)

    @property
    def trainable(self) -> list[keras.Variable]:
        """What gradients reach."""
        return [weight for part in self.parts for weight in part.trainable_variables]

    @property
    def variables(self) -> list[keras.Variable]:
        """All weights, batch statistics and the strength table included."""
        if self.strength_table is None:
            return self.learned
        return [*self.learned, self.strength_table]

    @property
    def num_parameters(self) -> int:
        """Trainable numbers."""
        return sum(int(np.prod(weight.shape)) for weight in self.trainable)

    @property
    def learned(self) -> list[keras.Variable]:
        """All weights but the strength table."""
        return [weight for part in self.parts for weight in part.weights]

    def get_learned(self) -> list[Floats]:
        return [weight.numpy() for weight in self.learned]

    def set_learned(self, values: list[Floats]) -> None:
        for weight, value in zip(self.learned, values, strict=True):
            weight.assign(value)

    def set_strength_table(self, values: Floats) -> None:
        if self.strength_table is None:
            raise ValueError("this network was made without a strength table")
        self.strength_table.assign(values.reshape(self.strength_table.shape))

    def get_weights(self) -> list[Floats]:
        return [weight.numpy() for weight in self.variables]

    def set_weights(self, values: list[Floats]) -> None:
        for weight, value in zip(self.variables, values, strict=True):
            weight.assign(value)

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Take back whatever weights are set inside, if that ends in an exception."""
        before = self.get_weights()
        try:
            yield
        except BaseException:
            self.set_weights(before)
            raise


def make_network(
    encoding: Encoding,
    width: int,
    is_strategy: bool = False,
    has_strength_table: bool = False,
) -> Network:
    """A network of the encoding's architecture; `width` is d of the paper's layout."""
    branches = _thesis(encoding) if encoding.name == "thesis" else _paper(encoding, width)
    network = Network(encoding.name, encoding, *branches, is_strategy)
    return _with_strength_table(network) if has_strength_table else network


def initial_weights(network: Network, rng: np.random.Generator, zero: bool = False) -> list[Floats]:
    """Fresh weights to learn from; with `zero` the outputs are 0 everywhere.

    Paper: uniform in ±√(3 / inputs), biases 0 and the output layer 0. Thesis: uniform in ±0.005.
    """
    output_weights = {id(weight) for weight in network.head.layers[-1].weights}
    is_thesis = network.architecture == "thesis"
    values = []
    for weight in network.learned:
        shape, name = tuple(weight.shape), weight.path.rsplit("/", 1)[-1]
        zeros_output = id(weight) in output_weights and (zero or not is_thesis)
        if name in ("gamma", "moving_variance"):
            value = np.ones(shape)
        elif zeros_output or name in ("beta", "moving_mean"):
            value = np.zeros(shape)
        elif is_thesis:
            value = rng.uniform(-THESIS_INIT, THESIS_INIT, shape)
        elif name == "bias":
            value = np.zeros(shape)
        else:
            limit = np.sqrt(3 / shape[-2])
            value = rng.uniform(-limit, limit, shape)
        values.append(value.astype(np.float32))
    return values


def strategy_model(network: Network) -> keras.Model:
    """One model that people can load: encoded cards, encoded bets, legal mask → probabilities.

    Where there is a strength table it also takes the infoset's bucket row, under the name `cell`;
    the last K card features are the weights of the knots.
    """
    cards = keras.Input((network.encoding.card_width,), name="cards")
    bets = keras.Input((network.encoding.bet_width,), name="bets")
    legal = keras.Input((NUM_ACTIONS,), name="legal")
    inputs = [cards, bets, legal]
    summed = layers.Add(name="cards_and_bets")([network.cards(cards), network.bets(bets)])
    logits = network.head(summed)
    if network.strength_table is not None:
        bucket_row = keras.Input((), name="cell", dtype="int32")
        inputs.append(bucket_row)
        num_rows, knots, _ = network.strength_table.shape
        table = layers.Embedding(num_rows, knots * NUM_ACTIONS, name=TABLE_LAYER)
        at_knots = layers.Reshape((knots, NUM_ACTIONS), name="at_knots")(table(bucket_row))
        table.set_weights([network.strength_table.numpy().reshape(num_rows, -1)])
        part = layers.Dot(axes=1, name="table_value")([cards[:, -knots:], at_knots])
        log_part = keras.ops.log(keras.ops.maximum(part, MIN_PROBABILITY))
        logits = layers.Add(name="with_table")([logits, log_part])
    strategy = layers.Softmax(name="strategy")(_below_zero(logits, legal), mask=legal)
    return keras.Model(inputs, strategy, name="strategy_model")


def _below_zero(logits: keras.KerasTensor, legal: keras.KerasTensor) -> keras.KerasTensor:
    """Logits minus the largest legal one of their row; illegal ones far below. [B, 3], [B, 3]

    The mask of Keras' softmax stands for a logit of −1e9, which legal logits could lie below. It
    subtracts the largest logit itself, so having done so before changes no answer.
    """
    is_legal = keras.ops.greater(legal, 0.5)
    masked = keras.ops.where(is_legal, logits, ILLEGAL_LOGIT)
    largest = keras.ops.max(masked, axis=1, keepdims=True)
    return keras.ops.where(is_legal, keras.ops.subtract(logits, largest), ILLEGAL_LOGIT)


def network_of(model: keras.Model, encoding: Encoding) -> Network:
    """The network that a strategy model was made of."""
    cards, bets, head = (model.get_layer(name) for name in ("card_branch", "bet_branch", "head"))
    network = Network(encoding.name, encoding, cards, bets, head, is_strategy=True)
    if TABLE_LAYER not in [layer.name for layer in model.layers]:
        return network
    network = _with_strength_table(network)
    network.set_strength_table(model.get_layer(TABLE_LAYER).get_weights()[0])
    return network


def _with_strength_table(network: Network) -> Network:
    encoding = network.encoding
    shape = (encoding.num_bucket_rows, encoding.strength_features.shape[1], NUM_ACTIONS)
    variable = keras.Variable(np.zeros(shape, np.float32), trainable=False, name="table")
    return dataclasses.replace(network, strength_table=variable)


def _paper(encoding: Encoding, width: int) -> tuple[keras.Model, keras.Model, keras.Model]:
    """Card branch, bet branch and head of Brown et al.

    Layers have names of their own, because Keras would number them through the whole process and
    the same training would not give the same file.
    """

    def dense(
        x: keras.KerasTensor, name: str, activation: str | None = "relu"
    ) -> keras.KerasTensor:
        return layers.Dense(width, activation=activation, name=name)(x)

    def skip(x: keras.KerasTensor, name: str) -> keras.KerasTensor:
        summed = layers.Add(name=f"{name}_sum")([dense(x, name, None), x])
        return layers.ReLU(name=f"{name}_relu")(summed)

    cards = keras.Input((encoding.card_width,), name="card_features")
    z = dense(dense(dense(cards, "cards_1"), "cards_2"), "cards_3")
    card_branch = keras.Model(cards, dense(z, "cards_4", None), name="card_branch")

    bets = keras.Input((encoding.bet_width,), name="bet_features")
    z = skip(dense(bets, "bets_1"), "bets_2")
    bet_branch = keras.Model(bets, dense(z, "bets_3", None), name="bet_branch")

    summed = keras.Input((width,), name="summed")
    z = skip(skip(layers.ReLU(name="summed_relu")(summed), "head_1"), "head_2")
    z = layers.LayerNormalization(center=False, scale=False, name="normalised")(z)
    head = keras.Model(summed, layers.Dense(NUM_ACTIONS, name="outputs")(z), name="head")
    return card_branch, bet_branch, head


def _thesis(encoding: Encoding) -> tuple[keras.Model, keras.Model, keras.Model]:
    """Card branch, bet branch and head of the thesis: wide layers and batch normalisation."""
    cards = keras.Input((encoding.card_width,), name="card_features")
    z = layers.Dense(512, name="cards_1")(cards)
    card_branch = keras.Model(cards, z, name="card_branch")
    bets = keras.Input((encoding.bet_width,), name="bet_features")
    z = layers.Dense(512, use_bias=False, name="bets_1")(bets)
    bet_branch = keras.Model(bets, z, name="bet_branch")
    summed = keras.Input((512,), name="summed")
    z = layers.ReLU(name="summed_relu")(summed)
    z = layers.Dense(512, activation="relu", name="head_1")(z)
    z = layers.Dense(256, activation="relu", name="head_2")(z)
    z = layers.BatchNormalization(name="normalised")(z)
    head = keras.Model(summed, layers.Dense(NUM_ACTIONS, name="outputs")(z), name="head")
    return card_branch, bet_branch, head
