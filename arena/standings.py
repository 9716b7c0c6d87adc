"""What the results of all pairs say together: matrix, ranking, whether it is transitive, styles.

The ranking is by mean winrate over all opponents. All pairs are played on the same deals, so their
results are not independent. The interval of a mean is therefore the mean of the intervals, which
holds however the results are correlated (the standard deviation of a sum is at most the sum of the
standard deviations); were they independent, it would be narrower.

A result is significant when its 95 % interval does not contain 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.habits import Habits
from arena.results import PairResult, seen_by
from env.arrays import Doubles


@dataclass(frozen=True)
class Place:
    """One agent in the ranking."""

    agent: int  # its number
    mbb: float  # the mean of what it wins from each opponent
    ci95_mbb: float
    wins: int  # opponents beaten significantly
    losses: int


@dataclass(frozen=True, eq=False)
class Standings:
    """All pairs played. Row i, column j: what agent i wins from agent j; nan on the diagonal."""

    names: tuple[str, ...]
    mbb: Doubles  # [n, n]
    ci95_mbb: Doubles  # [n, n]
    games_won: Doubles  # [n, n] games that i has won from j

    @property
    def beats(self) -> NDArray[np.bool_]:
        """[n, n] whether i wins from j significantly."""
        return np.nan_to_num(self.mbb) > np.nan_to_num(self.ci95_mbb)

    @property
    def champion(self) -> str | None:
        """Who wins from every other agent significantly, if somebody does."""
        beaten = self.beats.sum(axis=1)
        best = int(beaten.argmax())
        return self.names[best] if beaten[best] == len(self.names) - 1 else None

    @property
    def ranking(self) -> list[Place]:
        """Best mean winrate first; equals in the order they were named."""
        beats = self.beats
        places = [
            Place(
                i,
                float(np.nanmean(self.mbb[i])),
                float(np.nanmean(self.ci95_mbb[i])),
                int(beats[i].sum()),
                int(beats[:, i].sum()),
            )
            for i in range(len(self.names))
        ]
        return sorted(places, key=lambda place: -place.mbb)

    @property
    def cycles(self) -> list[tuple[str, str, str]]:
        """Triples where A beats B, B beats C and C beats A, all three significantly."""
        return [(self.names[i], self.names[j], self.names[k]) for i, j, k in self._cycles()]

    @property
    def upsets(self) -> list[tuple[str, str]]:
        """Significant results against the ranking: (winner, the higher ranked agent it beat)."""
        order = [place.agent for place in self.ranking]
        return [
            (self.names[low], self.names[high])
            for high, low in combinations(order, 2)
            if self.beats[low, high]
        ]

    def to_json(self) -> dict[str, Any]:
        """Ranking and transitivity, as results.json shows them."""
        return {
            "ranking": [
                {
                    "name": self.names[place.agent],
                    "mbb": place.mbb,
                    "ci95": place.ci95_mbb,
                    "significant_wins": place.wins,
                    "significant_losses": place.losses,
                }
                for place in self.ranking
            ],
            "cycles": [list(cycle) for cycle in self.cycles],
            "upsets": [{"winner": winner, "loser": loser} for winner, loser in self.upsets],
        }

    def _cycles(self) -> Iterator[tuple[int, int, int]]:
        beats = self.beats
        for i, j, k in combinations(range(len(self.names)), 3):
            for a, b, c in ((i, j, k), (i, k, j)):
                if beats[a, b] and beats[b, c] and beats[c, a]:
                    yield a, b, c


def standings(names: list[str], pairs: list[PairResult]) -> Standings:
    """The standings after all pairs."""
    number = {name: i for i, name in enumerate(names)}
    mbb, ci95, games = (np.full((len(names), len(names)), np.nan) for _ in range(3))
    for pair in pairs:
        for view in (pair, pair.mirrored()):
            entry = number[view.a], number[view.b]
            mbb[entry], ci95[entry], games[entry] = view.mbb, view.ci95, view.games_won
    return Standings(tuple(names), mbb, ci95, games)


@dataclass(frozen=True)
class Profile:
    """How one agent played, over all its opponents. None where it never came to that."""

    shares: dict[str, tuple[float | None, ...]]  # by street, of (FOLD, CALL, RAISE)
    pot_won_chips: float | None  # mean over the hands it won
    pot_lost_chips: float | None
    showdown_rate: float  # of all hands
    showdown_win_rate: float | None  # of the showdowns; a split pot is half a win
    fold_win_rate: float  # of all hands
    habits: Habits | None  # None with results of earlier versions
    all_shares: tuple[float | None, ...]  # of (FOLD, CALL, RAISE) on all streets


def profile(name: str, pairs: list[PairResult]) -> Profile:
    """How an agent played, from the results of all pairs, each weighted by what it counts."""
    own = seen_by(name, pairs)
    agents = [pair.agents[0] for pair in own]
    hands = [pair.hands for pair in own]
    showdowns = [pair.hands * pair.showdown_rate for pair in own]

    def shares(street: str) -> tuple[float | None, ...]:
        chosen = [agent.actions[street] for agent in agents]
        decisions = [one.decisions for one in chosen]
        by_action = zip(*(one.shares for one in chosen), strict=True)
        return tuple(_mean(values, decisions) for values in by_action)

    chosen = [one for agent in agents for one in agent.actions.values()]
    decisions = [one.decisions for one in chosen]
    by_action = zip(*(one.shares for one in chosen), strict=True)
    counted = [agent.habits for agent in agents if agent.habits is not None]
    return Profile(
        shares={street: shares(street) for street in agents[0].actions},
        pot_won_chips=_mean([a.pot_won_chips for a in agents], [a.hands_won for a in agents]),
        pot_lost_chips=_mean([a.pot_lost_chips for a in agents], [a.hands_lost for a in agents]),
        showdown_rate=sum(showdowns) / sum(hands),
        showdown_win_rate=_mean([agent.showdown_win_rate for agent in agents], showdowns),
        fold_win_rate=_mean([agent.fold_win_rate for agent in agents], hands) or 0.0,
        habits=sum(counted, Habits()) if len(counted) == len(agents) else None,
        all_shares=tuple(_mean(values, decisions) for values in by_action),
    )


def _mean(values: Sequence[float | None], weights: Sequence[float]) -> float | None:
    """The weighted mean; a value that is missing has no weight."""
    total = sum(weights)
    parts = zip(values, weights, strict=True)
    return (
        sum(value * weight for value, weight in parts if value is not None) / total
        if total
        else None
    )
