"""External-sampling traversals (Brown et al. 2019, Algorithm 2), level by level.

The paper's recursion, computed breadth-first: the frontier holds every (deal, node) reached at
one depth by any of thousands of traversals. Going down, the traverser's rows expand to all legal
children and the opponent's to one, sampled from its strategy; each player's policy is asked once
per level. Coming back up, action values meet strategies and give the sampled advantages.

The draw that picks the opponent's action is a hash of (salt, deal, node) (`policies.drawing`), so
the plain recursion in the tests can repeat it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from deep_cfr.memory import make_rows
from deep_cfr.sampling.samples import Samples
from env.arrays import Floats, Ints
from env.betting_tree import BettingTree
from env.cards import NUM_SLOTS, Cards
from env.deals import canonical_views, deal, showdown_results
from env.game import Game
from env.views import Views
from policies.drawing import draw, sample_action
from policies.policy import Policy, ViewStrategies


class _Level(NamedTuple):
    """The frontier at one depth. n rows (deal, node)."""

    deals: Ints  # [n]
    nodes: Ints  # [n]
    strategies: Floats  # [n, 3] zeros at terminals
    first_child: Ints  # [n] row of the first child one level down


class _Tree(NamedTuple):
    """What the kernels read of a betting tree."""

    children: Ints  # [N, 3]
    actor: NDArray[np.int8]  # [N]


class _Outcomes(NamedTuple):
    """What hands end in, for the traverser."""

    payoffs: Floats  # [N, 3] big blinds at each terminal if the hand loses, splits, wins
    results: NDArray[np.int8]  # [deals] −1, 0 or 1 as the traverser's hand loses, splits, wins


def traverse(
    game: Game,
    policies: tuple[Policy, Policy],
    traverser: int,
    t: int,
    num_traversals: int,
    rng: np.random.Generator,
    keep_strength: bool = False,
) -> Samples:
    """Traversals of fresh deals for one player at iteration t.

    With `keep_strength` memory rows carry the hand strength.
    """
    deals = deal(game.rules, num_traversals, rng)
    salt = int(rng.integers(1 << 63))
    return traverse_deals(game, policies, traverser, t, deals, salt, keep_strength)


def traverse_deals(
    game: Game,
    policies: tuple[Policy, Policy],
    traverser: int,
    t: int,
    deals: Cards,
    salt: int,
    keep_strength: bool = False,
) -> Samples:
    """One traversal of each deal."""
    tree = game.tree
    views = Views(game, canonical_views(game.rules, deals).reshape(-1, NUM_SLOTS))
    seats = tuple(policy.for_views(views) for policy in policies)
    levels = _walk_down(game, seats, traverser, len(deals), salt)
    outcomes = _outcomes(game, traverser, deals)
    advantages: list[NDArray[np.void]] = []
    strategies: list[NDArray[np.void]] = []
    values: Floats = np.zeros(0, np.float32)
    for level in reversed(levels):
        action_values, values = _back_up(tree, level, outcomes, values, traverser)
        actor = tree.actor[level.nodes]
        own, theirs = np.flatnonzero(actor == traverser), np.flatnonzero(actor == 1 - traverser)
        regrets = action_values[own] - values[own, None]
        regrets = np.where(tree.legal[level.nodes[own]], regrets, np.float32(0))
        for samples, rows, targets in (
            (advantages, own, regrets),
            (strategies, theirs, level.strategies[theirs]),
        ):
            nodes = level.nodes[rows]
            view = _view_rows(game, level.deals[rows], nodes)
            kept = views.strength_bytes(view) if keep_strength else None
            samples.append(make_rows(views.cards[view], nodes, t, targets, kept))
    return Samples(
        np.concatenate(advantages),
        np.concatenate(strategies),
        sum(map(len, advantages)) + sum(map(len, strategies)),
        sum(len(level.nodes) for level in levels),
        float(values.mean(dtype=np.float64)),
    )


def _view_rows(game: Game, deals: Ints, nodes: Ints) -> Ints:
    """The rows of a batch's views for whoever acts at the nodes: by deal, player and street."""
    tree, streets = game.tree, game.rules.streets
    return (2 * deals + tree.actor[nodes]) * streets + tree.street[nodes]


