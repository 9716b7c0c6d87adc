"""The local best response at the table: one seat, all plays of a batch side by side.

LBR holds h and knows its opponent q's range π_q(h'), the product of q's action probabilities. At
each decision it takes the best action were both to check and call from then on, with wp its
equity against the range and fp the chance that q folds to a raise:

    fold    −c_own
    call    (2 wp − 1) c_call
    raise   fp c_opp + (1 − fp) (2 wp' − 1) c_raise      wp' against the hands that do not fold

Where the last street is played exactly, a play ends when that street begins: what a best response
to q's range wins with h from there on is known (`evaluation.last_street`).

Each play is played from several starts: on the streets before it the seat plays as the policy
itself would, with actions drawn by the same numbers, and from then on as LBR.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from env.actions import CALL, FOLD, NUM_ACTIONS, RAISE
from env.arrays import Bools, Doubles, Longs
from env.betting_tree import NONE, SHOWDOWN, BettingTree
from evaluation.equity import Boards
from evaluation.last_street import BEST, OWN, LastStreet
from evaluation.range_sums import (
    PlayRows,
    draw_actions,
    draw_own_actions,
    multiply_strategy,
    sum_masses,
    weigh_ranges,
)
from policies.ranges import RangeStrategies

_TIE_CHIPS = 1e-6  # values this close are equal, whatever the rounding


@dataclass(frozen=True)
class _Ranges:
    """q's reach where plays stand. It is public: plays on one visible board and node share it.

    K distinct (visible board, node), A of them nodes of q.
    """

    of_play: Longs  # [n]
    visible: Longs  # [K]
    nodes: Longs  # [K]
    reach: Doubles  # [K, H] zero for hands that the visible board rules out
    joint_of: Longs  # [K] row of `joint`; NONE where q is not to act
    joint: Doubles  # [A, 3, H] reach times the probability of each action

    def row_after(self, rows: Longs, actions: Longs) -> Longs:
        """Where q's new reach stands when `joint` is put below `reach`. [n]"""
        return len(self.reach) + NUM_ACTIONS * self.joint_of[rows] + actions


