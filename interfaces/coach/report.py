"""A session in figures: winnings with luck taken out, what decisions cost, the worst of them.

It is made of reviews, which are what the coach found in one finished hand, as plain data: they are
kept in the file of sessions, because working them out takes seconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from math import sqrt
from statistics import mean, stdev
from typing import Any, TypeAlias

from interfaces.coach.advice import Coach
from interfaces.coach.grades import GRADES
from interfaces.coach.played import PlayedHand
from interfaces.coach.replay import replay
from interfaces.coach.results import results
from interfaces.winnings import NORMAL_95

Review: TypeAlias = dict[str, Any]
MOST_SHOWN = 12  # of the worst decisions
LINES = {
    "won_bb": "won",
    "all_in_adjusted_bb": "all-in-adjusted",
    "showdown_adjusted_bb": "showdown-adjusted",
    "range_adjusted_bb": "range-adjusted",
    "baseline_bb": "baseline",
}


def review(coach: Coach, hand: PlayedHand) -> Review:
    """What the coach says of a finished hand: results, and every decision of the hand's seat."""
    return {
        "results": results(coach.reference, hand).to_json(),
        **replay(coach, hand).to_json(),
    }


@dataclass(frozen=True)
class Report:
    """The reviewed hands of a session, by number from 0."""

    reviews: Mapping[int, Review]

    @property
    def lines(self) -> dict[str, list[float]]:
        """Running totals in big blinds, starting with 0."""
        return {
            name: list(accumulate((one["results"][name] for one in self._hands), initial=0.0))
            for name in LINES
        }

    @property
    def rates(self) -> dict[str, tuple[float, float | None]]:
        """Big blinds per 100 hands, with half the width of the 95 % interval from two hands on."""
        found = {}
        for name in LINES if self.reviews else ():
            each = [one["results"][name] for one in self._hands]
            error = stdev(each) / sqrt(len(each)) if len(each) > 1 else None
            found[name] = (
                100 * mean(each),
                None if error is None else 100 * NORMAL_95 * error,
            )
        return found

    @property
    def loss_by_street_bb(self) -> dict[str, float]:
        """What decisions cost together."""
        losses: Counter[str] = Counter()
        for one in self._hands:
            losses.update(one["loss_by_street_bb"])
        return dict(losses)

    @property
    def grades(self) -> dict[str, int]:
        """How many decisions earned each grade."""
        counted = Counter(d["grade"] for one in self._hands for d in one["decisions"])
        return {grade: counted[grade] for grade in GRADES}

    @property
    def worst(self) -> list[dict[str, Any]]:
        """The most expensive decisions, the worst first; none that cost nothing."""
        costly = [
            {"hand_number": number + 1, **decision}
            for number, one in sorted(self.reviews.items())
            for decision in one["decisions"]
            if decision["loss_bb"] > 0
        ]
        return sorted(costly, key=lambda decision: -decision["loss_bb"])[:MOST_SHOWN]

    @property
    def _hands(self) -> list[Review]:
        return [one for _, one in sorted(self.reviews.items())]

    def to_json(self) -> dict[str, Any]:
        """Plain data for a page."""
        return {
            "reviewed": sorted(number + 1 for number in self.reviews),
            "lines": self.lines,
            "rates": self.rates,
            "loss_by_street_bb": self.loss_by_street_bb,
            "grades": self.grades,
            "worst": self.worst,
        }

    def text(self) -> str:
        """Some lines for the terminal."""
        if not self.reviews:
            return "no finished hand to report on"
        hands = len(self.reviews)
        lines = [f"{hands} {'hand' if hands == 1 else 'hands'}, in big blinds per 100 hands"]
        for name, (rate, margin) in self.rates.items():
            lines.append(
                f"  {LINES[name]:<18}{rate:>+9.1f}" + (f" ± {margin:.1f}" if margin else "")
            )
        lines.append("losses of decisions, in big blinds")
        losses = self.loss_by_street_bb
        lines += [f"  {street:<18}{loss:>9.2f}" for street, loss in losses.items()]
        lines.append(f"  {'per hand':<18}{sum(losses.values()) / hands:>9.3f}")
        counted = ", ".join(f"{count} {grade}" for grade, count in self.grades.items())
        lines.append(f"grades: {counted}")
        if self.worst:
            lines.append("worst decisions")
        lines += [f"  {_decision_text(decision)}" for decision in self.worst]
        return "\n".join(lines)


def _decision_text(decision: Mapping[str, Any]) -> str:
    """One decision in a line."""
    names = decision["names"]
    board = f" on {decision['board']}" if decision["board"] else ""
    line = f" after {decision['line']}" if decision["line"] else ""
    return (
        f"hand {decision['hand_number']}, {decision['street']}: {decision['hand']}{board}{line}: "
        f"{names[decision['action']]} cost {decision['loss_bb']:.2f}, best was "
        f"{names[decision['advice']['best']]} ({decision['grade']})"
    )
