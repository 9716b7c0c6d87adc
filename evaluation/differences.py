"""How much more one policy gives away than another, on the same boards.

Lower bounds of single policies have wide intervals, because boards differ. Local best response with
one seed plays the same boards, own hands and draws against everybody, and much of that cancels.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from evaluation.local_best_response import mean_interval
from evaluation.results import Evaluation
from models.records import StreetPart


@dataclass(frozen=True)
class Difference:
    """The first policy's exploitability, or its bound, less the second's."""

    mbb: float
    interval_mbb: float | None  # half of a 95 % interval; 0 if both are exact, None if unknown
    boards: int  # compared pair by pair; 0 where nothing is paired
    by_street: tuple[StreetPart, ...] = ()  # where both were evaluated by street

    def to_json(self) -> dict[str, Any]:
        found = {"mbb": self.mbb, "interval_mbb": self.interval_mbb, "boards": self.boards}
        parts = [asdict(part) for part in self.by_street]
        return found | ({"by_street": parts} if parts else {})

    def __str__(self) -> str:
        if self.interval_mbb is None:
            return f"{self.mbb:+.1f} mbb/g, interval unknown"
        if not self.interval_mbb:
            return f"{self.mbb:+.2f} mbb/g"
        return f"{self.mbb:+.1f} ± {self.interval_mbb:.1f} mbb/g, paired on {self.boards:,} boards"


def difference(first: Evaluation, second: Evaluation) -> Difference:
    """Of two evaluations by one method and with one seed."""
    mbb = first.record.exploitability_mbb - second.record.exploitability_mbb
    if first.record.claim == second.record.claim == "exact":
        return Difference(mbb, 0.0, 0)
    if first.board_mbb is None or second.board_mbb is None:
        return Difference(mbb, None, 0)
    on_boards = first.board_mbb - second.board_mbb
    parts: list[StreetPart] = []
    if first.street_mbb is not None and second.street_mbb is not None:
        for part, gaps in zip(
            first.record.by_street, (first.street_mbb - second.street_mbb).T, strict=True
        ):
            parts.append(StreetPart(part.street, float(gaps.mean()), mean_interval(gaps)))
    interval = mean_interval(on_boards)
    return Difference(float(on_boards.mean()), interval, len(on_boards), tuple(parts))
