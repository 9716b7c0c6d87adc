"""A strategy network and its endgame networks as one Keras model, and back.

The model takes an infoset as arrays, which `deep_cfr.networks.infoset_inputs` makes, and answers
with probabilities. Only stock layers are used: it opens with plain `keras.models.load_model`.
"""

from __future__ import annotations

from collections.abc import Mapping

import keras
from keras import layers

from deep_cfr.endgame.network import EndgameNetwork
from deep_cfr.networks.architectures import PARTS, knot_input
from deep_cfr.networks.encoding import Encoding
from deep_cfr.networks.keras_file import TABLE_LAYER
from deep_cfr.networks.network import Network, with_strength_table
from deep_cfr.networks.softmax import ILLEGAL_LOGIT
from deep_cfr.networks.strength_table import MIN_PROBABILITY
from env.actions import NUM_ACTIONS


def strategy_model(network: Network, endgames: Mapping[int, EndgameNetwork]) -> keras.Model:
    """One model that people can load: encoded cards, encoded bets, legal mask → probabilities.

    Where there is a strength table it also takes the infoset's bucket row, under the name `cell`;
    the last K card features are the weights of the knots. Where streets were taught it takes the
    features of the board and, for each such street, the weights of its knots, which are all 0 in
    infosets of other streets.
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
    name = "base_strategy" if endgames else "strategy"
    strategy = layers.Softmax(name=name)(_below_zero(logits, legal), mask=legal)
    if endgames:
        strategy = _with_endgames(strategy, inputs, endgames)
    return keras.Model(inputs, strategy, name="strategy_model")


def _with_endgames(
    base: keras.KerasTensor,
    inputs: list[keras.KerasTensor],
    endgames: Mapping[int, EndgameNetwork],
) -> keras.KerasTensor:
    """The base strategy where no street's knots have weight, else that of the endgame network.

    Adds the inputs that it takes to `inputs`.
    """
    _, bets, legal = inputs[:3]
    first = next(iter(endgames.values()))
    board = keras.Input((first.cards.input_shape[1],), name="board")
    inputs.append(board)
    share, parts = None, []  # of the base strategy: 1, less the weights of all knots
    for street, network in endgames.items():
        name = knot_input(street)
        size = network.grid.num_outputs // NUM_ACTIONS
        weights = keras.Input((size,), name=name)
        inputs.append(weights)
        summed = layers.Add(name=f"{name}_summed")([network.cards(board), network.bets(bets)])
        logits = layers.Reshape((size, NUM_ACTIONS), name=f"{name}_at_knots")(network.head(summed))
        masks = layers.RepeatVector(size, name=f"{name}_legal")(legal)
        below = _below_zero(logits, masks)
        strategies = layers.Softmax(name=f"{name}_strategies")(below, mask=masks)
        parts.append(layers.Dot(axes=1, name=f"{name}_strategy")([weights, strategies]))
        total = keras.ops.sum(weights, axis=1, keepdims=True)
        share = 1 - total if share is None else share - total
    parts.append(keras.ops.multiply(base, share))
    return layers.Add(name="strategy")(parts)


def _below_zero(logits: keras.KerasTensor, legal: keras.KerasTensor) -> keras.KerasTensor:
    """Logits minus the largest legal one of their row; illegal ones far below. [..., 3], [..., 3]

    The mask of Keras' softmax stands for a logit of −1e9, which legal logits could lie below. It
    subtracts the largest logit itself, so having done so before changes no answer.
    """
    is_legal = keras.ops.greater(legal, 0.5)
    masked = keras.ops.where(is_legal, logits, ILLEGAL_LOGIT)
    largest = keras.ops.max(masked, axis=-1, keepdims=True)
    return keras.ops.where(is_legal, keras.ops.subtract(logits, largest), ILLEGAL_LOGIT)


def network_of(model: keras.Model, encoding: Encoding) -> Network:
    """The network that a strategy model was made of."""
    cards, bets, head = (model.get_layer(name) for name in PARTS)
    network = Network(encoding.name, encoding, cards, bets, head, is_strategy=True)
    if TABLE_LAYER not in [layer.name for layer in model.layers]:
        return network
    network = with_strength_table(network)
    network.set_strength_table(model.get_layer(TABLE_LAYER).get_weights()[0])
    return network
