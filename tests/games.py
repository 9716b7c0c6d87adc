"""Games that tests ask for again and again."""

from __future__ import annotations

from env.betting_tree import BettingTree
from env.game import load_game
from env.rules import Rules


def tree_of(rules: Rules) -> BettingTree:
    return load_game(rules).tree
