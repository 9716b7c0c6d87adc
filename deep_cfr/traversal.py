"""External-sampling traversals (Brown et al. 2019, Algorithm 2), level by level.

The recursion of the paper, turned inside out: the frontier holds every (deal, node) reached at
one depth by any of thousands of traversals. Going down, the traverser's rows expand to all legal
children and the opponent's to one, sampled from its strategy; each player's network is asked once
per level. Coming back up, action values meet strategies and leave sampled advantages behind.

The draw that picks the opponent's action is a hash of (salt, deal, node): the same in whatever
order rows are visited, and easy to repeat in a plain recursion.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from deep_cfr.memory import make_rows
from deep_cfr.policy import Policy, ViewStrategies
from env.betting_tree import BettingTree
from env.cards import Cards
from env.deals import canonical_views, deal, showdown_results
from env.rules import Rules

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]


class Samples(NamedTuple):
    """What a batch of traversals leaves behind."""

    advantages: NDArray[np.void]  # memory rows at the traverser's infosets
    strategies: NDArray[np.void]  # memory rows at the opponent's infosets
    infosets: int  # decisions visited
    nodes: int  # decisions and terminals visited
    value: float  # mean over the deals of the traverser's value at the root, big blinds


@dataclass
class _Level:
    """The frontier at one depth."""

    deals: Ints  # [n]
    nodes: Ints  # [n]
    strategies: Floats  # [n, 3] zeros at terminals
    first_child: Ints  # [n] row of the first child one level down


def traverse(
    rules: Rules,
    tree: BettingTree,
    policies: tuple[Policy, Policy],
    traverser: int,
    t: int,
    num_traversals: int,
    rng: np.random.Generator,
) -> Samples:
    """Traversals of fresh deals for one player at iteration t."""
    deals = deal(rules, num_traversals, rng)
    salt = int(rng.integers(1 << 63))
    return traverse_deals(rules, tree, policies, traverser, t, deals, salt)


def in_batches(total: int, batch: int) -> Iterator[int]:
    """Batch sizes that add up to the total."""
    for start in range(0, total, batch):
        yield min(batch, total - start)


def traverse_deals(
    rules: Rules,
    tree: BettingTree,
    policies: tuple[Policy, Policy],
    traverser: int,
    t: int,
    deals: Cards,
    salt: int,
) -> Samples:
    """One traversal of each deal."""
    views = canonical_views(rules, deals)  # [K, 2, S, 7]
    seats = tuple(
        policy.for_views(views[:, player].reshape(-1, views.shape[-1]))
        for player, policy in enumerate(policies)
    )
    levels = _walk_down(rules, tree, seats, traverser, len(deals), salt)
    marks = np.stack([noted(ask, "marks", len(deals), rules.streets) for ask in seats], axis=1)
    payoff = _terminal_values(rules, tree, traverser)
    results = showdown_results(deals) * (1 if traverser == 0 else -1)
    advantages, strategies = [], []
    values: Floats = np.zeros(0, np.float32)
    for level in reversed(levels):
        action_values, values = _back_up(tree, level, payoff, results, values, traverser)
        actor = tree.actor[level.nodes]
        mine, theirs = np.flatnonzero(actor == traverser), np.flatnonzero(actor == 1 - traverser)
        regrets = np.where(
            tree.legal[level.nodes[mine]], action_values[mine] - values[mine, None], np.float32(0)
        )
        advantages.append(_rows(tree, views, marks, level, mine, traverser, t, regrets))
        targets = level.strategies[theirs]
        strategies.append(_rows(tree, views, marks, level, theirs, 1 - traverser, t, targets))
    infosets = sum(map(len, advantages)) + sum(map(len, strategies))
    return Samples(
        np.concatenate(advantages),
        np.concatenate(strategies),
        infosets,
        sum(len(level.nodes) for level in levels),
        float(values.mean(dtype=np.float64)),
    )


def noted(ask: ViewStrategies, what: str, *shape: int) -> Cards:
    """The `marks` or `kinds` a policy has worked out about its views; 0 if it has none."""
    notes = getattr(ask, what, None)
    return np.zeros(shape, np.uint8) if notes is None else notes.reshape(shape)


def _walk_down(
    rules: Rules,
    tree: BettingTree,
    seats: tuple[ViewStrategies, ...],
    traverser: int,
    num_deals: int,
    salt: int,
) -> list[_Level]:
    """All levels of all traversals, from the root to where every branch has ended."""
    levels = []
    deals, nodes = np.arange(num_deals, dtype=np.int32), np.zeros(num_deals, np.int32)
    num_legal = tree.legal.sum(axis=1).astype(np.int32)
    while len(nodes):
        actor = tree.actor[nodes]
        strategies = np.zeros((len(nodes), 3), np.float32)
        for player, ask in enumerate(seats):
            rows = np.flatnonzero(actor == player)
            if len(rows):
                asked = nodes[rows]
                views = deals[rows] * rules.streets + tree.street[asked]
                strategies[rows] = ask(views, asked)
        counts = np.where(actor == traverser, num_legal[nodes], (actor >= 0).astype(np.int32))
        ends = np.cumsum(counts, dtype=np.int32)
        level = _Level(deals, nodes, strategies, ends - counts)
        levels.append(level)
        deals, nodes = np.empty(ends[-1], np.int32), np.empty(ends[-1], np.int32)
        _expand(
            tree.children, tree.actor, traverser, np.uint64(salt),
            level.deals, level.nodes, strategies, level.first_child, deals, nodes,
        )  # fmt: skip
    return levels


@njit(cache=True)
def draw(salt: np.uint64, deal_number: int, node: int) -> float:
    """A number in [0, 1) that is a hash of its arguments (the finaliser of SplitMix64)."""
    z = salt + np.uint64(deal_number) * np.uint64(0x9E3779B97F4A7C15)
    z ^= np.uint64(node + 1) * np.uint64(0xD1B54A32D192ED03)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return float(z >> np.uint64(11)) / 9007199254740992.0


@njit(cache=True)
def sample_action(strategy: Floats, children: Ints, number: float) -> int:
    """The action whose share of [0, 1) the number falls into; never an illegal one."""
    chosen = -1
    for action in range(3):
        if children[action] >= 0 and strategy[action] > 0:
            chosen = action
            number -= strategy[action]
            if number < 0:
                break
    return chosen


@njit(cache=True, parallel=True)
def _expand(
    children: Ints,
    actor: NDArray[np.int8],
    traverser: int,
    salt: np.uint64,
    deals: Ints,
    nodes: Ints,
    strategies: Floats,
    first_child: Ints,
    next_deals: Ints,
    next_nodes: Ints,
) -> None:
    for row in prange(len(nodes)):
        node = nodes[row]
        child = first_child[row]
        if actor[node] == traverser:
            for action in range(3):
                if children[node, action] >= 0:
                    next_deals[child] = deals[row]
                    next_nodes[child] = children[node, action]
                    child += 1
        elif actor[node] >= 0:
            number = draw(salt, deals[row], node)
            action = sample_action(strategies[row], children[node], number)
            next_deals[child] = deals[row]
            next_nodes[child] = children[node, action]


def _terminal_values(rules: Rules, tree: BettingTree, traverser: int) -> Floats:
    """What the traverser gets at each terminal, big blinds, when losing, splitting, winning."""
    nodes = np.arange(len(tree))
    sign = 1 if traverser == 0 else -1
    values = [
        sign * tree.payoffs(nodes, np.full(len(tree), sign * result, np.int8))
        for result in (-1, 0, 1)
    ]
    return np.stack(values, axis=1).astype(np.float32) / np.float32(rules.big_blind_chips)


def _back_up(
    tree: BettingTree,
    level: _Level,
    payoff: Floats,
    results: NDArray[np.int8],
    child_values: Floats,
    traverser: int,
) -> tuple[Floats, Floats]:
    """Action values [n, 3] (the traverser's rows only) and values [n] of one level."""
    action_values = np.zeros((len(level.nodes), 3), np.float32)
    values = np.empty(len(level.nodes), np.float32)
    _back_up_rows(
        tree.children, tree.actor, traverser, payoff, results,
        level.deals, level.nodes, level.strategies, level.first_child, child_values,
        action_values, values,
    )  # fmt: skip
    return action_values, values


@njit(cache=True, parallel=True)
def _back_up_rows(
    children: Ints,
    actor: NDArray[np.int8],
    traverser: int,
    payoff: Floats,
    results: NDArray[np.int8],
    deals: Ints,
    nodes: Ints,
    strategies: Floats,
    first_child: Ints,
    child_values: Floats,
    action_values: Floats,
    values: Floats,
) -> None:
    for row in prange(len(nodes)):
        node = nodes[row]
        if actor[node] < 0:
            values[row] = payoff[node, results[deals[row]] + 1]
        elif actor[node] == traverser:
            child = first_child[row]
            value = np.float32(0)
            for action in range(3):
                if children[node, action] >= 0:
                    action_values[row, action] = child_values[child]
                    value += strategies[row, action] * child_values[child]
                    child += 1
            values[row] = value
        else:
            values[row] = child_values[first_child[row]]


def _rows(
    tree: BettingTree,
    views: Cards,
    marks: Cards,
    level: _Level,
    rows: NDArray[np.intp],
    player: int,
    t: int,
    targets: Floats,
) -> NDArray[np.void]:
    """Memory rows for some rows of a level."""
    nodes = level.nodes[rows]
    view = level.deals[rows], player, tree.street[nodes]
    return make_rows(views[view], nodes, t, targets, marks[view])