@dataclass(frozen=True)
class Responder:
    """LBR in one seat. P plays, S starts."""

    tree: BettingTree
    boards: Boards
    ask: RangeStrategies
    seat: int
    numbers: Doubles  # [P, levels]
    starts: Longs  # [S] the first street that LBR plays
    last_street: LastStreet | None  # None: it is played by checking down

    def play(self) -> Doubles:
        """What the seat wins in each play from each start, chips. [P, S]"""
        tree = self.tree
        won = np.zeros(len(self.numbers) * len(self.starts))
        lines, nodes = np.arange(len(won)), np.zeros(len(won), np.int64)
        reach, origin = np.ones((1, len(self.boards.table.hands))), np.zeros(len(won), np.int64)
        while len(lines):
            plays = lines // len(self.starts)
            over, own = self._ends[nodes], tree.actor[nodes] == self.seat
            responds = tree.street[nodes] >= self.starts[lines % len(self.starts)]
            follows, chooses = own & ~over & ~responds, own & ~over & responds
            # Raising does not change q's range, so LBR looks straight at the node of q's answer.
            looks = np.where(chooses & tree.legal[nodes, RAISE], tree.children[nodes, RAISE], nodes)
            ranges = self._ranges(plays, looks, reach, origin)
            won[lines[over]] = self._won(plays[over], nodes[over], responds[over], ranges, over)
            moves = np.full(len(lines), RAISE)  # to where LBR has looked, or there already
            moves[chooses] = self._choose(plays[chooses], nodes[chooses], ranges, chooses)
            moves[follows] = self._follow(plays[follows], nodes[follows])
            answers = ~over & ~follows & (moves == RAISE)
            nodes, origin = tree.children[nodes, moves].astype(np.int64), ranges.of_play.copy()
            replies = self._reply(plays[answers], looks[answers], ranges, answers)
            nodes[answers] = tree.children[looks[answers], replies]
            origin[answers] = ranges.row_after(ranges.of_play[answers], replies)
            reach = np.concatenate([ranges.reach, ranges.joint.reshape(-1, reach.shape[1])])
            lines, nodes, origin = lines[~over], nodes[~over], origin[~over]
        return won.reshape(len(self.numbers), -1)

    @cached_property
    def _ends(self) -> Bools:
        """Where nothing is left to draw. [N]"""
        begins = self.tree.street == self.boards.table.rules.streets - 1
        return ~self.tree.is_decision | (begins & (self.last_street is not None))

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
        asked = (tree.actor[nodes] == 1 - self.seat) & ~self._ends[nodes]
        joint = self._joint(visible[asked], nodes[asked], reach[asked])
        joint_of = np.where(asked, np.cumsum(asked) - 1, NONE)
        return _Ranges(of_play, visible, nodes, reach, joint_of, joint)

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

    def _follow(self, plays: Longs, nodes: Longs) -> Longs:
        """The policy's own actions with the hands held. [n]"""
        boards, tree = self.boards, self.tree
        # From several starts a play goes one way until they come: it is asked about once.
        asked, first, which = np.unique(
            plays * len(tree) + nodes, return_index=True, return_inverse=True
        )
        plays, nodes = plays[first], nodes[first]
        visible = boards.visible_of[tree.street[nodes], boards.board_of[plays]]
        strategies = self.ask.of_hands(visible, nodes, boards.own_of[plays])
        actions = np.empty(len(asked), np.int64)
        draw_own_actions(strategies, self.numbers[plays, tree.depth[nodes]], actions)
        return actions[which]

    def _won(
        self, plays: Longs, nodes: Longs, responds: Bools, ranges: _Ranges, over: Bools
    ) -> Doubles:
        """What the seat wins where plays end, on average over q's range. [n]"""
        rows, decided = np.flatnonzero(over), ~self.tree.is_decision[nodes]
        won = np.empty(len(plays))
        won[decided] = self._won_at_end(plays[decided], nodes[decided], ranges, rows[decided])
        if self.last_street is not None and not decided.all():
            going_on = ~decided
            won[going_on] = self._won_on_last_street(
                self.last_street, plays[going_on], responds[going_on], ranges, rows[going_on]
            )
        return won

    def _won_on_last_street(
        self, street: LastStreet, plays: Longs, responds: Bools, ranges: _Ranges, rows: Longs
    ) -> Doubles:
        """What the seat wins where the last street begins: best, or as the policy plays. [n]"""
        entries, of_entry = np.unique(ranges.of_play[rows], return_inverse=True)
        own = self.boards.own_of[plays]
        policy_plays = np.unique(np.stack([of_entry, own])[:, ~responds], axis=1)
        values = street.values(
            self.seat,
            ranges.visible[entries],
            ranges.nodes[entries],
            ranges.reach[entries],
            policy_plays,
        )
        masses = np.empty(len(plays))
        sum_masses(
            PlayRows(ranges.reach, ranges.of_play[rows]),
            PlayRows(self.boards.table.apart, own),
            masses,
        )
        return values[np.where(responds, BEST, OWN), of_entry, own] / masses

    def _won_at_end(self, plays: Longs, nodes: Longs, ranges: _Ranges, rows: Longs) -> Doubles:
        """What the seat wins after a fold, and at a showdown. [n]"""
        tree = self.tree
        sign = 1 if self.seat == 0 else -1
        won = sign * tree.payoffs(nodes, np.full(len(nodes), sign, np.int8)).astype(np.float64)
        showdown = tree.node_type[nodes] == SHOWDOWN
        last = self.boards.table.rules.streets - 1
        mass, points = self._weigh(last, plays[showdown], ranges, rows[showdown]).T[:2]
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
