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
from itertools import combinations
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from env.actions import ACTION_LETTERS, ACTION_NAMES, CALL, RAISE
from env.betting_tree import HistoryError
from env.cards import NO_CARD, NUM_SLOTS, Cards, canonical, card_text, cards_text, parse_cards
from env.game import Game
from env.transcript import counted
from models.description import Description
from models.layout import has_manifest, models_at
from models.loading import load_answers, load_model
from policies.policy import Policy
from policies.unbeatable import NeverFoldsUnbeatable

if TYPE_CHECKING:
    pass

WIDTH = 80  # columns of a terminal
MOST_BOARDS = 20_000  # asked about for a mean; more are sampled
OTHER_LETTERS = str.maketrans("kxb", "ccr")  # check and bet as some write them
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
        return load_model(self.folder).policy

    @property
    def is_verified(self) -> bool:
        """Whether a manifest vouches for the files; without one damage would not be noticed."""
        return has_manifest(self.folder)

    def ask(self, hand: str, board: str | None = "", line: str = "") -> dict[str, float]:
        """Probabilities of fold, call and raise for whoever is to act; 0 where illegal.

        `hand` and `board` such as "AhKd" or "Ah Kd"; a board of None asks for the mean over all
        boards. `line` is the betting so far, a letter per action (f, c, r) with slashes between
        streets: "rc/r". The empty line starts the hand.
        """
        node = self._decision(line)
        views = canonical(self._views(hand, board, node))
        strategies = self.answers.strategies(views, np.full(len(views), node))
        means = strategies.mean(axis=0, dtype=np.float64)
        return dict(zip(ACTION_NAMES, map(float, means), strict=True))

    def explain(self, hand: str, board: str | None = "", line: str = "") -> str:
        """The situation and the answer of `ask` as a table for the terminal."""
        strategy = self.ask(hand, board, line)
        return "\n".join(self._lines(hand, board, self._decision(line), strategy))

    def preflop_chart(self, line: str, file: Path | BinaryIO) -> None:
        """The strategy with every starting hand after a pre-flop line, as a PNG picture."""
        from matplotlib.image import imsave  # noqa: PLC0415 - slow, and few ask for pictures

        from models import charts  # noqa: PLC0415 - the same

        rules = self.game.rules
        if not rules.is_holdem or len(rules.deck) != 52:
            raise ValueError(
                f"{rules.name} has no pre-flop with two cards of a full deck, so there is no chart"
            )
        node = self._decision(line)
        street = int(self.game.tree.street[node])
        if street:
            raise ValueError(
                f"{line!r} leads to the {rules.street_names[street]}; a chart shows the pre-flop"
            )
        seat, after = self._seat(node), self._after(node)
        title = f"{rules.name}, iteration {self.description.iteration}: {seat}, {after}"
        imsave(file, charts.preflop_chart(self.answers, node, title), format="png")

    def _decision(self, line: str) -> int:
        """The node where a line ends and somebody is to act."""
        line = self._spelled_out(line)
        if self._is_line(line):
            node = self.game.tree.node(line)
            if self.game.tree.is_decision[node]:
                return node
        prefix = self._readable(line)
        node = self.game.tree.node(prefix)
        after = f"after {prefix!r}" if prefix else "at the start"
        if not self.game.tree.is_decision[node]:
            raise ValueError(f"{line!r}: the hand is over {after}, nobody is to act")
        possible = [
            f"{letter} ({name})"
            for letter, name, legal in zip(
                ACTION_LETTERS, ACTION_NAMES, self.game.tree.legal[node], strict=True
            )
            if legal
        ]
        raise ValueError(
            f"{line!r} cannot be played in {self.game.rules.name}: possible {after}: "
            f"{', '.join(possible)}"
        )

    def _spelled_out(self, line: str) -> str:
        """A line in our letters, with the call that a slash right after a bet implies."""
        text = ""
        for letter in line.strip().lower().translate(OTHER_LETTERS):
            if letter == "/" and not self._is_line(text + "/") and self._is_line(text + "c/"):
                text += "c"
            text += letter
        return text

    def _is_line(self, text: str) -> bool:
        try:
            self.game.tree.node(text)
        except HistoryError:
            return False
        return True

    def _readable(self, line: str) -> str:
        """The longest beginning of a line that the betting tree knows."""
        readable, text = "", line.strip()
        for end in range(1, len(text) + 1):
            if not self._is_line(text[:end]):
                break
            readable = text[:end]
        return readable

    def _views(self, hand: str, board: str | None, node: int) -> Cards:
        """What the player to act may see, checked against the rules; one row per board. [n, 7]"""
        rules, street = self.game.rules, int(self.game.tree.street[node])
        hole = self._cards(hand, "hand")
        if len(hole) != rules.hole_cards:
            raise ValueError(
                f"a hand of {rules.name} has {counted(rules.hole_cards, 'card')}, "
                f"but {hand!r} has {len(hole)}"
            )
        needed = rules.visible_board[street]
        boards = self._any_boards(hole, needed) if board is None else [self._cards(board, "board")]
        shown = boards[0]
        if len(shown) != needed:
            there = f"{self.game.tree.text(node)!r} leads to" if node else "the hand starts on"
            raise ValueError(
                f"{there} the {rules.street_names[street]}, where the board has "
                f"{counted(needed, 'card')}; {len(shown)} given"
            )
        both = [card for card in shown if card in hole]
        if both:
            raise ValueError(f"{card_text(both[0])} is in the hand and on the board")
        views = np.full((len(boards), NUM_SLOTS), NO_CARD, np.uint8)
        views[:, : len(hole)] = hole
        views[:, 2 : 2 + needed] = boards
        return views

    def _any_boards(self, hole: tuple[int, ...], needed: int) -> list[tuple[int, ...]]:
        """All boards of so many cards, or many of them where there are too many."""
        left = [card for card in self.game.rules.deck if card not in hole]
        # From the turn on the order matters, which combinations do not run through.
        if needed <= 3 and comb(len(left), needed) <= MOST_BOARDS:
            return list(combinations(left, needed))
        rng = np.random.default_rng(0)
        return [tuple(rng.choice(left, needed, replace=False)) for _ in range(MOST_BOARDS)]

    def _cards(self, text: str, what: str) -> tuple[int, ...]:
        """The codes of some cards, all from this game's deck."""
        try:
            cards = parse_cards(text)
        except ValueError as error:
            raise ValueError(f"{what} {text!r}: {error}") from None
        rules = self.game.rules
        foreign = [card for card in cards if card not in rules.deck]
        if foreign:
            raise ValueError(
                f"{what} {text!r}: {card_text(foreign[0])} is not in the deck of {rules.name}, "
                f"which has ranks {rules.ranks} in suits {rules.suits}"
            )
        return cards

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
        yield f"hand    {cards_text(parse_cards(hand))}"
        if board is None and rules.visible_board[int(tree.street[node])]:
            yield "board   not given: the mean over all boards, equally likely"
        else:
            yield f"board   {cards_text(parse_cards(board or '')) or 'none yet'}"
        yield ""
        yield f"{'action':<7} {'pays':>5} {'plays':>7}"
        for action in np.flatnonzero(tree.legal[node]).tolist():
            child = int(tree.children[node, action])
            price = int(tree.contributions[child, actor] - paid[actor])
            name = self._action_name(action, node, to_call)
            probability = strategy[ACTION_NAMES[action]]
            bar = "#" * round(BAR * probability)
            yield f"{name:<7} {price:>5} {probability:>7.1%}  {bar}".rstrip()

    def _action_name(self, action: int, node: int, to_call: int) -> str:
        """What people call the action here; the blinds count as bets, antes do not."""
        if action == CALL and to_call == 0:
            return "check"
        opened = self.game.rules.is_holdem and self.game.tree.street[node] == 0
        if action == RAISE and to_call == 0 and not opened:
            return "bet"
        return ACTION_NAMES[action]

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


def load(path: Path | str) -> Model:
    """The model in a model folder, of a strategy.keras file, or the newest one of a run folder."""
    folder = models_at(Path(path))[-1]  # the newest of a run
    saved = load_answers(folder)
    return Model(saved.game, saved.policy, saved.description, folder)
