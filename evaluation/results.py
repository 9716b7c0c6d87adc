"""What an evaluation found: its record, and what each class of private hands gives away."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from env.arrays import Doubles
from env.cards import RANKS, Cards
from evaluation.best_response import ByHand
from models.records import ExploitabilityRecord

if TYPE_CHECKING:
    from evaluation.good_sense import GoodSense


class HandRow(NamedTuple):
    """One class of private hands, in mbb per hand of this class."""

    hand: str  # such as AKs
    share: float  # how often such a hand is dealt
    br_mbb: list[float]  # a best response in seat 0, in seat 1
    value_mbb: list[float]  # the policy itself in seat 0, in seat 1
    gain_mbb: float  # what a best response wins more, the mean over both seats


@dataclass(frozen=True)
class Evaluation:
    """How exploitable a policy is, and with which hands, where that is known."""

    record: ExploitabilityRecord
    by_hand: ByHand | None = None
    board_mbb: Doubles | None = None  # [boards] of local best response, the mean over both seats
    street_mbb: Doubles | None = None  # [boards, S] what each street brings it, if asked for
    sense: GoodSense | None = None

    def hand_rows(self) -> list[HandRow]:
        """One row per class of private hands, the responder's largest gain first."""
        table = self.by_hand
        if table is None:
            return []
        return [
            HandRow(
                hand=class_name(table.hands[i]),
                share=float(table.shares[i]),
                br_mbb=table.br_mbb[:, i].tolist(),
                value_mbb=table.value_mbb[:, i].tolist(),
                gain_mbb=float(table.gains_mbb[i]),
            )
            for i in np.argsort(-table.gains_mbb)
        ]


@dataclass(frozen=True)
class EvaluatedModel:
    """A saved model and what was found of it."""

    folder: Path
    iteration: int
    nodes_touched: int | None  # None where the model does not say it
    evaluation: Evaluation

    @property
    def record(self) -> ExploitabilityRecord:
        return self.evaluation.record


def class_name(hand: Cards) -> str:
    """`AKs`, `AKo` or `AA` for two cards. [2]"""
    high, low = RANKS[hand[0] >> 2], RANKS[hand[1] >> 2]
    return high + low + ("" if high == low else "s" if hand[0] & 3 == hand[1] & 3 else "o")
