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
from search.kernels import LEAST, Step

GADGETS = UNSAFE, RESOLVE, MAX_MARGIN, MIXED = ("unsafe", "resolve", "max-margin", "mixed")
_UNSAFE, _RESOLVE, _MAX_MARGIN, _MIXED = range(4)


class Entering(NamedTuple):
    """The opponent before the subgame. L hands."""

    regrets: Floats  # [2, L] of entering and, if it has the choice, of the alternative
    chosen: Floats  # [L] its current probability of entering or, in max-margin, of each hand


@njit(cache=True)
def opponent_reach(gadget: int, range_: Floats, entering: Entering, out: Floats) -> None:
    """With what weight the opponent enters with each hand; `entering.chosen`, too. [L] → [L]"""
    if gadget == _UNSAFE:
        out[:] = range_
        return
    chosen, zero = entering.chosen, out.dtype.type(0)
    enter, decline = entering.regrets[0], entering.regrets[1]
    if gadget == _MAX_MARGIN:
        total = 0.0
        for hand in range(len(chosen)):
            chosen[hand] = max(enter[hand], zero)
            total += chosen[hand]
        if total > 0:
            chosen /= total
        else:
            chosen[:] = 1 / len(chosen)
    else:
        half = out.dtype.type(0.5)
        for hand in range(len(chosen)):
            enters, declines = max(enter[hand], zero), max(decline[hand], zero)
            both = enters + declines
            chosen[hand] = enters / max(both, LEAST) if both >= LEAST else half
    expected = out.dtype.type(len(chosen) if gadget == _MIXED else 0)
    for hand in range(len(out)):
        out[hand] = chosen[hand] + expected * range_[hand]


@njit(cache=True)
def learn_to_enter(
    gadget: int, step: Step, value: Floats, alternative: Floats, entering: Entering
) -> None:
    """The opponent's regrets before the subgame, in place. [L], [L]"""
    if gadget == _UNSAFE:
        return
    chosen, gain = entering.chosen, value - alternative
    if gadget == _MAX_MARGIN:
        mean = 0.0  # over all hands, because the opponent chooses its hand
        for hand in range(len(gain)):
            mean += chosen[hand] * gain[hand]
        _accumulate(step, gain - gain.dtype.type(mean), entering.regrets[0])
    else:
        one = gain.dtype.type(1)
        _accumulate(step, (one - chosen) * gain, entering.regrets[0])
        _accumulate(step, -chosen * gain, entering.regrets[1])


@njit(cache=True)
def _accumulate(step: Step, gain: Floats, regrets: Floats) -> None:
    zero = gain.dtype.type(0)
    positive, negative = gain.dtype.type(step.positive), gain.dtype.type(step.negative)
    for hand in range(len(gain)):
        regret = regrets[hand] + gain[hand]
        regrets[hand] = positive * max(regret, zero) + negative * min(regret, zero)


def gadget_number(name: str) -> int:
    """As kernels take it."""
    return GADGETS.index(name)
