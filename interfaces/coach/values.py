"""What each legal action is worth, and how far that is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from env.actions import NUM_ACTIONS
from env.arrays import Doubles
from interfaces.coach.equity import equity
from interfaces.coach.last_street import last_street_values
from interfaces.coach.reference import Reference
from interfaces.coach.rollouts import Sample, Sampling, roll_out
from interfaces.coach.situation import Situation


@dataclass(frozen=True, eq=False)
class ActionValues:
    """What the whole hand wins after each action, in big blinds. NaN where an action is illegal.

    Folding is worth what the player has in the pot, with a minus. Intervals are half the width of
    95 % intervals, and 0 where a value is exact.
    """

    values_bb: Doubles  # [3]
    intervals_bb: Doubles  # [3]
    losses_bb: Doubles  # [3] against the best action
    loss_intervals_bb: Doubles  # [3] of the difference, which is known better than its parts
    deals: int  # that were played out; 0: exact
    equity: float  # share of the pot at a showdown of both ranges' hands, all cards having come

    @property
    def is_exact(self) -> bool:
        return self.deals == 0

    @property
    def best(self) -> int:
        """The action worth most."""
        return int(np.nanargmax(self.values_bb))

    @property
    def method(self) -> str:
        """ "exact", or "sampled ± x" with the widest interval of an action, in big blinds."""
        return "exact" if self.is_exact else f"sampled ± {np.nanmax(self.intervals_bb):.2f}"


def action_values(
    reference: Reference, situation: Situation, sampling: Sampling | None = None
) -> ActionValues:
    """What each action is worth against the opponent's range, if both then play the reference.

    Exact on the last street, by rollouts before it.
    """
    range_ = situation.opponent_range(reference)
    if situation.is_last_street:
        return _exact(reference, situation, range_)
    sample = roll_out(reference, situation, range_, sampling or Sampling())
    return _sampled(situation, sample)


def _exact(reference: Reference, situation: Situation, range_: Doubles) -> ActionValues:
    ranges = np.zeros((2, len(range_)))
    ranges[1 - situation.player] = range_
    every = last_street_values(reference, situation.board, situation.node, ranges)
    rules, none = reference.game.rules, np.where(situation.legal, 0.0, np.nan)
    values = every[reference.number(situation.hand)] / rules.big_blind_chips
    share = equity(rules, situation.hand, reference.hands, range_, situation.board)
    return ActionValues(values, none, np.nanmax(values) - values, none, 0, share)


def _sampled(situation: Situation, sample: Sample) -> ActionValues:
    big_blind = situation.game.rules.big_blind_chips
    actions = np.flatnonzero(situation.legal)
    values, intervals, losses, loss_intervals = np.full((4, NUM_ACTIONS), np.nan)
    for action in actions:
        values[action], intervals[action] = sample.mean(sample.chips[:, action])
    best = sample.chips[:, np.nanargmax(values)]
    for action in actions:
        losses[action], loss_intervals[action] = sample.mean(best - sample.chips[:, action])
    return ActionValues(
        values / big_blind,
        intervals / big_blind,
        losses / big_blind,
        loss_intervals / big_blind,
        len(sample.chips),
        (1 + float(sample.all_showdowns.mean())) / 2,
    )
