"""What an evaluation is asked to do, and which method is right for a game.

exact       best response over every board: kuhn, leduc, fhp
lbr         local best response: a lower bound, any game
exploiter   Deep CFR against the frozen policy: a lower bound, any game
"""

from __future__ import annotations

from dataclasses import dataclass

from env.rules import Rules
from evaluation.best_response import is_feasible, refuse_too_large

EXACT, LBR, EXPLOITER = METHODS = ("exact", "lbr", "exploiter")
LBR_HANDS = 40_000
EXPLOITER_HANDS, EXPLOITER_TOY_HANDS = 200_000, 2_000_000  # toy games are quick and margins small


class MethodError(ValueError):
    """Options that do not go together; the message names them."""


@dataclass(frozen=True)
class Settings:
    """How to evaluate."""

    method: str | None = None  # None: the strongest that the game allows
    hands: int | None = None  # played by lbr and exploiter; None: the method's own number
    seed: int = 0
    sample_boards: int = 0  # of an exact best response; 0 = all
    iterations: int | None = None  # of training an exploiter; None: by the game's size
    last_street: str | None = None  # how lbr plays it, of LAST_STREETS; None: exactly
    by_street: bool = False  # whether lbr says what each street brings

    def method_for(self, rules: Rules) -> str:
        """The method, or an error for what cannot be done in this game."""
        method = self.method or (EXACT if is_feasible(rules) else LBR)
        if method == EXACT:
            refuse_too_large(rules)
        unread = {
            "--hands": method == EXACT and self.hands is not None,
            "--sample-boards": method != EXACT and self.sample_boards > 0,
            "--iterations": method != EXPLOITER and self.iterations is not None,
            "--lbr-last-street": method != LBR and self.last_street is not None,
            "--by-street": method != LBR and self.by_street,
        }
        for option, given in unread.items():
            if given:
                raise MethodError(f"{option} means nothing to method {method!r}")
        return method

    def hands_for(self, rules: Rules) -> int:
        """How many hands to play."""
        if self.hands is not None:
            return self.hands
        if self.method_for(rules) == LBR:
            return LBR_HANDS
        return EXPLOITER_HANDS if rules.is_holdem else EXPLOITER_TOY_HANDS
