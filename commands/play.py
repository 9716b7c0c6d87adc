"""What `play.py` does: seat the player in the terminal, or serve the table to a browser."""

from __future__ import annotations

import sys
from contextlib import closing, suppress
from functools import partial

from rich.console import Console

from agents.agent import AgentError
from agents.names import inner_agent, is_own_bot
from commands.play_options import LAST, Request, rules_of_bots
from commands.progress_bars import Bars
from env.rules import Rules, parse_rules
from interfaces.coach.choosing import reference_for, review_key
from interfaces.coach.report import Report, review
from interfaces.opponents import Opponent, load_opponent
from interfaces.review import history_text, played
from interfaces.session import Session
from interfaces.storage import SessionError, SessionRow, Store
from interfaces.terminal.advising import Adviser
from interfaces.terminal.sitting import Sitting
from interfaces.winnings import Winnings


def run(request: Request) -> int:
    """Whatever is asked for; the exit code."""
    with closing(Store()) as store:
        if request.lists_sessions:
            return _list(store)
        if request.export is not None:
            print(history_text(store, _named(store, request.export), request.form), end="")
            return 0
        if request.review is not None:
            return _review(request, store)
        if request.web:
            return _serve(request, store)
        return _sit_down(request, store)


def _serve(request: Request, store: Store) -> int:
    """Serve the page until Ctrl-C, which is how one leaves."""
    from interfaces.web.server import serve  # noqa: PLC0415 - the terminal does without

    with suppress(KeyboardInterrupt):
        serve(store, request.host, request.port, opens_browser=request.opens_browser)
    return 0


def _list(store: Store) -> int:
    """A line for each session."""
    found = store.summaries()
    for summary in found:
        row = summary.row
        print(
            f"{row.id}  {row.started}  {row.rules.name}  {row.opponent}  "
            f"{summary.hands} hands, {summary.chips:+} chips"
        )
    if not found:
        print(f"no session in {store.path} yet")
    return 0


def _sit_down(request: Request, store: Store) -> int:
    """Play in the terminal."""
    name = None if request.resume is None else _named(store, request.resume)
    row = None if name is None else store.session(name)
    opponent = _opponent(request) if row is None else _opponent_of(request, row)
    console = Console(highlight=False, markup=False)
    judge = partial(_reference, request, opponent.game.rules, opponent.spec)
    adviser = Adviser(judge, console, comments=request.coaches)
    if request.reference is not None:
        adviser.load()  # who cannot judge is refused before a session begins
    if name is not None:
        session = Session.resume(store, name)
    else:
        session = Session.start(store, opponent.game, opponent.spec, request.seed)
    before = session.winnings
    own = f"{opponent.spec} " if is_own_bot(inner_agent(opponent.spec)) else ""
    again = f"python play.py {own}--continue {session.row.id}"
    try:
        Sitting(session, opponent, adviser, console).play(request.hands)
    except KeyboardInterrupt:
        print(f"\nstopped; the session is kept: {again}", file=sys.stderr)
        return 130
    _say_goodbye(session, before)
    print(f"the session is kept: {again}")
    return 0


def _review(request: Request, store: Store) -> int:
    """Look at every finished hand of a session, and say what came out."""
    name = _named(store, request.review or LAST)
    row = store.session(name)
    reference = _reference(request, row.rules, row.opponent)
    key = review_key(reference.spec, reference.agent)
    bars = Bars()
    pending = store.unreviewed(name, key)
    advance = bars("looking at hands", len(pending))
    try:
        for hand in pending:
            found = review(reference.coach, played(row, hand))
            store.keep_review(name, hand.number, key, found)
            advance(1)
    except KeyboardInterrupt:
        print("\nstopped; what was looked at is kept", file=sys.stderr)
        return 130
    finally:
        bars.close()
    print(f"judged by {reference.agent.name}")
    print(Report(store.reviews(name, key)).text())
    return 0


def _reference(request: Request, rules: Rules, opponent: str) -> Opponent:
    """Who judges a session."""
    try:
        spec = request.reference or reference_for(rules, opponent)
    except AgentError as error:
        raise AgentError(f"{error}; name one by --reference") from None
    typed = spec in (request.reference, request.agent)
    reference = load_opponent(spec, rules, runs_own_code=typed)
    _ = reference.coach  # what cannot judge is refused now
    return reference


def _say_goodbye(session: Session, before: Winnings) -> None:
    rules, total = session.table.game.rules, session.winnings
    if before.hands and total.hands > before.hands:
        now = Winnings.of(session.won[before.hands :])
        print(f"this sitting: {now.text(rules)}")
    print(f"the session: {total.text(rules)}")


def _opponent_of(request: Request, row: SessionRow) -> Opponent:
    """Who a session that goes on is played against."""
    if request.agent not in ("", row.opponent):
        raise SessionError(f"the session is played against {row.opponent}, not {request.agent}")
    return load_opponent(row.opponent, row.rules, runs_own_code=request.agent == row.opponent)


def _opponent(request: Request) -> Opponent:
    game = rules_of_bots(request)
    rules = None if game is None else parse_rules(game)
    return load_opponent(request.agent, rules, runs_own_code=True)


def _named(store: Store, name: str) -> str:
    """The id of a session, which may be called the last one."""
    if name != LAST:
        return name
    found = store.summaries()
    if not found:
        raise SessionError(f"there is no session in {store.path} yet")
    return found[0].row.id
