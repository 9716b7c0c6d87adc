"""How many nodes a betting tree has, counted from the rules without walking it.

On one street the betting is a chain: every raise can be folded to, called or raised again. So the
count of a street is a sum over the levels (chips paid by whoever paid most) that raises lead to.
"""

from __future__ import annotations

from functools import cache

from env.rules import Rules

EXACT_UP_TO = 10**6


def count_nodes(rules: Rules) -> int:
    """The number of public betting sequences, the empty one and ended ones included.

    Beyond EXACT_UP_TO the counting ends early, with a number that is too low.
    """

    @cache
    def street_from(street: int, level: int, facing: bool) -> int:
        """Nodes from the first decision of a street on; `facing` a blind that may be folded to."""
        raised = after_raises(street, level)
        first_calls = 1 if level == rules.stack else 1 + closed(street, level) + raised
        return 1 + int(facing) + first_calls + raised

    def after_raises(street: int, level: int) -> int:
        """Nodes below a first raise: at each level a decision, a fold, a call and what follows."""
        total = 0
        for _ in range(rules.max_raises[street]):
            if level == rules.stack or total > EXACT_UP_TO:
                break
            level = min(level + rules.bet_sizes[street], rules.stack)
            total += 2 + closed(street, level)
        return total

    @cache
    def closed(street: int, level: int) -> int:
        """Nodes from the call on that closes a street."""
        if street + 1 == rules.streets or level == rules.stack:
            return 1
        return street_from(street + 1, level, facing=False)

    level = rules.ante + max(rules.small_blind, rules.big_blind)
    return street_from(0, level, facing=rules.small_blind != rules.big_blind)
