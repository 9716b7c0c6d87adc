"""What stands between the opponent and the subgame: three ways to ask for safety.

A re-solver knows how its own play reaches a subgame, but not how the opponent's does. `value(h)` is
what the opponent gets in the subgame with hand h, `alternative(h)` what it could have had against
the blueprint; both are counterfactual values.

unsafe      the opponent holds the range that the blueprint would bring here, and must play on
resolve     with each hand the opponent either plays on or takes its alternative (CFR-D, Burch,
            Johanson and Bowling 2014)
max-margin  the opponent chooses the hand it plays with and wins value − alternative; so the least
            margin is made as large as possible (Moravčík et al. 2016)

The opponent learns what to do here by the same regret updates as in the subgame.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from env.arrays import Floats
from search.kernels import Step

GADGETS = UNSAFE, RESOLVE, MAX_MARGIN = ("unsafe", "resolve", "max-margin")
_UNSAFE, _RESOLVE, _MAX_MARGIN = range(3)


@njit(cache=True)
def opponent_reach(gadget: int, range_: Floats, regrets: Floats, out: Floats) -> None:
    """With what probability the opponent enters with each hand. [L], [L, 2] → [L]

    Regrets are those of entering and, for `resolve`, of the alternative.
    """
    if gadget == _UNSAFE:
        out[:] = range_
    elif gadget == _RESOLVE:
        for hand in range(len(out)):
            enters, declines = max(regrets[hand, 0], 0), max(regrets[hand, 1], 0)
            out[hand] = enters / (enters + declines) if enters + declines > 0 else 0.5
    else:
        total = 0.0
        for hand in range(len(out)):
            out[hand] = max(regrets[hand, 0], 0)
            total += out[hand]
        if total > 0:
            out /= total
        else:
            out[:] = 1 / len(out)


@njit(cache=True)
def learn_to_enter(
    gadget: int, step: Step, value: Floats, alternative: Floats, entered: Floats, regrets: Floats
) -> None:
    """The opponent's regrets before the subgame, in place. [L], [L], [L], [L, 2]

    `entered` is what `opponent_reach` gave.
    """
    if gadget == _UNSAFE:
        return
    mean = 0.0  # of the margins, where the opponent chooses its hand
    if gadget == _MAX_MARGIN:
        for hand in range(len(value)):
            mean += entered[hand] * (value[hand] - alternative[hand])
    for hand in range(len(value)):
        gain = value[hand] - alternative[hand]
        if gadget == _RESOLVE:
            _accumulate(step, regrets, hand, 0, (1 - entered[hand]) * gain)
            _accumulate(step, regrets, hand, 1, -entered[hand] * gain)
        else:
            _accumulate(step, regrets, hand, 0, gain - mean)


@njit(cache=True)
def _accumulate(step: Step, regrets: Floats, hand: int, action: int, gain: float) -> None:
    regret = regrets[hand, action] + gain
    regrets[hand, action] = regret * (step.positive if regret > 0 else step.negative)


def gadget_number(name: str) -> int:
    """As kernels take it."""
    return GADGETS.index(name)


def alternatives_needed(name: str) -> bool:
    """Whether the opponent's counterfactual values have to be known."""
    return name != UNSAFE


def no_alternatives(num_subgames: int, num_hands: int) -> Floats:
    """What stands for them where nothing reads them. [n, L]"""
    return np.zeros((num_subgames, num_hands), np.float32)
