"""Players that need no training. Each is a `Policy`; where an action is illegal they call."""

from __future__ import annotations

import numpy as np

from agents.names import BOT_NAMES
from agents.styles import STYLES, StrengthPolicy, honest_rule, style_rule
from deep_cfr.policy import Policy, TabularPolicy, uniform_policy
from env.actions import ACTION_NAMES, CALL
from env.betting_tree import BettingTree
from env.rules import Rules
from env.strength import Strengths


def make_bot(name: str, rules: Rules, tree: BettingTree) -> Policy:
    """The bot of that name (`agents.names`) for a game."""
    if name not in BOT_NAMES:
        raise ValueError(f"there is no bot {name!r}; choose from {', '.join(BOT_NAMES)}")
    if name == "random":
        return uniform_policy(tree)
    if name in ACTION_NAMES:
        return always(tree, ACTION_NAMES.index(name))
    rule = honest_rule(tree) if name == "honest" else style_rule(tree, STYLES[name])
    return StrengthPolicy(Strengths(rules), rule)


def always(tree: BettingTree, action: int) -> TabularPolicy:
    """One action wherever it is legal, a call or check elsewhere."""
    chosen = np.where(tree.legal[:, action], action, CALL)
    table = np.eye(3, dtype=np.float32)[chosen]
    return TabularPolicy(lambda cards, nodes: table[nodes])
