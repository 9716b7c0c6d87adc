"""What `evaluate.py` does once TensorFlow is there: evaluate, keep the results, show them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agents.bots import make_bot
from deep_cfr import device
from deep_cfr.layout import model_folders, read_info
from deep_cfr.model import Model, load
from deep_cfr.model_card import write_card
from deep_cfr.quiet import quiet_without_gpu
from deep_cfr.records import record
from deep_cfr.storage import whole_file
from env.compiler import compile
from env.emulator import make_emulator
from env.rules import Rules
from evaluation import report
from evaluation.charts import draw_curve, draw_gains
from evaluation.command import Request
from evaluation.match import match
from evaluation.methods import Evaluation, evaluate
from evaluation.progress import Bars
from evaluation.summaries import write_summaries

MATCH_HANDS = 20_000  # between the newest model of a run and each earlier one

Entry = dict[str, Any]  # of the JSON file


def assess_bot(request: Request, rules: Rules) -> None:
    """Evaluate a bot; there is no folder to keep the result in."""
    name, towers = request.target, _prepare(request, "paper")
    tree = compile(make_emulator(rules))
    with Bars(f"{name}: ") as bars:
        found = evaluate(rules, tree, make_bot(name, rules, tree), request.settings, bars, towers)
    entry = {"name": name} | _entry(rules, found)
    print(report.one_model(name, rules, entry))
    _draw_gains(request, found, f"{name}, {rules.name}")
    _write_json(request, entry)


def look(request: Request, folder: Path) -> None:
    """Show how a model plays."""
    model = load(folder, _prepare(request, _network(folder)))
    if request.explain is not None:
        hand, *rest = request.explain
        line = rest.pop() if rest else ""
        print(model.explain(hand, rest[0] if rest else None, line))
    if request.preflop_chart is not None:
        model.preflop_chart(request.line, request.preflop_chart)
        print(f"chart   {request.preflop_chart}")


def assess_models(request: Request, folders: list[Path]) -> None:
    """Evaluate one model or all models of a run."""
    towers = _prepare(request, _network(folders[-1]))
    entries: list[Entry] = []
    for folder in folders:
        model = load(folder, towers)
        with Bars(f"{folder.name}: ") as bars:
            found = evaluate(model.rules, model.tree, model.policy, request.settings, bars, towers)
        record(folder, ("evaluations", found.method), found.as_dict())
        entries.append(_about(folder, model) | _entry(model.rules, found))
    run = folders[0].parent if folders[0].name.startswith("iter_") else folders[0]
    write_summaries(request.logdir / run.name / "evaluation", entries)
    if folders == model_folders(Path(request.target)):  # a run
        print(report.many_models(model.rules, entries))
        _compare(folders, model)
        chart = request.chart or run / "exploitability.png"
        title = f"run {run.name}, {model.rules.name}: {found.method}"
        draw_curve(entries, model.rules, title, chart)
        print(f"\nchart   {chart}")
        _write_json(request, entries)
    else:
        print(report.one_model(str(folders[0]), model.rules, entries[0]))
        _draw_gains(request, found, f"{run.name}, iteration {model.info['iteration']}")
        _write_json(request, entries[0])
    print(f"card    {write_card(run)}")


def _compare(folders: list[Path], newest: Model) -> None:
    """Play the newest model of a run against the earlier ones and keep the results."""
    results = {}
    for folder in folders[:-1]:
        older = load(folder)
        with Bars() as bars:
            tell = bars(f"{folders[-1].name} against {folder.name}", MATCH_HANDS)
            played = match(
                newest.rules, newest.tree, newest.policy, older.policy, MATCH_HANDS, 0,
                progress=tell,
            )  # fmt: skip
        results[folder.name] = {"mbb": played.mbb, "ci95": played.ci95_mbb, "hands": played.hands}
        record(folders[-1], ("head_to_head", folder.name), results[folder.name])
    if results:
        print("\n" + report.head_to_head(folders[-1].name, results))


def _prepare(request: Request, network: str) -> int:
    with quiet_without_gpu():
        return device.prepare(request.threads, network)[0]


def _network(folder: Path) -> str:
    config = read_info(folder).get("config")
    return str(config.get("network")) if isinstance(config, dict) else "paper"


def _about(folder: Path, model: Model) -> Entry:
    info = model.info
    return {
        "name": folder.name,
        "model": str(folder),
        "iteration": info["iteration"],
        "nodes_touched": info["nodes_touched"],
    }


def _entry(rules: Rules, found: Evaluation) -> Entry:
    return found.as_dict() | {"rules": rules.as_dict(), "by_hand": found.by_hand_rows()}


def _draw_gains(request: Request, found: Evaluation, title: str) -> None:
    if request.chart is not None and found.by_hand is not None:
        draw_gains(found.by_hand, title, request.chart)
        print(f"chart   {request.chart}")


def _write_json(request: Request, content: Entry | list[Entry]) -> None:
    if request.json is not None:
        whole_file(request.json, (json.dumps(content, indent=1) + "\n").encode())
        print(f"json    {request.json}")
