"""Players that need no training. Each is a `Policy`; where an action is illegal they call."""

from __future__ import annotations

import numpy as np

from deep_cfr.policy import Policy, TabularPolicy, uniform_policy
from env.actions import ACTION_NAMES, CALL
from env.betting_tree import BettingTree


def make_bot(name: str, tree: BettingTree) -> Policy:
    """The bot of that name (`agents.names`) for a game."""
    return uniform_policy(tree) if name == "random" else always(tree, ACTION_NAMES.index(name))


def always(tree: BettingTree, action: int) -> TabularPolicy:
    """One action wherever it is legal, a call or check elsewhere."""
    chosen = np.where(tree.legal[:, action], action, CALL)
    table = np.eye(3, dtype=np.float32)[chosen]
    return TabularPolicy(lambda cards, nodes: table[nodes])
