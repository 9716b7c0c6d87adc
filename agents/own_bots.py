"""Bots of a user's own: `mybots:Maniac` calls Maniac(game), which answers like any policy.

The answers are checked, so that a mistake in such a file ends in one line that names it and does
not become a wrong result. A bot needs `strategies` only; one that can answer many questions about
the same views faster may have `for_views` as well (`policies.policy`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from env.arrays import Floats, Nodes, Rows
from env.cards import Cards
from env.extensions import ExtensionError, described, guarded, made
from env.game import Game
from env.views import Views
from policies.answers import checked
from policies.policy import ViewStrategies


class OwnBot:
    """A user's policy, whose mistakes are found and named."""

    def __init__(self, spec: str, game: Game) -> None:
        self._spec, self._game = spec, game
        self._inner: Any = made(spec, game)
        if not callable(getattr(self._inner, "strategies", None)):
            raise ExtensionError(
                f"{spec} makes {described(self._inner)} without a method "
                "strategies(cards, nodes), so it is no bot"
            )

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        answers = guarded(self._spec, lambda: self._inner.strategies(cards, nodes))
        return self._checked(answers, cards, np.arange(len(nodes)), nodes)

    def for_views(self, views: Views) -> ViewStrategies:
        own = getattr(self._inner, "for_views", None)
        if own is None:
            return lambda rows, nodes: self.strategies(views.cards[rows], nodes)
        ask = guarded(self._spec, lambda: own(views))

        def answer(rows: Rows, nodes: Nodes) -> Floats:
            answers = guarded(self._spec, lambda: ask(rows, nodes))
            return self._checked(answers, views.cards, rows, nodes)

        return answer

    def _checked(self, answers: Any, cards: Cards, rows: Rows, nodes: Nodes) -> Floats:
        try:
            return checked(self._game.tree, answers, cards, rows, nodes).astype(np.float32)
        except (ValueError, TypeError) as error:
            raise ExtensionError(f"{self._spec}: {error}") from None
