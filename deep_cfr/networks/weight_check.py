"""Weights that somebody saved: do they fit a network, and can its outputs be computed with them?

Finite weights alone are not enough: products of huge ones overflow, and the network would answer
"not a number" for some infosets. The norm of what a dense layer returns is at most the norm of
what it receives times that of its matrix (Frobenius), plus that of its bias, so going through the
layers gives a bound for all infosets at once.
"""

from __future__ import annotations

from typing import Any

import keras
import numpy as np

from deep_cfr.networks.network import Network
from policies.policy import Floats

LARGEST_NORM = 1e18  # its square, which normalising takes, is still far from float32's 3e38
CARD_NORM = 16.0  # seven cards with three features each, and the strength's, have a smaller norm


def weights_problem(network: Network, values: list[Floats]) -> str | None:
    """Why values cannot be the weights of a network, in its order; None if they can."""
    variables = network.variables
    if len(values) != len(variables):
        return f"{len(values)} arrays of weights, but the network has {len(variables)}"
    for variable, value in zip(variables, values, strict=True):
        found, wanted = getattr(value, "shape", None), tuple(variable.shape)
        if found != wanted or value.dtype != np.float32:
            return f"an array of weights {found} where the network has one {wanted} of float32"
        if not np.isfinite(value).all():
            return "weights that are not finite numbers"
        if variable.path.endswith("moving_variance") and (value < 0).any():
            return "a negative variance among the weights"
    if _largest_norm(network, values) > LARGEST_NORM:
        return "weights so large that answers would overflow"
    return None


def _largest_norm(network: Network, values: list[Floats]) -> float:
    """A bound on everything that the network computes on the way to its outputs."""
    given = iter(values)
    bet_norm = float(np.linalg.norm(network.encoding.bet_table, axis=1).max())
    with np.errstate(over="ignore"):  # an infinite bound is too large as well
        card_peak, cards = _through(network.cards, given, CARD_NORM)
        bet_peak, bets = _through(network.bets, given, bet_norm)
        head_peak, _ = _through(network.head, given, cards + bets)
        table = max((float(np.abs(value).max(initial=0)) for value in given), default=0.0)
    return max(card_peak, bet_peak, head_peak, table)


def _through(part: keras.Model, given: Any, norm: float) -> tuple[float, float]:
    """Bounds on the largest norm inside a part, and on that of its output."""
    peak = norm
    for layer in part.layers:
        own = [next(given).astype(np.float64) for _ in layer.weights]
        if isinstance(layer, keras.layers.LayerNormalization):
            norm = float(np.sqrt(layer.input.shape[-1]))
        elif isinstance(layer, keras.layers.BatchNormalization):
            gamma, beta, mean, variance = own
            scale = float(np.max(np.abs(gamma) / np.sqrt(variance + layer.epsilon)))
            norm = scale * (norm + float(np.linalg.norm(mean))) + float(np.linalg.norm(beta))
        elif own:
            kernel, *bias = own
            grown = norm * (float(np.linalg.norm(kernel)) + 1)  # 1 for a connection that skips it
            norm = grown + sum(float(np.linalg.norm(value)) for value in bias)
        peak = max(peak, norm)
    return peak, norm
