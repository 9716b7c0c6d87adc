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
from deep_cfr.networks.layers import Layer, Part, inputs_of
from deep_cfr.networks.numpy_policy import NumpyPolicy
from deep_cfr.networks.own_network import own_parts
from deep_cfr.networks.plain_network import PlainNetwork
from env.actions import NUM_ACTIONS
from env.arrays import Floats
from env.extensions import ExtensionError, is_extension

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
    def dense_units(self) -> dict[str, list[int]]:
        """The units of the dense layers of each part."""
        return {
            part.name: [int(one.units) for one in part.layers if isinstance(one, layers.Dense)]
            for part in self.parts
        }

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

    def plain(self) -> PlainNetwork:
        """A copy of what was learned, as arrays."""
        cards, bets, head = (plain_part(part) for part in self.parts)
        return PlainNetwork(self.encoding, cards, bets, head, self.is_strategy)

    def policy(self) -> NumpyPolicy:
        """What the network plays now: a copy of it, as arrays, with the strength table."""
        table = None if self.strength_table is None else self.strength_table.numpy()
        return NumpyPolicy(self.plain(), table)

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Take back whatever weights are set inside, if that ends in an exception."""
        before = self.get_weights()
        try:
            yield
        except BaseException:
            self.set_weights(before)
            raise


def plain_part(model: keras.Model) -> Part:
    """A copy of a part of a network, as arrays."""
    described = {layer["name"]: layer for layer in model.get_config()["layers"]}
    layers_of = [
        Layer(
            layer.name,
            type(layer).__name__,
            inputs_of(described[layer.name]),
            described[layer.name]["config"],
            tuple(weight.numpy() for weight in layer.weights),
        )
        for layer in model.layers
    ]
    return Part(tuple(layers_of), (None, int(model.input_shape[1])))


def make_network(
    encoding: Encoding,
    width: int,
    is_strategy: bool = False,
    has_strength_table: bool = False,
    runs_own_code: bool = False,
) -> Network:
    """A network of the encoding's architecture; `width` is d of the paper's layout.

    `runs_own_code`: the user has typed the name of a network of the user's own, whose code may
    therefore run. A name that was read from a file is not enough.
    """
    if encoding.name == "thesis":
        branches = _thesis(encoding)
    elif is_extension(encoding.name):
        if not runs_own_code:
            raise ExtensionError(
                f"its networks are of {encoding.name}, somebody's own file, which is imported only "
                "to train them"
            )
        branches = own_parts(encoding.name, encoding.card_width, encoding.bet_width, width)
    else:
        branches = paper_parts(encoding.card_width, encoding.bet_width, width, NUM_ACTIONS)
    network = Network(encoding.name, encoding, *branches, is_strategy)
    return with_strength_table(network) if has_strength_table else network


def initial_weights(network: Network, rng: np.random.Generator, zero: bool = False) -> list[Floats]:
    """Fresh weights to learn from; with `zero` the outputs are 0 everywhere.

    Paper: uniform in ±√(3 / inputs), biases 0 and the output layer 0. Thesis: uniform in ±0.005.
    """
    is_thesis = network.architecture == "thesis"
    zeroed = network.head.layers[-1].weights if zero or not is_thesis else []
    return fresh_weights(network.learned, zeroed, rng, THESIS_INIT if is_thesis else None)


def fresh_weights(
    weights: list[keras.Variable],
    zeroed: list[keras.Variable],
    rng: np.random.Generator,
    limit: float | None = None,
) -> list[Floats]:
    """Uniform within ±`limit`, or within ±√(3 / inputs) with biases of 0; the `zeroed` are 0."""
    values = []
    for weight in weights:
        shape, name = tuple(weight.shape), weight.path.rsplit("/", 1)[-1]
        is_zeroed = any(weight is other for other in zeroed)
        if name in ("gamma", "moving_variance"):
            value = np.ones(shape)
        elif is_zeroed or name in ("beta", "moving_mean"):
            value = np.zeros(shape)
        elif limit is not None:
            value = rng.uniform(-limit, limit, shape)
        elif name == "bias":
            value = np.zeros(shape)
        else:
            own = np.sqrt(3 / shape[-2])
            value = rng.uniform(-own, own, shape)
        values.append(value.astype(np.float32))
    return values


def with_strength_table(network: Network) -> Network:
    """The same network with a strength table, all zeros."""
    encoding = network.encoding
    shape = (encoding.num_bucket_rows, encoding.strength_features.shape[1], NUM_ACTIONS)
    variable = keras.Variable(np.zeros(shape, np.float32), trainable=False, name="table")
    return dataclasses.replace(network, strength_table=variable)


def paper_parts(
    card_width: int, bet_width: int, width: int, num_outputs: int, prefix: str = ""
) -> tuple[keras.Model, keras.Model, keras.Model]:
    """Card branch, bet branch and head of Brown et al.

    Layers have names of their own, because Keras would number them through the whole process and
    the same training would not give the same file.
    """

    def dense(
        x: keras.KerasTensor, name: str, activation: str | None = "relu"
    ) -> keras.KerasTensor:
        return layers.Dense(width, activation=activation, name=prefix + name)(x)

    def skip(x: keras.KerasTensor, name: str) -> keras.KerasTensor:
        summed = layers.Add(name=f"{prefix}{name}_sum")([dense(x, name, None), x])
        return layers.ReLU(name=f"{prefix}{name}_relu")(summed)

    cards = keras.Input((card_width,), name=f"{prefix}card_features")
    z = dense(dense(dense(cards, "cards_1"), "cards_2"), "cards_3")
    card_branch = keras.Model(cards, dense(z, "cards_4", None), name=f"{prefix}card_branch")

    bets = keras.Input((bet_width,), name=f"{prefix}bet_features")
    z = skip(dense(bets, "bets_1"), "bets_2")
    bet_branch = keras.Model(bets, dense(z, "bets_3", None), name=f"{prefix}bet_branch")

    summed = keras.Input((width,), name=f"{prefix}summed")
    z = layers.ReLU(name=f"{prefix}summed_relu")(summed)
    z = skip(skip(z, "head_1"), "head_2")
    z = layers.LayerNormalization(center=False, scale=False, name=f"{prefix}normalised")(z)
    outputs = layers.Dense(num_outputs, name=f"{prefix}outputs")(z)
    return card_branch, bet_branch, keras.Model(summed, outputs, name=f"{prefix}head")


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
