"""Cards that look alike are solved once, and give what they give when each is solved by itself."""

from __future__ import annotations

import numpy as np
import pytest

from env.arrays import Floats
from env.cards import Cards, parse_cards
from env.game import Game, load_game
from search.betting import make_betting
from search.gadgets import UNSAFE
from search.public_state import hands_on
from search.runouts import StreetHands, make_runouts, street_hands
from search.two_streets import LastStreetLeaves, Runouts, TwoStreets
from search.variants import VARIANTS

ALIKE = [
    # Boards of decks in which two, two pairs of, or three suits cannot be told apart.
    ("hulh:ranks=QKA,suits=cdhs,max_raises=1/1/1/1", "Ac Kc Qc Ad", (8, 5)),
    ("hulh:ranks=TJQKA,suits=cdh,max_raises=1/1/1/1", "Ac Kc Qc Jc", (11, 6)),
    ("hulh:ranks=QKA,suits=cdhs,max_raises=1/1/1/1", "Ac Ad Kc Kd", None),
    ("hulh:ranks=JQKA,suits=cdhs,max_raises=1/1/1/1,stack=45", "Ac Ad Ah Kh", None),
]


def board_of(text: str) -> Cards:
    return np.array([*parse_cards(text), 52], np.uint8)


def every_card(game: Game, board: Cards, hands: StreetHands) -> Runouts:
    """All cards that can come, each one by itself."""
    rules = game.rules
    place = {int(hand): row for row, hand in enumerate(hands.live)}
    cards = [card for card in rules.deck if card not in board]
    found = []
    for card in cards:
        full = board.copy()
        full[4] = card
        found.append(hands_on(rules, full.tobytes()))
    chance = 1 / (len(rules.deck) - 4 - 4)
    return Runouts(
        cards=np.array(cards, np.uint8),
        live=np.array([[place[int(hand)] for hand in one.live] for one in found], np.int32),
        hands=np.stack([one.cards for one in found]),
        ties=np.stack([one.ties for one in found]),
        classes=np.stack([one.classes for one in found]),
        weights=np.full(len(cards), chance, np.float32),
    )


def solver_of(game: Game, board: Cards, runouts: Runouts, ranges: Floats) -> TwoStreets:
    hands = street_hands(game.rules, board)
    entry = [e for e in game.tree.entries(2) if game.tree.is_decision[e]][-1]
    betting = make_betting(game.tree, int(entry), is_last=False)
    below = [make_betting(game.tree, int(leaf), is_last=True) for leaf in betting.leaves]
    alone = np.arange(len(hands.live), dtype=np.int32)
    merged = len(runouts.cards) < len(game.rules.deck) - 4
    classes = hands.classes if merged else alone
    leaves = LastStreetLeaves(below, runouts, classes, predicts=False)
    return TwoStreets(
        betting=betting,
        hands=hands.cards,
        classes=classes,
        ranges=ranges,
        alternatives=np.zeros(len(hands.live), np.float32),
        gadget=UNSAFE,
        resolver=0,
        variant=VARIANTS["dcfr"],
        leaves=leaves,
    )


def both_solvers(
    text: str, cards: str, numbers: tuple[int, int] | None, iterations: int
) -> tuple[TwoStreets, TwoStreets]:
    """The same subgame with cards merged and with every card by itself."""
    game, board = load_game(text), board_of(cards)
    hands = street_hands(game.rules, board)
    merged, _ = make_runouts(game.rules, board, hands)
    alone = every_card(game, board, hands)
    assert len(merged.cards) < len(alone.cards)
    assert numbers is None or (len(alone.cards), len(merged.cards)) == numbers
    assert merged.weights.sum() == pytest.approx(alone.weights.sum())
    drawn = np.random.default_rng(0).random((2, len(hands.live)))
    drawn = drawn[:, hands.classes]  # suit-symmetric, as reach always is
    ranges = (drawn / drawn.sum(axis=1, keepdims=True)).astype(np.float32)
    first, second = (solver_of(game, board, runouts, ranges) for runouts in (merged, alone))
    first.iterate(iterations)
    second.iterate(iterations)
    return first, second


@pytest.mark.parametrize(("text", "cards", "numbers"), ALIKE)
def test_merged_cards_give_what_all_cards_give(
    text: str, cards: str, numbers: tuple[int, int] | None
) -> None:
    """Two iterations are compared: later on, rounding decides between actions worth the same."""
    merged, alone = both_solvers(text, cards, numbers, 2)
    np.testing.assert_allclose(merged.strategies(), alone.strategies(), rtol=0, atol=1e-6)
    for player in (0, 1):
        for best in (True, False):
            few, all_of_them = (one.responses(player, best) for one in (merged, alone))
            np.testing.assert_allclose(few, all_of_them, rtol=0, atol=1e-6 * np.abs(few).max())
            assert np.ptp(few) > 0.1 * np.abs(few).max(), "hands are worth different amounts"


@pytest.mark.parametrize(("text", "cards", "numbers"), ALIKE)
def test_both_find_the_same_equilibrium(
    text: str, cards: str, numbers: tuple[int, int] | None
) -> None:
    merged, alone = both_solvers(text, cards, numbers, 1000)
    for player in (0, 1):
        worth = [
            float((solver.ranges[player] * solver.responses(player, True)).sum())
            for solver in (merged, alone)
        ]
        assert worth[0] == pytest.approx(worth[1], abs=0.01), "chips"
