"""The tournament's command line: argv → what to do. Knows nothing of TensorFlow."""

from __future__ import annotations

import argparse
import shlex
import time
from dataclasses import dataclass
from pathlib import Path

from agents.names import BOT_NAMES

HANDS, GAMES, PRECISION_MBB, MAX_HANDS = 100_000, 100, 20.0, 2_000_000
LOOK_HANDS = 20_000  # of --hands auto: between looks at the interval
BATCH = 20_000
AUTO = "auto"

DESCRIPTION = """Every agent against every other, in duplicate matches on the same deals.

An agent is a model folder (or its strategy.keras), a run folder, which stands for all its
checkpoints, sdcfr:RUN for the single-Deep-CFR player of a run, or a bot:
{bots}

Each deal is played twice with the seats swapped, and all pairs get the same deals: what differs
between two results is how the agents play. Results are in mbb/g (thousandths of a big blind per
hand) with 95 % intervals, in small bets per 100 hands, and as games won: a game is a number of
hands in a row, won by whoever is ahead at its end.

The out folder gets results.json, results.csv, report.html (one page, everything in it) and the
charts; models get the results into their model.json and their run's README.md. Ctrl-C stops after
the finished pairs; the same command with --out FOLDER goes on."""

EXAMPLES = """examples:
  python tournament.py checkpoints/standard call raise random
  python tournament.py checkpoints/standard/iter_0200 sdcfr:checkpoints/standard --hands auto
  python tournament.py call raise fold random --game leduc --hands 20000
  python tournament.py checkpoints/standard --games 100 --hands-per-game 3000 --transcripts 20"""


@dataclass(frozen=True)
class Schedule:
    """What each pair plays."""

    hands: int | None = HANDS  # None: until the interval is narrow enough
    precision_mbb: float = PRECISION_MBB  # half the width to reach where hands are not given
    max_hands: int = MAX_HANDS  # the end where it is not reached
    games: int = GAMES
    hands_per_game: int = HANDS // GAMES
    seed: int = 0

    @property
    def most_hands(self) -> int:
        """How long a pair can take."""
        return self.hands or self.max_hands

    def as_dict(self) -> dict[str, int | float | str]:
        """What results depend on, as plain JSON values; what is not read is left out."""
        if self.hands is None:
            length: dict[str, int | float | str] = {
                "hands": AUTO, "precision_mbb": self.precision_mbb, "max_hands": self.max_hands
            }  # fmt: skip
        else:
            length = {"hands": self.hands}
        return length | {"games": self.games, "hands_per_game": self.hands_per_game}


@dataclass(frozen=True)
class Request:
    """What the command line asks for."""

    specs: list[str]
    schedule: Schedule
    game: str | None
    out: Path
    logdir: Path | None  # None: the out folder
    batch: int
    transcripts: int
    threads: int
    command: str  # as typed


def parse(arguments: list[str]) -> Request:
    """Read the command line; argparse ends the program on what it cannot read."""
    parser = _parser()
    given = parser.parse_args(arguments)
    _refuse_nonsense(parser, given)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    return Request(
        specs=given.agents,
        schedule=_schedule(parser, given),
        game=given.game,
        out=given.out or Path("runs/tournaments") / stamp,
        logdir=given.logdir,
        batch=given.batch,
        transcripts=given.transcripts,
        threads=given.threads,
        command=shlex.join(["python", "tournament.py", *arguments]),
    )


