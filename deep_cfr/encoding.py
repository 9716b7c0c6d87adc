"""What a network sees of an infoset: plain feature rows made from card codes and node ids.

An infoset is (canonical visible cards, node). Both halves become features by table lookup:
cards by a row per card code, summed over the slots of a group, and the betting by a row per node.
The tables are small constants, so the expansion happens inside the compiled graph and the
memories keep nine bytes per infoset.

- `paper` (Brown et al. 2019, appendix C): groups hole, flop, turn, river; per card a one-hot of
  the card, of its rank and of its suit (a matrix product then adds up the three embeddings).
  Betting: per street and action slot a flag "made" and the chips paid as a fraction of the pot.
- `thesis`: groups hole and board, one-hot cards; betting: 52 slots in order of play, +1 for a
  raise and −1 for a call or check (in its literal form 0, which looks like an empty slot).

With strengths both also see the hand's win rate against a random one (`env.strength`), as weights
of the two nearest of 17 knots between 0 and 1. It is kept as one byte, the infoset's mark.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deep_cfr.config import ConfigError
from env.actions import CALL, RAISE
from env.betting_tree import BettingTree
from env.cards import NO_CARD, Cards
from env.hand_kinds import hand_kinds, num_kinds
from env.rules import Rules
from env.strength import Strengths, has_strengths

Floats = NDArray[np.float32]
THESIS_SLOTS = 52
MARKS, KNOTS = 256, 17


@dataclass(frozen=True)
class Encoding:
    """Lookup tables from codes to features."""

    name: str
    card_table: Floats  # [53, C] a row per card code, zeros for an empty slot
    groups: tuple[tuple[int, ...], ...]  # card slots summed into each group
    bet_table: Floats  # [N, F] a row per node
    legal: Floats  # [N, 3] 1 where the action exists
    strengths: Strengths | None = None  # where marks come from, if they are used

    @property
    def card_width(self) -> int:
        """Card features of an infoset: groups × C, and those of the mark."""
        return len(self.groups) * self.card_table.shape[1] + self.mark_table.shape[1]

    @property
    def bet_width(self) -> int:
        """Betting features of an infoset."""
        return self.bet_table.shape[1]

    @cached_property
    def decisions(self) -> NDArray[np.int32]:
        """[N] decisions counted in order of their nodes; 0 for other nodes."""
        is_decision = self.legal.any(axis=1)
        return np.where(is_decision, np.cumsum(is_decision) - 1, 0).astype(np.int32)

    @property
    def num_cells(self) -> int:
        """How many cells a linear part has: one for every decision and kind of hand."""
        return int(self.legal.any(axis=1).sum()) * self.num_kinds

    @property
    def num_kinds(self) -> int:
        """How many kinds of hands are told apart."""
        return 1 if self.strengths is None else num_kinds(self.strengths.last_board)

    def cells(self, nodes: NDArray[np.integer], kinds: Cards) -> NDArray[np.int32]:
        """The cells of infosets with such kinds of hands. [n], [n] → [n]"""
        return self.decisions[nodes] * np.int32(self.num_kinds) + kinds

    def kinds(self, cards: Cards) -> Cards:
        """Kinds of hands; 0 where there are no strengths. [n, 7] → [n]"""
        if self.strengths is None:
            return np.zeros(len(cards), np.uint8)
        return hand_kinds(cards, self.strengths.last_board)

    @cached_property
    def mark_table(self) -> Floats:
        """[256, K] a row per mark; no columns where marks are not used."""
        if self.strengths is None:
            return np.zeros((MARKS, 0), np.float32)
        distance = np.arange(MARKS)[:, None] / (MARKS - 1) * (KNOTS - 1) - np.arange(KNOTS)
        return np.maximum(1 - abs(distance), 0).astype(np.float32)

    def marks(self, cards: Cards) -> Cards:
        """Win rates as bytes, 0 where they are not used. [n, 7] → [n]"""
        if self.strengths is None:
            return np.zeros(len(cards), np.uint8)
        return np.rint(self.strengths.expected(cards) * (MARKS - 1)).astype(np.uint8)

    def cards(self, cards: Cards) -> Floats:
        """Card features. [n, 7] → [n, groups · C + K]"""
        rows = self.card_table[cards]  # [n, 7, C]
        groups = [rows[:, slots].sum(axis=1) for slots in self.groups]
        return np.concatenate([*groups, self.mark_table[self.marks(cards)]], axis=1)


def make_encoding(
    name: str,
    rules: Rules,
    tree: BettingTree,
    literal: bool = False,
    strength: bool = False,
) -> Encoding:
    """The encoding of an architecture for one game.

    `strength` adds win rates where the game has them; toy games have none.
    """
    legal = tree.legal.astype(np.float32)
    strengths = Strengths(rules) if strength and has_strengths(rules) else None
    if name == "thesis":
        if tree.depth[-1] > THESIS_SLOTS:
            raise ConfigError(
                f"the thesis network's betting row has {THESIS_SLOTS} slots and a hand of "
                f"{rules.name} up to {tree.depth[-1]} actions"
            )
        one_hot = np.eye(NO_CARD + 1, NO_CARD, dtype=np.float32)
        call_mark = 0.0 if literal else -1.0
        bets = _thesis_bets(tree, call_mark)
        return Encoding(name, one_hot, ((0, 1), (2, 3, 4, 5, 6)), bets, legal, strengths)
    board_groups = ((2, 3, 4), (5,), (6,))[: rules.streets - 1]
    groups = ((0, 1), *board_groups)
    return Encoding(name, _paper_cards(), groups, _paper_bets(rules, tree), legal, strengths)


def _paper_cards() -> Floats:
    """One-hot card, rank and suit. [53, 69]"""
    cards = np.arange(NO_CARD)
    table = np.zeros((NO_CARD + 1, NO_CARD + 13 + 4), np.float32)
    table[cards, cards] = 1
    table[cards, NO_CARD + cards // 4] = 1
    table[cards, NO_CARD + 13 + cards % 4] = 1
    return table


def _paper_bets(rules: Rules, tree: BettingTree) -> Floats:
    """Flag and pot fraction per street and action slot. [N, streets · slots · 2]"""
    slots = max(rules.max_raises) + 2  # a check, every raise, a call
    table = np.zeros((len(tree), rules.streets, slots, 2), np.float32)
    made = np.zeros(len(tree), int)  # actions on the street of each node's parent
    for node in range(1, len(tree)):
        parent = int(tree.parent[node])
        table[node] = table[parent]
        street = int(tree.street[parent])
        slot = made[parent] if parent and tree.street[parent] == _previous(tree, parent) else 0
        paid = (tree.contributions[node] - tree.contributions[parent]).sum()
        table[node, street, slot] = 1, paid / tree.contributions[parent].sum()
        made[node] = slot + 1
    return table.reshape(len(tree), -1)


def _previous(tree: BettingTree, node: int) -> int:
    """The street on which the action leading to a node was made."""
    return int(tree.street[tree.parent[node]])


def _thesis_bets(tree: BettingTree, call_mark: float) -> Floats:
    """The actions in order of play. [N, 52]"""
    marks = {RAISE: 1.0, CALL: call_mark}
    table = np.zeros((len(tree), THESIS_SLOTS), np.float32)
    for node in range(1, len(tree)):
        parent = tree.parent[node]
        table[node] = table[parent]
        table[node, tree.depth[parent]] = marks.get(int(tree.action[node]), 0.0)
    return table
