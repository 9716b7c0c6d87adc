"""What `tournament.py` does once TensorFlow is there: gather agents, play, keep, show."""

from __future__ import annotations

import dataclasses
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

import tensorflow as tf
from tqdm import tqdm

import agents
from agents import Agent
from agents.names import BOT_NAMES
from deep_cfr import device
from deep_cfr.checkpoint import versions
from deep_cfr.layout import models_at, read_info
from deep_cfr.model_card import write_card
from deep_cfr.quiet import quiet_without_gpu
from deep_cfr.records import record
from deep_cfr.storage import StorageError, whole_file
from env.betting_tree import BettingTree
from env.compiler import compile
from env.emulator import make_emulator
from env.rules import Rules, parse_rules
from evaluation import hand_history, tournament_charts, tournament_page, tournament_report
from evaluation.match import batches
from evaluation.round_robin import all_pairs, play_pair
from evaluation.standings import Standings, standings
from evaluation.tournament_command import Request
from evaluation.tournament_folder import NOTE, Results, about, open_results, write_csv

HEAD_TO_HEAD = ("hands", "ci95", "games")  # the same from either side


@dataclasses.dataclass(frozen=True)
class Field:
    """Who takes part, and in what."""

    rules: Rules
    tree: BettingTree
    agents: dict[str, Agent]  # by name, in the order given
    specs: dict[str, str]  # what stands for each on the command line


def run(request: Request) -> int:
    """The whole tournament; the exit code."""
    with quiet_without_gpu():
        towers = device.prepare(request.threads, _network(request.specs))[0]
    entrants = gather(request, towers)
    results = open_results(request.out, _header(request, entrants))
    pairs = all_pairs(list(entrants.agents))
    print(f"{entrants.rules.describe()}\n{len(entrants.agents)} agents, {len(pairs)} pairs\n")
    try:
        _play(request, entrants, results)
        _finish(request, entrants, results)
    except KeyboardInterrupt:
        print(
            f"stopped with {len(results.pairs)} of {len(pairs)} pairs finished; the same command "
            f"with --out {request.out} goes on",
            file=sys.stderr,
        )
        return 130
    return 0


def gather(request: Request, towers: int) -> Field:
    """Load everybody; the models, or --game, say what is played."""
    rules = parse_rules(request.game) if request.game is not None else None
    loaded: dict[str, list[Agent]] = {}
    # Models first: bots play whatever the models do.
    for spec in sorted(
        request.specs, key=lambda spec: spec in BOT_NAMES and not Path(spec).exists()
    ):
        if spec not in loaded:
            loaded[spec] = agents.load(spec, rules, towers)
            rules = rules or loaded[spec][0].rules
    found: dict[str, Agent] = {}
    specs: dict[str, str] = {}
    for spec in request.specs:
        for agent in loaded[spec]:
            same = [one for one in found.values() if _is_same(one, agent)]
            if same:
                print(f"note: {same[0].name} is named twice and plays once", file=sys.stderr)
                continue
            if agent.name in found:  # another folder of the same name
                agent = dataclasses.replace(agent, name=f"{agent.folder}")  # noqa: PLW2901
            found[agent.name], specs[agent.name] = agent, spec
    if len(found) < 2 or rules is None:
        raise ValueError(f"a tournament takes two agents or more, not just {', '.join(found)}")
    return Field(rules, compile(make_emulator(rules)), found, specs)


def _is_same(one: Agent, other: Agent) -> bool:
    if one.folder is None or other.folder is None:
        return one.folder is other.folder and one.name == other.name
    return one.kind == other.kind and one.folder.resolve() == other.folder.resolve()


def _network(specs: list[str]) -> str:
    """The architecture of the first model named; what cannot be read is refused on loading."""
    for spec in specs:
        try:
            config = read_info(models_at(Path(spec))[-1]).get("config")
        except StorageError:
            continue
        if isinstance(config, dict):
            return str(config.get("network"))
    return "paper"


def _header(request: Request, entrants: Field) -> dict[str, Any]:
    return {
        "note": NOTE,
        "rules": entrants.rules.as_dict(),
        "settings": request.schedule.as_dict(),
        "seed": request.schedule.seed,
        "agents": [about(agent, entrants.specs[name]) for name, agent in entrants.agents.items()],
        "command": request.command,
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "versions": versions(),
    }


