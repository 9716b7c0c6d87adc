"""What a local best response is dealt: boards, own hands on each, and the numbers of all draws."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from env.arrays import Doubles, Longs
from env.betting_tree import BettingTree
from env.cards import NO_CARD, NUM_BOARD, Cards
from evaluation.equity import Boards, HandTable


class Plays(NamedTuple):
    """P = B · M plays (a board, an own hand on it), to be played in both seats."""

    full: Cards  # [B, 5]
    own: Longs  # [B, M] hands of the table
    numbers: Doubles  # [2, P, levels] one for every decision at which an action is drawn

    def boards(self, table: HandTable) -> Boards:
        """The boards with what is known of them."""
        return Boards(table, self.full, self.own)


def drawn_plays(
    table: HandTable, tree: BettingTree, size: int, num_own: int, rng: np.random.Generator
) -> Plays:
    """A random batch, drawn board by board, so that its size makes no difference.

    Hands of one board are equal steps apart in the order of strength, and their numbers equal
    steps apart on a circle. Each hand is still as likely as any other and its numbers uniform and
    independent, but good luck and bad are spread evenly over a board.
    """
    rules, levels = table.rules, int(tree.depth[-1])
    num_cards = rules.visible_board[-1]
    full = np.full((size, NUM_BOARD), NO_CARD, np.uint8)
    own = np.empty((size, num_own), np.int64)
    numbers = np.empty((size, 2, num_own, levels))
    which = np.arange(num_own)
    steps = np.sqrt(np.arange(levels) + 2.5)  # on a circle of length one; irrational
    for row in range(size):
        full[row, :num_cards] = rng.choice(rules.deck, num_cards, replace=False)
        order = table.by_rank(full[row])
        own[row] = order[((which + rng.random()) * (len(order) / num_own)).astype(np.int64)]
        numbers[row] = (rng.random((2, 1, levels)) + which[:, None] * steps) % 1
    return Plays(full, own, np.swapaxes(numbers, 0, 1).reshape(2, own.size, -1))
