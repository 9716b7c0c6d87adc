"""What a player has won so far, as poker players count it: small bets per 100 hands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from env.rules import Rules

NORMAL_95 = 1.959964  # standard errors on each side of a 95 % interval


@dataclass(frozen=True)
class Winnings:
    """Of the finished hands of a session."""

    hands: int = 0
    chips: int = 0
    squares: int = 0  # sum of squares of what each hand won

    @classmethod
    def of(cls, won: Sequence[int]) -> Winnings:
        """From the chips won in each hand."""
        return cls(len(won), sum(won), sum(chips * chips for chips in won))

    def with_hand(self, won: int) -> Winnings:
        """After one more hand."""
        return Winnings(self.hands + 1, self.chips + won, self.squares + won * won)

    def small_bets_per_100(self, rules: Rules) -> float | None:
        """Mean winnings; None before the first hand."""
        return 100 * self.chips / rules.bet_sizes[0] / self.hands if self.hands else None

    def interval(self, rules: Rules) -> float | None:
        """Half the width of the 95 % interval of the mean; None before the second hand."""
        if self.hands < 2:
            return None
        spread = self.hands * self.squares - self.chips**2  # in whole numbers up to here
        error = sqrt(spread / (self.hands - 1)) / self.hands
        return NORMAL_95 * 100 * error / rules.bet_sizes[0]

    def text(self, rules: Rules) -> str:
        """One line for people."""
        mean, interval = self.small_bets_per_100(rules), self.interval(rules)
        if mean is None:
            return "no hand finished yet"
        margin = "" if interval is None else f" ± {interval:.0f}"
        hands = "1 hand" if self.hands == 1 else f"{self.hands:,} hands"
        return f"{self.chips:+,} chips in {hands}: {mean:+.1f}{margin} small bets/100"
