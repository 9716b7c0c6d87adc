"""Variants of CFR: how cumulative regrets are kept and iterations averaged.

    CFR+    negative regrets are cut to 0; weight t                      Tammelin 2014
    DCFR    after iteration t positive regrets are multiplied by t^1.5 / (t^1.5 + 1) and negative
            ones by ½; weight t²                                  Brown and Sandholm 2019
    PCFR+   as CFR+, but the newest regrets are expected to come again; weight t²
                                                    Farina, Kroer and Sandholm 2021
    DCFR+   negative regrets are cut to 0, positive ones multiplied by t² / (t² + 1); weight t⁴
                                  Xu et al. 2024, who take t^1.5 where t² does better here

`benchmarks/search_variants.py` compares them, and `search.settings` has the default.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from env.arrays import Doubles
from search.kernels import Step


class Variant(NamedTuple):
    """Exponents of t; a discount is t^x / (t^x + 1), and 1 for an x of infinity."""

    positive: float  # discount of positive regrets
    negative: float  # of negative ones; −infinity cuts them to 0
    prediction: float  # share of the newest regrets that is expected to come again
    weight: float  # iteration t counts t to this power in the average


VARIANTS = {
    "cfr+": Variant(np.inf, -np.inf, 0, 1),
    "dcfr": Variant(1.5, 0, 0, 2),
    "pcfr+": Variant(np.inf, -np.inf, 1, 2),
    "dcfr+": Variant(2, -np.inf, 0, 4),
}


def schedule(variant: Variant, first: int, iterations: int) -> Doubles:
    """The `Step` of each of some iterations, the first of all being iteration 1. [iterations, 4]"""
    t = np.arange(first, first + iterations, dtype=np.float64)
    steps = np.empty((iterations, len(Step._fields)))
    steps[:, 0] = _discount(t, variant.positive)
    steps[:, 1] = _discount(t, variant.negative)
    steps[:, 2] = variant.prediction
    steps[:, 3] = t**variant.weight
    return steps


def _discount(t: Doubles, exponent: float) -> Doubles:
    if np.isinf(exponent):
        return np.full(len(t), float(exponent > 0))
    return t**exponent / (t**exponent + 1)
