"""Local best response (Lisý and Bowling 2017, "Equilibrium Approximation Quality of Current
No-Limit Poker Bots"), for limit betting: a lower bound on exploitability in games of any size.

LBR holds h and knows its opponent q's range π_q(h'), the product of q's action probabilities. At
each decision it takes the best action were both to check and call from then on, with wp its
equity against the range and fp the chance that q folds to a raise:

    fold    −c_own
    call    (2 wp − 1) c_call
    raise   fp c_opp + (1 − fp) (2 wp' − 1) c_raise      wp' against the hands that do not fold

A best response wins at least what LBR wins on average. The average is over sampled boards, own
hands and actions of q; q's hand is never sampled. Given h, the board and the history it is
distributed as π_q over the hands that h and the whole board leave, so q's actions are drawn from
that mixture and showdowns are expectations over it. Only actions with mass are drawn: no range
ever runs empty. LBR itself chooses by the visible board: to use the whole board would be to know
cards that are still to come, and the result would not be a lower bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil, comb
from typing import TYPE_CHECKING

import numpy as np

from arena.match import NORMAL_95
from env.actions import CALL, FOLD, NUM_ACTIONS, RAISE
from env.arrays import Bools, Doubles, Longs
from env.betting_tree import NONE, SHOWDOWN, BettingTree
from env.cards import NO_CARD, NUM_BOARD
from env.game import Game
from evaluation.equity import Boards, HandTable
from evaluation.range_sums import PlayRows, draw_actions, multiply_strategy, weigh_ranges
from policies.ranges import RangeStrategies, for_ranges

if TYPE_CHECKING:
    from policies.policy import Policy

BOARDS_PER_BATCH = 16
_TIE_CHIPS = 1e-6  # values this close are equal, whatever the rounding


@dataclass(frozen=True)
class LocalBestResponse:
    """What LBR wins from a policy, in thousandths of a big blind per hand."""

    br_mbb: tuple[float, float]  # of LBR in seat 0, in seat 1
    bound_mbb: float  # the mean over both seats, at most the exploitability
    interval_mbb: float  # half the width of the bound's 95 % confidence interval
    hands: int  # played, both seats counted
    boards: int  # independent samples
    board_mbb: Doubles = field(compare=False)  # [boards] the mean over both seats on each


def local_best_response(
    game: Game,
    policy: Policy,
    num_hands: int,
    rng: np.random.Generator,
    progress: Callable[[int], None] = lambda hands: None,
    hands_per_board: int = 64,
    boards_per_batch: int = BOARDS_PER_BATCH,
) -> LocalBestResponse:
    """At least `num_hands` hands of LBR: on each board some own hands, each in both seats."""
    table = HandTable(game.rules, rng)
    left = len(game.rules.deck) - game.rules.visible_board[-1]
    num_own = min(hands_per_board, comb(left, game.rules.hole_cards))
    num_boards = max(2, ceil(num_hands / (2 * num_own)))
    won_chips = np.empty((num_boards, 2))  # means over the hands of a board, by seat
    for start in range(0, num_boards, boards_per_batch):
        batch = _drawn(table, game.tree, min(boards_per_batch, num_boards - start), num_own, rng)
        ask = for_ranges(game, policy, batch.boards.seen)
        for seat in (0, 1):
            won = _Seat(game.tree, batch.boards, ask, seat, batch.numbers[seat]).play()
            means = won.reshape(-1, num_own).mean(axis=1)
            won_chips[start : start + len(means), seat] = means
        progress(2 * len(won))
    won_mbb = 1000 * won_chips / game.rules.big_blind_chips
    both = won_mbb.mean(axis=1)
    return LocalBestResponse(
        br_mbb=(float(won_mbb[:, 0].mean()), float(won_mbb[:, 1].mean())),
        bound_mbb=float(both.mean()),
        interval_mbb=float(NORMAL_95 * both.std(ddof=1) / np.sqrt(num_boards)),
        hands=2 * num_own * num_boards,
        boards=num_boards,
        board_mbb=both,
    )


@dataclass(frozen=True)
class _Batch:
    """P = B · M plays (a board, an own hand on it), to be played in both seats."""

    boards: Boards
    numbers: Doubles  # [2, P, levels] one for every decision that q may face


def _drawn(
    table: HandTable, tree: BettingTree, size: int, num_own: int, rng: np.random.Generator
) -> _Batch:
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
    boards = Boards(table, full, own)
    return _Batch(boards, np.swapaxes(numbers, 0, 1).reshape(2, own.size, -1))


@dataclass(frozen=True)
class _Ranges:
    """q's reach where plays stand. It is public: plays on one visible board and node share it.

    K distinct (visible board, node), A of them nodes of q.
    """

    of_play: Longs  # [n]
    reach: Doubles  # [K, H] zero for hands that the visible board rules out
    joint_of: Longs  # [K] row of `joint`; NONE where q is not to act
    joint: Doubles  # [A, 3, H] reach times the probability of each action

    def row_after(self, rows: Longs, actions: Longs) -> Longs:
        """Where q's new reach stands when `joint` is put below `reach`. [n]"""
        return len(self.reach) + NUM_ACTIONS * self.joint_of[rows] + actions


