"""A game of a user's own: an `Emulator` in a user's file, `module:name`, compiled as ours are.

The class or function is called without arguments and makes an emulator, which says by `rules` how
the cards are dealt and by `start`, `act` and `legal` how the betting goes. Everything fast works on
the compiled betting tree and ranks hands itself. So before the tree is used, hands are played at
random through the emulator and must be the hands of the tree: the same players to act, the same
legal actions, chips and payoffs. The tree is walked anew in every process, because no cache can
know when a user's code has changed.
"""

from __future__ import annotations

import hashlib
from dataclasses import fields

import numpy as np

from env.actions import CALL, FOLD, NUM_ACTIONS
from env.betting_tree import DECISION, BettingTree
from env.compiler import walk
from env.deals import showdown_results
from env.extensions import ExtensionError, described, guarded, is_extension, made
from env.game import Game, load_game
from env.rules import PRESETS, Rules, parse_rules
from env.states import Emulator, State

CHECKED_HANDS = 60  # played through the emulator and the tree side by side


def names_own_game(text: str) -> bool:
    """Whether a game's name is `module:name`, and not a preset with changes."""
    return is_extension(text) and text.partition(":")[0] not in PRESETS


def rules_named(text: str) -> Rules:
    """The rules of a game that the user names; those of a user's own game run its code."""
    return emulator_named(text).rules if names_own_game(text) else parse_rules(text)


def game_named(text: str) -> Game:
    """The game that the user names: a preset, own rules, or a game of the user's own."""
    if not names_own_game(text):
        return load_game(text)
    emulator = emulator_named(text)
    tree = guarded(text, lambda: walk(emulator, counts_first=False))
    game = Game(emulator.rules, tree, own=text)
    _check_tree(text, tree, game.rules)
    guarded(text, lambda: _check_hands(text, emulator, game))
    return game


def emulator_named(text: str) -> Emulator:
    """The emulator that `module:name` makes."""
    found = made(text)
    if not isinstance(found, Emulator) or not isinstance(getattr(found, "rules", None), Rules):
        raise ExtensionError(
            f"{text} makes {described(found)}, which is no emulator: a game is a subclass of "
            "env.Emulator that hands its Rules to Emulator.__init__"
        )
    return found


def tree_digest(tree: BettingTree) -> str:
    """What a betting tree is known by: it changes with whatever the betting does."""
    digest = hashlib.sha256()
    for field in fields(tree):
        digest.update(np.ascontiguousarray(getattr(tree, field.name), np.int64).tobytes())
    return digest.hexdigest()


def _check_tree(text: str, tree: BettingTree, rules: Rules) -> None:
    """What all code that works on trees takes for granted."""
    decisions = np.flatnonzero(tree.is_decision)
    to_call = (
        tree.contributions.max(axis=1)
        - tree.contributions[np.arange(len(tree)), np.maximum(tree.actor, 0)]
    )
    steps = tree.street[1:] - tree.street[tree.parent[1:]]
    for is_wrong, what in (
        (~np.isin(tree.actor[decisions], (0, 1)), "the player to act is neither 0 nor 1"),
        (~tree.legal[decisions, CALL], "CALL is not legal, but every decision must allow it"),
        (
            tree.legal[decisions, FOLD] & (to_call[decisions] <= 0),
            "FOLD is legal although there is nothing to call",
        ),
    ):
        if is_wrong.any():
            node = int(decisions[is_wrong.argmax()])
            raise ExtensionError(f"{text}: after {tree.text(node)!r} {what}")
    if len(steps) and (steps.min() < 0 or steps.max() > 1 or tree.street.max() >= rules.streets):
        raise ExtensionError(
            f"{text}: streets must come one by one, and be {rules.streets} at most"
        )
    if not len(decisions):
        raise ExtensionError(f"{text}: nobody is ever to act")


def _check_hands(text: str, emulator: Emulator, game: Game) -> None:
    """Random hands, each with cards of its own, played in the emulator and on the tree."""
    rng = np.random.default_rng(0)
    for _ in range(CHECKED_HANDS):
        state, node = emulator.start(rng), 0
        while True:
            _check_state(text, emulator, game, state, node)
            if state.is_terminal:
                break
            action = int(rng.choice(np.flatnonzero(game.tree.legal[node])))
            state, node = emulator.act(state, action), int(game.tree.children[node, action])


def _check_state(text: str, emulator: Emulator, game: Game, state: State, node: int) -> None:
    tree = game.tree
    pairs = [
        ("the player to act", state.actor, int(tree.actor[node])),
        ("the street", state.street, int(tree.street[node])),
        ("the chips paid", tuple(state.contributions), tuple(tree.contributions[node].tolist())),
        ("whether the hand is over", state.is_terminal, tree.node_type[node] != DECISION),
    ]
    if state.is_terminal:
        result = showdown_results(np.array([state.deal], np.uint8))
        won = int(tree.payoffs(np.array([node]), result)[0])
        pairs.append(("the payoff of player 0", emulator.payoffs(state)[0], won))
    else:
        legal = tuple(bool(emulator.legal(state)[a]) for a in range(NUM_ACTIONS))
        pairs.append(("what is legal", legal, tuple(tree.legal[node].tolist())))
    for what, emulated, compiled in pairs:
        if emulated != compiled:
            raise ExtensionError(
                f"{text} cannot be compiled: {what} after {tree.text(node)!r} is {emulated} with "
                f"some cards, but {compiled} on the betting tree; the betting must not depend on "
                "the cards, and the better poker hand wins what both players paid"
            )
