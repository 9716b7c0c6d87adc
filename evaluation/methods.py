"""One answer, whatever the method: how exploitable a policy is and what that statement is worth."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING

import numpy as np

from env.boards import num_board_classes
from env.game import Game
from env.progress import NewBar
from evaluation.best_response import exploitability
from evaluation.good_sense import good_sense
from evaluation.local_best_response import BOARDS_PER_BATCH, local_best_response, street_parts
from evaluation.results import Evaluation
from evaluation.settings import EXACT, EXPLOITER, LBR, Settings
from models.records import ESTIMATE_NOTE, EXACT_STREET, ExploitabilityRecord
from policies.ranges import AnswersRanges

if TYPE_CHECKING:
    from policies.policy import Policy
    from workers.tasks import Workers


def evaluate(
    game: Game,
    policy: Policy,
    settings: Settings,
    new_bar: NewBar,
    workers: Workers | None = None,
) -> Evaluation:
    """Evaluate a policy by the method asked for, or by the strongest one there is.

    `workers` play the boards of a local best response.
    """
    method = settings.method_for(game.rules)
    start = time.perf_counter()
    if method == EXACT:
        found = _best_response(game, policy, settings, new_bar)
    elif method == LBR:
        found = _local_best_response(game, policy, settings, new_bar, workers)
    else:
        found = Evaluation(_exploiter(game, policy, settings, new_bar))
    seconds = round(time.perf_counter() - start, 2)
    record = dataclasses.replace(found.record, seconds=seconds)
    sense = good_sense(game, policy, settings.seed)
    return dataclasses.replace(found, record=record, sense=sense)


def _best_response(game: Game, policy: Policy, settings: Settings, new_bar: NewBar) -> Evaluation:
    """Over every board, or over a sample of them."""
    num_boards = num_board_classes(game.rules)
    is_exact = not 0 < settings.sample_boards < num_boards
    sample = None
    if not is_exact:
        num_boards = settings.sample_boards
        sample = (num_boards, np.random.default_rng(settings.seed))
    found = exploitability(game, policy, sample=sample, new_bar=new_bar)
    record = ExploitabilityRecord(
        method=EXACT if is_exact else "sampled boards",
        claim="exact" if is_exact else "estimate",
        exploitability_mbb=found.exploitability_mbb,
        interval_mbb=0.0 if is_exact else None,
        br_mbb=found.br_mbb,
        value_mbb=found.value_mbb,
        boards=num_boards,
        seed=settings.seed,
        note="" if is_exact else f"{ESTIMATE_NOTE}: the best response adapts to the sampled boards",
    )
    return Evaluation(record, found.by_hand if game.rules.hole_cards == 2 else None)


def _local_best_response(
    game: Game, policy: Policy, settings: Settings, new_bar: NewBar, workers: Workers | None
) -> Evaluation:
    hands = settings.hands_for(game.rules)
    rng = np.random.default_rng(settings.seed)
    # Whoever works out whole public states takes long for each board; progress is to be seen.
    boards = 1 if isinstance(policy, AnswersRanges) else BOARDS_PER_BATCH
    advance = new_bar("hands", hands)
    last_street = settings.last_street or EXACT_STREET
    found = local_best_response(
        game,
        policy,
        hands,
        rng,
        advance,
        boards_per_batch=boards,
        last_street=last_street,
        by_street=settings.by_street,
        workers=workers,
    )
    record = ExploitabilityRecord(
        method=LBR,
        claim="lower bound",
        exploitability_mbb=found.bound_mbb,
        interval_mbb=found.interval_mbb,
        br_mbb=found.br_mbb,
        hands=found.hands,
        boards=found.boards,
        seed=settings.seed,
        last_street=last_street,
        by_street=street_parts(game.rules, found),
    )
    return Evaluation(record, board_mbb=found.board_mbb, street_mbb=found.street_mbb)


def _exploiter(
    game: Game, policy: Policy, settings: Settings, new_bar: NewBar
) -> ExploitabilityRecord:
    # The exploiter is a network. The other methods do without TensorFlow, so it loads only here.
    from evaluation.exploiter import exploiter_config, trained_exploiter  # noqa: PLC0415

    hands = settings.hands_for(game.rules)
    config = exploiter_config(game.rules, settings.seed, settings.iterations)
    found = trained_exploiter(game, policy, hands, config, settings.seed, new_bar)
    return ExploitabilityRecord(
        method=EXPLOITER,
        claim="lower bound",
        exploitability_mbb=found.bound_mbb,
        interval_mbb=found.interval_mbb,
        br_mbb=found.br_mbb,
        hands=found.hands,
        seed=settings.seed,
        note=f"trained for {found.iterations} iterations",
    )
