"""From logits to strategies, without TensorFlow."""

from __future__ import annotations

import numpy as np

from policies.policy import Floats

ILLEGAL_LOGIT = -1e9  # added to the logit of an action that does not exist


def masked_softmax(logits: Floats, legal: Floats) -> Floats:
    """Softmax over the legal actions of each row. [n, 3]"""
    masked = logits + (1.0 - legal) * np.float32(ILLEGAL_LOGIT)
    exponentials = np.exp(masked - masked.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)