@dataclass(frozen=True)
class _Seat:
    """LBR in one seat, all plays of a batch side by side."""

    tree: BettingTree
    boards: Boards
    ask: RangeStrategies
    seat: int
    numbers: Doubles  # [P, levels]

    def play(self) -> Doubles:
        """What LBR wins in each play, chips. [P]"""
        tree = self.tree
        won = np.zeros(len(self.boards.own_of))
        plays, nodes = np.arange(len(won)), np.zeros(len(won), np.int64)
        reach, origin = np.ones((1, len(self.boards.table.hands))), np.zeros(len(won), np.int64)
        while len(plays):
            own = tree.actor[nodes] == self.seat
            # Raising does not change q's range, so LBR looks straight at the node of q's answer.
            looks = np.where(own & tree.legal[nodes, RAISE], tree.children[nodes, RAISE], nodes)
            ranges = self._ranges(plays, looks, reach, origin)
            over = ~tree.is_decision[nodes]
            won[plays[over]] = self._won_at_end(plays[over], nodes[over], ranges, over)
            moves = np.full(len(plays), RAISE)  # to where LBR has looked, or there already
            moves[own] = self._choose(plays[own], nodes[own], ranges, own)
            answers = ~over & (moves == RAISE)
            nodes, origin = tree.children[nodes, moves].astype(np.int64), ranges.of_play.copy()
            replies = self._reply(plays[answers], looks[answers], ranges, answers)
            nodes[answers] = tree.children[looks[answers], replies]
            origin[answers] = ranges.row_after(ranges.of_play[answers], replies)
            reach = np.concatenate([ranges.reach, ranges.joint.reshape(-1, reach.shape[1])])
            plays, nodes, origin = plays[~over], nodes[~over], origin[~over]
        return won

    def _ranges(self, plays: Longs, looks: Longs, reach: Doubles, origin: Longs) -> _Ranges:
        """The distinct ranges of some plays, from those a step earlier."""
        tree, boards = self.tree, self.boards
        # At a showdown all cards have come, whatever the street of the last bet.
        last = boards.table.rules.streets - 1
        street = np.where(tree.node_type[looks] == SHOWDOWN, last, tree.street[looks])
        visible = boards.visible_of[street, boards.board_of[plays]]
        keys = visible * len(tree) + looks
        _, first, of_play = np.unique(keys, return_index=True, return_inverse=True)
        visible, nodes = visible[first], looks[first]
        reach = reach[origin[first]] * boards.seen.possible[visible]
        asked = tree.actor[nodes] == 1 - self.seat
        joint = self._joint(visible[asked], nodes[asked], reach[asked])
        return _Ranges(of_play, reach, np.where(asked, np.cumsum(asked) - 1, NONE), joint)

    def _joint(self, visible: Longs, nodes: Longs, reach: Doubles) -> Doubles:
        """q's reach times its strategy. [A, 3, H]"""
        joint = np.empty((len(nodes), NUM_ACTIONS, reach.shape[1]))
        multiply_strategy(reach, self.ask(visible, nodes), joint)
        return joint

    def _choose(self, plays: Longs, nodes: Longs, ranges: _Ranges, chosen: Bools) -> Longs:
        """The best action at LBR's decisions, were both to check and call from then on. [n]"""
        tree, seat = self.tree, self.seat
        mass, won, folding, won_folding = np.empty((4, len(plays)))
        street = tree.street[nodes]
        for s in np.unique(street):
            at = street == s
            sums = self._weigh(int(s), plays[at], ranges, np.flatnonzero(chosen)[at])
            mass[at], won[at], folding[at], won_folding[at] = sums.T
        called, raised = tree.children[nodes, CALL], tree.children[nodes, RAISE]
        answer = tree.children[raised, CALL]  # without meaning, like `raised`, if none is legal
        stake = tree.contributions.min(axis=1)
        values_fold = -mass * tree.contributions[nodes, seat]
        values_call = (2 * won - mass) * stake[called]
        stays, won_stays = mass - folding, won - won_folding
        values_raise = folding * tree.contributions[raised, 1 - seat]
        values_raise += (2 * won_stays - stays) * stake[answer]
        values = np.stack([values_fold, values_call, values_raise], axis=1)  # times the mass
        values = np.where(tree.legal[nodes], values / mass[:, None], -np.inf)
        # The cheapest of the best; rounding must not decide between equals.
        return (values >= values.max(axis=1, keepdims=True) - _TIE_CHIPS).argmax(axis=1)

    def _won_at_end(self, plays: Longs, nodes: Longs, ranges: _Ranges, over: Bools) -> Doubles:
        """What LBR wins where plays end: at a showdown, on average over q's range. [n]"""
        tree = self.tree
        sign = 1 if self.seat == 0 else -1
        won = sign * tree.payoffs(nodes, np.full(len(nodes), sign, np.int8)).astype(np.float64)
        showdown = tree.node_type[nodes] == SHOWDOWN
        last, rows = self.boards.table.rules.streets - 1, np.flatnonzero(over)[showdown]
        mass, points = self._weigh(last, plays[showdown], ranges, rows).T[:2]
        won[showdown] *= 2 * points / mass - 1
        return won

    def _weigh(self, street: int, plays: Longs, ranges: _Ranges, rows: Longs) -> Doubles:
        """Sums over q's range, see `weigh_ranges`. [n, 4]"""
        boards, of_play = self.boards, ranges.of_play[rows]
        sums = np.empty((len(plays), 4))
        weigh_ranges(
            reach=PlayRows(ranges.reach, of_play),
            folds=PlayRows(ranges.joint[:, FOLD], ranges.joint_of[of_play]),
            apart=PlayRows(boards.table.apart, boards.own_of[plays]),
            equity=boards.equities(street, plays),
            sums=sums,
        )
        return sums

    def _reply(self, plays: Longs, nodes: Longs, ranges: _Ranges, rows: Bools) -> Longs:
        """q's actions, drawn from what its range does, the whole board known. [n]"""
        boards = self.boards
        replies = np.empty(len(plays), np.int64)
        draw_actions(
            joint=PlayRows(ranges.joint, ranges.joint_of[ranges.of_play[rows]]),
            apart=PlayRows(boards.table.apart, boards.own_of[plays]),
            possible=PlayRows(boards.seen.possible, boards.visible_of[-1, boards.board_of[plays]]),
            numbers=self.numbers[plays, self.tree.depth[nodes]],
            actions=replies,
        )
        return replies
