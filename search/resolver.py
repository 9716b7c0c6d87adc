"""Continual re-solving (Moravčík et al. 2017): public states in, strategies out.

On the first searched street the blueprint gives both players' ranges. On the street after it they
come from the solution of the street before, and so does what the opponent could have with each
hand; the blueprint is no longer asked. Every solution is a function of its public state and of the
settings alone, unless they give a time instead of a number of iterations.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from env.arrays import Floats, Longs
from env.boards import private_hands
from env.cards import NO_CARD, Cards
from env.game import Game
from env.progress import NewBar, no_bar
from policies.policy import Policy
from search.betting import Betting, make_betting
from search.continuation import Continuation, Situation, continuation, new_two_streets
from search.gadgets import UNSAFE
from search.last_street import LastStreet, Subgames, responses
from search.public_state import BoardHands, canonical_board, hands_on
from search.runouts import street_hands
from search.settings import BEST_RESPONSE, SearchSettings
from search.solutions import BOTH, Cache, PublicState, Solution, places
from search.trunk import Trunk
from search.two_streets import TwoStreets
from search.variants import VARIANTS

CACHE_BYTES = 512 << 20  # of solutions of the last street, and as much again of the one before
_AT_ONCE = 64  # subgames solved side by side; bounds memory
_CHUNK = 4  # iterations between looks at the clock, or between reports of progress
# Without a gadget, the range that the opponent is assumed to hold is mixed with so much of the
# uniform one: what the blueprint never does, opponents do all the same, and the solution must have
# an answer to it.
UNEXPECTED = 0.03


@dataclass
class Resolver:
    """Solves public states of one game on top of a blueprint."""

    game: Game
    blueprint: Policy
    settings: SearchSettings
    progress: NewBar = no_bar  # how far each solve is
    _solved: Cache[Solution] = field(default_factory=lambda: Cache(CACHE_BYTES))
    _continued: Cache[Continuation] = field(default_factory=lambda: Cache(CACHE_BYTES))

    def __post_init__(self) -> None:
        self.trunk = Trunk(self.game, self.blueprint)
        self.entries = entries_of(self.game)  # [N] where the street of each node began
        self._bettings: dict[int, Betting] = {}  # of the last street, by entry
        self._last = self.game.rules.streets - 1
        self._hands = private_hands(self.game.rules)

    def solve(self, states: Sequence[PublicState]) -> dict[PublicState, Solution]:
        """The solutions of some public states, each solved if it is not known."""
        found: dict[PublicState, Solution] = {}
        missing: list[PublicState] = []
        for state in dict.fromkeys(states):
            if int(self.game.tree.street[state.entry]) < self._last:
                found[state] = self._continuation(state).solution
            elif (known := self._solved.get(state)) is not None:
                found[state] = known
            else:
                missing.append(state)
        for group in self._alike(missing):
            for state, solution in zip(group, self._solve_last(group), strict=True):
                self._solved.put(state, solution)
                found[state] = solution
        return found

    def _alike(self, states: list[PublicState]) -> list[list[PublicState]]:
        """Public states in groups that can be solved as one batch."""
        groups: dict[bytes, list[PublicState]] = {}
        for state in states:
            groups.setdefault(self._betting(state).shape, []).append(state)
        return [
            group[start : start + _AT_ONCE]
            for group in groups.values()
            for start in range(0, len(group), _AT_ONCE)
        ]

    def _betting(self, state: PublicState) -> Betting:
        """The betting of the last street below an entry."""
        if state.entry not in self._bettings:
            self._bettings[state.entry] = make_betting(self.game.tree, state.entry, is_last=True)
        return self._bettings[state.entry]

    def _solve_last(self, states: list[PublicState]) -> list[Solution]:
        """A batch of subgames of the last street."""
        bettings = [self._betting(state) for state in states]
        hands = [hands_on(self.game.rules, state.board) for state in states]
        resolvers = np.array([state.resolver for state in states], np.int32)
        situations = self._situations(states, hands)
        gadget = self.settings.gadget
        unexpected = UNEXPECTED if gadget == UNSAFE else 0.0
        subgames = Subgames(
            cards=np.stack([here.cards for here in hands]),
            ties=np.stack([here.ties for here in hands]),
            classes=np.stack([here.classes for here in hands]),
            stakes=np.stack([betting.stakes for betting in bettings]),
            ranges=np.stack(
                [
                    scaled(one.ranges, unexpected, player)
                    for one, player in zip(situations, resolvers, strict=True)
                ]
            ),
            alternatives=np.stack(
                [_known_alternatives(one, p) for one, p in zip(situations, resolvers, strict=True)]
            ),
        )
        if gadget != UNSAFE and situations[0].alternatives is None:
            values = self._alternatives(states, bettings, hands, subgames)
            subgames = subgames._replace(alternatives=values)
        variant = VARIANTS[self.settings.variant]
        solver = LastStreet(bettings[0], subgames, gadget, resolvers, variant)
        self._run(solver, is_last_street=True)
        return [
            Solution(betting.decisions, places(here.live, len(self._hands)), strategies)
            for betting, here, strategies in zip(bettings, hands, solver.strategies(), strict=True)
        ]

    def _situations(self, states: list[PublicState], hands: list[BoardHands]) -> list[Situation]:
        """How play came here, by the blueprint or by the solution of the street before."""
        if self.settings.first_street < self._last:
            return [
                self._continuation(self._before(state)).situation(
                    state.board, state.entry, here, state.resolver
                )
                for state, here in zip(states, hands, strict=True)
            ]
        entries = np.array([state.entry for state in states])
        ranges = self.trunk.ranges(_boards(states), entries)
        return [
            Situation(both[:, here.live].astype(np.float32))
            for both, here in zip(ranges, hands, strict=True)
        ]

    def _alternatives(
        self,
        states: list[PublicState],
        bettings: list[Betting],
        hands: list[BoardHands],
        subgames: Subgames,
    ) -> Floats:
        """What the opponents could have against the blueprint. [n, L]"""
        num_decisions = len(bettings[0].actor)
        boards = np.repeat(_boards(states), num_decisions, axis=0)
        nodes = np.concatenate([betting.decisions for betting in bettings])
        asked = self.trunk.strategies(boards, self._hands, nodes)
        by_state = asked.reshape(len(states), num_decisions, len(self._hands), 3)
        blueprint = np.stack(
            [rows[:, here.live].swapaxes(0, 1) for rows, here in zip(by_state, hands, strict=True)]
        ).astype(np.float32)
        best = self.settings.alternatives == BEST_RESPONSE
        opponents = np.array([1 - state.resolver for state in states], np.int32)
        return responses(bettings[0], subgames, blueprint, opponents, best)

    def _before(self, state: PublicState) -> PublicState:
        """The public state in which the street before the last one began."""
        rules, tree = self.game.rules, self.game.tree
        board = np.frombuffer(state.board, np.uint8).copy()
        board[rules.visible_board[self._last - 1] :] = NO_CARD
        entry = int(self.entries[tree.parent[state.entry]])
        return PublicState(canonical_board(board).board.tobytes(), entry, state.resolver)

    def _continuation(self, state: PublicState) -> Continuation:
        """The solution of the street before the last one, and how play goes on."""
        state = state._replace(resolver=BOTH)
        known = self._continued.get(state)
        if known is not None:
            return known
        board = np.frombuffer(state.board, np.uint8)
        hands = street_hands(self.game.rules, board)
        reach = self.trunk.ranges(board[None], np.array([state.entry]))[0][:, hands.live]
        solver, leaves, boards = new_two_streets(
            self.game,
            board,
            state.entry,
            scaled(reach.astype(np.float32), UNEXPECTED),
            VARIANTS[self.settings.variant],
        )
        self._run(solver, is_last_street=False)
        best = self.settings.alternatives == BEST_RESPONSE
        found = continuation(solver, leaves, boards, hands.live, len(self._hands), best=best)
        self._continued.put(state, found)
        return found

    def _run(self, solver: LastStreet | TwoStreets, *, is_last_street: bool) -> None:
        """Iterate as long as the settings say."""
        if self.settings.milliseconds:
            self._run_for(solver, self.settings.milliseconds)
            return
        left = self.settings.iterations_for(
            self.game.rules, solver.num_hands, is_last_street=is_last_street
        )
        advance = self.progress("solving", left)
        while left:
            now = left if self.progress is no_bar else min(_CHUNK, left)
            solver.iterate(now)
            left -= now
            advance(now)

    def _run_for(self, solver: LastStreet | TwoStreets, milliseconds: int) -> None:
        """Iterate until a time is over."""
        advance = self.progress("solving", milliseconds)
        start, told = time.perf_counter(), 0
        while told < milliseconds:
            solver.iterate(_CHUNK)
            now = min(int(1000 * (time.perf_counter() - start)), milliseconds)
            advance(now - told)
            told = now


def scaled(ranges: Floats, unexpected: float = 0.0, resolver: int = BOTH) -> Floats:
    """Ranges that sum to one, with a share of unexpected hands in all but a resolver's. [2, L]"""
    out = np.empty_like(ranges)
    for player, range_ in enumerate(ranges):
        total = range_.sum(dtype=np.float64)
        out[player] = range_ / total if total > 0 else 1 / len(range_)
        if player != resolver:
            out[player] = (1 - unexpected) * out[player] + unexpected / len(range_)
    return out


def entries_of(game: Game) -> Longs:
    """Where the street of each node began. [N]"""
    tree = game.tree
    entries = np.arange(len(tree))
    for node in range(1, len(tree)):  # parents come first
        parent = tree.parent[node]
        if tree.street[parent] == tree.street[node]:
            entries[node] = entries[parent]
    return entries


def _known_alternatives(situation: Situation, resolver: int) -> Floats:
    """What the opponent could have, for a range of the resolver's that sums to one. [L]"""
    if situation.alternatives is None:
        return np.zeros(situation.ranges.shape[1], np.float32)
    total = situation.ranges[resolver].sum()
    return situation.alternatives / (total if total > 0 else 1)


def _boards(states: list[PublicState]) -> Cards:
    """[n, 5]"""
    return np.array([np.frombuffer(state.board, np.uint8) for state in states])
