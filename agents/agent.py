"""What an agent is. Knows nothing of TensorFlow, so that bots can play without TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from env.rules import Rules
from models.layout import run_of
from policies.policy import Policy

# Where a strategy comes from: the average-strategy network of a saved model, the advantage
# networks of a whole run (single Deep CFR), a saved model with search on top of it, rules that
# somebody wrote down, or another agent some of whose decisions are left to chance.
Source = Literal["model", "single", "search", "bot", "diluted"]


class AgentError(ValueError):
    """An agent that cannot be had; the message says why in one line."""


@dataclass(frozen=True, eq=False)
class Agent:
    """Somebody who can play a game."""

    name: str
    policy: Policy
    rules: Rules
    source: Source
    iteration: int | None = None  # of training; the last one of a single-Deep-CFR player
    folder: Path | None = None  # where it was loaded from
    code: Path | None = None  # the file that a bot of a user's own comes from

    @property
    def run(self) -> Path | None:
        """The folder of the run that a saved model belongs to; None for everybody else."""
        return (
            run_of(self.folder.resolve())
            if self.folder is not None and self.source == "model"
            else None
        )
