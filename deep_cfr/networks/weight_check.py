"""Weights that somebody saved: do they fit a network, and can its outputs be computed with them?

Finite weights alone are not enough: products of huge ones overflow, and the network would answer
"not a number" for some infosets. The norm of what a dense layer returns is at most the norm of
what it receives times that of its matrix (Frobenius), plus that of its bias, so going through the
layers gives a bound for all infosets at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deep_cfr.networks.encoding import Encoding
from env.arrays import Floats

if TYPE_CHECKING:
    from deep_cfr.networks.keras_file import SavedNetwork
    from deep_cfr.networks.layers import Part
    from deep_cfr.networks.network import Network

LARGEST_NORM = 1e18  # its square, which normalising takes, is still far from float32's 3e38
CARD_NORM = 16.0  # seven cards with three features each, and the strength's, have a smaller norm


class LayerWeights(NamedTuple):
    """The class of a layer in Keras and its weights in Keras' order."""

    layer_class: str
    weights: Sequence[Floats]
    epsilon: float = 0.0  # of a normalisation
    added: int = 1  # how many values an Add adds up


Parts = Sequence[Sequence[LayerWeights]]  # card branch, bet branch, head
BOARD_NORM = 16.0  # the features of a board (`deep_cfr.endgame.board_features`) have a smaller one


def weights_problem(network: Network, values: list[Floats]) -> str | None:
    """Why values cannot be the weights of a network, in its order; None if they can."""
    variables = network.variables
    if len(values) != len(variables):
        return f"{len(values)} arrays of weights, but the network has {len(variables)}"
    for variable, value in zip(variables, values, strict=True):
        found, wanted = getattr(value, "shape", None), tuple(variable.shape)
        if found != wanted or value.dtype != np.float32:
            return f"an array of weights {found} where the network has one {wanted} of float32"
    given = iter(values)
    parts = [
        [
            LayerWeights(
                type(layer).__name__,
                [next(given) for _ in layer.weights],
                float(getattr(layer, "epsilon", 0.0)),
                len(layer.input) if isinstance(layer.input, list) else 1,
            )
            for layer in part.layers
        ]
        for part in (network.cards, network.bets, network.head)
    ]
    return _magnitude_problem(network.encoding, parts, next(given, None))


def saved_weights_problem(network: SavedNetwork) -> str | None:
    """The same for a network that was read without Keras, whose shapes are checked already."""
    endgames = network.endgames.values()
    problems = [
        _magnitude_problem(network.encoding, _layers(parts), table, norm)
        for parts, table, norm in (
            ((network.cards, network.bets, network.head), network.strength_table, CARD_NORM),
            *((parts, None, BOARD_NORM) for parts in endgames),
        )
    ]
    return next((problem for problem in problems if problem), None)


def _layers(parts: Sequence[Part]) -> Parts:
    return [
        [
            LayerWeights(
                layer.layer_class,
                layer.weights,
                float(layer.config.get("epsilon", 0.0)),
                len(layer.inputs),
            )
            for layer in part.layers
        ]
        for part in parts
    ]


def _magnitude_problem(
    encoding: Encoding, parts: Parts, table: Floats | None, card_norm: float = CARD_NORM
) -> str | None:
    """Weights that are no numbers, no variances or too large; None if all is well."""
    for layer in (layer for part in parts for layer in part):
        if not all(np.isfinite(value).all() for value in layer.weights):
            return "weights that are not finite numbers"
        if layer.layer_class == "BatchNormalization" and (layer.weights[3] < 0).any():
            return "a negative variance among the weights"
    if table is not None and not np.isfinite(table).all():
        return "weights that are not finite numbers"
    largest_entry = 0.0 if table is None else float(np.abs(table).max(initial=0))
    largest = max(largest_entry, *_peaks(encoding, parts, card_norm))
    return "weights so large that answers would overflow" if largest > LARGEST_NORM else None


def _peaks(encoding: Encoding, parts: Parts, card_norm: float) -> Iterator[float]:
    """Bounds on everything that each part computes on the way to its outputs."""
    cards, bets, head = parts
    bet_norm = float(np.linalg.norm(encoding.bet_table, axis=1).max())
    with np.errstate(over="ignore"):  # an infinite bound is too large as well
        card_peak, card_norm = _through(cards, card_norm)
        bet_peak, bet_norm = _through(bets, bet_norm)
        yield from (card_peak, bet_peak, _through(head, card_norm + bet_norm)[0])


def _through(part: Sequence[LayerWeights], norm: float) -> tuple[float, float]:
    """Bounds on the largest norm inside a part, and on that of its output."""
    peak, width = norm, 1
    for layer in part:
        own = [np.asarray(value, np.float64) for value in layer.weights]
        if layer.layer_class == "LayerNormalization":
            norm = float(np.sqrt(width))
        elif layer.layer_class == "BatchNormalization":
            gamma, beta, mean, variance = own
            scale = float(np.max(np.abs(gamma) / np.sqrt(variance + layer.epsilon)))
            norm = scale * (norm + float(np.linalg.norm(mean))) + float(np.linalg.norm(beta))
        elif layer.layer_class == "Add":
            norm = layer.added * peak  # whatever it adds up was computed before
        elif own:
            kernel, *bias = own
            width = kernel.shape[1]
            norm = norm * float(np.linalg.norm(kernel))
            norm += sum(float(np.linalg.norm(value)) for value in bias)
        # What an activation returns is no larger than what it takes, or than 1.
        norm += float(np.sqrt(width)) if layer.layer_class in ("Dense", "Activation") else 0.0
        peak = max(peak, norm)
    return peak, norm
