"""What two agents did to each other: sums over the deals of a pairing, and figures made of them.

A `Tally` is never changed: adding a batch of finished deals makes a new one. Its sums are whole
numbers, so neither the order of the deals nor the batches they came in can matter. Winnings are
per deal, its two hands together (`arena.match`): the interval is that of the mean over deals.

A game is a fixed number of hands in a row; whoever is ahead in chips at its end has won it, and a
tie counts half for both. Deals are put into games in the order they are played.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.habits import Habits, habits_of
from arena.match import Played, winrate_mbb
from arena.results import AgentStats, PairResult, StreetActions
from env.actions import NUM_ACTIONS
from env.betting_tree import SHOWDOWN
from env.game import Game
from env.rules import Rules

CURVE_POINTS = 100  # of a curve of winnings, at most, besides its end

Pair = tuple[int, int]  # A's and B's


@dataclass(frozen=True, eq=False)
class Tally:
    """Sums over finished deals; each deal is two hands. Chips are A's."""

    rules: Rules
    deals_per_game: int
    margins: NDArray[np.int64]  # [games] chips won in each game; deals beyond the last are in none
    actions: NDArray[np.int64]  # [2, S, 3] decisions by agent (A, B), street and action
    num_deals: int = 0
    seat_chips: Pair = (0, 0)  # won in seat 0 and in seat 1
    squares: int = 0  # of what each deal's two hands won together
    showdowns: int = 0  # hands
    showdowns_won: Pair = (0, 0)  # split pots are nobody's
    folds_won: Pair = (0, 0)  # hands won because the other agent folded
    pots_won: Pair = (0, 0)  # chips in the middle, of both, in the hands each one won
    habits: tuple[Habits, Habits] = (Habits(), Habits())

    @classmethod
    def empty(cls, rules: Rules, games: int, hands_per_game: int) -> Tally:
        """Before the first deal."""
        if games < 1 or hands_per_game < 2 or hands_per_game % 2:
            raise ValueError(f"{games} games of {hands_per_game} hands: a deal is two hands")
        actions = np.zeros((2, rules.streets, NUM_ACTIONS), np.int64)
        return cls(rules, hands_per_game // 2, np.zeros(games, np.int64), actions)

    def add(self, game: Game, played: Played) -> Tally:
        """The tally with the next deals of the match added."""
        tree = game.tree
        won = played.chips.sum(axis=1, dtype=np.int64)  # [n] in both hands of a deal
        number = (self.num_deals + np.arange(len(won))) // self.deals_per_game
        is_counted = number < len(self.margins)
        margins = self.margins.copy()
        np.add.at(margins, number[is_counted], won[is_counted])
        first, second = habits_of(game, played)
        is_showdown = tree.node_type[played.nodes] == SHOWDOWN  # [n, 2]
        pots = tree.contributions[played.nodes].sum(axis=2, dtype=np.int64)  # [n, 2]
        wins = (played.chips > 0, played.chips < 0)  # of A and of B, [n, 2] each
        return dataclasses.replace(
            self,
            margins=margins,
            actions=self.actions + played.actions,
            num_deals=self.num_deals + len(won),
            seat_chips=_plus(self.seat_chips, *played.chips.sum(axis=0, dtype=np.int64)),
            squares=self.squares + int(won @ won),
            showdowns=self.showdowns + int(is_showdown.sum()),
            showdowns_won=_plus(self.showdowns_won, *((own & is_showdown).sum() for own in wins)),
            folds_won=_plus(self.folds_won, *((own & ~is_showdown).sum() for own in wins)),
            habits=(self.habits[0] + first, self.habits[1] + second),
            pots_won=_plus(self.pots_won, *(pots[own].sum() for own in wins)),
        )

    @property
    def hands(self) -> int:
        return 2 * self.num_deals

    @property
    def winrate_mbb(self) -> tuple[float, float]:
        """What A wins per hand, and half the width of the 95 % interval."""
        return winrate_mbb(self.rules, self.num_deals, sum(self.seat_chips), self.squares)

    @property
    def games_won(self) -> tuple[float, int]:
        """A's games and how many were played to their end."""
        finished = self.margins[: self.num_deals // self.deals_per_game]
        won = int((finished > 0).sum()) + int((finished == 0).sum()) / 2
        return won, len(finished)

    def result(self, a: str, b: str, seconds: float) -> PairResult:
        """Every figure of the pairing; A and B by name, and how long the match took."""
        mbb, ci95 = self.winrate_mbb
        games_won, games = self.games_won
        unit = 1000 / self.rules.big_blind_chips
        first, second = (unit * chips / self.num_deals for chips in self.seat_chips)
        return PairResult(
            a=a,
            b=b,
            hands=self.hands,
            mbb=mbb,
            ci95=ci95,
            seat_mbb=(first, second),
            small_bets_per_100=100 * sum(self.seat_chips) / self.rules.bet_sizes[0] / self.hands,
            games_won=games_won,
            games=games,
            hands_per_game=2 * self.deals_per_game,
            showdown_rate=self.showdowns / self.hands,
            agents=(self._agent(0), self._agent(1)),
            seconds=seconds,
            curve=self._curve(),
        )

    def _curve(self) -> tuple[tuple[int, int], ...]:
        """A's chips after some of the games, evenly spread, and after all hands."""
        played = self.games_won[1]
        ends = np.unique(np.linspace(0, played, CURVE_POINTS + 1).round().astype(int))[1:]
        won = np.concatenate([[0], np.cumsum(self.margins[:played])])
        points = [(2 * self.deals_per_game * int(end), int(won[end])) for end in ends]
        if not points or points[-1][0] < self.hands:
            points.append((self.hands, sum(self.seat_chips)))
        return tuple(points)

    def _agent(self, who: int) -> AgentStats:
        """What one of the two did; 0 is A."""
        wins = [sum(ways) for ways in zip(self.showdowns_won, self.folds_won, strict=True)]
        split = self.showdowns - sum(self.showdowns_won)
        streets = zip(self.rules.street_names, self.actions[who].tolist(), strict=True)
        return AgentStats(
            actions={street: _street_actions(counts) for street, counts in streets},
            hands_won=wins[who],
            hands_lost=wins[1 - who],
            pot_won_chips=_ratio(self.pots_won[who], wins[who]),
            pot_lost_chips=_ratio(self.pots_won[1 - who], wins[1 - who]),
            showdown_win_rate=_ratio(self.showdowns_won[who] + split / 2, self.showdowns),
            fold_win_rate=self.folds_won[who] / self.hands,
            habits=self.habits[who],
        )


def _plus(before: Pair, first: np.integer, second: np.integer) -> Pair:
    return before[0] + int(first), before[1] + int(second)


def _street_actions(counts: list[int]) -> StreetActions:
    total = sum(counts)
    return StreetActions(tuple(_ratio(count, total) for count in counts), total)


def _ratio(part: float, whole: int) -> float | None:
    """None where there is nothing to take a part of."""
    return part / whole if whole else None
