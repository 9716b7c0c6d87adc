"""What `evaluate.py` does once TensorFlow has loaded: evaluate, keep the results, show them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from agents.bots import make_bot
from arena.match import match
from commands.evaluate_options import Request
from commands.evaluate_target import Bot, Models
from commands.progress_bars import Bars
from deep_cfr.networks import device
from deep_cfr.networks.quiet import quiet_without_gpu
from env.game import load_game
from env.rules import Rules
from evaluation import report
from evaluation.charts import draw_curve, draw_gains
from evaluation.methods import evaluate
from evaluation.results import EvaluatedModel, Evaluation
from evaluation.summaries import write_summaries
from models import Model, load
from models.layout import DEFAULT_ARCHITECTURE, architecture_of, unverified_note
from models.model_card import write_card
from models.records import HeadToHead, record_evaluation, record_head_to_head
from models.storage import whole_file

MATCH_HANDS = 20_000  # between the newest model of a run and each earlier one

JsonObject = dict[str, Any]  # of the file that --json names


def run(request: Request, target: Bot | Models) -> None:
    """Do what the command line asks for."""
    for folder in target.folders if isinstance(target, Models) else ():
        if note := unverified_note(folder):
            print(note, file=sys.stderr)
    if isinstance(target, Bot):
        _evaluate_bot(request, target)
    elif request.looks_only:
        _look(request, target.folders[-1])
    else:
        _evaluate_models(request, target)


def _evaluate_bot(request: Request, bot: Bot) -> None:
    """Evaluate a bot; there is no folder to keep the result in."""
    _prepare(request, DEFAULT_ARCHITECTURE)
    game = load_game(bot.rules)
    with Bars(f"{bot.name}: ") as bars:
        found = evaluate(game, make_bot(bot.name, game), request.settings, bars)
    print(report.one_model(bot.name, bot.rules, found))
    _draw_gains(request, found, f"{bot.name}, {bot.rules.name}")
    _write_json(request, {"name": bot.name} | _found_json(bot.rules, found))


def _look(request: Request, folder: Path) -> None:
    """Show how a model plays."""
    _prepare(request, architecture_of(folder))
    model = load(folder)
    if request.explain is not None:
        hand, *rest = request.explain
        line = rest.pop() if rest else ""
        print(model.explain(hand, rest[0] if rest else None, line))
    if request.preflop_chart is not None:
        model.preflop_chart(request.line, request.preflop_chart)
        print(f"chart   {request.preflop_chart}")


def _evaluate_models(request: Request, target: Models) -> None:
    """Evaluate one model or all models of a run."""
    _prepare(request, architecture_of(target.folders[-1]))
    evaluated = []
    for folder in target.folders:
        newest = load(folder)
        with Bars(f"{folder.name}: ") as bars:
            found = evaluate(newest.game, newest.policy, request.settings, bars)
        record_evaluation(folder, found.record)
        info = newest.info
        evaluated.append(EvaluatedModel(folder, info["iteration"], info["nodes_touched"], found))
    write_summaries(request.logdir / target.run.name / "evaluation", evaluated)
    if target.is_run:
        _show_run(request, target, newest, evaluated)
    else:
        _show_model(request, target, newest.game.rules, evaluated[0])
    print(f"card    {write_card(target.run)}")


def _show_run(
    request: Request, target: Models, newest: Model, evaluated: list[EvaluatedModel]
) -> None:
    """Print, compare, draw and write what was found of all models of a run."""
    rules = newest.game.rules
    print(report.many_models(rules, evaluated))
    _compare(target.folders, newest)
    chart = request.chart or target.run / "exploitability.png"
    title = f"run {target.run.name}, {rules.name}: {evaluated[-1].record.method}"
    draw_curve(evaluated, rules, title, chart)
    print(f"\nchart   {chart}")
    _write_json(request, [_model_json(rules, model) for model in evaluated])


def _show_model(request: Request, target: Models, rules: Rules, model: EvaluatedModel) -> None:
    """Print, draw and write what was found of one model."""
    print(report.one_model(str(model.folder), rules, model.evaluation))
    _draw_gains(request, model.evaluation, f"{target.run.name}, iteration {model.iteration}")
    _write_json(request, _model_json(rules, model))


def _compare(folders: list[Path], newest: Model) -> None:
    """Play the newest model of a run against the earlier ones and keep the results."""
    results = {}
    for folder in folders[:-1]:
        older = load(folder)
        with Bars() as bars:
            advance = bars(f"{folders[-1].name} against {folder.name}", MATCH_HANDS)
            played = match(
                newest.game, newest.policy, older.policy, MATCH_HANDS, seed=0, progress=advance
            )
        results[folder.name] = HeadToHead(played.mbb, played.ci95_mbb, played.hands)
        record_head_to_head(folders[-1], folder.name, results[folder.name])
    if results:
        print("\n" + report.head_to_head(folders[-1].name, results))


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
    return found.record.to_json() | {"rules": rules.as_dict(), "by_hand": by_hand}


def _draw_gains(request: Request, found: Evaluation, title: str) -> None:
    if request.chart is not None and found.by_hand is not None:
        draw_gains(found.by_hand, title, request.chart)
        print(f"chart   {request.chart}")


def _write_json(request: Request, content: JsonObject | list[JsonObject]) -> None:
    if request.json is not None:
        whole_file(request.json, (json.dumps(content, indent=1) + "\n").encode())
        print(f"json    {request.json}")
