"""What `evaluate.py` does once TensorFlow has loaded: evaluate, show the results, keep them."""

from __future__ import annotations

import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import agents
from arena.match import match
from commands.evaluate_look import draw_range_chart, explained, model_of
from commands.evaluate_options import Request
from commands.evaluate_output import Draw, JsonObject, Output, drawn
from commands.evaluate_target import Bot, Models, Searcher, Target, rules_of
from commands.outputs import write_output
from commands.progress_bars import Bars
from commands.recording import Recorder, attempt
from deep_cfr.networks import device
from deep_cfr.networks.quiet import quiet_without_gpu
from env.game import Game, load_game
from env.own_game import game_named, names_own_game
from env.rules import Rules
from evaluation import report
from evaluation.charts import draw_curve, draw_gains
from evaluation.differences import difference
from evaluation.methods import evaluate
from evaluation.results import EvaluatedModel, Evaluation
from evaluation.settings import EXPLOITER, LBR
from evaluation.summaries import write_summaries
from models import Model, load
from models.layout import DEFAULT_ARCHITECTURE, architecture_of, unverified_note
from models.measurements import record_evaluation, record_head_to_head
from models.model_card import CARD_FILE, write_card
from models.records import HeadToHead
from policies.fixed import uniform_policy
from policies.policy import Policy
from workers.opening import opened
from workers.tasks import Workers

MATCH_HANDS, MATCH_SEED = 20_000, 0  # between the newest model of a run and each earlier one
CURVE_FILE = "exploitability.png"  # in a run's folder


def run(request: Request, targets: list[Target]) -> int:
    """Do what the command line asks for; the exit code."""
    _refuse_idle_workers(request, targets)
    with opened(request.workers) as workers:
        return _run(request, targets, workers)


def _refuse_idle_workers(request: Request, targets: list[Target]) -> None:
    """Raise a ValueError if there is nothing for workers to do."""
    if not request.workers.is_asked_for:
        return
    methods = {request.settings.method_for(rules_of(target)) for target in targets}
    if request.looks_only or LBR not in methods:
        raise ValueError(f"--workers play the boards of method {LBR}, which is not asked for")


def _run(request: Request, targets: list[Target], workers: Workers) -> int:
    output = Output(request)
    for target in targets:
        for folder in target.folders if isinstance(target, Models) else ():
            if note := unverified_note(folder):
                print(note, file=sys.stderr)
    target = targets[0]
    if len(targets) == 2:
        _compare_players(request, targets, output, workers)
    elif request.looks_only and not isinstance(target, Bot):
        _look(request, target, output)
    elif not isinstance(target, Models):
        _evaluate_player(request, target, output, workers)
    else:
        _evaluate_models(request, target, output, workers)
    return output.exit_code


def _compare_players(
    request: Request, targets: list[Target], output: Output, workers: Workers
) -> None:
    """Evaluate two players on the same boards, and say how they differ."""
    models = [target for target in targets if isinstance(target, Models)]
    _prepare(request, architecture_of(models[0].folders[0]) if models else DEFAULT_ARCHITECTURE)
    rules = rules_of(targets[0])
    found = [_evaluated(request, target, workers) for target in targets]
    gap = difference(*found)
    names = [_shown_name(target) for target in targets]
    texts = [report.one_model(name, rules, one) for name, one in zip(names, found, strict=True)]
    rows = map(report.street_row, gap.by_street)
    output.say("\n\n".join([*texts, "\n".join([f"{names[0]} less {names[1]}: {gap}", *rows])]))
    entries = zip(names, found, strict=True)
    both = [{"name": name} | _found_json(rules, one) for name, one in entries]
    output.json({"models": both, "difference": gap.to_json()})


def _evaluated(request: Request, target: Target, workers: Workers) -> Evaluation:
    """The evaluation of a single player."""
    own = own_game(request)
    game = own or load_game(rules_of(target))
    if isinstance(target, Bot):
        policy: Policy = agents.load(target.name, game)[0].policy
    elif isinstance(target, Searcher):
        policy = agents.load(target.spec, own)[0].policy
    else:
        policy = load(target.folders[0], own).answers
    with closing(Bars(f"{_shown_name(target)}: ")) as bars:
        return evaluate(game, policy, request.settings, bars, workers)


def _shown_name(target: Target) -> str:
    return str(target.folders[0]) if isinstance(target, Models) else target.name


def _evaluate_player(
    request: Request, player: Bot | Searcher, output: Output, workers: Workers
) -> None:
    """Evaluate somebody who has no folder to keep the result in."""
    _prepare(request, DEFAULT_ARCHITECTURE)
    found = _evaluated(request, player, workers)
    output.say(report.one_model(player.name, player.rules, found))
    _draw_gains(request, found, f"{player.name}, {player.rules.name}", output)
    output.json({"name": player.name} | _found_json(player.rules, found))


def _look(request: Request, target: Models | Searcher, output: Output) -> None:
    """Show how a model plays."""
    model = model_of(target, own_game(request))
    if request.explain is not None:
        searches = isinstance(target, Searcher)
        output.say(explained(model, request.explain, searches=searches))
    output.chart(request.preflop_chart, partial(model.preflop_chart, request.line))
    ranges = partial(draw_range_chart, model, request.board, request.line)
    output.chart(request.range_chart, ranges)


