"""From logits to strategies, without TensorFlow."""

from __future__ import annotations

import numpy as np

from policies.policy import Floats

ILLEGAL_LOGIT = float(np.finfo(np.float32).min)  # takes the place of an illegal action's logit


def masked_softmax(logits: Floats, legal: Floats) -> Floats:
    """Softmax over the legal actions of each row. [n, 3]"""
    masked = np.where(legal > 0, logits, np.float32(ILLEGAL_LOGIT))
    with np.errstate(over="ignore"):  # far below the largest is −∞, which has probability 0
        below_zero = masked - masked.max(axis=1, keepdims=True)
    exponentials = np.exp(below_zero)
    return exponentials / exponentials.sum(axis=1, keepdims=True)
