"""What `evaluate.py` is to evaluate, checked before TensorFlow loads."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from agents.names import is_bot, is_own_bot
from agents.searching import is_search, parse_search, search_name
from commands.evaluate_options import Request
from env.own_game import names_own_game, rules_named
from env.rules import Rules, RulesError
from env.strength import has_strengths
from evaluation.settings import EXACT, EXPLOITER
from models.layout import EVALUATIONS, model_folders, models_at, read_info, run_of
from models.storage import StorageError


@dataclass(frozen=True)
class Bot:
    """A bot and the game it is to play."""

    name: str
    rules: Rules


@dataclass(frozen=True)
class Searcher:
    """A saved model that searches at the table."""

    spec: str  # as `agents.load` takes it
    name: str
    rules: Rules


@dataclass(frozen=True)
class Models:
    """One saved model, or all models of a run, oldest first."""

    folders: list[Path]
    is_run: bool

    @property
    def run(self) -> Path:
        """The run that the models belong to; a model folder of another name stands for itself."""
        return run_of(self.folders[0])

    @property
    def name(self) -> str:
        """What the run, or the model that stands for itself, is called."""
        return self.run.resolve().name

    @property
    def _are_of_a_run(self) -> bool:
        return self.folders[0].name.startswith("iter_")

    def log_folder(self, logdir: Path) -> Path:
        """Where TensorBoard finds evaluations: with the run's logs if there are such.

        Otherwise below a name that no run can have, so that none is taken from a run to come.
        """
        logs = logdir / self.name
        if self._are_of_a_run and (logs / "config.json").is_file():
            return logs / "evaluation"
        return logdir / EVALUATIONS / self.name


Target = Bot | Searcher | Models


def find_targets(request: Request) -> list[Target]:
    """What a command line names, one or two; an error for what cannot be done."""
    if len(request.targets) == 1:
        return [find_target(request, request.targets[0])]
    if request.looks_only or request.chart is not None:
        raise ValueError("--explain and charts are for one model, not for two")
    # A bot plays the other one's game.
    first, second = sorted(request.targets, key=_is_bot)
    found = {first: find_target(request, first)}
    rules = rules_of(found[first])
    game = None if request.game is None else rules_named(request.game)
    found[second] = Bot(second, game or rules) if _is_bot(second) else find_target(request, second)
    other = rules_of(found[second])
    if dataclasses.replace(other, name=rules.name) != rules:
        raise ValueError(f"{first} plays {rules.describe()}, but {second} {other.describe()}")
    for text, target in found.items():
        if isinstance(target, Models) and target.is_run:
            raise ValueError(f"{text} is a whole run; name one of its models to compare")
    return [found[text] for text in request.targets]


def rules_of(target: Target) -> Rules:
    """The rules that a target plays."""
    return _rules(target.folders[-1]) if isinstance(target, Models) else target.rules


def find_target(request: Request, text: str) -> Target:
    """The bot or the models that a word names."""
    if _is_bot(text):
        return _bot(request, text)
    is_named = request.game is not None and not names_own_game(request.game)
    if is_named and not any(map(_is_bot, request.targets)):
        raise ValueError("--game is for bots and for games of your own; a model knows its game")
    if is_search(text):
        return _searcher(request, text)
    path = Path(text)
    folders = models_at(path)
    models = Models(folders, is_run=folders == model_folders(path))
    if not request.looks_only:
        for folder in folders:
            request.settings.method_for(_rules(folder))
        if not models.is_run:
            _refuse_undrawable(request, _rules(folders[0]))
        elif request.chart is not None and len(folders) == 1:
            raise ValueError(
                f"{text} has one model, whose exploitability is a number and no curve; leave out "
                "--chart"
            )
    return models


def _is_bot(text: str) -> bool:
    return is_bot(text) or is_own_bot(text)


def _bot(request: Request, text: str) -> Bot:
    if request.game is None:
        raise ValueError(f"{text} plays any game; name one with --game")
    if request.looks_only:
        raise ValueError(f"{text} is a bot; only models can be looked at")
    rules = rules_named(request.game)
    _refuse_undrawable(request, rules)
    return Bot(text, rules)


def _searcher(request: Request, text: str) -> Searcher:
    spec = parse_search(text)
    if request.preflop_chart is not None:
        raise ValueError(f"search does not change the pre-flop; chart {spec.folder} without it")
    if request.settings.method == EXPLOITER:
        raise ValueError("a trained exploiter would take days against search; use exact or lbr")
    _refuse_undrawable(request, spec.rules)
    return Searcher(text, search_name(spec), spec.rules)


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
