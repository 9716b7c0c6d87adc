"""How a run goes on: the command to type, and what is different from when it was saved."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from deep_cfr.config import Config
from env.extensions import is_extension
from env.own_game import names_own_game
from models.run_state import RunProgress
from training.places import Places

COMMAND = "deep-cfr-train"  # what `pip install` makes of train.py


def program(script: str) -> list[str]:
    """How to start this program again: as the command that was installed, or a script by Python."""
    return [COMMAND] if Path(sys.argv[0]).stem == COMMAND else ["python", script]


def resume_command(places: Places, config: Config, iterations: int | None) -> str:
    """What to type to go on with a run."""
    words = [*program("train.py"), "--resume", places.name]
    if names_own_game(config.game):
        words += ["--game", config.game]
    if is_extension(config.network):
        words += ["--network", config.network]
    if places.checkpoints.parent != Path("checkpoints"):
        words += ["--checkpoints", str(places.checkpoints.parent)]
    if places.logs.parent != Path("runs"):
        words += ["--logdir", str(places.logs.parent)]
    if iterations is not None:
        words += ["--iterations", str(iterations)]
    return shlex.join(words)


def resume_notes(before: RunProgress, made_with: dict[str, str], logs: Path) -> list[str]:
    """What is different from when the run was saved, a line each."""
    notes = []
    changed = [
        f"{name} {was} → {made_with[name]}"
        for name, was in before.made_with.items()
        if made_with.get(name, was) != was
    ]
    if changed:
        notes.append(f"note: {', '.join(changed)} since the last save; last bits may differ")
    if before.logs and Path(before.logs) != logs.resolve():
        notes.append(f"note: logs were in {before.logs} and go to {logs} now")
    return notes
