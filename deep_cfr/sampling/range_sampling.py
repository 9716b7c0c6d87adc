"""External sampling with many hands per seat: one walk of the public tree for all of them.

A traversal of a single deal (`deep_cfr.sampling.external_sampling`) gives advantages that are
mostly noise: one opposing hand, one sampled action at a time. Here a board is dealt with M hands,
and each of them is held by either player against all others. A row of the frontier is a (board,
node); it carries the opponent's reach π_q as a vector over the M hands. The opponent's actions are
all followed, except that rows of little mass end by Russian roulette: a child of effective mass m
below the threshold is kept with probability m / threshold and then counts 1 / that probability, so
that every expectation stays the same. Coming back up, values of all M hands of the traverser are
sums over the hands they can meet.

Memory rows are drawn with the frequencies that N traversals of single deals would have,

    traverser:  N / boards · weight · W(h) / pairs,          W(h) = Σ_{h' ∩ h = ∅} π_q(h')
    opponent:   N / boards · weight · π_q(h') · |{h : h ∩ h' = ∅}| / pairs

and their targets, (v(h, a) − v(h)) / W(h), have the same expectations with far less variance.
Optional callbacks receive every (hand, node) pair, weighted in the same proportions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deep_cfr.memory import ROW, draw_entries, make_rows
from deep_cfr.sampling.range_dealing import RangeTable, deal_first_cards, deal_ranges
from deep_cfr.sampling.range_kernels import Level, PublicTree, Values, back_up, choose, expand
from deep_cfr.sampling.samples import Samples, joined
from env.arrays import Bytes, Floats, Ints, Nodes
from env.betting_tree import FOLDED
from env.cards import NUM_SLOTS, Cards
from env.game import Game
from env.progress import Advance
from env.views import Views
from policies.policy import Policy, ViewStrategies

BOARDS_AT_ONCE = 32  # bounds memory
TINY = np.float32(1e-30)  # replaces a mass of 0, to avoid dividing by it; such hands have weight 0

# Receives nodes [n], hand buckets [n], strength bytes [n], weights [n] and targets [n, 3].
PairCallback = Callable[[Nodes, Bytes, Bytes, Floats, Floats], None]


class RangeSampling(NamedTuple):
    """How one player's traversals are made."""

    traverser: int
    t: int  # CFR iteration
    num_traversals: float  # of single deals that the memory rows stand for
    num_boards: int
    num_hands: int  # on each board
    keep_strength: bool = False  # memory rows carry the hand strength
    on_advantages: PairCallback | None = None  # every pair at the traverser's decisions
    on_strategies: PairCallback | None = None  # every pair at the opponent's decisions
    on_progress: Advance | None = None  # hears of boards done


def traverse_ranges(
    game: Game,
    policies: tuple[Policy, Policy],
    sampling: RangeSampling,
    rng: np.random.Generator,
    first_cards: Cards | None = None,
) -> Samples:
    """The samples of so many traversals, from some hands on so many boards.

    The boards begin with `first_cards`, or with a systematic sample of flops.
    """
    parts, sizes = [], []
    if first_cards is None:
        first_cards = deal_first_cards(game.rules, sampling.num_boards, rng)
    for start in range(0, sampling.num_boards, BOARDS_AT_ONCE):
        cards = first_cards[start : start + BOARDS_AT_ONCE]
        table = deal_ranges(game.rules, cards, sampling.num_hands, rng)
        parts.append(_traverse(game, policies, sampling, table, rng))
        sizes.append(len(cards))
        if sampling.on_progress:
            sampling.on_progress(len(cards))
    return joined(parts, sizes)


def _traverse(
    game: Game,
    policies: tuple[Policy, Policy],
    sampling: RangeSampling,
    table: RangeTable,
    rng: np.random.Generator,
) -> Samples:
    """Both ways through the public tree on the boards of one table."""
    num_hands = table.views.shape[2]
    views = Views(game, table.views.reshape(-1, NUM_SLOTS))
    seats = [policy.for_views(views) for policy in policies]
    tree = _public_tree(game, sampling.traverser)
    levels = _walk_down(game, tree, seats, table, rng)
    collector = _SampleCollector(game, table, views, sampling, rng)
    values, weights = np.zeros((0, num_hands), np.float32), np.zeros(0, np.float32)
    for level in reversed(levels):
        found = Values(np.empty_like(level.reach), np.empty_like(level.reach))
        back_up(tree, level, values, weights, table.results, table.disjoint, found)
        actor = game.tree.actor[level.nodes]
        collector.add_advantages(level, np.flatnonzero(actor == sampling.traverser), found, values)
        collector.add_strategies(level, np.flatnonzero(actor == 1 - sampling.traverser))
        values, weights = found.values, level.weights
    decisions = sum(int(game.tree.is_decision[level.nodes].sum()) for level in levels)
    return Samples(
        np.concatenate(collector.advantages),
        np.concatenate(collector.strategies),
        decisions * num_hands,
        sum(len(level.nodes) for level in levels) * num_hands,
        float(values.sum(axis=1).mean() / table.pairs),
    )