def _play(request: Request, entrants: Field, results: Results) -> None:
    """Every pair that is not finished yet, each saved as soon as it is."""
    pairs = all_pairs(list(entrants.agents))
    bar = tqdm(
        total=len(pairs) * request.schedule.most_hands, unit=" hands", unit_scale=True,
        dynamic_ncols=True, leave=False, smoothing=0.1, disable=not sys.stderr.isatty(),
    )  # fmt: skip
    done = 0  # hands of the pairs before this one
    with bar:
        for number, (a, b) in enumerate(pairs):
            entry = results.pair(a, b)
            is_new = entry is None
            if entry is None:
                bar.set_description(f"pair {number + 1} of {len(pairs)}")

                def tell(
                    hands: int, expected: int, before: int = done, place: int = number
                ) -> None:
                    bar.total = before + expected * (len(pairs) - place)
                    bar.update(before + hands - bar.n)

                start = time.perf_counter()
                tally = play_pair(
                    entrants.rules, entrants.tree, entrants.agents[a].policy,
                    entrants.agents[b].policy, request.schedule, batch=request.batch, tell=tell,
                )  # fmt: skip
                seconds = {"seconds": round(time.perf_counter() - start, 3)}
                entry = {"a": a, "b": b} | tally.as_dict() | seconds
                results.pairs.append(entry)
                results.save()
            done += entry["hands"]
            bar.write(tournament_report.pair_line(entry, is_new), file=sys.stdout)


def _finish(request: Request, entrants: Field, results: Results) -> None:
    """Everything that is made of the results of all pairs."""
    table = standings(list(entrants.agents), results.pairs)
    results.summary = tournament_report.summary(table)
    results.save()
    write_csv(results)
    charts = tournament_charts.draw_all(entrants.rules, table, results, request.out)
    tournament_page.write(entrants.rules, table, results, charts)
    if request.transcripts:
        _write_hands(request, entrants)
    _record(entrants, results)
    _write_scalars(request.logdir or request.out, entrants, table)
    print("\n" + tournament_report.terminal(table))
    print(f"\nreport  {request.out / tournament_page.PAGE}\njson    {request.out / 'results.json'}")


def _write_hands(request: Request, entrants: Field) -> None:
    """The first hands of each pair, played again: a seed gives the same ones."""
    count = min(request.transcripts, request.schedule.most_hands)
    hands: list[hand_history.Hand] = []
    for names in all_pairs(list(entrants.agents)):
        a, b = (entrants.agents[name].policy for name in names)
        (played,) = batches(
            entrants.rules, entrants.tree, a, b, count, request.schedule.seed, batch=count
        )
        hands += islice(hand_history.hands_of(entrants.tree, names, played), count)
    texts = {"hands.txt": hand_history.as_text, "hands.jsonl": hand_history.as_json_lines}
    if entrants.rules.is_holdem:
        texts["hands_pokerstars.txt"] = hand_history.as_pokerstars
    for name, write in texts.items():
        whole_file(request.out / name, write(entrants.rules, hands).encode())


def _run_folder(agent: Agent) -> Path | None:
    """The run that a model belongs to; a model folder of another name is its own."""
    if agent.folder is None or agent.kind != "model":
        return None
    folder = agent.folder.resolve()
    return folder.parent if folder.name.startswith("iter_") else folder


def _record(entrants: Field, results: Results) -> None:
    """Each model's results into its model.json, then the cards of the runs."""
    for pair in results.pairs:
        for own, other, sign in ((pair["a"], pair["b"], 1), (pair["b"], pair["a"], -1)):
            agent, opponent = entrants.agents[own], entrants.agents[other]
            if (run_folder := _run_folder(agent)) is None or agent.folder is None:
                continue
            won = pair["games_won"] if sign == 1 else pair["games"] - pair["games_won"]
            entry = {"mbb": sign * pair["mbb"] + 0.0} | {key: pair[key] for key in HEAD_TO_HEAD}
            # Within a run the folder says it, as in what evaluate.py records.
            of_the_run = opponent.folder is not None and _run_folder(opponent) == run_folder
            name = opponent.folder.name if of_the_run and opponent.folder else other
            record(agent.folder, ("head_to_head", name), entry | {"games_won": won})
    for folder in dict.fromkeys(map(_run_folder, entrants.agents.values())):
        if folder is not None:
            write_card(folder)


def _write_scalars(logdir: Path, entrants: Field, table: Standings) -> None:
    """TensorBoard: strength by iteration, for agents that have one."""
    if all(agent.iteration is None for agent in entrants.agents.values()):
        return
    writer = tf.summary.create_file_writer(str(logdir))
    with writer.as_default():
        for place in table.ranking:
            agent = entrants.agents[table.names[place.agent]]
            if agent.iteration is None:
                continue
            tag = f"tournament/{tournament_charts.lineage(agent.name)}"
            tf.summary.scalar(f"{tag}/mean_mbb", place.mbb, step=agent.iteration)
            tf.summary.scalar(f"{tag}/mean_ci95_mbb", place.ci95_mbb, step=agent.iteration)
            for other, won in zip(table.names, table.mbb[place.agent], strict=True):
                if other != agent.name:
                    tf.summary.scalar(f"{tag}/against/{other}_mbb", won, step=agent.iteration)
    writer.close()
