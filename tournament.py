"""Every agent against every other: `python tournament.py --help`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType

from agents.names import BOT_NAMES
from deep_cfr.quiet import quiet_without_gpu
from env.compiler import TreeTooLarge
from env.rules import parse_rules
from evaluation.tournament_command import Request, parse


def main(arguments: list[str]) -> int:
    """Run the command; one line on stderr and exit code 2 for what makes no sense."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        return _run(parse(arguments))
    except (ValueError, TreeTooLarge, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped before anything was played", file=sys.stderr)
        return 130


def _run(request: Request) -> int:
    """Refuse what can be seen to be wrong before TensorFlow loads, then do the rest."""
    if request.game is not None:
        parse_rules(request.game)
    bots = [spec for spec in request.specs if spec in BOT_NAMES and not Path(spec).exists()]
    if len(bots) == len(request.specs):
        if request.game is None:
            raise ValueError("bots play any game and there is no model to tell it; add --game")
        if len(set(bots)) < 2:
            raise ValueError(f"a tournament takes two agents or more, not just {bots[0]}")
    exit_code: int = _load_slowly().run(request)
    return exit_code


def _load_slowly() -> ModuleType:
    with quiet_without_gpu():
        from evaluation import tournament_run  # noqa: PLC0415

    return tournament_run


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
