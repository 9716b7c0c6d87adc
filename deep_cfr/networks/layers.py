"""Layers and parts of networks as plain arrays, computed with NumPy.

They come from a saved model (`deep_cfr.networks.keras_file`) or from a network of Keras
(`deep_cfr.networks.network`), need no TensorFlow and can be sent to other processes. Every row of a
result depends on its own row alone (`deep_cfr.networks.row_products`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from deep_cfr.networks.activations import ACTIVATIONS
from deep_cfr.networks.row_products import row_products
from env.arrays import Floats


@dataclass(frozen=True)
class Layer:
    """One layer of a part: what it is called, what it reads, and its weights."""

    name: str
    layer_class: str  # in Keras
    inputs: tuple[str, ...]  # names of the layers that it reads
    config: dict[str, Any]
    weights: tuple[Floats, ...]

    def __call__(self, x: Floats, *more: Floats) -> Floats:
        """The layer's values from those that it reads. [n, …] → [n, …]"""
        if self.layer_class == "InputLayer":
            return x
        if self.layer_class == "Dense":
            bias = self.weights[1] if self.config["use_bias"] else None
            activation = self.config["activation"]
            products = row_products(x, self.weights[0], bias, activation == "relu")
            return products if activation == "relu" else ACTIVATIONS[activation](products)
        if self.layer_class == "Activation":
            return ACTIVATIONS[self.config["activation"]](x)
        if self.layer_class == "ReLU":
            return np.maximum(x, 0)
        if self.layer_class == "Add":
            return sum(more, x)
        epsilon = np.float32(self.config["epsilon"])
        if self.layer_class == "LayerNormalization":
            centred = x - x.mean(axis=1, keepdims=True)
            return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + epsilon)
        gamma, beta, mean, variance = self.weights  # BatchNormalization
        return (x - mean) * (gamma / np.sqrt(variance + epsilon)) + beta


@dataclass(frozen=True)
class Part:
    """A branch or the head: layers in the order in which they are computed."""

    layers: tuple[Layer, ...]
    input_shape: tuple[None, int]  # as Keras writes it

    def __call__(self, x: Floats) -> Floats:
        """[n, inputs] → [n, outputs]"""
        values: dict[str, Floats] = {}
        for layer in self.layers:
            values[layer.name] = layer(*([values[name] for name in layer.inputs] or [x]))
        return values[self.layers[-1].name]


def inputs_of(described: dict[str, Any]) -> tuple[str, ...]:
    """The names of the layers that a layer reads, from its description in Keras."""
    return tuple(_names(described["inbound_nodes"]))


def _names(described: Any) -> Iterator[str]:
    """The names of the layers whose outputs appear in a description, in their order."""
    if isinstance(described, (list, tuple)):
        for entry in described:
            yield from _names(entry)
    elif isinstance(described, dict) and "keras_history" in described:
        yield described["keras_history"][0]
    elif isinstance(described, dict):
        yield from _names(list(described.values()))
