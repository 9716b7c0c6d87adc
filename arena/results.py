"""The result of a pair as everything after the match reads it, and its form in results.json."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from arena.habits import Habits
from env.actions import ACTION_NAMES


@dataclass(frozen=True)
class StreetActions:
    """What an agent chose on one street."""

    shares: tuple[float | None, ...]  # of fold, call and raise; None if it never was to act there
    decisions: int

    def to_json(self) -> dict[str, float | int | None]:
        """The shares by the names of the actions, and of how many decisions they are."""
        return dict(zip(ACTION_NAMES, self.shares, strict=True)) | {"decisions": self.decisions}

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> StreetActions:
        """The inverse of `to_json`."""
        return cls(tuple(entry[name] for name in ACTION_NAMES), entry["decisions"])


@dataclass(frozen=True)
class AgentStats:
    """What one of the two agents of a pair did. Rates are None where there were no such hands."""

    actions: dict[str, StreetActions]  # by street
    hands_won: int
    hands_lost: int
    pot_won_chips: float | None  # mean over the hands it won
    pot_lost_chips: float | None
    showdown_win_rate: float | None  # of the showdowns; a split pot is half a win
    fold_win_rate: float  # of all hands
    habits: Habits | None = None  # None in results of earlier versions

    def to_json(self) -> dict[str, Any]:
        """Every field by its name."""
        actions = {street: chosen.to_json() for street, chosen in self.actions.items()}
        habits = None if self.habits is None else self.habits.to_json()
        return _fields(self) | {"actions": actions, "habits": habits}

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> AgentStats:
        """The inverse of `to_json`."""
        actions = {
            street: StreetActions.from_json(chosen) for street, chosen in entry["actions"].items()
        }
        habits = entry.get("habits")
        found = None if habits is None else Habits.from_json(habits)
        return cls(**entry | {"actions": actions, "habits": found})


@dataclass(frozen=True)
class PairResult:
    """What two agents did to each other. Winnings are those of agent A from agent B."""

    a: str
    b: str
    hands: int
    mbb: float  # thousandths of a big blind per hand
    ci95: float  # half the width of the 95 % interval of `mbb`
    seat_mbb: tuple[float, float]  # in seat 0 and in seat 1
    small_bets_per_100: float
    games_won: float  # a tie is half a game
    games: int
    hands_per_game: int
    showdown_rate: float  # of all hands
    agents: tuple[AgentStats, AgentStats]  # of A and of B
    seconds: float  # the match took
    curve: tuple[tuple[int, int], ...] = ()  # (hands played, chips won so far), some of the games

    def mirrored(self) -> PairResult:
        """The same result from B's point of view."""
        first, second = self.seat_mbb
        return dataclasses.replace(
            self,
            a=self.b,
            b=self.a,
            mbb=_negative(self.mbb),
            seat_mbb=(_negative(second), _negative(first)),
            small_bets_per_100=_negative(self.small_bets_per_100),
            games_won=self.games - self.games_won,
            agents=(self.agents[1], self.agents[0]),
            curve=tuple((hands, -chips) for hands, chips in self.curve),
        )

    def to_json(self) -> dict[str, Any]:
        """Every field by its name."""
        agents = [agent.to_json() for agent in self.agents]
        curve = [list(point) for point in self.curve]
        return _fields(self) | {
            "seat_mbb": list(self.seat_mbb),
            "agents": agents,
            "curve": curve,
        }

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> PairResult:
        """The inverse of `to_json`."""
        first, second = entry["seat_mbb"]
        a, b = (AgentStats.from_json(agent) for agent in entry["agents"])
        curve = tuple((hands, chips) for hands, chips in entry.get("curve", ()))
        return cls(**entry | {"seat_mbb": (first, second), "agents": (a, b), "curve": curve})


def seen_by(name: str, pairs: list[PairResult]) -> list[PairResult]:
    """The results of one agent's pairs, each turned so that this agent is A."""
    views = (view for pair in pairs for view in (pair, pair.mirrored()))
    return [view for view in views if view.a == name]


def _fields(record: AgentStats | PairResult) -> dict[str, Any]:
    """The fields of a record in their order, which is that of results.json."""
    return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}


def _negative(value: float) -> float:
    return 0.0 - value  # never −0
