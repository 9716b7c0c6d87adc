"""The tournament's command line: argv → what to do, and what is refused. Knows no TensorFlow."""

from __future__ import annotations

import argparse
import shlex
import time
from dataclasses import dataclass
from math import inf
from pathlib import Path

from agents.names import BOT_NAMES, plays_any_game
from arena.schedule import (
    AUTO,
    BATCH,
    GAMES,
    HANDS,
    LOOK_HANDS,
    MAX_HANDS,
    PRECISION_MBB,
    Schedule,
)
from commands.command_line import Parser
from commands.outputs import folder_complaint, named_path
from commands.workers_option import add_workers, workers_of
from env.own_game import rules_named
from models.layout import TOURNAMENTS
from workers.opening import WorkersSpec

DESCRIPTION = """Every agent against every other, in duplicate matches on the same deals.

An agent is a model folder (or its strategy.keras), a run folder, which stands for all its
checkpoints, sdcfr:RUN for the single-Deep-CFR player of a run, search:MODEL for a model that
re-solves its last street at the table (docs/search.md), diluted:PERCENT:AGENT for one that plays
so many of its decisions at random, MODULE:NAME for a bot in a file of yours
(docs/how-to/own-bot.md), or a bot:
{bots}

Each deal is played twice with the seats swapped, and all pairs get the same deals: what differs
between two results is how the agents play. Results are in mbb/g (thousandths of a big blind per
hand) with 95 % intervals, in small bets per 100 hands, and as games won: a game is a number of
hands in a row, won by whoever is ahead at its end.

The out folder gets results.json, results.csv, report.html (one page, everything in it) and the
charts; models get the results into measurements.jsonl beside them and their run's README.md, unless
they are published ones. Ctrl-C stops after the finished pairs; the same command with --out FOLDER
goes on."""

EXAMPLES = """examples:
  python tournament.py checkpoints/standard call raise random
  python tournament.py checkpoints/standard/iter_0200 sdcfr:checkpoints/standard --hands auto
  python tournament.py call raise fold random --game leduc --hands 20000
  python tournament.py mybots:Maniac call honest --game hulh
  python tournament.py checkpoints/standard --games 100 --hands-per-game 3000 --transcripts 20"""


LIMITS = {
    "hands": (4, 10**12),
    "max_hands": (4, 10**12),
    "games": (1, 10**6),
    "hands_per_game": (2, 10**12),
    "batch": (1, 10**7),
    "transcripts": (0, 10**6),
    "seed": (0, 2**63 - 1),
    "threads": (0, 10**6),
}


@dataclass(frozen=True)
class Request:
    """What the command line asks for."""

    specs: list[str]
    schedule: Schedule
    game: str | None
    out: Path
    is_out_given: bool  # otherwise it is named after the time
    logdir: Path | None  # None: the out folder
    batch: int
    transcripts: int
    threads: int
    command: str  # as typed
    workers: WorkersSpec

    @property
    def events(self) -> Path:
        """Where TensorBoard's go: below a name that no run can have, as the default is."""
        if self.logdir is None:
            return self.out
        return self.logdir / TOURNAMENTS / self.out.resolve().name


def parse(arguments: list[str]) -> Request:
    """Read the command line; argparse ends the program on what it cannot read."""
    parser = _parser()
    given = parser.parse_args(arguments)
    _refuse_nonsense(parser, given)
    return Request(
        specs=given.agents,
        schedule=_schedule(parser, given),
        game=given.game,
        out=given.out or Path("runs", TOURNAMENTS, time.strftime("%Y%m%d-%H%M%S")),
        is_out_given=given.out is not None,
        logdir=given.logdir,
        batch=given.batch,
        transcripts=given.transcripts,
        threads=given.threads,
        command=shlex.join(["python", "tournament.py", *arguments]),
        workers=workers_of(given.workers, given.worker_timeout),
    )


def refuse_unplayable(request: Request) -> None:
    """Raise a ValueError for what can be seen to be wrong before TensorFlow loads."""
    if request.game is not None:
        rules_named(request.game)
    if not all(plays_any_game(spec) for spec in request.specs):
        return
    if request.game is None:
        raise ValueError("bots play any game; add --game to say which one")
    if len(set(request.specs)) < 2:
        raise ValueError(f"a tournament takes two agents or more, not just {request.specs[0]}")


