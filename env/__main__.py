"""`python -m env GAME`: the rules, the betting tree and one random hand of a game."""

from __future__ import annotations

import argparse
import sys

import numpy as np

from env.betting_tree import BettingTree
from env.emulator import make_emulator
from env.own_game import emulator_named, game_named, names_own_game, rules_named
from env.rules import PRESETS
from env.states import Emulator, State


def main() -> int:
    """Print what the arguments ask for; 2 and one line on stderr when they make no sense."""
    arguments = _parser().parse_args()
    try:
        is_own = names_own_game(arguments.game)
        rules = rules_named(arguments.game)
        emulator = emulator_named(arguments.game) if is_own else make_emulator(rules)
        tree = game_named(arguments.game).tree
        hand = _play(emulator, tree, arguments.line, np.random.default_rng(arguments.seed))
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    decisions = zip(rules.street_names, tree.decisions_by_street(rules.streets), strict=True)
    by_street = ", ".join(f"{name} {count:,}" for name, count in decisions)
    print(f"betting tree: {len(tree):,} nodes; decisions: {by_street}")
    print(emulator.transcript(hand))
    return 0


def _play(
    emulator: Emulator, tree: BettingTree, line: str | None, rng: np.random.Generator
) -> State:
    """A hand of random cards, and of random actions unless a betting line is given."""
    state = emulator.start(rng)
    if line is not None:
        for node in list(tree.path(tree.node(line)))[1:]:
            state = emulator.act(state, int(tree.action[node]))
        return state
    while not state.is_terminal:
        state = emulator.act(state, int(rng.choice(np.flatnonzero(emulator.legal(state)))))
    return state


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 up")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m env",
        description="Show a game: its rules, its betting tree and one hand with every card up.",
        epilog="Own rules: a preset with changes, lists with slashes, for example "
        "'hulh:stack=100,max_raises=3/3/3/3' or 'fhp:small_blind=1,big_blind=2,bet_sizes=2/4'. "
        "MODULE:NAME is a game in a file of yours (docs/how-to/own-game.md).",
    )
    parser.add_argument(
        "game", nargs="?", default="hulh", help=f"{', '.join(PRESETS)}, or own rules (see below)"
    )
    parser.add_argument(
        "--seed", type=_seed, default=0, help="of the cards and actions, 0 or more (default 0)"
    )
    parser.add_argument(
        "--line", metavar="HISTORY", help="betting to show instead of random actions, e.g. crc/cc/"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
