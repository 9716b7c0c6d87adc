"""Random hands on the compiled tree, all at once: the fast twin of playing an emulator."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from env.betting_tree import BettingTree
from env.cards import Cards
from env.deals import deal, showdown_results
from env.game import Game


class Playouts(NamedTuple):
    """Finished hands, one per row."""

    deals: Cards  # [n, 9]
    nodes: NDArray[np.int32]  # [n] the terminal node each hand ended in
    payoffs: NDArray[np.int32]  # [n] chips won by player 0


def random_playouts(game: Game, num_hands: int, rng: np.random.Generator) -> Playouts:
    """Hands in which both players choose uniformly among their legal actions."""
    deals = deal(game.rules, num_hands, rng)
    draws = rng.integers(0, 1 << 32, (num_hands, int(game.tree.depth[-1])), dtype=np.uint32)
    nodes = np.empty(num_hands, np.int32)
    _walk_down(_legal_children(game.tree), draws, nodes)
    return Playouts(deals, nodes, game.tree.payoffs(nodes, showdown_results(deals)))


def _legal_children(tree: BettingTree) -> NDArray[np.int32]:
    """[N, 4] the number of legal actions, then the children they lead to."""
    table = np.zeros((len(tree), 4), np.int32)
    table[:, 0] = tree.legal.sum(axis=1)
    order = np.argsort(~tree.legal, axis=1, kind="stable")
    table[:, 1:] = np.take_along_axis(tree.children, order, axis=1)
    return table


@njit(cache=True, parallel=True)
def _walk_down(
    legal_children: NDArray[np.int32], draws: NDArray[np.uint32], nodes: NDArray[np.int32]
) -> None:
    for hand in prange(len(nodes)):
        node = 0
        step = 0
        while legal_children[node, 0] > 0:
            choice = np.uint64(draws[hand, step]) * np.uint64(legal_children[node, 0])
            node = legal_children[node, 1 + (choice >> np.uint64(32))]
            step += 1
        nodes[hand] = node
