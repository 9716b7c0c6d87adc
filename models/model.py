"""A trained model to load and ask: how does it play this hand?

`load` takes a model folder, its strategy.keras or a whole run; `Model.ask` takes cards and betting
as people write them and answers with the average strategy (Brown et al. 2019) in that infoset.
Requests that make no sense end in a ValueError of one line that says what would.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from env.actions import ACTION_NAMES
from env.cards import Cards, canonical, cards_text, parse_cards
from env.game import Game
from env.transcript import counted
from models import questions
from models.description import Description
from models.layout import has_manifest, models_at
from models.loading import load_answers, load_model
from policies.policy import Policy
from policies.unbeatable import NeverFoldsUnbeatable

if TYPE_CHECKING:
    pass

WIDTH = 80  # columns of a terminal
BAR = 40  # columns of a bar that stands for certainty


@dataclass(frozen=True, eq=False)
class Model:
    """An average strategy with the game it plays. Amounts in chips.

    `answers` computes the network with NumPy: it is ready at once and right for a few infosets.
    No policy of a model folds a hand that cannot lose (`policies.unbeatable`).
    """

    game: Game
    answers: Policy
    description: Description
    folder: Path

    @cached_property
    def policy(self) -> NeverFoldsUnbeatable[Policy]:
        """The same network in TensorFlow, which takes seconds to load: for matches and the like."""
        return load_model(self.folder, self.game).policy

    @property
    def is_verified(self) -> bool:
        """Whether a manifest vouches for the files; without one damage would not be noticed."""
        return has_manifest(self.folder)

    def ask(self, hand: str, board: str | None = "", line: str = "") -> dict[str, float]:
        """Probabilities of fold, call and raise for whoever is to act; 0 where illegal.

        `hand` and `board` such as "AhKd" or "10h 9h"; a hand may be a class such as "AKs" or "T9o",
        whose answer on a board is the mean over its hands that the board leaves. A board of None
        asks for the mean over all boards. `line` is the betting so far, a letter per action
        (f, c, r) with slashes between streets: "rc/r". The empty line starts the hand.
        """
        node = questions.decision(self.game, line)
        views = canonical(questions.views(self.game, hand, board, node))
        strategies = self.answers.strategies(views, np.full(len(views), node))
        means = strategies.mean(axis=0, dtype=np.float64)
        return dict(zip(ACTION_NAMES, map(float, means), strict=True))

    def explain(self, hand: str, board: str | None = "", line: str = "") -> str:
        """The situation and the answer of `ask` as a table for the terminal."""
        strategy = self.ask(hand, board, line)
        return "\n".join(self._lines(hand, board, questions.decision(self.game, line), strategy))

    def preflop_chart(self, line: str, file: Path | BinaryIO) -> None:
        """The strategy with every starting hand after a pre-flop line, as a PNG picture."""
        from matplotlib.image import imsave  # noqa: PLC0415 - slow, and few ask for pictures

        from models import charts  # noqa: PLC0415 - the same

        rules = self.game.rules
        if not rules.is_holdem or len(rules.deck) != 52:
            raise ValueError(
                f"{rules.name} has no pre-flop with two cards of a full deck, so there is no chart"
            )
        node = questions.decision(self.game, line)
        street = int(self.game.tree.street[node])
        if street:
            raise ValueError(
                f"{line!r} leads to the {rules.street_names[street]}; a chart shows the pre-flop"
            )
        seat, after = self._seat(node), self._after(node)
        title = f"{rules.name}, iteration {self.description.iteration}: {seat}, {after}"
        imsave(file, charts.preflop_chart(self.answers, node, title), format="png")

    def _lines(
        self, hand: str, board: str | None, node: int, strategy: dict[str, float]
    ) -> Iterator[str]:
        rules, tree = self.game.rules, self.game.tree
        actor, paid = int(tree.actor[node]), tree.contributions[node]
        to_call = int(paid.max() - paid[actor])
        yield from textwrap.wrap(rules.describe(), WIDTH)
        yield ""
        yield f"to act  {self._seat(node)}, {self._after(node)}"
        yield f"street  {rules.street_names[int(tree.street[node])]}"
        yield f"pot     {self._amount(int(paid.sum()))}; to call: {self._amount(to_call)}"
        views = questions.views(self.game, hand, board, node)
        several = board is not None and len(views) > 1
        mean = f": the mean over its {len(views)} hands that the board leaves" if several else ""
        yield f"hand    {questions.hand_text(rules, hand)}{mean}"
        if board is None and rules.visible_board[int(tree.street[node])]:
            yield "board   not given: the mean over all boards, equally likely"
        else:
            yield f"board   {cards_text(parse_cards(board or '')) or 'none yet'}"
        yield ""
        yield f"{'action':<7} {'pays':>5} {'plays':>7}"
        for action in np.flatnonzero(tree.legal[node]).tolist():
            child = int(tree.children[node, action])
            price = int(tree.contributions[child, actor] - paid[actor])
            name = questions.action_name(self.game, node, action)
            probability = strategy[ACTION_NAMES[action]]
            bar = "#" * round(BAR * probability)
            yield f"{name:<7} {price:>5} {probability:>7.1%}  {bar}".rstrip()
        if several:
            yield from self._by_hand(views, node)

    def _by_hand(self, views: Cards, node: int) -> Iterator[str]:
        """A line for each hand of a class."""
        legal = np.flatnonzero(self.game.tree.legal[node]).tolist()
        names = [questions.action_name(self.game, node, action) for action in legal]
        yield ""
        yield "hand   " + "".join(f"{name:>8}" for name in names)
        answers = self.answers.strategies(canonical(views), np.full(len(views), node))
        for view, strategy in zip(views, answers, strict=True):
            shares = "".join(f"{float(strategy[action]):>8.1%}" for action in legal)
            yield f"{cards_text(view[:2]):<7}{shares}"

    def _seat(self, node: int) -> str:
        actor = int(self.game.tree.actor[node])
        names = ("button", "big blind") if self.game.rules.is_holdem else ("first", "second")
        return f"player {actor} ({names[actor]})"

    def _after(self, node: int) -> str:
        return f"after {self.game.tree.text(node)}" if node else "first to act"

    def _amount(self, chips: int) -> str:
        unit = "big blind" if self.game.rules.is_holdem else "ante"
        units = chips / self.game.rules.big_blind_chips
        plural = "" if units == 1 else "s"
        return f"{counted(chips, 'chip')} ({units:g} {unit}{plural})"


def load(path: Path | str, game: Game | None = None) -> Model:
    """The model in a model folder, of a strategy.keras file, or the newest one of a run folder.

    A model of a game of your own needs the `game`, as `env.own_game.game_named` makes it.
    """
    folder = models_at(Path(path))[-1]  # the newest of a run
    saved = load_answers(folder, game)
    return Model(saved.game, saved.policy, saved.description, folder)