def _schedule(parser: argparse.ArgumentParser, given: argparse.Namespace) -> Schedule:
    """Hands, games and hands per game from those that are given; each follows from the others."""
    games, per_game, hands = given.games, given.hands_per_game, given.hands
    if hands is None:
        hands = (games or GAMES) * per_game if per_game else HANDS
    length = LOOK_HANDS if hands == AUTO else hands  # what games must fit into
    most = (given.max_hands or MAX_HANDS) if hands == AUTO else hands
    games = games or min(GAMES, most // per_game if per_game else length // 2)
    per_game = per_game or length // games // 2 * 2
    if per_game < 2 or games < 1 or games * per_game > most:
        shown = per_game if games and per_game >= 2 else 2
        parser.error(f"{games} games of {shown} hands do not fit into {most} hands")
    return Schedule(
        hands=None if hands == AUTO else hands,
        precision_mbb=given.precision or PRECISION_MBB,
        max_hands=given.max_hands or MAX_HANDS,
        games=games,
        hands_per_game=per_game,
        seed=given.seed,
    )


def _refuse_nonsense(parser: argparse.ArgumentParser, given: argparse.Namespace) -> None:
    for name in ("games", "hands_per_game", "precision", "batch"):
        value = getattr(given, name)
        if value is not None and not value > 0:
            parser.error(f"--{name.replace('_', '-')} is {value:g}, but must be positive")
    for name in ("seed", "threads", "transcripts"):
        if getattr(given, name) < 0:
            parser.error(f"--{name} is {getattr(given, name)}, but cannot be negative")
    for name in ("hands", "max_hands"):
        value = getattr(given, name)
        if isinstance(value, int) and value < 4:
            parser.error(
                f"--{name.replace('_', '-')} is {value}: an interval takes two deals, 4 hands"
            )
    if given.hands_per_game and given.hands_per_game % 2:
        parser.error("--hands-per-game must be even: each deal is two hands, one from each seat")
    for name in ("precision", "max_hands"):
        if getattr(given, name) is not None and given.hands != AUTO:
            parser.error(f"--{name.replace('_', '-')} goes with --hands auto")
    for folder in (given.out, given.logdir):
        if folder is not None and folder.exists() and not folder.is_dir():
            parser.error(f"{folder} is a file; name a folder")


def _hands(text: str) -> int | str:
    return AUTO if text == AUTO else int(text)


_hands.__name__ = "number of hands"  # what argparse calls it when it cannot read one


def _parser() -> argparse.ArgumentParser:
    bots = "\n".join(f"  {name:<18}{what}" for name, what in BOT_NAMES.items())
    parser = argparse.ArgumentParser(
        prog="tournament.py",
        description=DESCRIPTION.format(bots=bots),
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="models, runs and bots' names")
    parser.add_argument("--game", help="such as hulh or leduc; needed only where no model tells it")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of deals and draws [0]")
    parser.add_argument("--threads", type=int, default=0, metavar="N", help="CPU threads [all]")
    parser.add_argument("--batch", type=int, default=BATCH, metavar="N",
                        help="deals played at once; changes results by the rounding of networks "
                        f"at most [{BATCH}]")  # fmt: skip
    length = parser.add_argument_group("how long each pair plays")
    length.add_argument("--hands", type=_hands, metavar="N|auto",
                        help=f"per pair, or auto: until precise enough [{HANDS}]")  # fmt: skip
    length.add_argument("--precision", type=float, metavar="MBB",
                        help="of auto: half the width of the 95 %% interval to reach, looked at "
                        f"every {LOOK_HANDS} hands [{PRECISION_MBB:g}]")  # fmt: skip
    length.add_argument("--max-hands", type=int, metavar="N",
                        help=f"of auto: the most hands per pair [{MAX_HANDS}]")  # fmt: skip
    length.add_argument("--games", type=int, metavar="N",
                        help=f"games to count per pair [{GAMES}]")  # fmt: skip
    length.add_argument("--hands-per-game", type=int, metavar="N",
                        help="[hands / games]; alone or with --games it sets --hands")  # fmt: skip
    out = parser.add_argument_group("where results go")
    out.add_argument("--out", type=Path, metavar="FOLDER",
                     help="one of an interrupted tournament is gone on with "
                     "[runs/tournaments/DATE-TIME]")  # fmt: skip
    out.add_argument("--logdir", type=Path, metavar="FOLDER", help="TensorBoard's [the out folder]")
    out.add_argument("--transcripts", type=int, default=0, metavar="N",
                     help="write the first N hands of each pair: hands.txt, hands_pokerstars.txt, "
                     "hands.jsonl [0]")  # fmt: skip
    return parser
