"""Which variant of CFR solves subgames fastest: exploitability against iterations and milliseconds.

Random public states of a street, with the ranges that a shipped model brings there. Exploitability
is exact inside the subgame, in thousandths of its pot. Times are of one subgame after the other.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

import numpy as np
from tqdm import tqdm

from benchmarks.measuring import machine
from env.arrays import Bytes, Doubles, Floats, Rows
from env.cards import NO_CARD, NUM_BOARD, Cards
from env.game import Game
from env.lanes import LANES
from env.ranges import sum_unblocked
from models.loading import SavedAnswers, load_answers
from search.betting import make_betting
from search.continuation import new_two_streets
from search.gadgets import UNSAFE
from search.last_street import LastStreet, Subgames, responses
from search.public_state import canonical_board, hands_on
from search.resolver import UNEXPECTED, scaled
from search.runouts import street_hands
from search.trunk import Trunk
from search.two_streets import TwoStreets
from search.variants import VARIANTS, Variant

MODELS = Path(__file__).resolve().parent.parent / "checkpoints" / "pretrained"
STREETS = {"river": ("hulh", 3), "turn": ("hulh", 2), "flop": ("fhp", 1)}
ITERATIONS = (10, 20, 30, 40, 60, 100, 200)


class Place(NamedTuple):
    """A public state at which a street begins."""

    board: Cards  # [5]
    entry: int


class Solver(Protocol):
    """A subgame being solved."""

    def iterate(self, iterations: int) -> None: ...


class Measured(Protocol):
    """A subgame being solved, whose exploitability can be asked for."""

    @property
    def solver(self) -> Solver: ...

    def exploitability(self) -> float:
        """In thousandths of the pot."""
        ...


def random_places(game: Game, street: int, count: int, seed: int) -> list[Place]:
    """Boards and entries drawn at random."""
    rng = np.random.default_rng(seed)
    entries = [n for n in game.tree.entries(street) if game.tree.is_decision[n]]
    shown = game.rules.visible_board[street]
    places = []
    for _ in range(count):
        board = np.full(NUM_BOARD, NO_CARD, np.uint8)
        board[:shown] = rng.choice(game.rules.deck, shown, replace=False)
        places.append(Place(canonical_board(board).board, int(rng.choice(entries))))
    return places


class River(NamedTuple):
    """A subgame of the last street."""

    solver: LastStreet
    per_pot: float  # of a counterfactual value

    def exploitability(self) -> float:
        subgames, strategies = self.solver.subgames, self.solver.strategies()
        gains = [
            responses(self.solver.betting, subgames, strategies, np.array([player], np.int32))
            for player in (0, 1)
        ]
        won = sum((gain * subgames.ranges[:, player]).sum() for player, gain in enumerate(gains))
        return float(won) * self.per_pot


class Turn(NamedTuple):
    """A subgame of two streets."""

    solver: TwoStreets
    per_pot: float

    def exploitability(self) -> float:
        gains = [self.solver.responses(player, best=True) for player in (0, 1)]
        won = sum((gain * self.solver.ranges[player]).sum() for player, gain in enumerate(gains))
        return float(won) * self.per_pot


def new_river(saved: SavedAnswers, place: Place, variant: Variant) -> River:
    """A subgame of the last street before its first iteration, with the model's ranges."""
    game = saved.game
    hands = hands_on(game.rules, place.board.tobytes())
    betting = make_betting(game.tree, place.entry, is_last=True)
    ranges = _ranges(saved, place, hands.live)
    subgames = Subgames(
        cards=hands.cards[None],
        ties=hands.ties[None],
        classes=hands.classes[None],
        stakes=betting.stakes[None],
        ranges=ranges[None],
        alternatives=np.zeros((1, len(hands.cards)), np.float32),
    )
    solver = LastStreet(betting, subgames, UNSAFE, np.zeros(1, np.int32), variant)
    return River(solver, _per_pot(game, place, hands.cards, ranges))


def new_turn(saved: SavedAnswers, place: Place, variant: Variant) -> Turn:
    """A subgame of two streets before its first iteration, with the model's ranges."""
    game = saved.game
    hands = street_hands(game.rules, place.board)
    ranges = _ranges(saved, place, hands.live)
    solver, _, _ = new_two_streets(game, place.board, place.entry, ranges, variant)
    return Turn(solver, _per_pot(game, place, hands.cards, ranges))


def _ranges(saved: SavedAnswers, place: Place, live: Rows) -> Floats:
    reach = Trunk(saved.game, saved.policy).ranges(place.board[None], np.array([place.entry]))[0]
    return scaled(reach[:, live].astype(np.float32), UNEXPECTED)


def _per_pot(game: Game, place: Place, cards: Bytes, ranges: Floats) -> float:
    """What turns both players' summed gains into thousandths of the pot for each."""
    theirs, sums = np.zeros((2, len(cards), LANES))
    theirs[:, 0] = ranges[1]
    sum_unblocked(cards, theirs, sums)
    mass = float((ranges[0] * sums[:, 0]).sum())
    return 1000 / (2 * mass * float(game.tree.contributions[place.entry].sum()))


def compare(
    saved: SavedAnswers, street: int, places: Sequence[Place], iterations: Sequence[int]
) -> dict[str, list[tuple[float, float]]]:
    """For each variant, mean exploitability and milliseconds after so many iterations."""
    found = {}
    for name, variant in VARIANTS.items():
        rows = np.zeros((len(iterations), 2))
        for place in tqdm(places, desc=name, disable=None, leave=False):
            measured: Measured
            if street == saved.game.rules.streets - 1:
                measured = new_river(saved, place, variant)
            else:
                measured = new_turn(saved, place, variant)
            rows += _course(measured, iterations)
        found[name] = [(float(error), float(ms)) for error, ms in rows / len(places)]
    return found


def _course(measured: Measured, iterations: Sequence[int]) -> Doubles:
    """Exploitability and milliseconds of one subgame. [iterations, 2]"""
    rows, done, seconds = [], 0, 0.0
    for count in iterations:
        start = time.perf_counter()
        measured.solver.iterate(count - done)
        seconds += time.perf_counter() - start
        done = count
        rows.append((measured.exploitability(), 1000 * seconds))
    return np.array(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--street", choices=STREETS, default="river", help="[river]")
    parser.add_argument("--subgames", type=int, default=50, metavar="N", help="[50]")
    parser.add_argument("--most", type=int, default=200, metavar="N", help="iterations [200]")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of boards and lines [0]")
    given = parser.parse_args()
    model, street = STREETS[given.street]
    saved = load_answers(MODELS / model)
    places = random_places(saved.game, street, given.subgames, given.seed)
    iterations = [count for count in ITERATIONS if count <= given.most]
    compare(saved, street, places[:1], iterations[:1])  # compiles the kernels
    found = compare(saved, street, places, iterations)
    print(f"{given.subgames} {given.street}s, exploitability in thousandths of the pot (ms)")
    print("| iterations | " + " | ".join(found) + " |")
    print("|---:|" + "---:|" * len(found))
    for row, count in enumerate(iterations):
        cells = [f"{found[name][row][0]:.2f} ({found[name][row][1]:.1f})" for name in found]
        print(f"| {count} | " + " | ".join(cells) + " |")
    print(f"on {machine()}")


if __name__ == "__main__":
    main()
