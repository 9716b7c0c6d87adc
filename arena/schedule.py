"""How long the pairs of a tournament play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

HANDS, GAMES, PRECISION_MBB, MAX_HANDS = 100_000, 100, 20.0, 2_000_000
LOOK_HANDS = 20_000  # between looks at the interval where the number of hands is not given
BATCH = 20_000  # deals played at once; bounds memory
AUTO = "auto"  # stands for a number of hands that is not given

Settings = dict[str, int | float | str]  # of a schedule, in results.json


@dataclass(frozen=True)
class Schedule:
    """What each pair plays."""

    hands: int | None = HANDS  # None: until the interval is narrow enough
    precision_mbb: float = PRECISION_MBB  # half the width to reach where hands are not given
    max_hands: int = MAX_HANDS  # the end where it is not reached
    games: int = GAMES
    hands_per_game: int = HANDS // GAMES
    seed: int = 0

    @property
    def most_hands(self) -> int:
        """How many hands a pair can take."""
        return self.hands or self.max_hands

    def to_json(self) -> Settings:
        """What results depend on besides the seed; settings that play no part are left out."""
        length: Settings = {"hands": AUTO if self.hands is None else self.hands}
        if self.hands is None:
            length |= {"precision_mbb": self.precision_mbb, "max_hands": self.max_hands}
        return length | {"games": self.games, "hands_per_game": self.hands_per_game}

    @classmethod
    def from_json(cls, settings: dict[str, Any], seed: int) -> Schedule:
        """The inverse of `to_json`."""
        hands = settings["hands"]
        return cls(**settings | {"hands": None if hands == AUTO else hands, "seed": seed})
