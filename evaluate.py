"""How exploitable is a model: `python evaluate.py --help`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType

from agents.names import BOT_NAMES
from deep_cfr.layout import model_folders, models_at, read_info
from deep_cfr.quiet import quiet_without_gpu
from deep_cfr.storage import StorageError
from env.compiler import TreeTooLarge
from env.rules import Rules, RulesError, parse_rules
from env.strength import has_strengths
from evaluation.command import Request, parse
from evaluation.settings import EXACT


def main(arguments: list[str]) -> int:
    """Run the command; one line on stderr and exit code 2 for what makes no sense."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        _run(parse(arguments))
    except (ValueError, TreeTooLarge, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; models evaluated before this one keep their results", file=sys.stderr)
        return 130
    return 0


def _run(request: Request) -> None:
    """Refuse what cannot be done before TensorFlow loads, then do the rest."""
    if request.target in BOT_NAMES and not Path(request.target).exists():
        if request.game is None:
            raise ValueError(f"{request.target} plays any game; name one with --game")
        if request.looks_only:
            raise ValueError(f"{request.target} is a bot; only models can be looked at")
        rules = parse_rules(request.game)
        _refuse_undrawable(request, rules)
        _load_slowly().assess_bot(request, rules)
        return
    if request.game is not None:
        raise ValueError("--game is for bots; a model knows its own game")
    folders = models_at(Path(request.target))
    if request.looks_only:
        _load_slowly().look(request, folders[-1])
        return
    for folder in folders:
        request.settings.method_for(_rules(folder))
    if folders != model_folders(Path(request.target)):  # one model, not a run
        _refuse_undrawable(request, _rules(folders[0]))
    _load_slowly().assess_models(request, folders)


def _refuse_undrawable(request: Request, rules: Rules) -> None:
    """One model's chart shows gains by starting hand, which only an exact best response knows."""
    method = request.settings.method_for(rules)
    if request.chart is not None and (method != EXACT or not has_strengths(rules)):
        raise ValueError("--chart of one model shows gains by starting hand: exact, in fhp only")


def _rules(folder: Path) -> Rules:
    try:
        return Rules.from_dict(read_info(folder)["rules"])
    except (KeyError, TypeError, RulesError) as error:
        raise StorageError(f"{folder} holds no readable model: {error}") from None


def _load_slowly() -> ModuleType:
    with quiet_without_gpu():
        from evaluation import assess  # noqa: PLC0415

    return assess


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