def _walk_down(
    game: Game,
    seats: tuple[ViewStrategies, ...],
    traverser: int,
    num_deals: int,
    salt: int,
) -> list[_Level]:
    """All levels of all traversals, from the root to where every branch has ended."""
    tree, levels = game.tree, []
    deals, nodes = np.arange(num_deals, dtype=np.int32), np.zeros(num_deals, np.int32)
    num_legal = tree.legal.sum(axis=1).astype(np.int32)
    while len(nodes):
        actor = tree.actor[nodes]
        strategies = np.zeros((len(nodes), 3), np.float32)
        for player, ask in enumerate(seats):
            rows = np.flatnonzero(actor == player)
            if len(rows):
                strategies[rows] = ask(_view_rows(game, deals[rows], nodes[rows]), nodes[rows])
        counts = np.where(actor == traverser, num_legal[nodes], (actor >= 0).astype(np.int32))
        ends = np.cumsum(counts, dtype=np.int32)
        level = _Level(deals, nodes, strategies, ends - counts)
        levels.append(level)
        deals, nodes = np.empty(ends[-1], np.int32), np.empty(ends[-1], np.int32)
        arrays = _Tree(tree.children, tree.actor)
        _expand(arrays, traverser, np.uint64(salt), level, deals, nodes)
    return levels


@njit(cache=True, parallel=True)
def _expand(
    tree: _Tree,
    traverser: int,
    salt: np.uint64,
    level: _Level,
    next_deals: Ints,
    next_nodes: Ints,
) -> None:
    """Fill in the deals and nodes one level down."""
    for row in prange(len(level.nodes)):
        node = level.nodes[row]
        child = level.first_child[row]
        if tree.actor[node] == traverser:
            for action in range(3):
                if tree.children[node, action] >= 0:
                    next_deals[child] = level.deals[row]
                    next_nodes[child] = tree.children[node, action]
                    child += 1
        elif tree.actor[node] >= 0:
            number = draw(salt, level.deals[row], node)
            action = sample_action(level.strategies[row], tree.children[node], number)
            next_deals[child] = level.deals[row]
            next_nodes[child] = tree.children[node, action]


def _outcomes(game: Game, traverser: int, deals: Cards) -> _Outcomes:
    """The payoff of every terminal for each showdown result, and the results of the deals."""
    nodes = np.arange(len(game.tree))
    sign = 1 if traverser == 0 else -1
    values = [
        sign * game.tree.payoffs(nodes, np.full(len(nodes), sign * result, np.int8))
        for result in (-1, 0, 1)
    ]
    payoffs = np.stack(values, axis=1).astype(np.float32) / np.float32(game.rules.big_blind_chips)
    return _Outcomes(payoffs, showdown_results(deals) * np.int8(sign))


def _back_up(
    tree: BettingTree,
    level: _Level,
    outcomes: _Outcomes,
    child_values: Floats,
    traverser: int,
) -> tuple[Floats, Floats]:
    """Action values [n, 3] (the traverser's rows only) and values [n] of one level."""
    action_values = np.zeros((len(level.nodes), 3), np.float32)
    values = np.empty(len(level.nodes), np.float32)
    arrays = _Tree(tree.children, tree.actor)
    _back_up_rows(arrays, traverser, outcomes, level, child_values, action_values, values)
    return action_values, values


@njit(cache=True, parallel=True)
def _back_up_rows(
    tree: _Tree,
    traverser: int,
    outcomes: _Outcomes,
    level: _Level,
    child_values: Floats,
    action_values: Floats,
    values: Floats,
) -> None:
    for row in prange(len(level.nodes)):
        node = level.nodes[row]
        if tree.actor[node] < 0:
            values[row] = outcomes.payoffs[node, outcomes.results[level.deals[row]] + 1]
        elif tree.actor[node] == traverser:
            child = level.first_child[row]
            value = np.float32(0)
            for action in range(3):
                if tree.children[node, action] >= 0:
                    action_values[row, action] = child_values[child]
                    value += level.strategies[row, action] * child_values[child]
                    child += 1
            values[row] = value
        else:
            values[row] = child_values[level.first_child[row]]
