"""A game: its rules together with the betting tree compiled from them.

The two always travel together, so `load_game` is the one place where they are made. The tree is
walked through the emulator once and then read from a cache (`env.compiler`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from env.betting_tree import BettingTree
from env.compiler import compile_tree
from env.emulator import make_emulator
from env.rules import Rules, parse_rules
from env.strength import Strengths, strengths_of


@dataclass(frozen=True, eq=False)
class Game:
    """What everybody at the table knows: the rules, and every public betting sequence."""

    rules: Rules
    tree: BettingTree
    own: str | None = None  # `module:name` of a game of a user's own (`env.own_game`)

    def __reduce__(self) -> tuple[Any, ...]:
        """A game is pickled by its rules; whoever unpickles it compiles or reads the same tree."""
        return shared_game, (self.rules,)

    @cached_property
    def strengths(self) -> Strengths | None:
        """Where hand strengths E[HS] come from; None in games that have none."""
        return strengths_of(self.rules)


@lru_cache(maxsize=8)
def shared_game(rules: Rules) -> Game:
    """A game as it is unpickled: one for all who play it."""
    return load_game(rules)


def load_game(rules: Rules | str) -> Game:
    """The game of some rules, or of a name or text that `parse_rules` reads."""
    if isinstance(rules, str):
        rules = parse_rules(rules)
    return Game(rules, compile_tree(make_emulator(rules)))
