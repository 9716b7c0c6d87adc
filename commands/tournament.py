"""What `tournament.py` does: load the agents, play all pairs, save the results and show them.

Agents answer without TensorFlow, except for single-Deep-CFR players. Pairs can be played by
workers; those of single-Deep-CFR players, whose networks cannot be sent, are played here.
"""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import islice

import numba

import agents
from agents import Agent
from agents.names import SINGLE_PREFIX, plays_any_game
from arena import charts, hand_history, page, report
from arena.folder import RESULTS_JSON, Results, claimed, open_results, write_csv
from arena.header import Entrant, Header
from arena.match import batches
from arena.results import PairResult, seen_by
from arena.round_robin import all_pairs, pair_problem, play_named_pair, play_pair
from arena.standings import Standings, standings
from arena.statistics import Tally
from commands.recording import Recorder, attempt
from commands.slow_imports import load_quietly
from commands.tournament_bar import TournamentBar
from commands.tournament_options import Request
from deep_cfr.networks.quiet import quiet_without_gpu
from env.game import Game, load_game
from env.own_game import game_named
from models.layout import DEFAULT_ARCHITECTURE, run_of, unverified_note
from models.measurements import record_head_to_head
from models.model_card import write_card
from models.records import HeadToHead
from models.storage import whole_file
from models.versions import versions
from workers.opening import opened
from workers.tasks import Job, Shared, Task, Workers

SEARCH_BATCH = 64  # deals, if one of the players searches


@dataclasses.dataclass(frozen=True)
class Field:
    """Who takes part, and in what."""

    game: Game
    agents: dict[str, Agent]  # by name, in the order given
    specs: dict[str, str]  # what stands for each on the command line


def run(request: Request) -> int:
    """The whole tournament; the exit code."""
    _prepare(request)
    field = gather(request)
    with claimed(request.out, is_new=not request.is_out_given) as out:
        return _run_in_folder(dataclasses.replace(request, out=out), field)


def _run_in_folder(request: Request, field: Field) -> int:
    """The tournament in an out folder that no other process writes to."""
    results = open_results(request.out, _header(request, field))
    num_pairs = len(all_pairs(list(field.agents)))
    print(f"{field.game.rules.describe()}\n{len(field.agents)} agents, {num_pairs} pairs\n")
    try:
        with opened(request.workers) as workers:
            _play(request, field, results, workers)
        _finish(request, field, results)
    except KeyboardInterrupt:
        print(
            f"stopped with {len(results.pairs)} of {num_pairs} pairs finished; the same command "
            f"with --out {request.out} goes on",
            file=sys.stderr,
        )
        return 130
    return 0


def _prepare(request: Request) -> None:
    """Settle the number of threads, which TensorFlow must know before it computes anything."""
    available = numba.get_num_threads()
    numba.set_num_threads(min(request.threads or available, available))
    if any(spec.startswith(SINGLE_PREFIX) for spec in request.specs):
        device = load_quietly("deep_cfr.networks.device")
        with quiet_without_gpu():
            device.prepare(request.threads, DEFAULT_ARCHITECTURE)


def gather(request: Request) -> Field:
    """Load everybody; the models, or --game, say what is played."""
    game = game_named(request.game) if request.game is not None else None
    loaded: dict[str, list[Agent]] = {}
    # Models first: bots play whatever the models do.
    for spec in sorted(dict.fromkeys(request.specs), key=plays_any_game):
        loaded[spec] = agents.load(spec, game, at_once=True)
        game = game or load_game(loaded[spec][0].rules)
    found: dict[str, Agent] = {}
    specs: dict[str, str] = {}
    for spec, agent in _in_order(request.specs, loaded):
        twins = [other.name for other in found.values() if _is_same(other, agent)]
        if twins:
            print(f"note: {twins[0]} is named twice and plays once", file=sys.stderr)
            continue
        if agent.source == "model" and agent.folder and (note := unverified_note(agent.folder)):
            print(note, file=sys.stderr)
        # Two folders may have the same name; their paths are different.
        name = str(agent.folder) if agent.name in found else agent.name
        found[name], specs[name] = dataclasses.replace(agent, name=name), spec
    if len(found) < 2 or game is None:
        raise ValueError(f"a tournament takes two agents or more, not just {', '.join(found)}")
    return Field(game, found, specs)


def _in_order(specs: list[str], loaded: dict[str, list[Agent]]) -> Iterator[tuple[str, Agent]]:
    """Every agent with what it was called on the command line, in the order given there."""
    for spec in specs:
        for agent in loaded[spec]:
            yield spec, agent


def _is_same(one: Agent, other: Agent) -> bool:
    """Whether two entries stand for one agent: bots by their names, others by their folders."""
    if one.folder is None or other.folder is None:
        return one.folder is other.folder and one.name == other.name
    same_place = one.source == other.source and one.folder.resolve() == other.folder.resolve()
    return same_place and (one.source != "search" or one.name == other.name)


def _header(request: Request, field: Field) -> Header:
    return Header(
        rules=field.game.rules,
        schedule=request.schedule,
        agents=tuple(Entrant.of(agent, field.specs[name]) for name, agent in field.agents.items()),
        command=request.command,
        started=time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        versions=versions(),
    )


