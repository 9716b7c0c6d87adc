"""How fast the game is: emulator, compiled playouts, hand ranking, canonical forms."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

# Run as a script, this folder comes first on the path and this file would hide the package `env`.
if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

import numpy as np
import pyspiel

from benchmarks.measuring import Figure, measure, parse_arguments, rate, report
from env.cards import canonical
from env.compiler import compile_tree
from env.deals import deal, visible_cards
from env.emulator import make_emulator
from env.game import Game, load_game
from env.hands import hand_ranks
from env.playouts import random_playouts
from env.rules import HULH, LEDUC

BATCH = 100_000
OPENSPIEL_HULH = (
    "universal_poker(betting=limit,numPlayers=2,numRounds=4,blind=5 10,firstPlayer=1 2 2 2,"
    "raiseSize=10 10 20 20,maxRaises=3 4 4 4,numSuits=4,numRanks=13,numHoleCards=2,"
    "numBoardCards=0 3 1 1,stack=2400 2400)"
)


def compiling() -> list[Figure]:
    """Walking the emulator once, and loading what the walk found."""
    emulator = make_emulator(HULH)
    load_game(LEDUC)  # what is imported and compiled on first use does not count
    with tempfile.TemporaryDirectory() as folder:
        seconds = []
        for _ in range(6):
            start = time.perf_counter()
            compile_tree(emulator, Path(folder))
            seconds.append(time.perf_counter() - start)
    loading = float(np.median(seconds[1:]))
    return [
        Figure("compile_s", "walk the hulh tree through PyPokerEngine", seconds[0], "s"),
        Figure("cache_load_s", "load it from the cache", loading, "s", 0.05, at_most=True),
    ]


def emulator_actions(seconds: float) -> list[Figure]:
    """Random hands, action by action, through PyPokerEngine."""
    emulator, rng = make_emulator(HULH), np.random.default_rng(0)
    lengths: list[int] = []  # actions of each hand, the one that warms up first
    # The first showdown loads the compiled ranking, and the hand that warms up may have none.
    hand_ranks(visible_cards(HULH, deal(HULH, 1, np.random.default_rng(0)), 0, 3))

    def play_one_hand() -> int:
        state = emulator.start(rng)
        while not state.is_terminal:
            state = emulator.act(state, int(rng.choice(np.flatnonzero(emulator.legal(state)))))
        emulator.payoffs(state)
        lengths.append(len(state.moves))
        return lengths[-1]

    actions = rate(play_one_hand, seconds)
    hands = actions / float(np.mean(lengths[1:]))
    return [
        Figure("emulator_actions_per_s", "emulator actions", actions, "/s"),
        Figure("emulator_hands_per_s", "  random hulh hands", hands, "/s"),
    ]


def playouts(game: Game, seconds: float) -> list[Figure]:
    """Uniformly random hands on the compiled tree, and the same in OpenSpiel."""
    rng = np.random.default_rng(0)
    ours = rate(lambda: len(random_playouts(game, BATCH, rng).nodes), seconds)
    openspiel_game = pyspiel.load_game(OPENSPIEL_HULH)
    python_random = random.Random(0)

    def play_one_hand() -> int:
        state = openspiel_game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(python_random.choice(state.legal_actions()))
        state.returns()
        return 1

    theirs = rate(play_one_hand, seconds)
    return [
        Figure("playouts_per_s", f"compiled random hulh hands, batch {BATCH:,}", ours, "/s"),
        Figure("openspiel_playouts_per_s", "the same in OpenSpiel's universal_poker", theirs, "/s"),
        Figure("openspiel_ratio", "ratio to OpenSpiel", ours / theirs, "×", 50),
    ]


def cards(seconds: float) -> list[Figure]:
    """Batch kernels over seven visible cards."""
    seen = visible_cards(HULH, deal(HULH, 1_000_000, np.random.default_rng(0)), 0, 3)
    rankings = rate(lambda: len(hand_ranks(seen)), seconds)
    forms = rate(lambda: len(canonical(seen)), seconds)
    return [
        Figure("rankings_per_s", "7-card rankings", rankings, "/s", 10_000_000),
        Figure("canonical_per_s", "suit-canonical forms of 7 cards", forms, "/s", 3_000_000),
    ]


def main() -> None:
    arguments = parse_arguments(__doc__ or "")
    game = load_game(HULH)
    figures = measure(
        [
            compiling,
            lambda: emulator_actions(arguments.seconds),
            lambda: playouts(game, arguments.seconds),
            lambda: cards(arguments.seconds),
        ]
    )
    report(figures, arguments.json)


if __name__ == "__main__":
    main()
