"""What a network sees of an infoset: plain feature rows made from card codes and node ids.

An infoset is (canonical visible cards, node). Both halves become features by table lookup:
cards by a row per card code, summed over the slots of a group, and the betting by a row per node.
The tables are small constants, so the expansion happens inside the compiled graph and the
memories keep nine bytes per infoset.

- `paper` (Brown et al. 2019, appendix C): groups hole, flop, turn, river; per card a one-hot of
  the card, of its rank and of its suit (a matrix product then adds up the three embeddings).
  Betting: per street and action slot a flag "made" and the chips paid as a fraction of the pot.
- `thesis`: groups hole and board, one-hot cards; betting: 52 slots in order of play, +1 for a
  raise and −1 for a call or check.

With `strength` both also see the hand's strength E[HS] (`env.strength`), as weights of the two
nearest of 17 knots between 0 and 1. It reaches the graph as one byte per infoset.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deep_cfr.config import ConfigError
from env.actions import CALL, RAISE
from env.arrays import Bytes, Floats, Nodes, Rows
from env.betting_tree import BettingTree
from env.cards import NO_CARD
from env.game import Game, shared_game
from env.rules import Rules
from env.views import STRENGTH_LEVELS, Views, num_hand_buckets

THESIS_SLOTS = 52
KNOTS = 17


@dataclass(frozen=True)
class Encoding:
    """Lookup tables from codes to features. N nodes."""

    name: str
    game: Game
    card_table: Floats  # [53, C] a row per card code, zeros for an empty slot
    groups: tuple[tuple[int, ...], ...]  # card slots summed into each group
    bet_table: Floats  # [N, F] a row per node
    legal: Floats  # [N, 3] 1 where the action exists
    uses_strength: bool  # whether hand strength is among the card features

    def __reduce__(self) -> tuple[Any, ...]:
        """An encoding is pickled by what it was made from."""
        return _shared_encoding, (self.name, self.game.rules, self.uses_strength)

    @property
    def card_width(self) -> int:
        """Card features of an infoset: groups × C, and those of the strength."""
        return len(self.groups) * self.card_table.shape[1] + self.strength_features.shape[1]

    @property
    def bet_width(self) -> int:
        """Betting features of an infoset."""
        return self.bet_table.shape[1]

    @cached_property
    def _decision_numbers(self) -> NDArray[np.int32]:
        """[N] decisions counted in order of their nodes; 0 for other nodes."""
        is_decision = self.legal.any(axis=1)
        return np.where(is_decision, np.cumsum(is_decision) - 1, 0).astype(np.int32)

    @cached_property
    def num_buckets(self) -> int:
        """How many hand buckets a strength table tells apart."""
        return num_hand_buckets(self.game) if self.uses_strength else 1

    @property
    def num_bucket_rows(self) -> int:
        """Rows of a strength table: one for every decision and hand bucket."""
        return int(self.legal.any(axis=1).sum()) * self.num_buckets

    def bucket_rows(self, nodes: Nodes, buckets: Bytes) -> NDArray[np.int32]:
        """The rows of a strength table that infosets with such buckets have. [n], [n] → [n]"""
        return self._decision_numbers[nodes] * np.int32(self.num_buckets) + buckets

    @cached_property
    def strength_features(self) -> Floats:
        """[256, K] hat weights of the knots, a row per strength byte; K = 0 without strength."""
        if not self.uses_strength:
            return np.zeros((STRENGTH_LEVELS, 0), np.float32)
        place = np.arange(STRENGTH_LEVELS)[:, None] / (STRENGTH_LEVELS - 1) * (KNOTS - 1)
        return np.maximum(1 - abs(place - np.arange(KNOTS)), 0).astype(np.float32)

    def card_features(self, views: Views, which: Rows | None = None) -> Floats:
        """Features of all views, or of some. → [n, groups · C + K]"""
        numbers = np.arange(len(views)) if which is None else which
        rows = self.card_table[views.cards[numbers]]  # [n, 7, C]
        groups = [rows[:, slots].sum(axis=1) for slots in self.groups]
        if self.uses_strength:
            levels = views.strength_bytes(numbers)
            groups.append(self.strength_features[levels])
        return np.concatenate(groups, axis=1)


def make_encoding(name: str, game: Game, strength: bool = False) -> Encoding:
    """The encoding of an architecture for one game.

    `strength` adds hand strength where the game has it; toy games have none.
    """
    legal = game.tree.legal.astype(np.float32)
    uses_strength = strength and game.strengths is not None
    if name == "thesis":
        most_actions = int(game.tree.depth[-1])
        if most_actions > THESIS_SLOTS:
            raise ConfigError(
                f"the thesis network's betting row has {THESIS_SLOTS} slots and a hand of "
                f"{game.rules.name} up to {most_actions} actions"
            )
        one_hot = np.eye(NO_CARD + 1, NO_CARD, dtype=np.float32)
        groups: tuple[tuple[int, ...], ...] = ((0, 1), (2, 3, 4, 5, 6))
        bets = _thesis_bets(game.tree)
        return Encoding(name, game, one_hot, groups, bets, legal, uses_strength)
    board_groups = ((2, 3, 4), (5,), (6,))[: game.rules.streets - 1]
    groups = ((0, 1), *board_groups)
    return Encoding(name, game, paper_cards(), groups, _paper_bets(game), legal, uses_strength)


@lru_cache(maxsize=4)
def _shared_encoding(name: str, rules: Rules, uses_strength: bool) -> Encoding:
    """An encoding as it is unpickled: one for all who use it."""
    return make_encoding(name, shared_game(rules), uses_strength)


def paper_cards() -> Floats:
    """One-hot card, rank and suit. [53, 69]"""
    cards = np.arange(NO_CARD)
    table = np.zeros((NO_CARD + 1, NO_CARD + 13 + 4), np.float32)
    table[cards, cards] = 1
    table[cards, NO_CARD + cards // 4] = 1
    table[cards, NO_CARD + 13 + cards % 4] = 1
    return table


def _paper_bets(game: Game) -> Floats:
    """Flag and pot fraction per street and action slot. [N, streets · slots · 2]"""
    slots = max(game.rules.max_raises) + 2  # a check, every raise, a call
    table = np.zeros((len(game.tree), game.rules.streets, slots, 2), np.float32)
    made = np.zeros(len(game.tree), int)  # actions on the street of each node's parent
    for node in range(1, len(game.tree)):
        parent = int(game.tree.parent[node])
        table[node] = table[parent]
        street = int(game.tree.street[parent])
        slot = (
            made[parent]
            if parent and game.tree.street[parent] == _previous(game.tree, parent)
            else 0
        )
        paid = (game.tree.contributions[node] - game.tree.contributions[parent]).sum()
        table[node, street, slot] = 1, paid / game.tree.contributions[parent].sum()
        made[node] = slot + 1
    return table.reshape(len(game.tree), -1)


def _previous(tree: BettingTree, node: int) -> int:
    """The street on which the action leading to a node was made."""
    return int(tree.street[tree.parent[node]])


def _thesis_bets(tree: BettingTree) -> Floats:
    """The actions in order of play: +1 for a raise, −1 for a call or check. [N, 52]"""
    signs = {RAISE: 1.0, CALL: -1.0}
    table = np.zeros((len(tree), THESIS_SLOTS), np.float32)
    for node in range(1, len(tree)):
        parent = tree.parent[node]
        table[node] = table[parent]
        table[node, tree.depth[parent]] = signs.get(int(tree.action[node]), 0.0)
    return table
