"""Checks that a policy's answers are distributions over legal actions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from env.actions import ACTION_NAMES, NUM_ACTIONS
from env.betting_tree import BettingTree
from env.cards import Cards, cards_text
from policies.policy import Floats

_ROUNDING = 1e-5  # how far float32 probabilities may sum from one


def checked(
    tree: BettingTree,
    answers: Floats,
    views: Cards,
    rows: NDArray[np.integer],
    nodes: NDArray[np.integer],
) -> NDArray[np.float64]:
    """A policy's answers for rows of views and nodes, or an error that shows a wrong one. [n, 3]"""
    strategy = np.asarray(answers, np.float64)
    if strategy.shape != (len(nodes), NUM_ACTIONS):
        raise ValueError(
            f"strategies must have shape {(len(nodes), NUM_ACTIONS)}, not {strategy.shape}"
        )
    totals = strategy.sum(axis=1, keepdims=True)
    illegal = (strategy != 0) & ~tree.legal[nodes]
    valid = (abs(totals[:, 0] - 1) <= _ROUNDING) & (strategy >= 0).all(axis=1)
    wrong = np.flatnonzero(~valid | illegal.any(axis=1))
    if len(wrong):
        row = wrong[0]
        where = f"after {tree.text(nodes[row])!r} with {cards_text(views[rows[row]])}"
        if illegal[row].any():
            name = ACTION_NAMES[int(illegal[row].argmax())]
            raise ValueError(f"the policy plays {name} {where}, which is not legal there")
        raise ValueError(f"not a distribution: {strategy[row].tolist()} {where}")
    return strategy / totals  # float32 rounding must not create or destroy chips
