"""How fast search is: one river, one turn, and what evaluations and matches get through.

The shipped `hulh` model brings its ranges to random public states. Compared with the solver: the
same iterations in plain NumPy, where a showdown is a product with the matrix of who beats whom, as
one would write it first; and a batch of rivers with the same rivers one after the other.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

import numpy as np

import agents
from agents.agent import Agent
from arena.match import match
from benchmarks.measuring import Figure, alternating_rates, measure, parse_arguments, rate, report
from benchmarks.search_variants import MODELS, new_river, new_turn, random_places
from env.arrays import Doubles
from env.boards import private_hands
from env.cards import Cards, canonical
from env.game import load_game
from env.range_views import overlaps
from evaluation.local_best_response import local_best_response
from models.loading import load_answers
from search.betting import Betting
from search.gadgets import MIXED
from search.last_street import LastStreet, Subgames
from search.public_state import hands_on
from search.settings import LAST_STREET_ITERATIONS, TWO_STREETS_ITERATIONS
from search.variants import VARIANTS

RIVER, TURN = 3, 2
VARIANT = VARIANTS["dcfr+"]
PLACES = 16  # rivers of a batch


def river_figures(seconds: float) -> list[Figure]:
    """Solving rivers: one at a time, as a batch, and in plain NumPy."""
    saved = load_answers(MODELS / "hulh")
    places = random_places(saved.game, RIVER, PLACES, seed=0)
    rivers = [new_river(saved, place, VARIANT).solver for place in places]
    stacked = [river.subgames for river in rivers]
    batch = Subgames(*(np.concatenate(parts) for parts in zip(*stacked, strict=True)))
    board = hands_on(saved.game.rules, places[0].board.tobytes())
    matrix = PlainSolver(rivers[0].betting, rivers[0].subgames, board.cards)

    def fresh(subgames: Subgames) -> LastStreet:
        resolvers = np.zeros(len(subgames.cards), np.int32)
        return LastStreet(rivers[0].betting, subgames, MIXED, resolvers, VARIANT)

    def single() -> int:
        for river in rivers:
            fresh(river.subgames).iterate(LAST_STREET_ITERATIONS)
        return PLACES

    def together() -> int:
        fresh(batch).iterate(LAST_STREET_ITERATIONS)
        return PLACES

    def plain() -> int:
        matrix.iterate(1)
        return 1

    one, many = alternating_rates([single, together], seconds)
    slow = rate(plain, seconds) / LAST_STREET_ITERATIONS
    iterations = f"{LAST_STREET_ITERATIONS} iterations"
    return [
        Figure("river_ms", f"one river, {iterations}", 1000 / one, "ms", 10, at_most=True),
        Figure("rivers_per_s", f"rivers, {PLACES} at once", many, "/s"),
        Figure("river_batch_ratio", "  ratio to one after the other", many / one, "×"),
        Figure("plain_rivers_per_s", "rivers in plain NumPy, as many iterations", slow, "/s"),
        Figure("river_plain_ratio", "one river: ratio to plain NumPy", one / slow, "×"),
    ]


def decision_figures(seconds: float) -> list[Figure]:
    """Whole decisions on rivers never seen before: ranges, alternatives and the solution."""
    (agent,) = agents.load(f"search:{MODELS / 'hulh'}")
    game, seed = load_game(agent.rules), iter(range(1, 1 << 31))
    hands = private_hands(game.rules)

    def decide() -> int:
        for place in random_places(game, RIVER, PLACES, next(seed)):
            possible = hands[~overlaps(hands, place.board)]
            view = canonical(np.concatenate([possible[0], place.board]))
            agent.policy.strategies(view[None], np.array([place.entry]))
        return PLACES

    found = 1000 / rate(decide, seconds)
    return [Figure("decision_ms", "a river decision, everything included", found, "ms")]


def turn_figures(_: float) -> list[Figure]:
    """Solving turns with all that can come."""
    saved = load_answers(MODELS / "hulh")
    places = random_places(saved.game, TURN, 4, seed=0)
    turns = [new_turn(saved, place, VARIANT).solver for place in places]
    turns.pop().iterate(1)  # warms up
    start = time.perf_counter()
    for turn in turns:
        turn.iterate(TWO_STREETS_ITERATIONS)
    seconds = (time.perf_counter() - start) / len(turns)
    meaning = f"one turn with all rivers, {TWO_STREETS_ITERATIONS} iterations"
    return [Figure("turn_s", meaning, seconds, "s", 2, at_most=True)]


def table_figures(seconds: float) -> list[Figure]:
    """Local best response and matches against a model that searches the river."""
    (model,) = agents.load(MODELS / "hulh")
    figures = []
    for name, options in (("mixed", ":gadget=mixed"), ("unsafe", ":gadget=unsafe")):
        spec = f"search:{MODELS / 'hulh'}{options}"
        hands, played = _hands_per_second(spec, model, seconds)
        figures += [
            Figure(f"lbr_{name}_per_s", f"local best response, {name}", hands, "hands/s", 50),
            Figure(f"match_{name}_per_s", f"match with the model, {name}", played, "hands/s", 50),
        ]
    return figures


def _hands_per_second(spec: str, model: Agent, seconds: float) -> tuple[float, float]:
    """Every call has new boards, so that nothing is known from the one before."""
    game, rng = load_game(model.rules), np.random.default_rng(0)
    (agent,) = agents.load(spec)

    def bound() -> int:
        return local_best_response(game, agent.policy, 256, rng, boards_per_batch=1).hands

    def played() -> int:
        return match(game, agent.policy, model.policy, 256, int(rng.integers(1 << 31))).hands

    return rate(bound, seconds), rate(played, seconds)


class PlainSolver:
    """CFR+ in one river with NumPy. [L, L] matrices say who beats whom and who meets whom."""

    def __init__(self, betting: Betting, subgames: Subgames, cards: Cards) -> None:
        self._betting, self._subgames = betting, subgames
        ranks = subgames.ties[0, :, 0]
        self._meets: Doubles = (~overlaps(cards, cards)).astype(np.float64)
        self._beats: Doubles = np.sign(ranks[:, None] - ranks[None, :]).astype(np.float64)
        self._beats *= self._meets
        shape = (len(cards), len(betting.actor), 3)
        legal = betting.children >= 0
        self._strategy = np.broadcast_to(legal / legal.sum(axis=1, keepdims=True), shape).copy()
        self._regrets, self._average = np.zeros(shape), np.zeros(shape)
        self._t = 0

    def iterate(self, iterations: int) -> None:
        """So many more iterations."""
        for _ in range(iterations):
            self._t += 1
            for player in (0, 1):
                reach = self._subgames.ranges[0, 1 - player].astype(np.float64)
                self._value(0, player, reach, np.ones(len(reach)))

    def _value(self, column: int, player: int, reach: Doubles, own: Doubles) -> Doubles:
        betting = self._betting
        if column >= betting.first_fold:
            stake = float(self._subgames.stakes[0, column])
            if column >= betting.first_showdown:
                return stake * (self._beats @ reach)
            return (stake if player == 0 else -stake) * (self._meets @ reach)
        actions = np.flatnonzero(betting.children[column] >= 0)
        children = betting.children[column, actions]
        strategy = self._strategy[:, column, actions]
        if betting.actor[column] != player:
            return sum(
                (
                    self._value(int(child), player, reach * strategy[:, i], own)
                    for i, child in enumerate(children)
                ),
                np.zeros(len(reach)),
            )
        values = np.stack(
            [
                self._value(int(child), player, reach, own * strategy[:, i])
                for i, child in enumerate(children)
            ],
            axis=1,
        )
        mean = (strategy * values).sum(axis=1)
        self._average[:, column, actions] += self._t * own[:, None] * strategy
        regrets = np.maximum(self._regrets[:, column, actions] + values - mean[:, None], 0)
        self._regrets[:, column, actions] = regrets
        total = regrets.sum(axis=1, keepdims=True)
        uniform = np.full_like(regrets, 1 / len(actions))
        self._strategy[:, column, actions] = np.divide(regrets, total, out=uniform, where=total > 0)
        return mean


def main() -> None:
    arguments = parse_arguments(__doc__ or "")
    steps = [river_figures, decision_figures, turn_figures, table_figures]
    figures = measure([partial(step, arguments.seconds) for step in steps])
    report(figures, arguments.json)


if __name__ == "__main__":
    main()
