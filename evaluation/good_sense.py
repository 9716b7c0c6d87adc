"""What players look at first: are hands thrown away that cannot lose, and how is the hand opened?

Of a policy that keeps the rule of `policies.unbeatable` the folds are counted as it plays, and once
more of the policy without the rule, which says what was learned.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from env.game import Game
from evaluation.dominated_folds import DominatedFolds, FoldShare, dominated_folds
from evaluation.preflop_habits import PreflopHabits, preflop_habits
from policies.policy import Policy
from policies.unbeatable import NeverFoldsUnbeatable


@dataclass(frozen=True)
class GoodSense:
    """What is known of a policy's good sense; None where the game does not ask for it."""

    folds: DominatedFolds | None
    folds_without_rule: DominatedFolds | None  # also None of a policy without the rule
    preflop: PreflopHabits | None

    def to_json(self) -> dict[str, Any]:
        """By name, what is known."""
        values = dataclasses.asdict(self)
        names = {"folds": "dominated_folds", "folds_without_rule": "dominated_folds_without_rule"}
        return {names.get(k, k): value for k, value in values.items() if value is not None}

    def lines(self) -> list[tuple[str, str]]:
        """What the terminal shows: labels and texts."""
        found = []
        if self.folds is not None:
            text = f"{_folds_text(self.folds)} (hands that cannot lose)"
            if self.folds_without_rule is not None:
                text += f"; without the rule {_folds_text(self.folds_without_rule)}"
            found.append(("dominated folds", text))
        if self.preflop is not None:
            found += _preflop_lines(self.preflop)
        return found


def good_sense(game: Game, policy: Policy, seed: int) -> GoodSense:
    """Look at a policy; a second of work."""
    without_rule = None
    if isinstance(policy, NeverFoldsUnbeatable):
        without_rule = dominated_folds(game, policy.raw, seed)
    folds = dominated_folds(game, policy, seed)
    return GoodSense(folds, without_rule, preflop_habits(game, policy))


def _folds_text(folds: DominatedFolds) -> str:
    return f"{_share_text(folds.random)} random, {_share_text(folds.reached)} reached situations"


def _share_text(found: FoldShare) -> str:
    share = "—" if found.share is None else f"{found.share:.2%}"
    return f"{share} of {found.situations:,}"


def _preflop_lines(habits: PreflopHabits) -> list[tuple[str, str]]:
    """The button's line and, where a raise is possible, the big blind's."""
    fold, call, raised = habits.first_in
    hand, share = habits.most_limped
    text = f"folds {fold:.1%}, limps {call:.1%} (most {hand}: {share:.0%}), raises {raised:.1%}"
    if habits.aces_raise is not None:
        text += f" (AA: {habits.aces_raise:.0%})"
    lines = [("first in", text)]
    if habits.facing_raise is not None:
        fold, call, raised = habits.facing_raise
        text = f"big blind folds {fold:.1%}, calls {call:.1%}, three-bets {raised:.1%}"
        lines.append(("against a raise", text))
    return lines
