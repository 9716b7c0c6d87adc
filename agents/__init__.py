"""Who can sit at the table: bots, trained models, single-Deep-CFR players.

`agents.load` makes them from a name or a path. It is found when it is asked for, because models
need TensorFlow and the names of the bots do not.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agents.loading import Agent, AgentError, load

__all__ = ["Agent", "AgentError", "load"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("agents.loading"), name)
    raise AttributeError(f"module 'agents' has no attribute {name!r}")
