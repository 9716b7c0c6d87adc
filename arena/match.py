"""Duplicate matches: two policies play the same deals from both seats, all hands side by side.

Every deal is played twice, the seats swapped, so that good cards favour nobody. What an agent wins
in the two hands of a deal is one observation; means and confidence intervals are over deals.

All hands of a batch advance together: at each level of the betting tree each agent is asked once,
for both seats. The draw that picks an action is a hash of (salt, deal, node) and what agents draw
per hand is the same for whoever holds the seat. So a policy wins exactly 0 from itself, A wins
from B exactly what B loses to A, and a seed gives one result whatever the batch size. (Only where a
network rounds an answer differently in another batch can the result of a hand change.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import inf, sqrt

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from arena.schedule import BATCH
from env.actions import NUM_ACTIONS
from env.cards import NUM_SLOTS, Cards
from env.deals import canonical_views, deal, showdown_results
from env.game import Game
from env.progress import Advance
from env.rules import Rules
from env.views import Views
from policies.drawing import Ints, draw, in_batches, sample_action
from policies.policy import DrawsPerHand, Floats, Policy, ViewStrategies

NORMAL_95 = 1.959964  # standard errors on each side of a 95 % interval

# Purposes of randomness. Solvers key theirs by (seed, 0 to 2, …): a match never repeats the deals
# that a run with the same seed was trained on.
_DEALS, _SALT, _HANDS = 10, 11, 12


@dataclass(frozen=True, eq=False)
class Played:
    """Finished deals. Columns are seatings: in column 0 agent A has seat 0, in column 1 seat 1."""

    deals: Cards  # [n, 9]
    nodes: Ints  # [n, 2] the terminal node each hand ended in
    chips: Ints  # [n, 2] won by A
    actions: NDArray[np.int64]  # [2, S, 3] decisions by agent (A, B), street and action


@dataclass(frozen=True, eq=False)
class MatchResult:
    """What A wins from B, thousandths of a big blind per hand."""

    hands: int  # two per deal
    mbb: float
    ci95_mbb: float  # half the width of the 95 % interval; infinite after a single deal
    seat_mbb: tuple[float, float]  # A's, in seat 0 and in seat 1
    actions: NDArray[np.int64]  # [2, S, 3] decisions by agent (A, B), street and action


def match(
    game: Game,
    a: Policy,
    b: Policy,
    num_hands: int,
    seed: int,
    *,
    batch: int = BATCH,
    progress: Advance | None = None,
) -> MatchResult:
    """Play `num_hands` hands, one more if that is odd; `progress` is called with hands played.

    A match takes a seed and no generator. It makes the generators of its deals from the seed, and
    computes each draw of an action from the seed and the number of the deal, so that actions can be
    drawn again in any order and in batches of any size.
    """
    actions = np.zeros((2, game.rules.streets, NUM_ACTIONS), np.int64)
    seats, squares, num_deals = np.zeros(2, np.int64), 0, 0
    for played in batches(game, a, b, num_hands, seed, batch=batch):
        won = played.chips.sum(axis=1, dtype=np.int64)  # [n] in both hands of a deal
        # Whole numbers, so that neither the order nor the batches of a sum can matter.
        squares += int(won @ won)
        seats += played.chips.sum(axis=0, dtype=np.int64)
        actions += played.actions
        num_deals += len(won)
        if progress:
            progress(2 * len(won))
    mbb, ci95_mbb = winrate_mbb(game.rules, num_deals, int(seats.sum()), squares)
    unit = 1000 / game.rules.big_blind_chips
    return MatchResult(
        hands=2 * num_deals,
        mbb=mbb,
        ci95_mbb=ci95_mbb,
        seat_mbb=(unit * int(seats[0]) / num_deals, unit * int(seats[1]) / num_deals),
        actions=actions,
    )


def winrate_mbb(rules: Rules, num_deals: int, total: int, squares: int) -> tuple[float, float]:
    """Mean per hand and its 95 % interval from the sum of what deals won and of the squares."""
    hands, unit = 2 * num_deals, 1000 / rules.big_blind_chips
    # The squared standard error of the sum of all pairs, in whole numbers up to the division.
    spread = num_deals * squares - total**2
    error = sqrt(spread / (num_deals - 1)) if num_deals > 1 else inf
    return unit * total / hands, NORMAL_95 * unit * error / hands


def batches(
    game: Game,
    a: Policy,
    b: Policy,
    num_hands: int,
    seed: int,
    *,
    batch: int = BATCH,
    stop_every: int | None = None,
) -> Iterator[Played]:
    """The deals of a match, batch by batch, for statistics of one's own.

    After every `stop_every` deals a batch ends, so that one may stop there whatever the batch size.
    """
    if num_hands < 1 or batch < 1:
        raise ValueError(f"{num_hands} hands in batches of {batch} deals cannot be played")
    # One generator per purpose, drawn from in the order of the deals, whatever the batch size.
    rng = np.random.default_rng([seed, _DEALS])
    hand_rngs = (np.random.default_rng([seed, _HANDS]), np.random.default_rng([seed, _HANDS]))
    salt = int(np.random.default_rng([seed, _SALT]).integers(1 << 63))
    num_deals, first = (num_hands + 1) // 2, 0
    for stretch in in_batches(num_deals, stop_every or num_deals):
        for count in in_batches(stretch, batch):
            yield play(game, a, b, deal(game.rules, count, rng), first, salt, hand_rngs)
            first += count


def play(
    game: Game,
    a: Policy,
    b: Policy,
    deals: Cards,
    first: int,
    salt: int,
    hand_rngs: tuple[np.random.Generator, np.random.Generator],
) -> Played:
    """Both hands of each deal; `first` is the number of the first deal, `salt` keys the actions.

    `hand_rngs` are for what A and B draw per hand: two generators in the same state.
    """
    views = Views(game, canonical_views(game.rules, deals).reshape(-1, NUM_SLOTS))  # n · 2 · S
    asks = [
        _asker(game.rules, policy, views, rng)
        for policy, rng in zip((a, b), hand_rngs, strict=True)
    ]
    nodes = _walk_down(game, asks, len(deals), first, salt)  # [n, 2]
    results = showdown_results(deals)
    chips = np.stack(
        [game.tree.payoffs(nodes[:, 0], results), -game.tree.payoffs(nodes[:, 1], results)], axis=1
    )
    return Played(deals, nodes, chips, _count_actions(game, nodes))


def _asker(rules: Rules, policy: Policy, views: Views, rng: np.random.Generator) -> ViewStrategies:
    """The policy as a function of (rows of `views`, nodes), drawn for these hands if it draws."""
    if not isinstance(policy, DrawsPerHand):
        return policy.for_views(views)
    player = policy.for_hands(len(views) // rules.streets, rng)  # one per deal and seat
    return lambda rows, nodes: player.strategies(views.cards[rows], nodes, rows // rules.streets)


def _walk_down(
    game: Game,
    asks: list[ViewStrategies],
    num_deals: int,
    first: int,
    salt: int,
) -> Ints:
    """The terminal node of every hand. Hand 2 · deal + s has A in seat s. [n, 2]"""
    nodes = np.zeros(2 * num_deals, np.int32)
    hands = np.arange(2 * num_deals, dtype=np.int32)  # still being played
    while len(hands):
        here = nodes[hands]
        actor = game.tree.actor[here]
        views = ((hands & ~1) + actor) * game.rules.streets + game.tree.street[here]
        agent = actor ^ (hands & 1)
        for who, ask in enumerate(asks):
            own = np.flatnonzero(agent == who)
            if len(own):
                strategies = ask(views[own], here[own])
                _act(game.tree.children, np.uint64(salt), first, hands[own], strategies, nodes)
        after = nodes[hands]
        if after.min() < 0:
            where = game.tree.text(int(here[after.argmin()]))
            raise ValueError(f"a policy gives no legal action a probability after {where!r}")
        hands = hands[game.tree.is_decision[after]]
    return nodes.reshape(num_deals, 2)


@njit(cache=True, parallel=True)
def _act(
    children: Ints, salt: np.uint64, first: int, hands: Ints, strategies: Floats, nodes: Ints
) -> None:
    """Move each hand to the child its draw picks; to −1 where no action has a probability."""
    for row in prange(len(hands)):
        hand = hands[row]
        node = nodes[hand]
        number = draw(salt, first + (hand >> 1), node)
        action = sample_action(strategies[row], children[node], number)
        nodes[hand] = children[node, action] if action >= 0 else -1


def _count_actions(game: Game, nodes: Ints) -> NDArray[np.int64]:
    """Decisions by agent, street and action on the way to terminal nodes. [n, 2] → [2, S, 3]"""
    counts = np.zeros((2, game.rules.streets, NUM_ACTIONS), np.int64)
    for seating in (0, 1):
        passed = np.bincount(nodes[:, seating], minlength=len(game.tree))  # [N] hands through each
        for start, end in reversed(list(pairwise(game.tree.level_starts[1:]))):
            below = slice(start, end)
            parents, actions = game.tree.parent[below], game.tree.action[below]
            np.add.at(passed, parents, passed[below])
            agents = game.tree.actor[parents] ^ seating
            np.add.at(counts, (agents, game.tree.street[parents], actions), passed[below])
    return counts
