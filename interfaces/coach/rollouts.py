"""Values before the last street: hands of the opponent and the cards to come, drawn and played out.

A deal gets a hand from the opponent's range and the rest of the board. It is played to its end
after each legal action, with the same cards and the same random numbers, so the differences between
actions are known better than the values themselves. Each deal is played several times: what a
policy has to know of the cards costs far more than asking it again what it does with them.

Who would win the showdown explains much of what a deal wins, and it costs next to nothing to find
out. So many more deals are drawn than are played, and the results are corrected by regression on
the showdown (a control variate): the deals played say how the winnings depend on it, and all draws
together how often each player wins it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from env.actions import NUM_ACTIONS
from env.arrays import Doubles, Longs
from env.cards import Cards, canonical
from env.deals import NUM_DEAL_SLOTS, showdown_results, visible_cards
from env.game import Game
from env.views import Views
from interfaces.coach.reference import Reference
from interfaces.coach.situation import Situation
from policies.answers import checked
from policies.policy import Policy

_FIRST_BOARD_SLOT = 4  # of a deal


@dataclass(frozen=True)
class Sampling:
    """How much is drawn, and from which seed."""

    deals: int = 3_000  # played out after every action
    draws: int = 60_000  # deals in all, of most of which only the showdown is looked at
    seed: int = 0
    repeats: int = 5  # how often each deal is played


@dataclass(frozen=True)
class Sample:
    """What rollouts found. n deals played, m drawn."""

    chips: Doubles  # [n, 3] won after each action, mean of all repeats; NaN where it is illegal
    showdowns: Doubles  # [n] +1 where the showdown would be won, −1 where lost
    all_showdowns: Doubles  # [m] of all draws

    def mean(self, chips: Doubles) -> tuple[float, float]:
        """The mean of what the deals won, corrected for luck at the showdown. [n]

        Beside it half the width of the 95 % interval.
        """
        spread = self.showdowns.var()
        lean = np.cov(chips, self.showdowns, bias=True)[0, 1] / spread if spread > 0 else 0.0
        rest = chips - lean * self.showdowns
        mean = rest.mean() + lean * self.all_showdowns.mean()
        # The deals played are among all draws. Leaving their covariance out makes no difference
        # worth counting while there are many times as many draws.
        variance = rest.var(ddof=2) / len(rest)
        variance += lean**2 * self.all_showdowns.var() / len(self.all_showdowns)
        return float(mean), 1.96 * float(np.sqrt(variance))


def roll_out(
    reference: Reference, situation: Situation, range_: Doubles, sampling: Sampling
) -> Sample:
    """Play a situation to the end after each legal action, against a range of the opponent's. [H]

    The street of the situation is played as the reference says. Later streets are played by its
    blueprint: search would have to solve thousands of subgames.
    """
    flop, later = np.sort(situation.board[:3]), situation.board[3:]  # orders that mean nothing
    cards = np.concatenate([np.sort(situation.hand), flop, later]).tolist()
    rng = np.random.default_rng([sampling.seed, situation.node, *cards])
    deals = draw_deals(reference, situation, range_, sampling.draws, rng)
    sign = 1 if situation.player == 0 else -1
    showdowns = sign * showdown_results(deals).astype(np.float64)
    played, repeats = deals[: sampling.deals], sampling.repeats
    actions = np.flatnonzero(situation.legal)
    lanes = len(played) * repeats  # a deal and its repeats lie side by side
    which = np.tile(np.arange(lanes), len(actions))
    starts = np.repeat(situation.tree.children[situation.node, actions], lanes)
    numbers = rng.random((lanes, int(situation.tree.depth[-1]) + 1))
    ends = _play(reference, situation.street, played, which, starts, numbers)
    won = sign * situation.tree.payoffs(ends, showdown_results(played)[which // repeats])
    chips = np.full((len(played), NUM_ACTIONS), np.nan)
    chips[:, actions] = won.reshape(len(actions), len(played), repeats).mean(axis=2).T
    return Sample(chips, showdowns[: len(played)], showdowns)


def draw_deals(
    reference: Reference,
    situation: Situation,
    range_: Doubles,
    count: int,
    rng: np.random.Generator,
) -> Cards:
    """Deals with the player's hand, hands of the opponent's range and the rest of the board."""
    rules, player = reference.game.rules, situation.player
    deals = np.full((count, NUM_DEAL_SLOTS), 52, np.uint8)
    deals[:, 2 * player : 2 * player + 2] = situation.hand
    theirs = rng.choice(len(range_), count, p=range_ / range_.sum())
    deals[:, 2 - 2 * player : 4 - 2 * player] = reference.hands[theirs]
    deals[:, _FIRST_BOARD_SLOT:] = situation.board
    held = np.zeros((count, 53), bool)
    np.put_along_axis(held, deals.astype(np.intp), True, axis=1)
    deck, shown = np.array(rules.deck, np.uint8), rules.visible_board
    for slot in range(shown[situation.street], shown[-1]):
        left = np.arange(count)
        while len(left):  # whoever draws a card that is gone draws again
            cards = deck[rng.integers(len(deck), size=len(left))]
            deals[left, _FIRST_BOARD_SLOT + slot] = cards
            again = held[left, cards]
            held[left, cards] = True
            left = left[again]
    return deals


def _play(
    reference: Reference,
    street: int,
    deals: Cards,
    which: Longs,
    nodes: Longs,
    numbers: Doubles,
) -> Longs:
    """Play on from some nodes to the ends of the hands.

    `which` [r] are rows of the random numbers [lanes, depth], which belong to the deals in equal
    parts; nodes [r].
    """
    game = reference.game
    nodes, deal_of = nodes.astype(np.int64), which // (len(numbers) // len(deals))
    for now in range(street, game.rules.streets):
        here = game.tree.is_decision[nodes] & (game.tree.street[nodes] == now)
        if here.any():
            policy = reference.policy if now == street else reference.blueprint
            seats = _Seats(game, policy, deals, np.unique(deal_of[here]), now)
        while here.any():
            rows = np.flatnonzero(here)
            shares = seats.answer(deal_of[rows], nodes[rows]).cumsum(axis=1)
            drawn = numbers[which[rows], game.tree.depth[nodes[rows]]] * shares[:, -1]
            actions = (shares > drawn[:, None]).argmax(axis=1)
            nodes[rows] = game.tree.children[nodes[rows], actions]
            here = game.tree.is_decision[nodes] & (game.tree.street[nodes] == now)
    return nodes


class _Seats:
    """Both seats of some deals on one street; each distinct view is looked at once."""

    def __init__(self, game: Game, policy: Policy, deals: Cards, rows: Longs, street: int) -> None:
        self._game = game
        self._place = np.zeros(len(deals), np.int64)
        self._place[rows] = np.arange(len(rows))
        seen = [visible_cards(game.rules, deals[rows], player, street) for player in (0, 1)]
        self._views, which = np.unique(canonical(np.concatenate(seen)), axis=0, return_inverse=True)
        self._view_of = which.reshape(2, len(rows))
        self._ask = policy.for_views(Views(game, self._views))

    def answer(self, deals: Longs, nodes: Longs) -> Doubles:
        """The strategies of whoever is to act. [r], [r] → [r, 3]"""
        views = self._view_of[self._game.tree.actor[nodes], self._place[deals]]
        answers = self._ask(views, nodes)
        return checked(self._game.tree, answers, self._views, views, nodes)
