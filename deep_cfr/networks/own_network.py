"""A network of a user's own: `train.py --network mynets:Wide` calls Wide(C, F, width).

C and F are the numbers of card features and of betting features (`deep_cfr.networks.encoding`, as
the paper's network has them) and `width` is the run's setting. The factory returns three functional
Keras models: cards [B, C] → [B, d], bets [B, F] → [B, d], and head [B, d] → [B, 3], which receives
the sum of the other two and ends in a Dense layer of three units without an activation.

A saved model must open without the user's file: with plain Keras, and with the NumPy reader, which
computes a few kinds of layers. So only those are taken, each rebuilt here from what the reader
knows of it. Rebuilding also gives both players' networks weights of their own, and layers names
that do not depend on what else the process has made.
"""

from __future__ import annotations

import keras
from keras import layers

from deep_cfr.config_checks import LARGEST
from deep_cfr.networks.activations import ACTIVATIONS
from deep_cfr.networks.architectures import MOST_DENSE, PARTS
from env.actions import NUM_ACTIONS
from env.extensions import ExtensionError, described, guarded, made

_KINDS = "Dense, Activation, ReLU, Add, LayerNormalization and BatchNormalization"
_UNREAD = ("kernel_regularizer", "bias_regularizer", "activity_regularizer", "kernel_constraint")

Parts = tuple[keras.Model, keras.Model, keras.Model]


def own_parts(spec: str, card_width: int, bet_width: int, width: int) -> Parts:
    """Card branch, bet branch and head that a user's factory makes, checked and rebuilt."""
    found = made(spec, card_width, bet_width, width)
    if not isinstance(found, (tuple, list)) or len(found) != len(PARTS):
        raise ExtensionError(
            f"{spec} returns {described(found)}, not three Keras models: cards, bets, head"
        )
    inputs = {"card_branch": card_width, "bet_branch": bet_width}
    cards, bets = (
        _rebuilt(spec, part, model, inputs[part])
        for part, model in zip(PARTS[:2], found[:2], strict=True)
    )
    hidden = int(cards.output_shape[-1])
    if bets.output_shape[-1] != hidden:
        raise ExtensionError(
            f"{spec}: cards end in {hidden} units and bets in {bets.output_shape[-1]}, but the "
            "two are added up, so they must be as wide as each other"
        )
    head = _rebuilt(spec, PARTS[2], found[2], hidden)
    last = head.layers[-1]
    is_linear = isinstance(last, layers.Dense) and last.activation is keras.activations.linear
    if not is_linear or last.units != NUM_ACTIONS:
        raise ExtensionError(
            f"{spec}: the head must end in Dense({NUM_ACTIONS}) without an activation"
        )
    return cards, bets, head


def _rebuilt(spec: str, part: str, model: object, num_inputs: int) -> keras.Model:
    """The same functional model of layers that saved models may have."""
    if not isinstance(model, keras.Model) or not getattr(model, "outputs", None):
        raise ExtensionError(
            f"{spec}: its {part} is {described(model)}, not a functional Keras model "
            "(keras.Model(inputs, outputs) or a keras.Sequential with an Input)"
        )
    shapes = [tuple(tensor.shape) for tensor in (*model.inputs, *model.outputs)]
    if len(shapes) != 2 or shapes[0] != (None, num_inputs) or len(shapes[1]) != 2:
        raise ExtensionError(
            f"{spec}: its {part} maps {shapes[0]} to {shapes[-1]}, but must take rows of "
            f"{num_inputs} numbers and return rows"
        )
    plain = guarded(spec, lambda: keras.Model(model.inputs[0], model.outputs[0]))
    steps = [one for one in plain.operations if not isinstance(one, layers.InputLayer)]
    names = {id(one): f"{part}_{number}" for number, one in enumerate(steps, start=1)}
    for one in steps:
        _refuse_unreadable(spec, part, one)
    taken = keras.Input((num_inputs,), name=f"{part}_features")
    clone = keras.models.clone_model(
        plain, input_tensors=taken, clone_function=lambda one: _plain(one, names[id(one)])
    )
    _refuse_misshapen(spec, part, clone)
    return keras.Model(clone.input, clone.output, name=part)


def _plain(layer: keras.Layer, name: str) -> keras.Layer:
    """A new layer of the same kind with nothing but what the reader of saved models knows."""
    if isinstance(layer, layers.Dense):
        activation = keras.activations.serialize(layer.activation)
        return layers.Dense(layer.units, activation, use_bias=layer.use_bias, name=name)
    if isinstance(layer, layers.Activation):
        return layers.Activation(keras.activations.serialize(layer.activation), name=name)
    if isinstance(layer, layers.LayerNormalization):
        return layers.LayerNormalization(
            epsilon=layer.epsilon, center=False, scale=False, name=name
        )
    if isinstance(layer, layers.BatchNormalization):
        return layers.BatchNormalization(momentum=layer.momentum, epsilon=layer.epsilon, name=name)
    return layers.ReLU(name=name) if isinstance(layer, layers.ReLU) else layers.Add(name=name)


def _refuse_unreadable(spec: str, part: str, layer: object) -> None:
    kind, reason = type(layer), None
    is_stock = kind.__module__.split(".")[0] == "keras"
    if not isinstance(layer, keras.Layer):
        reason = "write operations such as x + y as layers: keras.layers.Add()([x, y])"
    elif not is_stock or kind.__name__ not in _KINDS.replace(",", " ").split():
        reason = f"only {_KINDS} of keras.layers are taken"
    elif any(getattr(layer, name, None) is not None for name in _UNREAD):
        reason = "regularizers and constraints are not taken"
    elif getattr(layer, "trainable", True) is not True:
        reason = "layers that are not trained are not taken"
    elif isinstance(layer, (layers.Dense, layers.Activation)):
        name = keras.activations.serialize(layer.activation)
        if name not in ACTIVATIONS:
            reason = f"its activation must be one of {', '.join(ACTIVATIONS)}"
    elif isinstance(layer, layers.LayerNormalization):
        if layer.center or layer.scale or layer.axis not in (-1, [-1], [1], 1):
            reason = "write LayerNormalization(center=False, scale=False)"
    elif isinstance(layer, layers.BatchNormalization):
        if not (layer.center and layer.scale):
            reason = "BatchNormalization is taken with its center and scale"
    elif isinstance(layer, layers.ReLU) and (
        layer.max_value is not None or layer.negative_slope or layer.threshold
    ):
        reason = "ReLU is taken without options"
    if reason:
        name = getattr(layer, "name", kind.__name__)
        raise ExtensionError(
            f"{spec}: a saved model with {kind.__name__} {name!r} in its {part} could not be "
            f"opened without your file: {reason}"
        )


def _refuse_misshapen(spec: str, part: str, model: keras.Model) -> None:
    """Sizes that the description of a saved model cannot say."""
    units = [layer.units for layer in model.layers if isinstance(layer, layers.Dense)]
    largest = LARGEST["width"]
    if not 1 <= len(units) <= MOST_DENSE or max(units) > largest:
        raise ExtensionError(
            f"{spec}: its {part} has {len(units)} dense layers of up to {max(units, default=0)} "
            f"units; between 1 and {MOST_DENSE} of at most {largest} are taken"
        )
    if model.output_shape[-1] != units[-1] or len(model.layers) > 4 * len(units) + 4:
        raise ExtensionError(
            f"{spec}: its {part} must end as wide as its last dense layer and have at most four "
            "layers for each dense one"
        )