def _public_tree(game: Game, traverser: int) -> PublicTree:
    tree = game.tree
    stakes = tree.stakes.astype(np.float32) / np.float32(game.rules.big_blind_chips)
    if traverser == 1:  # stakes are player 0's; at a showdown the better hand wins for either
        stakes = np.where(tree.node_type == FOLDED, -stakes, stakes)
    return PublicTree(tree.children, tree.actor, tree.node_type, stakes, traverser)


def _walk_down(
    game: Game,
    tree: PublicTree,
    seats: list[ViewStrategies],
    table: RangeTable,
    rng: np.random.Generator,
) -> list[Level]:
    """All levels of the walk; branches ended by roulette are missing."""
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
                first = (boards[rows] * streets + game.tree.street[nodes[rows]]) * num_hands
                views = (first[:, None] + np.arange(num_hands)).reshape(-1)
                asked = ask(views, np.repeat(nodes[rows], num_hands))
                strategies[rows] = asked.reshape(len(rows), num_hands, 3)
        children = np.full((len(nodes), 3), -1, np.int32)
        level = Level(boards, nodes, weights, reach, strategies, children)
        count = choose(tree, level, rng.random((len(nodes), 3)))
        levels.append(level)
        boards, nodes = np.empty(count, np.int32), np.empty(count, np.int32)
        weights = np.empty(count, np.float32)
        reach = np.empty((count, num_hands), np.float32)
        expand(tree, level, boards, nodes, weights, reach)
    return levels


class _SampleCollector:
    """Draws memory rows from the frontier, and hands every pair to the callbacks."""

    def __init__(
        self,
        game: Game,
        table: RangeTable,
        views: Views,
        sampling: RangeSampling,
        rng: np.random.Generator,
    ) -> None:
        self._tree, self._table, self._views = game.tree, table, views
        self._sampling, self._rng = sampling, rng
        self._per_board = sampling.num_traversals / sampling.num_boards
        self.advantages: list[NDArray[np.void]] = [np.zeros(0, ROW)]
        self.strategies: list[NDArray[np.void]] = [np.zeros(0, ROW)]

    def add_advantages(
        self, level: Level, rows: NDArray[np.intp], found: Values, below: Floats
    ) -> None:
        """Samples at the traverser's decisions; `below` are the values one level down."""
        values, masses, children = found.values[rows], found.masses[rows], level.children[rows]
        gains = below[children] - values[:, None] if len(below) else np.zeros((0, 3, 1), "f4")
        gains = np.where(children[:, :, None] >= 0, gains / np.maximum(masses, TINY)[:, None], 0)
        drawn, hand = draw_entries(self._rates(level, rows) * masses, self._rng)
        self.advantages.append(self._memory_rows(level, rows[drawn], hand, gains[drawn, :, hand]))
        self._hand_out(self._sampling.on_advantages, level, rows, masses, gains.transpose(0, 2, 1))

    def add_strategies(self, level: Level, rows: NDArray[np.intp]) -> None:
        """Samples at the opponent's decisions."""
        met = self._table.disjoint.sum(axis=1)[level.boards[rows]]  # [R, M]
        masses = level.reach[rows] * met
        drawn, hand = draw_entries(self._rates(level, rows) * masses, self._rng)
        row = rows[drawn]
        self.strategies.append(self._memory_rows(level, row, hand, level.strategies[row, hand]))
        self._hand_out(self._sampling.on_strategies, level, rows, masses, level.strategies[rows])

    def _rates(self, level: Level, rows: NDArray[np.intp]) -> Floats:
        """Expected memory rows per unit of mass. [D, 1]"""
        rates: Floats = self._per_board * level.weights[rows] / self._table.pairs
        return rates[:, None]

    def _hand_out(
        self,
        callback: PairCallback | None,
        level: Level,
        rows: NDArray[np.intp],
        masses: Floats,
        targets: Floats,
    ) -> None:
        """All hands at some rows, weighted by mass. masses [D, M], targets [D, M, 3]"""
        if callback is None or not len(rows):
            return
        num_hands, nodes = masses.shape[1], level.nodes[rows]
        weights = self._sampling.t * level.weights[rows, None] * masses / num_hands
        first = self._view_rows(level, rows, np.zeros(len(rows), np.intp))
        views = (first[:, None] + np.arange(num_hands)).ravel()
        buckets, strengths = self._views.buckets(views), self._views.strength_bytes(views)
        flat = np.ascontiguousarray(targets).reshape(-1, 3)
        callback(np.repeat(nodes, num_hands), buckets, strengths, weights.ravel(), flat)

    def _memory_rows(
        self, level: Level, row: NDArray[np.intp], hand: NDArray[np.intp], targets: Floats
    ) -> NDArray[np.void]:
        view = self._view_rows(level, row, hand)
        kept = self._views.strength_bytes(view) if self._sampling.keep_strength else None
        cards, nodes = self._views.cards[view], level.nodes[row]
        return make_rows(cards, nodes, self._sampling.t, targets, kept)

    def _view_rows(self, level: Level, row: NDArray[np.intp], hand: NDArray[np.intp]) -> Ints:
        """The views of hands at rows of a level. [n], [n] → [n]"""
        streets, num_hands = self._table.views.shape[1:3]
        street = self._tree.street[level.nodes[row]]
        rows: Ints = (level.boards[row] * streets + street) * num_hands + hand
        return rows
