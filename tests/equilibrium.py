"""Exact equilibria of small games by linear programming over sequences (Koller et al. 1994)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import bmat, coo_matrix, csr_matrix

from env.actions import NUM_ACTIONS
from env.arrays import Floats, Nodes
from env.betting_tree import BettingTree
from env.cards import Cards
from env.deals import canonical_views, showdown_results
from env.rules import Rules
from tests.brute_force import every_deal
from tests.policies import Stateless

Infoset = tuple[bytes, int]  # canonical cards, node


@dataclass
class Sequences:
    """One player's sequences; number 0 is the empty one."""

    parents: dict[Infoset, int] = field(default_factory=dict)  # sequence that leads to an infoset
    numbers: dict[tuple[Infoset, int], int] = field(default_factory=dict)

    def after(self, infoset: Infoset, parent: int, action: int) -> int:
        self.parents.setdefault(infoset, parent)
        return self.numbers.setdefault((infoset, action), len(self.numbers) + 1)

    def constraints(self) -> csr_matrix:
        """Rows: the empty sequence has weight 1; an infoset's actions share its parent's weight."""
        rows, columns, entries = [0], [0], [1.0]
        row_of = {infoset: i + 1 for i, infoset in enumerate(self.parents)}
        for infoset, parent in self.parents.items():
            rows.append(row_of[infoset])
            columns.append(parent)
            entries.append(-1.0)
        for (infoset, _), number in self.numbers.items():
            rows.append(row_of[infoset])
            columns.append(number)
            entries.append(1.0)
        shape = (len(self.parents) + 1, len(self.numbers) + 1)
        return coo_matrix((entries, (rows, columns)), shape=shape).tocsr()


def solved(
    sequences: tuple[Sequences, Sequences],
    rows: NDArray[np.integer],
    columns: NDArray[np.integer],
    amounts: NDArray[np.float64],
) -> tuple[float, list[NDArray[np.float64]]]:
    """The value to player 0 and both players' plans, given what pairs of sequences pay.

    Player 0's plan x maximises q₀ where Fᵀq ≤ Aᵀx, Ex = e; the dual is player 1's plan.
    """
    first, second = (player.constraints() for player in sequences)
    shape = (first.shape[1], second.shape[1])
    payoffs = coo_matrix((amounts, (rows, columns)), shape=shape)
    cost = np.zeros(shape[0] + second.shape[0])
    cost[shape[0]] = -1
    found = linprog(
        cost,
        A_ub=bmat([[-payoffs.T, second.T]]).tocsr(),
        b_ub=np.zeros(shape[1]),
        A_eq=bmat([[first, coo_matrix((first.shape[0], second.shape[0]))]]).tocsr(),
        b_eq=np.eye(1, first.shape[0])[0],
        bounds=[(0, None)] * shape[0] + [(None, None)] * second.shape[0],
        method="highs",
    )
    assert found.success
    return -float(found.fun), [found.x[: shape[0]], -found.ineqlin.marginals]


class Equilibrium(Stateless):
    """A Nash equilibrium and the value of the game to player 0, chips per hand."""

    def __init__(self, rules: Rules, tree: BettingTree) -> None:
        self._tree = tree
        deals = every_deal(rules)
        self._sequences = (Sequences(), Sequences())
        self._entries: dict[tuple[int, int], float] = {}
        views, results = canonical_views(rules, deals), showdown_results(deals)
        for view, result in zip(views, results, strict=True):
            self._walk(0, view, int(result), (0, 0), 1 / len(deals))
        self.value, plans = self._solve()
        self._table = dict(self._probabilities(plans))

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        rows = [self._table[card.tobytes(), int(n)] for card, n in zip(cards, nodes, strict=True)]
        return np.array(rows, np.float32)

    def _walk(
        self, node: int, view: Cards, result: int, at: tuple[int, int], chance: float
    ) -> None:
        tree = self._tree
        if not tree.is_decision[node]:
            won = tree.payoffs(np.array([node]), np.array([result], np.int8))[0]
            self._entries[at] = self._entries.get(at, 0.0) + chance * float(won)
            return
        player = int(tree.actor[node])
        infoset = (view[player, tree.street[node]].tobytes(), node)
        for action in np.flatnonzero(tree.legal[node]).tolist():
            number = self._sequences[player].after(infoset, at[player], action)
            after = (number, at[1]) if player == 0 else (at[0], number)
            self._walk(int(tree.children[node, action]), view, result, after, chance)

    def _solve(self) -> tuple[float, list[NDArray[np.float64]]]:
        places, amounts = zip(*self._entries.items(), strict=True)
        rows, columns = map(np.array, zip(*places, strict=True))
        return solved(self._sequences, rows, columns, np.array(amounts))

    def _probabilities(
        self, plans: list[NDArray[np.float64]]
    ) -> list[tuple[Infoset, NDArray[np.float64]]]:
        rows = []
        for sequences, plan in zip(self._sequences, plans, strict=True):
            for infoset in sequences.parents:
                row = np.zeros(NUM_ACTIONS)
                for action in range(NUM_ACTIONS):
                    number = sequences.numbers.get((infoset, action))
                    row[action] = max(plan[number], 0) if number is not None else 0
                legal = self._tree.legal[infoset[1]]
                row = row / row.sum() if row.sum() > 1e-9 else legal / legal.sum()
                rows.append((infoset, row))
        return rows
