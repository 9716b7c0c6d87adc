"""Regret matching: positive parts, and the highest legal prediction when none is positive."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deep_cfr.regret_matching import regret_matching


@pytest.mark.parametrize(
    ("advantages", "legal", "strategy"),
    [
        ([1, 3, 0], [1, 1, 1], [0.25, 0.75, 0]),
        ([1, 3, -5], [1, 1, 1], [0.25, 0.75, 0]),
        ([9, 3, 1], [0, 1, 1], [0, 0.75, 0.25]),  # what is illegal does not count
        ([-3, -1, -2], [1, 1, 1], [0, 1, 0]),  # none positive: the highest
        ([-1, -3, -2], [0, 1, 1], [0, 0, 1]),  # the highest legal one
        ([0, 0, 0], [1, 1, 1], [1 / 3, 1 / 3, 1 / 3]),  # equal maxima share
        ([0, 0, 0], [0, 1, 1], [0, 0.5, 0.5]),
        ([-2, -2, -7], [1, 1, 1], [0.5, 0.5, 0]),
        ([5, -1, 0], [0, 1, 0], [0, 1, 0]),
    ],
)
def test_known_cases(advantages: list[float], legal: list[float], strategy: list[float]) -> None:
    found = regret_matching(np.array([advantages], np.float32), np.array([legal], np.float32))
    np.testing.assert_allclose(found, [strategy], atol=1e-7)


numbers = st.floats(-1e3, 1e3, width=32)
masks = st.sampled_from([[1, 1, 1], [0, 1, 1], [1, 1, 0], [0, 1, 0]])


@given(advantages=st.lists(numbers, min_size=3, max_size=3), legal=masks)
def test_always_a_strategy_over_legal_actions(advantages: list[float], legal: list[int]) -> None:
    mask = np.array([legal], np.float32)
    (found,) = regret_matching(np.array([advantages], np.float32), mask)
    assert abs(found.sum() - 1) < 1e-6
    assert (found >= 0).all()
    assert (found[mask[0] == 0] == 0).all()


def test_nothing_in_nothing_out() -> None:
    empty = np.zeros((0, 3), np.float32)
    assert regret_matching(empty, empty).shape == (0, 3)
