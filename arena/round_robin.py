"""A round robin: every agent against every other, in duplicate matches on the same deals.

All pairs play the same deals with the same draws (common random numbers): what differs between two
results is then how the agents play, not the cards they got. A pair's result depends on the two
agents, the rules and the settings only, not on who else takes part or on the batch size.

With a precision to reach, a pair is looked at every `LOOK_HANDS` hands and stops at the first look
at which its interval is narrow enough. It stops by the width of the interval, never by the result.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from itertools import combinations
from math import ceil

from arena.match import batches
from arena.schedule import BATCH, LOOK_HANDS, Schedule
from arena.statistics import Tally
from env.game import Game
from env.progress import Advance
from policies.policy import Policy
from workers.tasks import Task

PairProgress = Callable[[int, int], None]  # (hands of the pair played, hands it is likely to take)


def all_pairs(names: list[str]) -> list[tuple[str, str]]:
    """Who plays whom, in the order it is played."""
    return list(combinations(names, 2))


def play_pair(
    game: Game,
    a: Policy,
    b: Policy,
    schedule: Schedule,
    *,
    batch: int = BATCH,
    progress: PairProgress | None = None,
) -> Tally:
    """One pair's whole match."""
    tally = Tally.empty(game.rules, schedule.games, schedule.hands_per_game)
    stop_every = LOOK_HANDS // 2 if schedule.hands is None else None  # in deals
    for played in batches(
        game, a, b, schedule.most_hands, schedule.seed, batch=batch, stop_every=stop_every
    ):
        tally = tally.add(game, played)
        if progress:
            progress(tally.hands, _expected_hands(schedule, tally))
        if schedule.hands is None and _is_precise(schedule, tally):
            break
    return tally


def play_named_pair(
    game: Game,
    policies: Mapping[str, Policy],
    a: str,
    b: str,
    schedule: Schedule,
    batch: int,
    advance: Advance,
) -> tuple[Tally, float]:
    """One pair's whole match as workers play it, and how many seconds it took."""
    start = time.perf_counter()
    tally = play_pair(game, policies[a], policies[b], schedule, batch=batch)
    advance(tally.hands)
    return tally, time.perf_counter() - start


def pair_problem(task: Task, found: object) -> str | None:
    """What is wrong with a pair's result that came back from elsewhere; None if nothing is."""
    _, _, schedule, _ = task.arguments
    if not isinstance(found, tuple) or len(found) != 2:
        return "an answer that is no result of a pair"
    tally, seconds = found
    if not isinstance(tally, Tally) or not isinstance(seconds, float) or not seconds >= 0:
        return "an answer that is no result of a pair"
    most = schedule.most_hands + schedule.most_hands % 2
    is_whole = tally.hands == most or (schedule.hands is None and 0 < tally.hands < most)
    if not is_whole or len(tally.margins) != schedule.games:
        return "a result of other matches than were asked for"
    largest = tally.num_deals * tally.rules.stack
    if any(abs(chips) > largest for chips in tally.seat_chips):
        return "winnings that nobody can win"
    return None


def _is_precise(schedule: Schedule, tally: Tally) -> bool:
    """Whether to stop: only at a look, which no batch size moves, and only after the last game."""
    is_look = tally.hands % LOOK_HANDS == 0
    games_over = tally.hands >= schedule.games * schedule.hands_per_game
    return is_look and games_over and tally.winrate_mbb[1] <= schedule.precision_mbb


def _expected_hands(schedule: Schedule, tally: Tally) -> int:
    """The whole length: intervals shrink with the root of the number of hands."""
    if schedule.hands is not None or tally.num_deals < 2:
        return schedule.most_hands
    needed = tally.hands * (tally.winrate_mbb[1] / schedule.precision_mbb) ** 2
    needed = max(needed, tally.hands, schedule.games * schedule.hands_per_game)
    return min(ceil(needed / LOOK_HANDS) * LOOK_HANDS, schedule.max_hands)
