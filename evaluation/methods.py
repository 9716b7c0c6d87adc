"""One answer, whatever the method: how exploitable a policy is and what that statement is worth."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from deep_cfr.progress import Steps
from env.betting_tree import BettingTree
from env.boards import num_board_classes
from env.cards import RANKS, Cards
from env.rules import Rules
from evaluation.best_response import ByHand, exploitability
from evaluation.exploiter import exploiter_config, trained_exploiter
from evaluation.local_best_response import local_best_response
from evaluation.settings import EXACT, EXPLOITER, LBR, Settings

if TYPE_CHECKING:
    from deep_cfr.policy import Policy

KIND_EXACT, KIND_BOUND, KIND_ESTIMATE = "exact", "lower bound", "estimate"
BIASED = "too high on average: the best response adapts to the sampled boards"


@dataclass(frozen=True)
class Evaluation:
    """How exploitable a policy is, and what that statement is worth."""

    method: str
    kind: str  # exact, lower bound or estimate
    exploitability_mbb: float
    interval_mbb: float | None  # half of a 95 % interval; 0 for exact, None where none is known
    br_mbb: tuple[float, float]  # what the responder wins in seat 0, in seat 1
    value_mbb: float | None  # of seat 0 when the policy plays itself
    hands: int  # played; 0 for an exact best response
    boards: int  # visited; 0 where boards are not counted
    seed: int
    seconds: float
    note: str = ""
    by_hand: ByHand | None = dataclasses.field(default=None, compare=False)

    def as_dict(self) -> dict[str, Any]:
        """For JSON; what each class of hands wins is left to `by_hand_rows`."""
        return {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if field.name != "by_hand"
        }

    def by_hand_rows(self) -> list[dict[str, Any]]:
        """One row per class of private hands, the responder's largest gain first."""
        table = self.by_hand
        if table is None:
            return []
        return [
            {
                "hand": class_name(table.hands[i]),
                "share": float(table.shares[i]),
                "br_mbb": table.br_mbb[:, i].tolist(),
                "value_mbb": table.value_mbb[:, i].tolist(),
                "gain_mbb": float(table.gains_mbb[i]),
            }
            for i in np.argsort(-table.gains_mbb)
        ]


def class_name(hand: Cards) -> str:
    """`AKs`, `AKo` or `AA` for two cards. [2]"""
    high, low = RANKS[hand[0] >> 2], RANKS[hand[1] >> 2]
    return high + low + ("" if high == low else "s" if hand[0] & 3 == hand[1] & 3 else "o")


def evaluate(
    rules: Rules,
    tree: BettingTree,
    policy: Policy,
    settings: Settings,
    steps: Steps,
    towers: int = 1,
) -> Evaluation:
    """Evaluate a policy by the method asked for, or by the strongest one there is."""
    method = settings.method_for(rules)
    start = time.perf_counter()
    if method == EXACT:
        result = _exact(rules, tree, policy, settings, steps)
    elif method == LBR:
        result = _local_best_response(rules, tree, policy, settings, steps)
    else:
        result = _exploiter(rules, tree, policy, settings, steps, towers)
    return dataclasses.replace(result, seconds=round(time.perf_counter() - start, 2))


def _exact(
    rules: Rules, tree: BettingTree, policy: Policy, settings: Settings, steps: Steps
) -> Evaluation:
    num_boards = num_board_classes(rules)
    is_exact = not 0 < settings.sample_boards < num_boards
    sample = None
    if not is_exact:
        num_boards = settings.sample_boards
        sample = (num_boards, np.random.default_rng(settings.seed))
    found = exploitability(rules, tree, policy, sample=sample, steps=steps)
    return Evaluation(
        method=EXACT if is_exact else "sampled boards",
        kind=KIND_EXACT if is_exact else KIND_ESTIMATE,
        exploitability_mbb=found.exploitability_mbb,
        interval_mbb=0.0 if is_exact else None,
        br_mbb=found.br_mbb,
        value_mbb=found.value_mbb,
        hands=0,
        boards=num_boards,
        seed=settings.seed,
        seconds=0.0,
        note="" if is_exact else BIASED,
        by_hand=found.by_hand if rules.hole_cards == 2 else None,
    )


def _local_best_response(
    rules: Rules, tree: BettingTree, policy: Policy, settings: Settings, steps: Steps
) -> Evaluation:
    hands = settings.hands_for(rules)
    rng = np.random.default_rng(settings.seed)
    found = local_best_response(rules, tree, policy, hands, rng, steps("hands", hands))
    return Evaluation(
        method=LBR,
        kind=KIND_BOUND,
        exploitability_mbb=found.bound_mbb,
        interval_mbb=found.interval_mbb,
        br_mbb=found.br_mbb,
        value_mbb=None,
        hands=found.hands,
        boards=found.boards,
        seed=settings.seed,
        seconds=0.0,
    )


def _exploiter(
    rules: Rules, tree: BettingTree, policy: Policy, settings: Settings, steps: Steps, towers: int
) -> Evaluation:
    hands = settings.hands_for(rules)
    config = exploiter_config(rules, settings.seed, settings.iterations)
    found = trained_exploiter(rules, tree, policy, hands, config, settings.seed, steps, towers)
    return Evaluation(
        method=EXPLOITER,
        kind=KIND_BOUND,
        exploitability_mbb=found.bound_mbb,
        interval_mbb=found.interval_mbb,
        br_mbb=found.br_mbb,
        value_mbb=None,
        hands=found.hands,
        boards=0,
        seed=settings.seed,
        seconds=0.0,
        note=f"trained for {found.iterations} iterations",
    )
