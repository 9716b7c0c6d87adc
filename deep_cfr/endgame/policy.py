"""Endgame networks as policies, and a policy that changes from network to network by street.

An endgame network answers for a public state, all hands at once, so a question about many infosets
becomes a question about their distinct pairs of board and node. An answer depends on the infoset
alone (`deep_cfr.networks.row_products`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit, prange

from deep_cfr.endgame.board_features import board_features, canonical_boards
from deep_cfr.endgame.grid import Grid, knot_below
from deep_cfr.networks.encoding import Encoding
from deep_cfr.networks.softmax import masked_softmax
from env.actions import NUM_ACTIONS
from env.arrays import Bytes, Doubles, Floats, Longs, Nodes, Rows
from env.betting_tree import BettingTree
from env.cards import NUM_BOARD, Cards
from env.views import Views
from policies.policy import Policy, ViewStrategies

Part = Callable[[Floats], Floats]  # [n, inputs] → [n, outputs]
_PAIRS = 1024  # public states computed at once; bounds memory


@dataclass(frozen=True)
class EndgameParts:
    """The parts of an endgame network as functions of arrays."""

    cards: Part  # [n, F] → [n, d] boards
    bets: Part  # [n, F] → [n, d]
    head: Part  # [n, d] → [n, G · K · 3]


class EndgamePolicy:
    """The strategy on one street."""

    def __init__(self, encoding: Encoding, grid: Grid, parts: EndgameParts) -> None:
        self._encoding, self._grid, self._parts = encoding, grid, parts

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        views = Views(self._encoding.game, cards)
        return self.for_views(views)(np.arange(len(nodes)), nodes)

    def for_views(self, views: Views) -> ViewStrategies:
        def answer(rows: Rows, nodes: Nodes) -> Floats:
            asked = _public_states(views.cards[rows], np.asarray(nodes, np.int64))
            boards, pairs, pair_of = asked
            strengths = views.strengths(rows)
            one_bucket = self._grid.num_buckets == 1
            buckets = np.zeros(len(rows), np.uint8) if one_bucket else views.buckets(rows)
            out = np.empty((len(rows), NUM_ACTIONS), np.float32)
            hidden = self._parts.cards(board_features(boards))
            order = np.argsort(pair_of, kind="stable")
            edges = np.searchsorted(pair_of[order], np.arange(0, len(pairs) + _PAIRS, _PAIRS))
            for start, first, end in zip(
                range(0, len(pairs), _PAIRS), edges[:-1], edges[1:], strict=True
            ):
                part = pairs[start : start + _PAIRS]
                at_knots = self._at_knots(hidden[part[:, 0]], part[:, 1])
                mine = order[first:end]
                found = np.empty((len(mine), NUM_ACTIONS), np.float32)
                _interpolate(
                    at_knots,
                    pair_of[mine] - start,
                    buckets[mine],
                    strengths[mine],
                    self._grid.knots,
                    found,
                )
                out[mine] = found
            return out

        return answer

    def _at_knots(self, boards: Floats, nodes: Longs) -> Floats:
        """Strategies of public states at all knots. [n, d], [n] → [n, G, K, 3]"""
        asked, place = np.unique(nodes, return_inverse=True)
        bets = self._parts.bets(self._encoding.bet_table[asked])
        outputs = self._parts.head(boards + bets[place])
        legal = np.repeat(self._encoding.legal[nodes], outputs.shape[1] // NUM_ACTIONS, axis=0)
        strategies = masked_softmax(outputs.reshape(-1, NUM_ACTIONS), legal)
        return strategies.reshape(len(nodes), self._grid.num_buckets, -1, NUM_ACTIONS)


class ByStreet:
    """A policy that leaves some streets to others."""

    def __init__(self, tree: BettingTree, base: Policy, taught: Mapping[int, Policy]) -> None:
        self.base = base
        self._players = (base, *taught.values())
        self._player_of = np.zeros(len(tree), np.intp)  # [N] who answers at each node
        for number, street in enumerate(taught, start=1):
            self._player_of[tree.street == street] = number

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        out = np.empty((len(nodes), NUM_ACTIONS), np.float32)
        for player, mine in self._shares(nodes):
            out[mine] = self._players[player].strategies(cards[mine], nodes[mine])
        return out

    def for_views(self, views: Views) -> ViewStrategies:
        asks = [player.for_views(views) for player in self._players]

        def answer(rows: Rows, nodes: Nodes) -> Floats:
            out = np.empty((len(nodes), NUM_ACTIONS), np.float32)
            for player, mine in self._shares(nodes):
                out[mine] = asks[player](rows[mine], nodes[mine])
            return out

        return answer

    def _shares(self, nodes: Nodes) -> Iterator[tuple[int, Longs]]:
        """The rows of a question that each player answers."""
        asked = self._player_of[nodes]
        for player in np.unique(asked):
            yield int(player), np.flatnonzero(asked == player)


class _PublicStates(NamedTuple):
    """The distinct boards and (board, node) pairs of a question about n infosets."""

    boards: Cards  # [B, 5] canonical
    pairs: Longs  # [P, 2] row of `boards`, node
    pair_of: Longs  # [n]


def _public_states(views: Cards, nodes: Longs) -> _PublicStates:
    """[n, 7], [n]"""
    codes = np.zeros((len(views), 8), np.uint8)  # eight bytes: one number
    codes[:, :NUM_BOARD] = canonical_boards(views)
    distinct, board_of = np.unique(codes.view(np.uint64)[:, 0], return_inverse=True)
    boards = np.ascontiguousarray(distinct.view(np.uint8).reshape(-1, 8)[:, :NUM_BOARD])
    size = int(nodes.max(initial=0)) + 1
    pairs, pair_of = np.unique(board_of * size + nodes, return_inverse=True)
    return _PublicStates(boards, np.column_stack([pairs // size, pairs % size]), pair_of)


@njit(cache=True, parallel=True)
def _interpolate(
    at_knots: Floats,
    pair_of: Longs,
    buckets: Bytes,
    strengths: Floats,
    knots: Doubles,
    out: Floats,
) -> None:
    """Strategies of hands between the knots. [P, G, K, 3], [n] each → [n, 3]"""
    for row in prange(len(out)):
        low, share = knot_below(knots, strengths[row])
        below = at_knots[pair_of[row], buckets[row], low]
        above = at_knots[pair_of[row], buckets[row], low + 1]
        for action in range(3):
            out[row, action] = (1 - share) * below[action] + share * above[action]
