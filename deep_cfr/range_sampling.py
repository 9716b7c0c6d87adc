"""External sampling with many hands per seat: one walk of the public tree for all of them.

A traversal of a single deal (`deep_cfr.traversal`) leaves advantages that are mostly noise: one
opposing hand, one sampled action at a time. Here a board is dealt with M hands, and each of them
is held by either player against all others. A row of the frontier is a (board, node); it carries
the opponent's reach π_q as a vector over the M hands. The opponent's actions are all followed,
except that rows of little mass end by Russian roulette: a child of effective mass m below the
threshold is kept with probability m / threshold and then counts 1 / that probability, which keeps
every expectation. Coming back up, values of all M hands of the traverser are sums over the hands
they can meet.

Samples are drawn as often as N single deals would have left them behind,

    traverser:  N / boards · weight · W(h) / pairs,          W(h) = Σ_{h' ∩ h = ∅} π_q(h')
    opponent:   N / boards · weight · π_q(h') · |{h : h ∩ h' = ∅}| / pairs

and their targets, (v(h, a) − v(h)) / W(h), have the same expectations with far less variance. Who
can use more than samples is told of every hand at every node, weighted in the same proportions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deep_cfr.memory import ROW, draw_cells, make_rows
from deep_cfr.policy import Policy, ViewStrategies
from deep_cfr.range_dealing import RangeTable, deal_ranges, dealt_first
from deep_cfr.range_kernels import back_up, choose, expand
from deep_cfr.traversal import Samples, noted
from env.betting_tree import FOLDED, BettingTree
from env.cards import NUM_SLOTS, Cards
from env.rules import Rules

BOARDS_AT_ONCE = 32  # bounds memory
TINY = np.float32(1e-30)  # instead of masses of zero, whose hands count nothing

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
# Told of nodes [n], kinds of hands [n], marks [n], weights [n] and targets [n, 3].
Listener = Callable[[NDArray[np.integer], Cards, Cards, Floats, Floats], None]


@dataclass
class _Level:
    """The frontier at one depth. R rows."""

    boards: Ints  # [R]
    nodes: Ints  # [R]
    weights: Floats  # [R] 1 / the probability that roulette has spared the row
    reach: Floats  # [R, M] the opponent's
    strategies: Floats  # [R, M, 3] of whoever acts; zeros at terminals
    children: Ints  # [R, 3] row one level down; −1 where illegal or ended by roulette


def traverse_ranges(
    rules: Rules,
    tree: BettingTree,
    policies: tuple[Policy, Policy],
    traverser: int,
    t: int,
    num_traversals: int,
    num_boards: int,
    num_hands: int,
    rng: np.random.Generator,
    tell: Listener | None = None,
    tell_strategies: Listener | None = None,
) -> Samples:
    """What so many traversals would leave behind, from some hands on so many boards.

    `tell` hears of advantages, `tell_strategies` of what the opponent plays.
    """
    parts = []
    first = dealt_first(rules, num_boards, rng)
    for start in range(0, num_boards, BOARDS_AT_ONCE):
        table = deal_ranges(rules, first[start : start + BOARDS_AT_ONCE], num_hands, rng)
        per_board = num_traversals / num_boards
        keeper = _Keeper(tree, table, t, per_board, rng, tell, tell_strategies)
        parts.append(_traverse(rules, tree, policies, traverser, table, keeper, rng))
    return Samples(
        np.concatenate([part.advantages for part in parts]),
        np.concatenate([part.strategies for part in parts]),
        sum(part.infosets for part in parts),
        sum(part.nodes for part in parts),
        float(np.mean([part.value for part in parts])),
    )


def _traverse(
    rules: Rules,
    tree: BettingTree,
    policies: tuple[Policy, Policy],
    traverser: int,
    table: RangeTable,
    keeper: _Keeper,
    rng: np.random.Generator,
) -> Samples:
    flat = table.views.reshape(-1, NUM_SLOTS)
    seats = [policy.for_views(flat) for policy in policies]
    levels = _walk_down(tree, seats, traverser, table, rng)
    # The same for both players, or none.
    keeper.marks, keeper.kinds = (
        np.maximum(*(noted(ask, what, *table.views.shape[:3]) for ask in seats))
        for what in ("marks", "kinds")
    )
    # What the traverser wins: after a fold outright, at a showdown with the better hand.
    stakes = tree.stakes.astype(np.float32) / np.float32(rules.big_blind_chips)
    if traverser == 1:
        stakes = np.where(tree.kind == FOLDED, -stakes, stakes)
    num_hands = table.views.shape[2]
    values, weights = np.zeros((0, num_hands), np.float32), np.zeros(0, np.float32)
    for level in reversed(levels):
        below, weights_below = values, weights
        values, masses = np.empty_like(level.reach), np.empty_like(level.reach)
        back_up(
            tree.kind, tree.actor, traverser, stakes, level.boards, level.nodes, level.weights,
            level.reach, level.strategies, level.children, below, weights_below,
            table.results, table.disjoint, values, masses,
        )  # fmt: skip
        weights = level.weights
        actor = tree.actor[level.nodes]
        keeper.keep_advantages(level, np.flatnonzero(actor == traverser), values, masses, below)
        keeper.keep_strategies(level, np.flatnonzero(actor == 1 - traverser))
    decisions = sum(int(tree.is_decision[level.nodes].sum()) for level in levels)
    return Samples(
        np.concatenate(keeper.advantages),
        np.concatenate(keeper.strategies),
        decisions * num_hands,
        sum(len(level.nodes) for level in levels) * num_hands,
        float(values.sum(axis=1).mean() / table.pairs),
    )


def _walk_down(
    tree: BettingTree,
    seats: list[ViewStrategies],
    traverser: int,
    table: RangeTable,
    rng: np.random.Generator,
) -> list[_Level]:
    """All levels of the public tree that roulette leaves."""
    num_boards, streets, num_hands = table.views.shape[:3]
    boards = np.arange(num_boards, dtype=np.int32)
    nodes, weights = np.zeros(num_boards, np.int32), np.ones(num_boards, np.float32)
    reach = np.ones((num_boards, num_hands), np.float32)
    levels = []
    while len(nodes):
        strategies = np.zeros((len(nodes), num_hands, 3), np.float32)
        for player, ask in enumerate(seats):
            rows = np.flatnonzero(tree.actor[nodes] == player)
            if len(rows):
                first = (boards[rows] * streets + tree.street[nodes[rows]]) * num_hands
                views = (first[:, None] + np.arange(num_hands)).reshape(-1)
                asked = ask(views, np.repeat(nodes[rows], num_hands))
                strategies[rows] = asked.reshape(len(rows), num_hands, 3)
        children = np.full((len(nodes), 3), -1, np.int32)
        draws = rng.random((len(nodes), 3))
        count = choose(
            tree.children, tree.actor, traverser, nodes, weights, reach, strategies, draws, children
        )
        level = _Level(boards, nodes, weights, reach, strategies, children)
        levels.append(level)
        boards, nodes = np.empty(count, np.int32), np.empty(count, np.int32)
        weights = np.empty(count, np.float32)
        reach = np.empty((count, num_hands), np.float32)
        expand(
            tree.children, tree.actor, traverser, level.boards, level.nodes, level.weights,
            level.reach, strategies, children, boards, nodes, weights, reach,
        )  # fmt: skip
    return levels


class _Keeper:
    """Draws samples from rows of the frontier."""

    def __init__(
        self,
        tree: BettingTree,
        table: RangeTable,
        t: int,
        per_board: float,
        rng: np.random.Generator,
        tell: Listener | None,
        tell_strategies: Listener | None,
    ) -> None:
        self._tree, self._table, self._t = tree, table, t
        self._per_board, self._rng = per_board, rng
        self._tell_advantages, self._tell_strategies = tell, tell_strategies
        self.marks = np.zeros(table.views.shape[:3], np.uint8)  # [B, S, M] of the views
        self.kinds = np.zeros_like(self.marks)
        self.advantages: list[NDArray[np.void]] = [np.zeros(0, ROW)]
        self.strategies: list[NDArray[np.void]] = [np.zeros(0, ROW)]

    def keep_advantages(
        self, level: _Level, rows: NDArray[np.intp], values: Floats, masses: Floats, below: Floats
    ) -> None:
        """Samples at the traverser's decisions."""
        mine, children = masses[rows], level.children[rows]  # [D, M], [D, 3]
        gains = below[children] - values[rows, None] if len(below) else np.zeros((0, 3, 1), "f4")
        gains = np.where(children[:, :, None] >= 0, gains / np.maximum(mine, TINY)[:, None], 0)
        rate = self._per_board * level.weights[rows] / self._table.pairs
        picked, hand = draw_cells(rate[:, None] * mine, self._rng)
        self._keep(self.advantages, level, rows[picked], hand, gains[picked, :, hand])
        self._tell(self._tell_advantages, level, rows, mine, gains.transpose(0, 2, 1))

    def keep_strategies(self, level: _Level, rows: NDArray[np.intp]) -> None:
        """Samples at the opponent's decisions."""
        boards = level.boards[rows]
        rate = self._per_board * level.weights[rows] / self._table.pairs
        met = self._table.disjoint.sum(axis=1)[boards]  # [R, M]
        mine = level.reach[rows] * met
        picked, hand = draw_cells(rate[:, None] * mine, self._rng)
        row = rows[picked]
        self._keep(self.strategies, level, row, hand, level.strategies[row, hand])
        self._tell(self._tell_strategies, level, rows, mine, level.strategies[rows])

    def _tell(
        self,
        listener: Listener | None,
        level: _Level,
        rows: NDArray[np.intp],
        masses: Floats,
        targets: Floats,
    ) -> None:
        """All hands at some rows, by mass. masses [D, M], targets [D, M, 3]"""
        if listener is None or not len(rows):
            return
        num_hands, nodes = masses.shape[1], level.nodes[rows]
        weights = self._t * level.weights[rows, None] * masses / num_hands
        views = level.boards[rows], self._tree.street[nodes]
        kinds, marks = self.kinds[views].ravel(), self.marks[views].ravel()
        flat = np.ascontiguousarray(targets).reshape(-1, 3)
        listener(np.repeat(nodes, num_hands), kinds, marks, weights.ravel(), flat)

    def _keep(
        self,
        samples: list[NDArray[np.void]],
        level: _Level,
        row: NDArray[np.intp],
        hand: NDArray[np.intp],
        targets: Floats,
    ) -> None:
        nodes = level.nodes[row]
        view = level.boards[row], self._tree.street[nodes], hand
        marks = self.marks[view]
        samples.append(make_rows(self._table.views[view], nodes, self._t, targets, marks))
