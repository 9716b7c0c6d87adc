"""Endgame networks in Keras: board and betting → strategies at all knots of a grid.

The layers are those of the paper's network. What they take is public, and so they run once for all
hands; a hand's own strategy lies between the two knots nearest to its strength.
"""

from __future__ import annotations

from dataclasses import dataclass

import keras
import numpy as np

from deep_cfr.endgame.board_features import board_width
from deep_cfr.endgame.grid import Grid
from deep_cfr.endgame.policy import EndgameParts, EndgamePolicy
from deep_cfr.networks.architectures import endgame_part
from deep_cfr.networks.encoding import Encoding
from deep_cfr.networks.network import paper_parts, plain_part


@dataclass(frozen=True)
class EndgameNetwork:
    """Two branches and a head that answer on one street."""

    street: int
    encoding: Encoding
    grid: Grid
    cards: keras.Model  # [B, F] → [B, d] boards
    bets: keras.Model  # [B, F] → [B, d]
    head: keras.Model  # [B, d] → [B, G · K · 3]

    @property
    def trainable(self) -> list[keras.Variable]:
        return [
            weight
            for part in (self.cards, self.bets, self.head)
            for weight in part.trainable_variables
        ]

    @property
    def num_parameters(self) -> int:
        return sum(int(np.prod(weight.shape)) for weight in self.trainable)

    def policy(self) -> EndgamePolicy:
        """What the network plays on its street now: a copy of it, as arrays."""
        cards, bets, head = (plain_part(part) for part in (self.cards, self.bets, self.head))
        return EndgamePolicy(self.encoding, self.grid, EndgameParts(cards, bets, head))


def make_endgame_network(encoding: Encoding, street: int, grid: Grid, width: int) -> EndgameNetwork:
    """A network for one street, before its fit."""
    prefix = endgame_part(street, "")
    parts = paper_parts(board_width(), encoding.bet_width, width, grid.num_outputs, prefix)
    return EndgameNetwork(street, encoding, grid, *parts)
