"""What the results of all pairs say together: matrix, ranking, whether it is transitive, styles.

The ranking is by mean winrate over all opponents. All pairs are played on the same deals, so their
results are not independent. The interval of a mean is therefore the mean of the intervals, which
holds however results hang together (the standard deviation of a sum is at most the sum of the
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

from env.actions import ACTION_NAMES

Floats = NDArray[np.float64]


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
    mbb: Floats  # [n, n]
    ci95_mbb: Floats  # [n, n]
    games_won: Floats  # [n, n] games that i has won from j

    @property
    def beats(self) -> NDArray[np.bool_]:
        """[n, n] whether i wins from j significantly."""
        return np.nan_to_num(self.mbb) > np.nan_to_num(self.ci95_mbb)

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

    def _cycles(self) -> Iterator[tuple[int, int, int]]:
        beats = self.beats
        for i, j, k in combinations(range(len(self.names)), 3):
            for a, b, c in ((i, j, k), (i, k, j)):
                if beats[a, b] and beats[b, c] and beats[c, a]:
                    yield a, b, c


def standings(names: list[str], pairs: list[dict[str, Any]]) -> Standings:
    """From the entries of all pairs: a, b, mbb, ci95, games_won, games."""
    number = {name: i for i, name in enumerate(names)}
    mbb, ci95, games = (np.full((len(names), len(names)), np.nan) for _ in range(3))
    for pair in pairs:
        i, j = number[pair["a"]], number[pair["b"]]
        mbb[i, j], mbb[j, i] = pair["mbb"], 0.0 - pair["mbb"]  # not −0
        ci95[i, j] = ci95[j, i] = pair["ci95"]
        games[i, j], games[j, i] = pair["games_won"], pair["games"] - pair["games_won"]
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


def profile(name: str, pairs: list[dict[str, Any]]) -> Profile:
    """From the entries of all pairs, each weighted by what it counts."""
    own = [
        (pair, pair["agents"][(pair["a"], pair["b"]).index(name)])
        for pair in pairs
        if name in (pair["a"], pair["b"])
    ]
    hands = [pair["hands"] for pair, _ in own]
    showdowns = [pair["hands"] * pair["showdown_rate"] for pair, _ in own]

    def mean(key: str, weights: Sequence[float]) -> float | None:
        return _mean([agent[key] for _, agent in own], weights)

    def share(street: str, action: str) -> float | None:
        rows = [agent["actions"][street] for _, agent in own]
        return _mean([row[action] for row in rows], [row["decisions"] for row in rows])

    return Profile(
        {street: tuple(share(street, a) for a in ACTION_NAMES) for street in own[0][1]["actions"]},
        mean("pot_won_chips", [agent["hands_won"] for _, agent in own]),
        mean("pot_lost_chips", [agent["hands_lost"] for _, agent in own]),
        sum(showdowns) / sum(hands),
        mean("showdown_win_rate", showdowns),
        mean("fold_win_rate", hands) or 0.0,
    )


def _mean(values: list[float | None], weights: Sequence[float]) -> float | None:
    """The weighted mean; a value that is missing has no weight."""
    total = sum(weights)
    parts = zip(values, weights, strict=True)
    return (
        sum(value * weight for value, weight in parts if value is not None) / total
        if total
        else None
    )
