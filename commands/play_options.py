"""The command line of `play.py`: argv → what to do, and what is refused. Knows no TensorFlow."""

from __future__ import annotations

import argparse
import secrets
from dataclasses import dataclass

from agents.names import BOT_NAMES, inner_agent, is_own_bot, plays_any_game
from commands.command_line import Parser
from env.rules import PRESETS, parse_rules
from models.layout import PRETRAINED, shipped

LAST = "last"
HOST, PORT = "127.0.0.1", 8420

DESCRIPTION = """Play heads-up limit hold'em against an agent, in the terminal or in a browser.

An agent is a model folder or a run, search:MODEL for a model that re-solves its last street at the
table (docs/search.md), sdcfr:RUN, a bot, MODULE:NAME for a bot in a file of yours
(docs/how-to/own-bot.md), or diluted:PERCENT:AGENT, which plays so many of its decisions at random.
Without one you play against the model that comes with the game, with search.
Bots: {bots}.

Keys: f fold, c call or check, r raise or bet, a advice, w who holds what, h help, q
quit. Every action is saved at once in runs/play/; docs/play.md says more."""

EXAMPLES = """examples:
  python play.py
  python play.py tight-aggressive --hands 100
  python play.py diluted:20:checkpoints/pretrained/hulh
  python play.py --coach
  python play.py --continue last
  python play.py --review last
  python play.py --export last --format phh > hands.phhs
  python play.py --web"""

FORMATS = ("jsonl", "pokerstars", "phh")
LIMITS = {"seed": (0, 2**63 - 1), "hands": (1, 10**9), "port": (0, 65535)}


@dataclass(frozen=True)
class Request:
    """What the command line asks for."""

    agent: str
    game: str | None
    seed: int
    hands: int | None
    resume: str | None  # the session to go on with
    export: str | None  # the session to print
    form: str  # in which it is printed
    review: str | None  # the session to look back at with the coach
    coaches: bool  # the coach comments after each decision
    reference: str | None  # who judges; None: whoever is usual for the game
    lists_sessions: bool
    web: bool
    host: str
    port: int
    opens_browser: bool


def parse(arguments: list[str]) -> Request:
    """Read the command line; argparse ends the program on what it cannot read."""
    parser = _parser()
    given = parser.parse_args(arguments)
    _refuse_nonsense(parser, given)
    return Request(
        agent=given.agent or _default_agent(parser, given),
        game=given.game,
        seed=secrets.randbits(63) if given.seed is None else given.seed,
        hands=given.hands,
        resume=given.resume,
        export=given.export,
        form=given.format or FORMATS[0],
        review=given.review,
        coaches=given.coach,
        reference=given.reference,
        lists_sessions=given.sessions,
        web=given.web,
        host=given.host or HOST,
        port=PORT if given.port is None else given.port,
        opens_browser=not given.no_browser,
    )


def _default_agent(parser: Parser, given: argparse.Namespace) -> str:
    """The model that comes with the game, with search where there is something to search."""
    if given.web or given.sessions or given.resume or given.export or given.review:
        return ""
    game = given.game or "hulh"
    model = PRETRAINED / game
    if game not in PRESETS or not shipped(model).is_dir():
        parser.error(f"no model comes with {game}; name an agent, such as honest or random")
    return str(model) if given.no_search else f"search:{model}"


def _refuse_nonsense(parser: Parser, given: argparse.Namespace) -> None:
    words = [given.agent, given.game, given.resume, given.export, given.host]
    words += [given.review, given.reference]
    parser.refuse_unreadable_words([word for word in words if word is not None])
    parser.refuse_out_of_range(given, LIMITS)
    if given.game is not None:
        try:
            parse_rules(given.game)
        except ValueError as error:
            parser.error(str(error))
    modes = {
        "--web": given.web,
        "--sessions": given.sessions,
        "--continue": given.resume is not None,
        "--export": given.export is not None,
        "--review": given.review is not None,
    }
    chosen = [name for name, is_given in modes.items() if is_given]
    if len(chosen) > 1:
        parser.error(f"{chosen[0]} and {chosen[1]} cannot be had at once")
    if chosen:
        _refuse_beside(parser, given, chosen[0])
    if not given.web:
        for option in ("--host", "--port", "--no-browser"):
            if getattr(given, option[2:].replace("-", "_")) not in (None, False):
                parser.error(f"{option} goes with --web")
    if given.format and given.export is None:
        parser.error("--format goes with --export")
    if given.no_search and given.agent:
        parser.error("--no-search goes without an agent; name the model itself to play it so")


def _refuse_beside(parser: Parser, given: argparse.Namespace, mode: str) -> None:
    """Refuse what says how a new session in the terminal begins."""
    others = {"--game": given.game, "--seed": given.seed}
    # Whoever goes on against a bot in a file of theirs names it again, because its code will run.
    if mode != "--continue" or not is_own_bot(inner_agent(given.agent or "")):
        others["an agent"] = given.agent
    others["--no-search"] = given.no_search or None
    if mode != "--continue":
        others["--hands"], others["--coach"] = given.hands, given.coach or None
        if mode != "--review":
            others["--reference"] = given.reference
    for name, value in others.items():
        if value is not None:
            parser.error(f"{name} cannot be given with {mode}")


def rules_of_bots(request: Request) -> str | None:
    """The game that the command line names; for a bot the usual one if it names none."""
    return request.game or ("hulh" if plays_any_game(request.agent) else None)


def _parser() -> Parser:
    parser = Parser(
        prog="play.py",
        description=DESCRIPTION.format(bots=", ".join(BOT_NAMES)),
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("agent", nargs="?", metavar="AGENT", help="whom to play against")
    add("--game", help="such as hulh, fhp or leduc; models say it themselves; bots play hulh")
    add("--no-search", action="store_true", help="play the model that comes with the game as it is")
    add("--seed", type=int, metavar="N", help="of deals and of the opponent's draws [random]")
    add("--hands", type=int, metavar="N", help="leave after so many hands")
    sessions = parser.add_argument_group("sessions")
    sessions.add_argument(
        "--continue",
        dest="resume",
        metavar="SESSION",
        help=f"go on with a session, in mid-hand if it was left there; {LAST}: the newest",
    )
    sessions.add_argument("--sessions", action="store_true", help="list all sessions")
    sessions.add_argument(
        "--export",
        metavar="SESSION",
        help=f"print a session's finished hands; {LAST} stands for the newest here, too",
    )
    sessions.add_argument(
        "--format",
        choices=FORMATS,
        help=f"of --export: JSON lines, PokerStars-like text, or PHH for PokerKit [{FORMATS[0]}]",
    )
    coach = parser.add_argument_group("the coach (docs/coach.md)")
    coach.add_argument("--coach", action="store_true", help="comment after each of your decisions")
    coach.add_argument(
        "--review",
        metavar="SESSION",
        help="what a session's decisions cost: adjusted results, loss by street, the worst ones",
    )
    coach.add_argument(
        "--reference",
        metavar="AGENT",
        help="whom the coach judges by [the model that comes with the game, with search]",
    )
    browser = parser.add_argument_group("in the browser")
    browser.add_argument("--web", action="store_true", help="serve the table as a page")
    browser.add_argument("--port", type=int, metavar="N", help=f"[{PORT}]; 0: any free one")
    browser.add_argument(
        "--host",
        metavar="H",
        help=f"address to listen on [{HOST}]; any other asks visitors for a token that is printed",
    )
    browser.add_argument("--no-browser", action="store_true", help="open no browser")
    return parser
