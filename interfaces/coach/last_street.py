"""Values on the last street: exact, over every hand that the opponent can hold.

All cards of the board lie, so the betting that is left is a small tree, and the arithmetic over
whole ranges (`env.ranges`) values every node of it for every hand at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from env.actions import NUM_ACTIONS
from env.arrays import Doubles, Integers, Longs
from env.betting_tree import FOLDED, NONE, SHOWDOWN, BettingTree
from env.cards import Cards
from env.ranges import (
    NUM_VALUES,
    POLICY_0,
    RankedHands,
    Terminals,
    back_up,
    carry_reach,
    value_terminals,
)
from interfaces.coach.reference import Reference
from search.public_state import hands_on


class Subtree(NamedTuple):
    """The betting from a node on, renumbered from 0. M nodes, D of them decisions.

    The first node counts as a fold as well, with one chip at stake, until `back_up` values it.
    """

    nodes: Longs  # [M] as the betting tree numbers them
    children: Integers  # [M, 3]
    actor: Integers  # [M]
    decisions: Longs  # [D] parents come first
    terminals: Terminals


def subtree(tree: BettingTree, root: int) -> Subtree:
    """Everything that can follow a node."""
    nodes, place = [root], {root: 0, NONE: NONE}
    for node in nodes:  # which grows meanwhile, level by level
        for child in tree.children[node].tolist():
            if child != NONE:
                place[child] = len(nodes)
                nodes.append(child)
    numbers = np.array(nodes)
    children = [[place[child] for child in tree.children[node].tolist()] for node in nodes]
    types, stakes = tree.node_type[numbers], tree.stakes[numbers]
    stakes[0] = 1
    return Subtree(
        numbers,
        np.array(children, np.int32),
        tree.actor[numbers],
        np.flatnonzero(tree.is_decision[numbers]),
        Terminals(
            stakes,
            np.concatenate([[0], np.flatnonzero(types == FOLDED)]),
            np.flatnonzero(types == SHOWDOWN),
        ),
    )


def last_street_values(reference: Reference, board: Cards, node: int, ranges: Doubles) -> Doubles:
    """Chips that each hand of the player to act wins on average with each action. [H, 3]

    `ranges` [2, H] are both players'; only the opponent's counts. Afterwards both play as the
    reference does. NaN for illegal actions and for hands that meet no hand of the opponent's.
    """
    tree, player = reference.game.tree, int(reference.game.tree.actor[node])
    here = hands_on(reference.game.rules, board.tobytes())
    hands = RankedHands(here.cards, here.ties)
    below = subtree(tree, node)
    asked = below.nodes[below.decisions]
    strategy = np.ascontiguousarray(reference.strategies(board, asked)[:, here.live])
    every = np.arange(len(here.live))
    reach = np.zeros((2, len(below.nodes), len(every)))
    reach[:, 0] = ranges[:, here.live]
    # The player's own reach does not weigh in the player's values, but the action valued is
    # chosen whatever the strategy says.
    carry_reach(below.children, below.actor, below.decisions, strategy, every, reach)
    values = np.zeros((NUM_VALUES, len(below.nodes), len(every)))
    value_terminals(below.terminals, hands, reach, values)
    # How much of the opponent's range a hand meets: what one chip for everybody would come to.
    met = abs(values[POLICY_0 + player, 0])
    back_up(below.children, below.actor, below.decisions, strategy, every, values)
    out = np.full((len(reference.hands), NUM_ACTIONS), np.nan)
    for action in np.flatnonzero(tree.legal[node]).tolist():
        won = values[POLICY_0 + player, below.children[0, action]]
        out[here.live, action] = np.divide(won, met, out=np.full(len(every), np.nan), where=met > 0)
    return out