def _play(request: Request, field: Field, results: Results, workers: Workers) -> None:
    """Every pair that is not finished yet, each saved as soon as it is."""
    pairs = all_pairs(list(field.agents))
    new = [(a, b) for a, b in pairs if results.pair(a, b) is None]
    with closing(TournamentBar(len(pairs), request.schedule.most_hands)) as bar:
        played = _played(request, field, new, workers, bar)
        for a, b in pairs:
            found = results.pair(a, b)
            is_new = found is None
            if found is None:
                bar.begin_pair()
                found = next(played)
                results.pairs.append(found)
                results.save()
            bar.end_pair(found.hands, report.pair_line(found, is_new))


def _played(
    request: Request,
    field: Field,
    pairs: list[tuple[str, str]],
    workers: Workers,
    bar: TournamentBar,
) -> Iterator[PairResult]:
    """The results of pairs, in their order."""
    policies = {name: a.policy for name, a in field.agents.items() if a.source != "single"}
    sent = [
        (a, b) for a, b in pairs if request.workers.is_asked_for and a in policies and b in policies
    ]
    job = Job(play_named_pair, (Shared(field.game), Shared(policies)), pair_problem)
    tasks = (
        Task((a, b, request.schedule, _batch(request, field, a, b)), request.schedule.most_hands)
        for a, b in sent
    )
    elsewhere = workers.run(job, tasks, bar.add)
    for a, b in pairs:
        is_sent = (a, b) in sent
        tally, seconds = next(elsewhere) if is_sent else _play_here(request, field, a, b, bar)
        yield tally.result(a, b, seconds=round(seconds, 3))


def _play_here(
    request: Request, field: Field, a: str, b: str, bar: TournamentBar
) -> tuple[Tally, float]:
    """A pair's match, and how long it took."""
    start, batch = time.perf_counter(), _batch(request, field, a, b)
    first, second = (field.agents[name].policy for name in (a, b))
    tally = play_pair(
        field.game, first, second, request.schedule, batch=batch, progress=bar.advance
    )
    return tally, time.perf_counter() - start


def _batch(request: Request, field: Field, a: str, b: str) -> int:
    """Deals played at once: few where somebody searches, so that progress can be seen."""
    searches = "search" in (field.agents[a].source, field.agents[b].source)
    return min(request.batch, SEARCH_BATCH) if searches else request.batch


def _finish(request: Request, field: Field, results: Results) -> None:
    """Everything that is made of the results of all pairs."""
    rules = field.game.rules
    table = results.standings = standings(list(field.agents), results.pairs)
    results.save()
    write_csv(results)
    drawn = charts.draw_all(rules, table, results, request.out)
    page.write(rules, table, results, drawn)
    if request.transcripts:
        _write_hands(request, field)
    print("\n" + report.terminal(table))
    print("\n" + report.how_they_play(table, results.pairs))
    print(f"\nreport  {request.out / page.PAGE}\njson    {request.out / RESULTS_JSON}", flush=True)
    _record(field, results)
    attempt("TensorBoard's events", lambda: _write_scalars(request, field, table))


def _write_hands(request: Request, field: Field) -> None:
    """The first hands of each pair, played again: a seed gives the same ones."""
    count = min(request.transcripts, request.schedule.most_hands)
    hands: list[hand_history.Hand] = []
    for names in all_pairs(list(field.agents)):
        a, b = (field.agents[name].policy for name in names)
        (played,) = batches(field.game, a, b, count, request.schedule.seed, batch=count)
        hands += islice(hand_history.hands_of(field.game.tree, names, played), count)
    texts = {"hands.txt": hand_history.as_text, "hands.jsonl": hand_history.as_json_lines}
    if field.game.rules.is_holdem:
        texts["hands_pokerstars.txt"] = hand_history.as_pokerstars
    for name, write in texts.items():
        whole_file(request.out / name, write(field.game.rules, hands).encode())


def _record(field: Field, results: Results) -> None:
    """Each model's results beside it, then the cards of the runs that took them."""
    recorder, seed = Recorder(), results.header.schedule.seed
    for name, agent in field.agents.items():
        if agent.folder is None or agent.source != "model":
            continue
        for pair in seen_by(name, results.pairs):
            result = HeadToHead(pair.mbb, pair.ci95, pair.hands, pair.games, pair.games_won, seed)
            opponent = _known_as(field.agents[pair.b], agent)
            recorder.record(
                agent.folder, partial(record_head_to_head, agent.folder, opponent, result)
            )
    for run in dict.fromkeys(run_of(folder.resolve()) for folder in recorder.recorded_in):
        attempt(f"model card of {run}", partial(write_card, run))


def _known_as(opponent: Agent, agent: Agent) -> str:
    """The opponent's name in an agent's records, the same as evaluate.py gives it there.

    Within a run the name of the model's folder is enough.
    """
    if opponent.folder is not None and opponent.run == agent.run:
        return opponent.folder.name
    return opponent.name


def _write_scalars(request: Request, field: Field, table: Standings) -> None:
    """Strength by iteration for TensorBoard, if there is an agent that has an iteration."""
    if any(agent.iteration is not None for agent in field.agents.values()):
        from commands.tournament_scalars import write_scalars  # noqa: PLC0415 - loads TensorFlow

        write_scalars(request.events, field.agents, table)