def _schedule(parser: Parser, given: argparse.Namespace) -> Schedule:
    """Hands, games and hands per game from those that are given; each follows from the others."""
    games, per_game, hands = given.games, given.hands_per_game, given.hands
    if hands is None:
        hands = (games or GAMES) * per_game if per_game else HANDS
    length = LOOK_HANDS if hands == AUTO else hands  # what games must fit into
    most = (given.max_hands or MAX_HANDS) if hands == AUTO else hands
    games = games or min(GAMES, most // per_game if per_game else length // 2)
    per_game = per_game or length // games // 2 * 2
    if per_game < 2 or games < 1 or games * per_game > most:
        per_game = max(per_game, 2)  # no game is shorter
        parser.error(f"--games: {games} games of {per_game} hands do not fit into {most} hands")
    return Schedule(
        hands=None if hands == AUTO else hands,
        precision_mbb=given.precision or PRECISION_MBB,
        max_hands=given.max_hands or MAX_HANDS,
        games=games,
        hands_per_game=per_game,
        seed=given.seed,
    )


def _refuse_nonsense(parser: Parser, given: argparse.Namespace) -> None:
    names = [*given.agents, given.game, given.out, given.logdir]
    parser.refuse_unreadable_words([str(name) for name in names if name is not None])
    parser.refuse_out_of_range(given, LIMITS)
    if given.precision is not None and not 0 < given.precision < inf:
        parser.error(f"--precision is {given.precision:g}, but must be positive and finite")
    if given.hands_per_game and given.hands_per_game % 2:
        parser.error("--hands-per-game must be even: each deal is two hands, one from each seat")
    for name in ("precision", "max_hands"):
        if getattr(given, name) is not None and given.hands != AUTO:
            parser.error(f"--{name.replace('_', '-')} goes with --hands auto")
    for name in ("out", "logdir"):
        folder = getattr(given, name)
        if folder is not None and (complaint := folder_complaint(folder)) is not None:
            parser.error(f"--{name}: {complaint}")


def _hands(text: str) -> int | str:
    return AUTO if text == AUTO else int(text)


_hands.__name__ = "number of hands"  # what argparse calls it when it cannot read one


def _parser() -> Parser:
    bots = "\n".join(f"  {name:<18}{what}" for name, what in BOT_NAMES.items())
    parser = Parser(
        prog="tournament.py",
        description=DESCRIPTION.format(bots=bots),
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("agents", nargs="+", metavar="AGENT", help="models, runs and bots' names")
    game = (
        "such as hulh or leduc, needed only if no model takes part; MODULE:NAME is a game of yours"
    )
    add("--game", help=game)
    add("--seed", type=int, default=0, metavar="N", help="of deals and draws [0]")
    add("--threads", type=int, default=0, metavar="N", help="CPU threads [all]")
    batch = f"deals played at once; changes results by the rounding of networks at most [{BATCH}]"
    add("--batch", type=int, default=BATCH, metavar="N", help=batch)
    add_workers(parser)
    _add_length(parser.add_argument_group("how long each pair plays"))
    _add_places(parser.add_argument_group("where results go"))
    return parser


def _add_length(group: argparse._ArgumentGroup) -> None:
    hands = f"per pair, or auto: until precise enough [{HANDS}]"
    precision = (
        "of auto: half the width of the 95 %% interval to reach, looked at every "
        f"{LOOK_HANDS} hands [{PRECISION_MBB:g}]"
    )
    max_hands = f"of auto: the most hands per pair [{MAX_HANDS}]"
    games = f"games to count per pair [{GAMES}]"
    per_game = "[hands / games]; alone or with --games it sets --hands"
    group.add_argument("--hands", type=_hands, metavar="N|auto", help=hands)
    group.add_argument("--precision", type=float, metavar="MBB", help=precision)
    group.add_argument("--max-hands", type=int, metavar="N", help=max_hands)
    group.add_argument("--games", type=int, metavar="N", help=games)
    group.add_argument("--hands-per-game", type=int, metavar="N", help=per_game)


def _add_places(group: argparse._ArgumentGroup) -> None:
    out = "continues an interrupted tournament if it holds one [runs/tournaments/DATE-TIME]"
    transcripts = (
        "write the first N hands of each pair: hands.txt, hands_pokerstars.txt, hands.jsonl [0]"
    )
    group.add_argument("--out", type=named_path, metavar="FOLDER", help=out)
    group.add_argument(
        "--logdir",
        type=named_path,
        metavar="FOLDER",
        help="TensorBoard's: events go to tournaments/ in it [the out folder]",
    )
    group.add_argument("--transcripts", type=int, default=0, metavar="N", help=transcripts)
