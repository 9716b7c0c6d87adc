"""Players that need no training. Each is a `Policy`; where an action is illegal they call."""

from __future__ import annotations

from agents.names import BOT_NAMES
from agents.styles import STYLES, StrengthPolicy, honest_rule, style_rule
from env.actions import ACTION_NAMES
from env.game import Game
from policies.fixed import always, uniform_policy
from policies.policy import Policy


def make_bot(name: str, game: Game) -> Policy:
    """The bot of that name (`agents.names`) for a game."""
    if name not in BOT_NAMES:
        raise ValueError(f"there is no bot {name!r}; choose from {', '.join(BOT_NAMES)}")
    if name == "random":
        return uniform_policy(game.tree)
    if name in ACTION_NAMES:
        return always(game.tree, ACTION_NAMES.index(name))
    rule = honest_rule(game.tree) if name == "honest" else style_rule(game.tree, STYLES[name])
    return StrengthPolicy(game, rule)
