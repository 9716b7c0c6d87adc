"""Local best response (Lisý and Bowling 2017, "Equilibrium Approximation Quality of Current
No-Limit Poker Bots"), for limit betting: a lower bound on exploitability in games of any size.

A best response wins at least what LBR wins on average, and `evaluation.responder` says how LBR
plays. The average is over sampled boards, own hands and actions of its opponent q; q's hand is
never sampled. Given h, the board and the history it is distributed as π_q over the hands that h and
the whole board leave, so q's actions are drawn from that mixture and what is won at the end is an
expectation over it. Only actions with mass are drawn: no range ever runs empty. LBR itself chooses
by the visible board: to use the whole board would be to know cards that are still to come, and the
result would not be a lower bound.

By street: let W_s be what the seat wins if LBR begins on street s and the policy itself plays
before it, on the same boards and by the same numbers. W_0 is the bound. The decisions of street s
bring W_s − W_(s+1), and W_S, with no street left, is what the policy wins from itself. Over both
seats that is 0, so the S streets add up to the bound. A sample of W_S is not quite 0; it is shared
out among the streets before the last, where it is lost in their noise, and then they add up
exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import ceil, comb, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from arena.match import NORMAL_95
from env.arrays import Doubles, Longs
from env.game import Game
from env.progress import Advance
from env.rules import Rules
from evaluation.equity import HandTable
from evaluation.last_street import LastStreet
from evaluation.plays import Plays, drawn_plays
from evaluation.responder import Responder
from models.records import EXACT_STREET, StreetPart
from policies.drawing import in_batches
from policies.ranges import for_ranges
from workers.in_process import InProcess
from workers.tasks import Job, Shared, Task, Workers

if TYPE_CHECKING:
    from policies.policy import Policy

BOARDS_PER_BATCH = 16


@dataclass(frozen=True)
class LocalBestResponse:
    """What LBR wins from a policy, in thousandths of a big blind per hand. S streets."""

    br_mbb: tuple[float, float]  # of LBR in seat 0, in seat 1
    bound_mbb: float  # the mean over both seats, at most the exploitability
    interval_mbb: float  # half the width of the bound's 95 % confidence interval
    hands: int  # played, both seats counted
    boards: int  # independent samples
    board_mbb: Doubles = field(compare=False)  # [boards] the mean over both seats on each
    street_mbb: Doubles | None = field(compare=False)  # [boards, S] its parts, if asked for


def local_best_response(
    game: Game,
    policy: Policy,
    num_hands: int,
    rng: np.random.Generator,
    progress: Callable[[int], None] = lambda hands: None,
    hands_per_board: int = 64,
    boards_per_batch: int = BOARDS_PER_BATCH,
    *,
    last_street: str = EXACT_STREET,
    by_street: bool = False,
    workers: Workers | None = None,
) -> LocalBestResponse:
    """At least `num_hands` hands of LBR: on each board some own hands, each in both seats.

    What is dealt is drawn here, board by board; `workers` play it.
    """
    table = HandTable(game.rules, rng)
    left = len(game.rules.deck) - game.rules.visible_board[-1]
    num_own = min(hands_per_board, comb(left, game.rules.hole_cards))
    num_boards = max(2, ceil(num_hands / (2 * num_own)))
    starts = np.arange(game.rules.streets + 1 if by_street else 1)
    setting = Shared(_Setting(game, table, starts, last_street))
    tasks = (
        Task((drawn_plays(table, game.tree, size, num_own, rng),), 2 * size * num_own)
        for size in in_batches(num_boards, boards_per_batch)
    )
    job = Job(_won_on_boards, (setting, Shared(policy)), partial(_problem, game.rules, len(starts)))
    won_chips = np.concatenate(list((workers or InProcess()).run(job, tasks, progress)))
    return _result(1000 * won_chips / game.rules.big_blind_chips, 2 * num_own * num_boards)


class _Setting(NamedTuple):
    """What all batches have in common. S starts."""

    game: Game
    table: HandTable
    starts: Longs  # [S]
    last_street: str


def _won_on_boards(setting: _Setting, policy: Policy, plays: Plays, advance: Advance) -> Doubles:
    """Chips won on the boards of a batch, means over the hands of each. [boards, 2, S]"""
    game, table, starts, last_street = setting
    size, boards = len(plays.full), plays.boards(table)
    ask = for_ranges(game, policy, boards.seen)
    exact = LastStreet(game, boards.seen, ask) if last_street == EXACT_STREET else None
    won_chips = np.empty((size, 2, len(starts)))
    for seat in (0, 1):
        numbers = plays.numbers[seat]
        seated = Responder(game.tree, boards, ask, seat, numbers, starts, exact)
        # Each start by itself: beside others its hands would be added up in another order.
        won = np.ascontiguousarray(seated.play().T).reshape(len(starts), size, -1)
        won_chips[:, seat] = won.mean(axis=2).T
    advance(2 * plays.own.size)
    return won_chips


def _problem(rules: Rules, num_starts: int, task: Task, found: object) -> str | None:
    """What is wrong with the winnings that came back; None if nothing is."""
    (plays,) = task.arguments
    shape = (len(plays.full), 2, num_starts)
    if not isinstance(found, np.ndarray) or (found.dtype, found.shape) != (np.float64, shape):
        return "winnings of another form"
    if not (np.abs(found) <= rules.stack).all():
        return "winnings that nobody can win"
    return None


def street_parts(rules: Rules, found: LocalBestResponse) -> tuple[StreetPart, ...]:
    """What each street brings; nothing where it was not asked for."""
    if found.street_mbb is None:
        return ()
    return tuple(
        StreetPart(name, float(on_boards.mean()), mean_interval(on_boards))
        for name, on_boards in zip(rules.street_names, found.street_mbb.T, strict=True)
    )


def _result(won_mbb: Doubles, hands: int) -> LocalBestResponse:
    """From what was won on each board, in each seat, from each start. [boards, 2, starts]"""
    br_mbb, both = won_mbb[:, :, 0].mean(axis=0), won_mbb.mean(axis=1)
    bounds = both[:, 0]
    return LocalBestResponse(
        br_mbb=(float(br_mbb[0]), float(br_mbb[1])),
        bound_mbb=float(bounds.mean()),
        interval_mbb=mean_interval(bounds),
        hands=hands,
        boards=len(bounds),
        board_mbb=bounds,
        street_mbb=_by_street(both) if both.shape[1] > 1 else None,
    )


def _by_street(won_mbb: Doubles) -> Doubles:
    """What the decisions of each street bring. [boards, S + 1] → [boards, S]"""
    parts = won_mbb[:, :-1] - won_mbb[:, 1:]
    from_itself = won_mbb[:, -1:]
    if parts.shape[1] == 1:
        return parts + from_itself
    parts[:, :-1] += from_itself / (parts.shape[1] - 1)
    return parts


def mean_interval(samples: Doubles) -> float:
    """Half the width of the 95 % interval of a mean. [n]"""
    return float(NORMAL_95 * samples.std(ddof=1) / sqrt(len(samples)))
