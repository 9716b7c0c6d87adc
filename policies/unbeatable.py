"""A rule of play: a hand that cannot lose is never folded; what it would have folded it calls.

The rule costs nothing, whoever the opponent is. A hand that cannot lose still cannot lose when more
cards have come, so under the rule it is not folded later in the hand either, and the hand ends with
a fold of the opponent or with a showdown that it does not lose: it gets back at least what it has
paid. The fold would have lost that. So the policy wins at least as much with the rule as without
it from every opponent, and cannot be more exploitable.
"""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np

from env.actions import CALL, FOLD
from env.arrays import Bools, Floats, Nodes, Rows
from env.cards import NO_CARD, NUM_SLOTS, Cards
from env.game import Game
from env.unbeatable import cannot_lose
from env.views import Views
from policies.policy import Policy, ViewStrategies
from policies.ranges import AnswersRanges

P = TypeVar("P", bound=Policy)


class NeverFoldsUnbeatable(Generic[P]):
    """A policy with the rule on top. Everything else it answers stays as it is, to the last bit."""

    def __init__(self, game: Game, raw: P) -> None:
        self.raw = raw  # without the rule
        self._game = game
        self.may_fold = faces_bet_with_board(game)  # [N]

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        views = Views(self._game, cards)
        answers = self.raw.strategies(cards, nodes)
        return self._ruled(answers, views, np.arange(len(nodes)), nodes)

    def for_views(self, views: Views) -> ViewStrategies:
        ask = self.raw.for_views(views)
        return lambda rows, nodes: self._ruled(ask(rows, nodes), views, rows, nodes)

    def _ruled(self, answers: Floats, views: Views, rows: Rows, nodes: Nodes) -> Floats:
        """The answers with the rule kept. [n, 3]"""
        folds = np.flatnonzero(self.may_fold[nodes] & (answers[:, FOLD] > 0))
        broken = folds[views.cannot_lose(rows[folds])]
        return _calling(answers, broken) if len(broken) else answers


class RangesNeverFoldUnbeatable(NeverFoldsUnbeatable[P]):
    """The same for a policy that answers for public states itself."""

    def range_strategies(self, boards: Cards, hands: Cards, nodes: Nodes) -> Floats:
        """Strategies of hands in public states. [n, 5], [H, 2], [n] → [n, H, 3]"""
        assert isinstance(self.raw, AnswersRanges)
        answers = self.raw.range_strategies(boards, hands, nodes)
        faced = np.flatnonzero(self.may_fold[nodes])
        if not len(faced):
            return answers
        distinct, which = np.unique(boards[faced], axis=0, return_inverse=True)
        safe = np.stack([self._safe(hands, board) for board in distinct])[which.reshape(-1)]
        rows, held = np.nonzero(safe & (answers[faced, :, FOLD] > 0))
        return _calling(answers, (faced[rows], held)) if len(rows) else answers

    def _safe(self, hands: Cards, board: Cards) -> Bools:
        """Which hands cannot lose on a board. [H]"""
        views = np.full((len(hands), NUM_SLOTS), NO_CARD, np.uint8)
        views[:, :2], views[:, 2:] = hands, board
        return cannot_lose(self._game.rules, views)


def never_folding(game: Game, policy: P) -> NeverFoldsUnbeatable[P]:
    """A policy with the rule, asked about ranges if the policy itself answers for them."""
    kind = RangesNeverFoldUnbeatable if isinstance(policy, AnswersRanges) else NeverFoldsUnbeatable
    return kind(game, policy)


def faces_bet_with_board(game: Game) -> Bools:
    """Where a fold is legal and a card of the board lies on the table. [N]"""
    has_board = np.array(game.rules.visible_board) > 0
    return game.tree.legal[:, FOLD] & has_board[game.tree.street]


def _calling(answers: Floats, where: Rows | tuple[Rows, Rows]) -> Floats:
    """The answers, with a call for every fold in some places. [..., 3]"""
    ruled = answers.copy()
    chosen = ruled[where]
    chosen[:, CALL] += chosen[:, FOLD]
    chosen[:, FOLD] = 0
    ruled[where] = chosen
    return ruled
