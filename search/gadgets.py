"""Gadgets: what the opponent may do before a subgame, which decides how safe its solution is.

A re-solver knows how its own play reaches a subgame, but not how the opponent's does. `value(h)` is
what the opponent gets in the subgame with hand h, `alternative(h)` what it could have had against
the blueprint; both are counterfactual values.

unsafe      the opponent holds the range that the blueprint would bring here, and must play on
resolve     with each hand the opponent either plays on or takes its alternative (CFR-D, Burch,
            Johanson and Bowling 2014)
max-margin  the opponent chooses the hand it plays with and wins value − alternative. A hand's
            margin is alternative − value; so the least margin is made as large as possible
            (Moravčík et al. 2016)
mixed       the opponent enters with each hand as in `resolve`, and besides with the range that the
            blueprint would bring here, scaled so that both weigh alike where every hand enters by
            choice. The first guards against other play, the second improves on the play that is
            expected

The opponent learns what to do here by the same regret updates as in the subgame, but without
prediction.
"""

from __future__ import annotations

from typing import NamedTuple

from numba import njit

from env.arrays import Floats
from search.kernels import Step

GADGETS = UNSAFE, RESOLVE, MAX_MARGIN, MIXED = ("unsafe", "resolve", "max-margin", "mixed")
_UNSAFE, _RESOLVE, _MAX_MARGIN, _MIXED = range(4)


class Entering(NamedTuple):
    """The opponent before the subgame. L hands."""

    regrets: Floats  # [L, 2] of entering and, if it has the choice, of the alternative
    chosen: Floats  # [L] its current probability of entering or, in max-margin, of each hand


@njit(cache=True)
def opponent_reach(gadget: int, range_: Floats, entering: Entering, out: Floats) -> None:
    """With what weight the opponent enters with each hand; `entering.chosen`, too. [L] → [L]"""
    regrets, chosen = entering.regrets, entering.chosen
    total = 0.0
    for hand in range(len(chosen)):
        enters, declines = max(regrets[hand, 0], 0), max(regrets[hand, 1], 0)
        if gadget == _MAX_MARGIN:
            chosen[hand] = enters
        else:
            chosen[hand] = enters / (enters + declines) if enters + declines > 0 else 0.5
        total += chosen[hand]
    if gadget == _MAX_MARGIN:
        if total > 0:
            chosen /= total
        else:
            chosen[:] = 1 / len(chosen)
    expected = len(chosen) if gadget == _MIXED else 1 if gadget == _UNSAFE else 0
    own = 0 if gadget == _UNSAFE else 1
    for hand in range(len(out)):
        out[hand] = own * chosen[hand] + expected * range_[hand]


@njit(cache=True)
def learn_to_enter(
    gadget: int, step: Step, value: Floats, alternative: Floats, entering: Entering
) -> None:
    """The opponent's regrets before the subgame, in place. [L], [L]"""
    if gadget == _UNSAFE:
        return
    regrets, chosen = entering.regrets, entering.chosen
    mean = 0.0  # gain over all hands, where the opponent chooses its hand
    if gadget == _MAX_MARGIN:
        for hand in range(len(value)):
            mean += chosen[hand] * (value[hand] - alternative[hand])
    for hand in range(len(value)):
        gain = value[hand] - alternative[hand]
        if gadget == _MAX_MARGIN:
            _accumulate(step, regrets, hand, 0, gain - mean)
        else:
            _accumulate(step, regrets, hand, 0, (1 - chosen[hand]) * gain)
            _accumulate(step, regrets, hand, 1, -chosen[hand] * gain)


@njit(cache=True)
def _accumulate(step: Step, regrets: Floats, hand: int, action: int, gain: float) -> None:
    regret = regrets[hand, action] + gain
    regrets[hand, action] = regret * (step.positive if regret > 0 else step.negative)


def gadget_number(name: str) -> int:
    """As kernels take it."""
    return GADGETS.index(name)
