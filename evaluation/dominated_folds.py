"""How often a policy folds a hand that cannot lose: a fold that a call beats whatever happens.

Two means of the policy's probability of folding such a hand where it faces a bet:

    random     random boards and hands that cannot lose, at random nodes of the street
    reached    the situations that the policy's own play reaches, as often as it reaches them

Most deals hold no such hand on any street. They are left out before anything is asked: they add
nothing to either mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from env.actions import FOLD, NUM_ACTIONS
from env.arrays import Bools, Doubles, Longs
from env.betting_tree import NONE, BettingTree
from env.cards import NUM_SLOTS, Cards
from env.deals import canonical_views, deal
from env.game import Game
from env.unbeatable import cannot_lose
from env.views import Views
from policies.policy import Policy, ViewStrategies
from policies.ranges import AnswersRanges
from policies.unbeatable import faces_bet_with_board

DEALS, SOLVED_DEALS = 2_000, 32  # with an unbeatable hand; fewer where each answer is a solve
_PURPOSE = 20  # of randomness: not the draws of a method of the same seed
_POOL = 1 << 14  # deals drawn at once
_POOLS = 16  # at most


@dataclass(frozen=True)
class FoldShare:
    """The mean probability of a fold over some situations; None over none."""

    share: float | None
    situations: int


@dataclass(frozen=True)
class DominatedFolds:
    """How often hands that cannot lose are folded."""

    random: FoldShare
    reached: FoldShare


def dominated_folds(game: Game, policy: Policy, seed: int) -> DominatedFolds | None:
    """Both means, on the same deals for every policy; None in a game without a board."""
    may_fold = faces_bet_with_board(game)
    if not may_fold.any():
        return None
    rng = np.random.default_rng([seed, _PURPOSE])
    most = SOLVED_DEALS if isinstance(policy, AnswersRanges) else DEALS
    views, safe = _deals_with_unbeatable(game, most, rng)
    ask = policy.for_views(views)
    return DominatedFolds(
        random=_at_random_nodes(game.tree, may_fold, ask, safe, rng),
        reached=_in_self_play(game.tree, may_fold, ask, safe, rng),
    )


def _deals_with_unbeatable(game: Game, most: int, rng: np.random.Generator) -> tuple[Views, Bools]:
    """Deals on which somebody holds a hand that cannot lose on some street.

    Their views, 2 · S a deal, and which of them hold such a hand, [n, 2, S].
    """
    found: list[Cards] = []
    safe: list[Bools] = []
    for _ in range(_POOLS):
        pool = canonical_views(game.rules, deal(game.rules, _POOL, rng))  # [p, 2, S, 7]
        held = cannot_lose(game.rules, pool.reshape(-1, NUM_SLOTS)).reshape(pool.shape[:3])
        kept = held.any(axis=(1, 2))
        found.append(pool[kept])
        safe.append(held[kept])
        if sum(map(len, found)) >= most:
            break
    views = np.concatenate(found)[:most]
    return Views(game, views.reshape(-1, NUM_SLOTS)), np.concatenate(safe)[:most]


def _at_random_nodes(
    tree: BettingTree, may_fold: Bools, ask: ViewStrategies, safe: Bools, rng: np.random.Generator
) -> FoldShare:
    """Each unbeatable view at one node of its street, any of either seat's as likely."""
    rows = np.flatnonzero(safe)
    street = rows % safe.shape[2]
    nodes = np.zeros(len(rows), np.int64)
    for s in np.unique(street):
        faced = np.flatnonzero(may_fold & (tree.street == s))
        nodes[street == s] = rng.choice(faced, (street == s).sum()) if len(faced) else NONE
    rows, nodes = rows[nodes != NONE], nodes[nodes != NONE]
    folds = ask(rows, nodes)[:, FOLD] if len(rows) else np.empty(0)
    return _share(np.asarray(folds, np.float64))


def _in_self_play(
    tree: BettingTree, may_fold: Bools, ask: ViewStrategies, safe: Bools, rng: np.random.Generator
) -> FoldShare:
    """The policy plays both seats of every deal, once."""
    num_deals, _, streets = safe.shape
    deals, nodes = np.arange(num_deals), np.zeros(num_deals, np.int64)
    folds = []
    while len(deals):
        views = (2 * deals + tree.actor[nodes]) * streets + tree.street[nodes]
        strategies = np.asarray(ask(views, nodes), np.float64)
        folds.append(strategies[may_fold[nodes] & safe.reshape(-1)[views], FOLD])
        nodes = tree.children[nodes, _drawn(strategies, rng)].astype(np.int64)
        on = tree.is_decision[nodes]
        deals, nodes = deals[on], nodes[on]
    return _share(np.concatenate(folds))


def _drawn(strategies: Doubles, rng: np.random.Generator) -> Longs:
    """An action for each row, none of probability zero. [n, 3] → [n]"""
    ends = np.cumsum(strategies, axis=1)
    numbers = rng.random(len(strategies)) * ends[:, -1]
    return np.minimum((ends <= numbers[:, None]).sum(axis=1), NUM_ACTIONS - 1)


def _share(folds: Doubles) -> FoldShare:
    return FoldShare(float(folds.mean()) if len(folds) else None, len(folds))
