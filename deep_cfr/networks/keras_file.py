"""A saved strategy network read from its strategy.keras and computed with NumPy.

Loading TensorFlow takes seconds, one answer of a network microseconds. Whoever asks about a hand
therefore gets the answer from here. A strategy.keras is a ZIP archive: config.json lists the layers
of each part in the order in which they are computed, model.weights.h5 holds their weights. Both are
read as they are, so that what is computed is what was saved. Results are those of TensorFlow up to
rounding.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from deep_cfr.networks.activations import ACTIVATIONS
from deep_cfr.networks.architectures import PARTS, endgame_part
from deep_cfr.networks.encoding import KNOTS, Encoding
from deep_cfr.networks.layers import Layer, Part, inputs_of
from deep_cfr.networks.plain_network import PlainNetwork
from env.arrays import Floats

CONFIG, WEIGHTS = "config.json", "model.weights.h5"
TABLE_LAYER = "table"  # as saved models call the strength table
GROUPS = {  # what the file of weights calls the layers of a class
    "Functional": "functional",
    "Dense": "dense",
    "BatchNormalization": "batch_normalization",
    "Embedding": "embedding",
}


@dataclass(frozen=True)
class SavedNetwork:
    """The parts of a strategy network, as `deep_cfr.networks.network.Network` has them."""

    encoding: Encoding
    cards: Part  # [n, C] → [n, d]
    bets: Part  # [n, F] → [n, d]
    head: Part  # [n, d] → [n, 3]
    strength_table: Floats | None  # [R, K, 3]
    endgames: dict[int, tuple[Part, Part, Part]]  # by street, of boards, bets and their head

    @property
    def plain(self) -> PlainNetwork:
        """The network that answers on all streets that were not taught."""
        return PlainNetwork(self.encoding, self.cards, self.bets, self.head, is_strategy=True)


def read_network(file: Path, encoding: Encoding, taught: tuple[int, ...] = ()) -> SavedNetwork:
    """The network of a strategy.keras with the endgame networks of the streets that were taught.

    A ValueError, KeyError or OSError if it is not readable.
    """
    named = {*PARTS, *(endgame_part(street, part) for street in taught for part in PARTS)}
    with zipfile.ZipFile(file) as archive:
        layers = json.loads(archive.read(CONFIG))["config"]["layers"]
        content = io.BytesIO(archive.read(WEIGHTS))
    parts, table = {}, None
    with h5py.File(content, "r") as stored:
        for group, layer in _with_groups(layers):
            if layer["name"] in named:
                parts[layer["name"]] = _part(layer["config"]["layers"], stored["layers"][group])
            elif layer["name"] == TABLE_LAYER:
                flat = stored["layers"][group]["vars"]["0"][()]
                table = flat.reshape(len(flat), KNOTS, -1)
    endgames = {}
    for street in taught:
        cards, bets, head = (parts[endgame_part(street, part)] for part in PARTS)
        endgames[street] = cards, bets, head
    cards, bets, head = (parts[name] for name in PARTS)
    return SavedNetwork(encoding, cards, bets, head, table, endgames)


def _part(described: list[dict[str, Any]], stored: h5py.Group) -> Part:
    layers = []
    for group, layer in _with_groups(described):
        known = (*GROUPS, "InputLayer", "Activation", "ReLU", "Add", "LayerNormalization")
        if layer["class_name"] not in known or not _is_plain(layer):
            raise ValueError(f"{layer['name']} is no layer of a strategy network")
        weights = stored["layers"][group]["vars"] if layer["class_name"] in GROUPS else {}
        values = tuple(weights[str(number)][()] for number in range(len(weights)))
        if not _fits(layer, values):
            raise ValueError(f"{layer['name']} has weights of other shapes than described")
        inputs = inputs_of(layer)
        layers.append(Layer(layer["name"], layer["class_name"], inputs, layer["config"], values))
    part = Part(tuple(layers), (None, int(described[0]["config"]["batch_shape"][-1])))
    part(np.zeros((0, part.input_shape[-1]), np.float32))  # weights that do not fit are found here
    return part


def _fits(layer: dict[str, Any], weights: tuple[Floats, ...]) -> bool:
    """Whether a layer has all its weights, each as float32 and as long as the layer is wide."""
    config = layer["config"]
    if any(value.dtype != np.float32 for value in weights):
        return False
    if layer["class_name"] == "Dense":
        units = config["units"]
        biases = [(units,)] if config["use_bias"] else []
        shapes = [value.shape for value in weights[1:]]
        return weights[0].ndim == 2 and weights[0].shape[1] == units and shapes == biases
    if layer["class_name"] == "BatchNormalization":
        return len(weights) == 4 and {value.shape for value in weights} == {weights[0].shape}
    return not weights


def _is_plain(layer: dict[str, Any]) -> bool:
    """Whether a layer has none of the options that Keras knows and these networks do not use."""
    config = layer["config"]
    return (
        config.get("activation", "linear") in ACTIVATIONS
        and config.get("max_value") is None
        and not config.get("negative_slope")
        and not config.get("threshold")
        and not (
            layer["class_name"] == "LayerNormalization" and (config["center"] or config["scale"])
        )
    )


def _with_groups(layers: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Layers, each with its group in the file of weights: `dense`, `dense_1`, … in their order."""
    seen: Counter[str] = Counter()
    for layer in layers:
        name = GROUPS.get(layer["class_name"], "")
        yield (f"{name}_{seen[name]}" if seen[name] else name), layer
        seen[name] += 1
