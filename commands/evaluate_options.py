"""The command line of `evaluate.py`. Nothing here loads TensorFlow."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from agents.names import BOT_NAMES
from commands.command_line import Parser
from commands.outputs import STDOUT, file_complaint, folder_complaint, is_stdout, named_path
from commands.workers_option import add_workers, workers_of
from evaluation.settings import METHODS, Settings
from models.records import LAST_STREETS
from workers.opening import WorkersSpec

DESCRIPTION = """How exploitable is a saved model?

A model folder (one that holds strategy.keras) is one model. A run folder stands for all its
checkpoints: each is evaluated and a curve is drawn. A bot's name with --game is evaluated like a
model, and so are MODULE:NAME, a bot in a file of yours (docs/how-to/own-bot.md), and search:MODEL,
a model that re-solves its last street at the table. Results go to
the terminal, into measurements.jsonl beside the model, its run's README.md and TensorBoard.
Published models, such as those in checkpoints/pretrained, are left as they are.

Two models, or a model and a bot, are compared: how much more the first gives away than the second.
Local best response plays both on the same boards and gives the interval of the difference. Nothing
is recorded.

Without --method the strongest one that the game allows is taken:
  exact      best response over every board: kuhn, leduc, fhp
  lbr        local best response, a lower bound with an interval: any game; exact on the last street
  exploiter  Deep CFR trained against the frozen model, a lower bound: any game"""

EXAMPLES = """examples:
  python evaluate.py checkpoints/leduc/iter_0200
  python evaluate.py checkpoints/standard --hands 20000 --json bounds.json
  python evaluate.py call --game fhp
  python evaluate.py mybots:Maniac --game fhp
  python evaluate.py checkpoints/standard/iter_0100 checkpoints/standard/iter_0200
  python evaluate.py search:checkpoints/pretrained/leduc:gadget=max-margin
  python evaluate.py checkpoints/standard/iter_0200 --explain "Ah Kd" "Ts 7d 2c" "rc/r"
  python evaluate.py search:checkpoints/pretrained/leduc --explain Kc Qd cc/
  python evaluate.py checkpoints/standard/iter_0200 --preflop-chart facing_a_raise.png --line r
  python evaluate.py checkpoints/pretrained/hulh --explain hand.txt
  python evaluate.py checkpoints/pretrained/hulh --range-chart flop.png --board "Ts 7d 2c" \
      --line rc/"""


MOST = 10**9  # hands or boards; more would not fit into memory
LIMITS = {
    "hands": (1, MOST),
    "iterations": (1, 10**6),
    "sample_boards": (0, MOST),
    "seed": (0, 2**63 - 1),
    "threads": (0, 10**6),
}


@dataclass(frozen=True)
class Request:
    """What the command line asks for."""

    targets: list[str]  # one, or two to compare
    settings: Settings
    game: str | None
    json: Path | None
    chart: Path | None
    logdir: Path
    explain: list[str] | None
    preflop_chart: Path | None
    range_chart: Path | None
    board: str
    line: str
    threads: int
    workers: WorkersSpec

    @property
    def looks_only(self) -> bool:
        """Whether the model is to be shown, not measured."""
        return any((self.explain, self.preflop_chart, self.range_chart))

    @property
    def prints_json(self) -> bool:
        """Whether standard output is for JSON alone."""
        return is_stdout(self.json)


def parse(arguments: list[str]) -> Request:
    """Read the command line; argparse ends the program on what it cannot read."""
    parser = _parser()
    given = parser.parse_args(arguments)
    _refuse_nonsense(parser, given)
    return Request(
        targets=given.models,
        settings=Settings(
            method=given.method,
            hands=given.hands,
            seed=given.seed,
            sample_boards=given.sample_boards,
            iterations=given.iterations,
            last_street=given.lbr_last_street,
            by_street=given.by_street,
        ),
        game=given.game,
        json=given.json,
        chart=given.chart,
        logdir=given.logdir,
        explain=given.explain,
        preflop_chart=given.preflop_chart,
        range_chart=given.range_chart,
        board=given.board or "",
        line=given.line or "",
        threads=given.threads,
        workers=workers_of(given.workers, given.worker_timeout),
    )


def _refuse_nonsense(parser: Parser, given: argparse.Namespace) -> None:
    """End the program with what is wrong with the options."""
    charts = (given.chart, given.preflop_chart, given.range_chart)
    files = [file for file in (given.json, *charts) if file is not None]
    if len(given.models) > 2:
        parser.error("give one model, or two to compare")
    names = [*given.models, given.game, given.logdir, *files]
    parser.refuse_unreadable_words([str(name) for name in names if name is not None])
    parser.refuse_out_of_range(given, LIMITS)
    if given.explain is not None and not 1 <= len(given.explain) <= 3:
        parser.error("--explain takes a hand, then a board if there is one, then the betting line")
    if given.line is not None and given.preflop_chart is None and given.range_chart is None:
        parser.error("--line goes with --preflop-chart and --range-chart")
    if given.board is not None and given.range_chart is None:
        parser.error("--board goes with --range-chart")
    if STDOUT in files[given.json is not None :]:
        parser.error("only --json can be written to -, the standard output")
    complaints = [file_complaint(file) for file in files if file != STDOUT]
    for complaint in (*complaints, folder_complaint(given.logdir)):
        if complaint is not None:
            parser.error(complaint)


def _parser() -> Parser:
    parser = Parser(
        prog="evaluate.py",
        description=DESCRIPTION,
        epilog=f"{EXAMPLES}\n\nbots: {', '.join(BOT_NAMES)}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_methods(parser)
    _add_outputs(parser.add_argument_group("where results go"))
    _add_looks(parser.add_argument_group("look at a model instead of evaluating it"))
    return parser


def _add_methods(parser: argparse.ArgumentParser) -> None:
    models = (
        "a model folder, a run folder, search:MODEL[:OPTIONS], or with --game a bot's name or "
        "MODULE:NAME, a bot in a file of yours; two of them are compared"
    )
    parser.add_argument("models", nargs="+", metavar="MODEL", help=models)
    parser.add_argument("--method", choices=METHODS, help="[the strongest for the game]")
    parser.add_argument(
        "--hands",
        type=int,
        metavar="N",
        help="hands to play: lbr [40000], exploiter [200000; toy games 2000000]",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of all chance [0]")
    parser.add_argument(
        "--sample-boards",
        type=int,
        default=0,
        metavar="N",
        help="visit N boards instead of all: a quick estimate, too high on average [0 = all, "
        "exact]",
    )
    parser.add_argument(
        "--iterations", type=int, metavar="N", help="iterations of training an exploiter [by game]"
    )
    parser.add_argument(
        "--lbr-last-street",
        choices=LAST_STREETS,
        help="how lbr plays the last street: a best response to the opponent's range, or as if "
        "both players would check and call there too, as earlier versions did [exact]",
    )
    parser.add_argument(
        "--by-street",
        action="store_true",
        help="lbr also says how much of its bound the decisions of each street bring; takes about "
        "twice as long",
    )
    parser.add_argument(
        "--game",
        help="the game a bot is to play, such as fhp; MODULE:NAME is a game in a file of yours, "
        "which models of that game need as well",
    )
    parser.add_argument("--threads", type=int, default=0, metavar="N", help="CPU threads [all]")
    add_workers(parser)


def _add_outputs(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--json",
        type=named_path,
        metavar="FILE",
        help="an object for one model, a list for a run; - is standard output, and tables then go "
        "to standard error",
    )
    group.add_argument(
        "--chart",
        type=named_path,
        metavar="FILE",
        help="a run's curve, or one model's gains by hand, as PNG [exploitability.png in the "
        "run's folder]",
    )
    group.add_argument(
        "--logdir", type=named_path, default=Path("runs"), help="TensorBoard's [runs]"
    )


def _add_looks(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--explain",
        nargs="+",
        metavar="WORDS",
        help="HAND [BOARD] [LINE]: the strategy in one situation and what each action is worth, "
        'such as "Ah Kd" "Ts 7d 2c" "rrc/c"; without a board, the mean strategy over all boards; '
        "AKs on a board, the mean over its hands. Or a played hand as PokerStars-like text or PHH, "
        "or the name of a file with one: every decision of the players whose cards are shown",
    )
    group.add_argument(
        "--preflop-chart", type=named_path, metavar="FILE", help="the 13 × 13 chart as PNG"
    )
    group.add_argument(
        "--range-chart",
        type=named_path,
        metavar="FILE",
        help="both players' ranges after a --line on a --board, and what is done next, as PNG",
    )
    group.add_argument("--board", help="of the range chart, such as 'Ts 7d 2c' [none]")
    group.add_argument("--line", help="the chart's betting line, such as r or rc/ [first to act]")
