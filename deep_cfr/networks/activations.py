"""The activations that networks may have, by Keras' names, computed with NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from env.arrays import Floats


def _sigmoid(x: Floats) -> Floats:
    # tanh does not overflow, whatever x is.
    return 0.5 * np.tanh(0.5 * x) + 0.5


ACTIVATIONS: dict[str, Callable[[Floats], Floats]] = {
    "linear": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "tanh": np.tanh,
    "sigmoid": _sigmoid,
    "softplus": lambda x: np.logaddexp(x, 0, dtype=np.float32),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "silu": lambda x: x * _sigmoid(x),
}
