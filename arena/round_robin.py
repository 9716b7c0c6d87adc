"""A round robin: every agent against every other, in duplicate matches on the same deals.

All pairs play the same deals with the same draws (common random numbers): what differs between two
results is then how the agents play, not the cards they got. A pair's result depends on the two
agents, the rules and the settings only, not on who else takes part or on the batch size.

With a precision to reach, a pair is looked at every `LOOK_HANDS` hands and stops at the first look
at which its interval is narrow enough. It stops by the width of the interval, never by the result.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import ceil

from arena.match import batches
from arena.schedule import BATCH, LOOK_HANDS, Schedule
from arena.statistics import Tally
from env.game import Game
from policies.policy import Policy

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
