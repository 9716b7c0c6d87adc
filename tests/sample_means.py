"""Expected samples of traversals: worked out over every deal, and estimated with their errors.

A traversal's samples are told apart by node and by what the player sees. For each such group there
are four numbers per traversal: how many samples it is expected to have and the expected sums of
their three targets. They must be the same whichever way traversals are sampled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deep_cfr.sampling.samples import Samples
from env.arrays import Doubles, Nodes
from env.cards import Cards
from env.deals import canonical_views, showdown_results
from env.game import Game
from tests.brute_force import every_deal
from tests.policies import Stateless

Means = dict[int, Doubles]  # [2, 4] by group: means of the four numbers, standard errors
Groups = Callable[[Cards, Nodes], Nodes]  # [k, n] the groups that each infoset belongs to
RANKS = 14  # the last one stands for no card


def by_hand_and_board(cards: Cards, nodes: Nodes) -> Nodes:
    """By node, ranks of the hole cards and rank of the board's first card; and by node alone."""
    ranks = (cards[:, :3] >> 2).astype(np.int64)
    high, low = ranks[:, :2].max(axis=1), ranks[:, :2].min(axis=1)
    place = nodes.astype(np.int64)
    return np.stack([((place * RANKS + high) * RANKS + low) * RANKS + ranks[:, 2], -1 - place])


def by_highest_card(cards: Cards, nodes: Nodes) -> Nodes:
    """By node and the higher rank of the hole cards; and by node alone."""
    place = nodes.astype(np.int64)
    return np.stack([place * RANKS + (cards[:, :2] >> 2).max(axis=1), -1 - place])


class Totals:
    """Counts and sums of targets of every group that was met."""

    def __init__(self, groups: Groups) -> None:
        self._groups = groups
        self._found: dict[int, Doubles] = {}

    def add(self, cards: Cards, nodes: Nodes, counts: Doubles, sums: Doubles) -> None:
        """Take in so many samples of each infoset and the sums of their targets. sums [n, 3]"""
        for groups in self._groups(cards, nodes):
            ids, place = np.unique(groups, return_inverse=True)
            columns = [np.bincount(place, column, len(ids)) for column in (counts, *sums.T)]
            for number, row in zip(ids.tolist(), np.stack(columns, axis=1), strict=True):
                self._found[number] = self._found.get(number, 0) + row

    def by_group(self, scale: float) -> dict[int, Doubles]:
        """The four numbers of each group, times a factor."""
        return {number: scale * row for number, row in self._found.items()}


@dataclass(frozen=True)
class Expected:
    """Expected samples per traversal by group, exact or estimated."""

    advantages: Means
    strategies: Means
    value: Doubles  # [2] of the game for the traverser, big blinds: mean and standard error


class Exact:
    """Expected samples by walking the whole tree with every deal at once. n deals."""

    def __init__(
        self, game: Game, policies: tuple[Stateless, Stateless], traverser: int, groups: Groups
    ) -> None:
        self._game, self._policies, self._traverser = game, policies, traverser
        deals = every_deal(game.rules)
        self._results = showdown_results(deals)
        views = canonical_views(game.rules, deals)  # [n, 2, S, 7]
        self._seen = {
            (player, street): _distinct(views[:, player, street])
            for player in (0, 1)
            for street in range(game.rules.streets)
        }
        self._advantages, self._strategies = Totals(groups), Totals(groups)
        values = self._visit(0, np.ones(len(deals)))
        self.expected = Expected(
            _combined([self._advantages.by_group(1 / len(deals))]),
            _combined([self._strategies.by_group(1 / len(deals))]),
            np.array([values.mean(), 0]),
        )

    def _visit(self, node: int, reach: Doubles) -> Doubles:
        """What the node is worth to the traverser in each deal; reach is the opponent's. [n]"""
        tree, actor = self._game.tree, int(self._game.tree.actor[node])
        if actor < 0:
            payoffs = tree.payoffs(np.full(len(reach), node), self._results)
            return (1 - 2 * self._traverser) * payoffs / self._game.rules.big_blind_chips
        views, which = self._seen[actor, int(tree.street[node])]
        answers = self._policies[actor].strategies(views, np.full(len(views), node))
        strategy = answers.astype(np.float64)[which]  # [n, 3]
        is_own = actor == self._traverser
        below = np.zeros_like(strategy)
        for action in np.flatnonzero(tree.legal[node]):
            child = int(tree.children[node, action])
            below[:, action] = self._visit(child, reach if is_own else reach * strategy[:, action])
        values: Doubles = (strategy * below).sum(axis=1)
        totals = self._advantages if is_own else self._strategies
        regrets = np.where(tree.legal[node], below - values[:, None], 0)
        weighted = (regrets if is_own else strategy) * reach[:, None]
        counts, *sums = (
            np.bincount(which, column, len(views)).astype(np.float64)
            for column in (reach, *weighted.T)
        )
        totals.add(views, np.full(len(views), node), counts, np.stack(sums, axis=1))
        return values


def estimate(
    sample: Callable[[np.random.Generator], Samples],
    num_traversals: int,
    num_batches: int,
    groups: Groups,
    seed: int,
) -> Expected:
    """Means over batches of so many traversals each, made by `sample`."""
    batches = []
    for rng in np.random.default_rng(seed).spawn(num_batches):
        samples = sample(rng)
        found = []
        for rows in (samples.advantages, samples.strategies):
            totals = Totals(groups)
            sums = rows["targets"].astype(np.float64)
            totals.add(rows["cards"], rows["node"], np.ones(len(rows)), sums)
            found.append(totals.by_group(1 / num_traversals))
        batches.append((*found, samples.value))
    advantages, strategies, values = zip(*batches, strict=True)
    value = _mean_and_error(np.array(values))
    return Expected(_combined(advantages), _combined(strategies), value)


def _distinct(views: Cards) -> tuple[Cards, NDArray[np.intp]]:
    """The views that differ, and which of them each view is. [n, 7] → [m, 7], [n]"""
    keys = np.ascontiguousarray(views).view(f"V{views.shape[1]}").reshape(-1)
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return views[first], which.reshape(-1)


def _combined(batches: Sequence[dict[int, Doubles]]) -> Means:
    nothing = np.zeros(4)
    return {
        group: _mean_and_error(np.array([batch.get(group, nothing) for batch in batches]))
        for group in set().union(*batches)
    }


def _mean_and_error(values: Doubles) -> Doubles:
    """Mean over the first axis and its standard error, 0 for what is known exactly. [2, …]"""
    if len(values) == 1:
        return np.stack([values[0], np.zeros_like(values[0])])
    error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return np.stack([values.mean(axis=0), error])
