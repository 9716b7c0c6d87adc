"""Solved subgames of one street, drawn without end: what an endgame network learns from.

A public state is drawn, a policy (the blueprint) says with what ranges both players come there, and
CFR solves the rest of the hand (`search`). Both ranges are assumed, as in an unsafe subgame, with a
share of unexpected hands in each, so one solution teaches both players. Boards are never drawn
twice on purpose: what a network makes of boards that it has not seen depends on how many it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from deep_cfr.endgame.board_features import canonical_boards
from deep_cfr.endgame.grid import Grid, grid_of
from deep_cfr.endgame.solutions import BoardStrengths, SolvedRows, joined, solved_rows
from env.actions import CALL, RAISE
from env.arrays import Floats, Longs
from env.cards import NO_CARD, NUM_BOARD, NUM_SLOTS, Cards, canonical
from env.game import Game
from env.progress import Advance
from env.views import Views
from env.win_rates import win_rates
from policies.drawing import in_batches
from policies.policy import Policy
from search.betting import make_betting
from search.continuation import new_two_streets
from search.gadgets import UNSAFE
from search.last_street import LastStreet, Subgames
from search.public_state import hands_on
from search.resolver import UNEXPECTED
from search.runouts import street_hands
from search.trunk import Trunk
from search.variants import VARIANTS

ITERATIONS, TURN_ITERATIONS = 40, 30  # of CFR, on the last street and on the one before
VARIANT = VARIANTS["dcfr+"]
BOARDS_TOGETHER, ENTRIES_TOGETHER = 4, 3  # that share the cards of earlier streets
RAISE_SHARE = 0.4  # of raises in the random lines that lead to a street
# Subgames that are solved together by whoever solves them: about a second of work.
CHUNK, TURN_CHUNK = 8 * BOARDS_TOGETHER * ENTRIES_TOGETHER, 1


@dataclass
class Teacher:
    """Draws and solves subgames of one street, with the ranges of a blueprint."""

    game: Game
    blueprint: Policy
    street: int
    _trunk: Trunk = field(init=False)
    _grid: Grid = field(init=False)

    def __post_init__(self) -> None:
        self._trunk = Trunk(self.game, self.blueprint)
        self._grid = grid_of(self.game.rules, self.street)

    def __reduce__(self) -> tuple[Any, ...]:
        return Teacher, (self.game, self.blueprint, self.street)

    def sizes(self, count: int) -> Iterator[int]:
        """Sizes of the chunks in which so many subgames are solved."""
        return in_batches(count, CHUNK if self._is_last() else TURN_CHUNK)

    def solve(self, count: int, rng: np.random.Generator, progress: Advance) -> SolvedRows:
        """The rows of `count` subgames, at least."""
        rows, done = [], 0
        batches = self._last_street(rng) if self._is_last() else self._street_before(rng)
        while done < count:
            found, size = next(batches)
            rows.append(found)
            progress(min(size, count - done))
            done += size
        return joined(rows)

    def _is_last(self) -> bool:
        return self.street == self.game.rules.streets - 1

    def _last_street(self, rng: np.random.Generator) -> Iterator[tuple[SolvedRows, int]]:
        """Some boards that continue one of the street before, some entries on each."""
        rules = self.game.rules
        before, shown = rules.visible_board[self.street - 1], rules.visible_board[self.street]
        while True:
            deck = rng.permutation(np.array(rules.deck, np.uint8))
            left = deck[before:].copy()
            found = []
            for _ in range(BOARDS_TOGETHER):
                board = _board(np.concatenate([deck[:before], left[: shown - before]]))
                left = np.roll(left, before - shown)
                found += self._solve_board(board, self._draw_entries(ENTRIES_TOGETHER, rng))
            yield joined(found), len(found)

    def _solve_board(self, board: Cards, entries: Longs) -> list[SolvedRows]:
        """Subgames of the last street, side by side where their betting has one shape."""
        here = hands_on(self.game.rules, board.tobytes())
        ranges = self._ranges(board, entries, here.live)
        bettings = [make_betting(self.game.tree, int(entry), is_last=True) for entry in entries]
        groups: dict[bytes, list[int]] = {}
        for number, betting in enumerate(bettings):
            groups.setdefault(betting.shape, []).append(number)
        hands = self._hands(board, here.cards)
        rows = []
        for group in groups.values():
            size = len(group)
            subgames = Subgames(
                cards=np.repeat(here.cards[None], size, axis=0),
                ties=np.repeat(here.ties[None], size, axis=0),
                classes=np.repeat(here.classes[None], size, axis=0),
                stakes=np.stack([bettings[number].stakes for number in group]),
                ranges=ranges[group],
                alternatives=np.zeros((size, len(here.live)), np.float32),
            )
            resolvers = np.zeros(size, np.int32)
            solver = LastStreet(bettings[group[0]], subgames, UNSAFE, resolvers, VARIANT)
            solver.iterate(ITERATIONS)
            for number, strategies in zip(group, solver.strategies(), strict=True):
                rows.append(
                    solved_rows(self._grid, hands, bettings[number], ranges[number], strategies)
                )
        return rows

    def _street_before(self, rng: np.random.Generator) -> Iterator[tuple[SolvedRows, int]]:
        """One subgame at a time, with everything that can come on the last street."""
        rules = self.game.rules
        shown = rules.visible_board[self.street]
        while True:
            board = _board(rng.permutation(np.array(rules.deck, np.uint8))[:shown])
            entry = self._draw_entries(1, rng)
            here = street_hands(rules, board)
            ranges = self._ranges(board, entry, here.live)[0]
            solver, _, _ = new_two_streets(self.game, board, int(entry[0]), ranges, VARIANT)
            solver.iterate(TURN_ITERATIONS)
            hands = self._hands(board, here.cards)
            yield solved_rows(self._grid, hands, solver.betting, ranges, solver.strategies()), 1

    def _draw_entries(self, count: int, rng: np.random.Generator) -> Longs:
        """Nodes at which the street begins, at the end of random lines without folds."""
        tree = self.game.tree
        entries: list[int] = []
        while len(entries) < count:
            node = 0
            while tree.is_decision[node] and tree.street[node] < self.street:
                raises = tree.legal[node, RAISE] and rng.random() < RAISE_SHARE
                node = int(tree.children[node, RAISE if raises else CALL])
            if tree.is_decision[node]:  # nobody is all-in
                entries.append(node)
        return np.array(entries)

    def _ranges(self, board: Cards, entries: Longs, live: Longs) -> Floats:
        """Both players' ranges, each with a share of unexpected hands. [n, 2, L]"""
        boards = np.repeat(board[None], len(entries), axis=0)
        reach = self._trunk.ranges(boards, entries)[:, :, live]
        totals = reach.sum(axis=2, keepdims=True)
        uniform = 1 / len(live)
        shares = np.divide(reach, totals, out=np.full_like(reach, uniform), where=totals > 0)
        return ((1 - UNEXPECTED) * shares + UNEXPECTED * uniform).astype(np.float32)

    def _hands(self, board: Cards, cards: Cards) -> BoardStrengths:
        rows = np.empty((len(cards), NUM_SLOTS), np.uint8)
        rows[:, :2], rows[:, 2:] = cards, board
        canonical_board = canonical_boards(rows[:1])[0]
        if self._is_last():  # all hands of a board together take a fraction of the time
            rates = win_rates(board[None, : self.game.rules.visible_board[self.street]])[0]
            high, low = cards.max(axis=1).astype(np.intp), cards.min(axis=1).astype(np.intp)
            strengths = rates[high * (high - 1) // 2 + low]
            return BoardStrengths(canonical_board, strengths, np.zeros(len(cards), np.uint8))
        views = Views(self.game, canonical(rows))
        every = np.arange(len(views))
        return BoardStrengths(canonical_board, views.strengths(every), views.buckets(every))


def solve_chunk(teacher: Teacher, count: int, key: list[int], progress: Advance) -> SolvedRows:
    """`Teacher.solve` as workers call it, with a generator keyed by what is solved."""
    return teacher.solve(count, np.random.default_rng(key), progress)


def _board(cards: Cards) -> Cards:
    """Visible cards with empty slots behind them. → [5]"""
    board = np.full(NUM_BOARD, NO_CARD, np.uint8)
    board[: len(cards)] = cards
    return board
