"""Who can sit at the table: bots, trained models, single-Deep-CFR players.

`agents.load` makes them from a name or a path.
"""

from __future__ import annotations

from agents.agent import Agent, AgentError
from agents.loading import load

__all__ = ["Agent", "AgentError", "load"]
