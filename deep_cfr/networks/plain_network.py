"""A network as plain arrays: what traversals ask, in this process and in others.

It needs no TensorFlow, is pickled without what can be computed from it, and answers the same to the
last bit on any number of threads (`deep_cfr.networks.head_kernel`). What it returns is what Keras
returns, up to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from deep_cfr.networks.encoding import Encoding
from deep_cfr.networks.head_kernel import PaperHead, head_outputs, paper_head
from deep_cfr.networks.layers import Part
from env.actions import NUM_ACTIONS
from env.arrays import Floats, Nodes, Rows

_HEAD_ROWS = 2048  # computed at once layer by layer, so that hidden units stay in the cache


@dataclass(frozen=True, eq=False)
class PlainNetwork:
    """Two branches and a head, as `deep_cfr.networks.network.Network` has them."""

    encoding: Encoding
    cards: Part  # [n, C] → [n, d]
    bets: Part  # [n, F] → [n, d]
    head: Part  # [n, d] → [n, 3]
    is_strategy: bool  # outputs are logits of a strategy, otherwise advantages

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.cards, self.bets, self.head)
        return PlainNetwork, (self.encoding, *parts, self.is_strategy)

    @property
    def num_hidden(self) -> int:
        """d, the hidden units that the branches return."""
        return int(self.head.input_shape[1])

    @cached_property
    def bet_units(self) -> Floats:
        """The bet branch's hidden units at every node, computed once. [N, d]"""
        return self.bets(self.encoding.bet_table)

    def outputs(self, cards: Floats, rows: Rows, nodes: Nodes) -> Floats:
        """The head's outputs. cards [c, d], rows [n] of them, nodes [n] → [n, 3]"""
        if self._paper_head is not None:
            numbers = (np.asarray(given, np.int32) for given in (rows, nodes))
            row_numbers, node_numbers = numbers
            bets = self.bet_units
            return head_outputs(self._paper_head, cards, row_numbers, bets, node_numbers)
        out = np.empty((len(rows), NUM_ACTIONS), np.float32)
        for start in range(0, len(rows), _HEAD_ROWS):
            part = slice(start, start + _HEAD_ROWS)
            out[part] = self.head(cards[rows[part]] + self.bet_units[nodes[part]])
        return out

    @cached_property
    def _paper_head(self) -> PaperHead | None:
        return paper_head(self.head)
