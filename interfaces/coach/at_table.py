"""The coach at a table: it is told what the human's seat sees, and nothing else."""

from __future__ import annotations

from typing import Any

from interfaces.coach.advice import Coach
from interfaces.coach.analysis import figures
from interfaces.coach.situation import Situation
from interfaces.table import Table, TableError


def situation_at(table: Table) -> Situation:
    """The decision that the human has to make now."""
    if not table.is_humans_turn:
        raise TableError("it is not your turn")
    view = table.human_view()
    return Situation(table.game, table.hand.node, view[:2], view[2:])


def figures_at(coach: Coach, table: Table) -> dict[str, Any]:
    """Both players' ranges; strategy and values, too, where the human is to act."""
    view = table.human_view()
    return figures(coach, table.hand.node, view[2:], table.hand.human_seat, view[:2])