def _evaluate_models(request: Request, target: Models, output: Output, workers: Workers) -> None:
    """Evaluate one model or all models of a run."""
    _prepare(request, architecture_of(target.folders[-1]))
    recorder, game = Recorder(), own_game(request)
    evaluated: list[EvaluatedModel] = []
    for folder in target.folders:
        if evaluated:
            _keep(recorder, evaluated[-1])  # at once, so that Ctrl-C does not lose it
        newest = load(folder, game)
        with closing(Bars(f"{folder.name}: ")) as bars:
            found = evaluate(newest.game, newest.answers, request.settings, bars, workers)
        about = newest.description
        evaluated.append(EvaluatedModel(folder, about.iteration, about.nodes_touched, found))
    if target.is_run:
        draw = _curve(request, target, newest.game, evaluated)
        _show_run(request, newest.game.rules, evaluated, draw, output)
    else:
        _show_model(request, target, newest.game.rules, evaluated[0], output)
    _keep(recorder, evaluated[-1])
    if target.is_run:
        _compare(target.folders, newest, recorder, output)
    attempt(
        "TensorBoard's events",
        partial(write_summaries, target.log_folder(request.logdir), evaluated),
    )
    if recorder.recorded_in:
        _keep_overview(request, target, draw if target.is_run else None, output)


def _keep_overview(request: Request, target: Models, draw: Draw | None, output: Output) -> None:
    """Write what a run's folder says of all its models: the curve and the model card."""
    curve, card = target.run / CURVE_FILE, target.run / CARD_FILE
    if draw is not None and request.chart is None:
        picture = drawn(draw)
        if attempt("chart", partial(write_output, curve, picture)):
            output.say(f"chart   {curve}")
    if attempt("model card", partial(write_card, target.run)):
        output.say(f"card    {card}")


def _keep(recorder: Recorder, model: EvaluatedModel) -> None:
    recorder.record(model.folder, partial(record_evaluation, model.folder, model.record))


def _show_run(
    request: Request,
    rules: Rules,
    evaluated: list[EvaluatedModel],
    draw: Draw | None,
    output: Output,
) -> None:
    """Print, write and draw what was found of all models of a run."""
    output.say(report.many_models(rules, evaluated))
    output.json([_model_json(rules, model) for model in evaluated])
    if draw is not None:
        output.chart(request.chart, draw)


def _curve(
    request: Request, target: Models, game: Game, evaluated: list[EvaluatedModel]
) -> Draw | None:
    """The picture of a run; None for a single model, which is a number and no curve.

    Uniformly random play is evaluated like the models, to be drawn beside them.
    """
    if len(evaluated) < 2:
        return None
    uniform = None
    if evaluated[-1].record.method != EXPLOITER:  # which would train for as long as for a model
        with closing(Bars("uniform play: ")) as bars:
            uniform = evaluate(game, uniform_policy(game.tree), request.settings, bars).record
    title = f"run {target.name}, {game.rules.name}: {evaluated[-1].record.method}"
    return partial(draw_curve, evaluated, game.rules, title, uniform=uniform)


def _show_model(
    request: Request, target: Models, rules: Rules, model: EvaluatedModel, output: Output
) -> None:
    """Print, write and draw what was found of one model."""
    output.say(report.one_model(str(model.folder), rules, model.evaluation))
    output.json(_model_json(rules, model))
    title = f"{target.name}, iteration {model.iteration}"
    _draw_gains(request, model.evaluation, title, output)


def _compare(folders: list[Path], newest: Model, recorder: Recorder, output: Output) -> None:
    """Play the newest model of a run against the earlier ones and keep the results."""
    results = {}
    for folder in folders[:-1]:
        older = load(folder, newest.game)
        with closing(Bars()) as bars:
            advance = bars(f"{folders[-1].name} against {folder.name}", MATCH_HANDS)
            played = match(
                newest.game,
                newest.answers,
                older.answers,
                MATCH_HANDS,
                seed=MATCH_SEED,
                progress=advance,
            )
        result = HeadToHead(played.mbb, played.ci95_mbb, played.hands, seed=MATCH_SEED)
        results[folder.name] = result
        keep = partial(record_head_to_head, folders[-1], folder.name, result)
        recorder.record(folders[-1], keep)
    if results:
        output.say("\n" + report.head_to_head(folders[-1].name, results))


def own_game(request: Request) -> Game | None:
    """The game of the user's own that the command line names, if it names one."""
    text = request.game
    return game_named(text) if text is not None and names_own_game(text) else None


def _prepare(request: Request, architecture: str) -> None:
    with quiet_without_gpu():
        device.prepare(request.threads, architecture)


def _model_json(rules: Rules, model: EvaluatedModel) -> JsonObject:
    return {
        "name": model.folder.name,
        "model": str(model.folder),
        "iteration": model.iteration,
        "nodes_touched": model.nodes_touched,
    } | _found_json(rules, model.evaluation)


def _found_json(rules: Rules, found: Evaluation) -> JsonObject:
    by_hand = [row._asdict() for row in found.hand_rows()]
    sense = {} if found.sense is None else found.sense.to_json()
    return found.record.to_json() | {"rules": rules.as_dict(), "by_hand": by_hand} | sense


def _draw_gains(request: Request, found: Evaluation, title: str, output: Output) -> None:
    if found.by_hand is not None:
        output.chart(request.chart, partial(draw_gains, found.by_hand, title))
