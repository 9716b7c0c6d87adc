"""Held-out rows: whole boards, so that learning deals by heart is seen for what it is."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from deep_cfr.fitting.validation import held_out
from deep_cfr.memory import make_rows
from deep_cfr.sampling.external_sampling import traverse
from deep_cfr.sampling.range_sampling import RangeSampling, traverse_ranges
from env.cards import NO_CARD, NUM_SLOTS, canonical
from env.game import load_game
from env.rules import HULH_80, LEDUC, Rules
from policies.fixed import uniform_policy


def memory(rules: Rules, deals: int) -> NDArray[np.void]:
    """What traversals by uniformly random players leave behind."""
    game = load_game(rules)
    policy = uniform_policy(game.tree)
    return traverse(game, (policy, policy), 0, 1, deals, np.random.default_rng(0)).advantages


@pytest.mark.parametrize("hands", [0, 12])
def test_rows_of_a_board_stay_together(hands: int) -> None:
    """Each traversal is of one board, here with one deal or with many hands on it."""
    game, rng = load_game(HULH_80), np.random.default_rng(0)
    seats = (uniform_policy(game.tree), uniform_policy(game.tree))
    sampling = RangeSampling(0, 1, num_traversals=20, num_boards=1, num_hands=hands)
    boards = [
        traverse_ranges(game, seats, sampling, rng).advantages
        if hands
        else traverse(game, seats, 0, 1, 1, rng).advantages
        for _ in range(150)
    ]
    held = held_out(np.concatenate(boards), 0.2, np.random.default_rng(1))
    parts = np.split(held, np.cumsum([len(rows) for rows in boards])[:-1])
    on_flops = [
        part[rows["cards"][:, 2] != NO_CARD] for part, rows in zip(parts, boards, strict=True)
    ]
    shares = np.array([part.mean() for part in on_flops if len(part)])
    assert set(shares) == {0.0, 1.0}
    assert 0.08 < shares.mean() < 0.35
    before = np.concatenate([rows["cards"][:, 2] == NO_CARD for rows in boards])
    assert 0.1 < held[before].mean() < 0.3


def test_toy_games_hold_out_single_rows() -> None:
    rows = memory(LEDUC, 2_000)
    held = held_out(rows, 0.25, np.random.default_rng(1))
    assert held.mean() == pytest.approx(0.25, abs=0.02)
    views = {bytes(view) for view in rows["cards"][held]}
    assert views == {bytes(view) for view in rows["cards"][~held]}, "no view is withheld"


@pytest.mark.parametrize(("fraction", "number"), [(0.0, 500), (0.999999, 1), (0.5, 0)])
def test_something_is_left_to_learn_from(fraction: float, number: int) -> None:
    cards = np.zeros((number, NUM_SLOTS), np.uint8)
    rows = make_rows(cards, np.zeros(number, int), 1, np.zeros((number, 3), np.float32))
    assert not held_out(rows, fraction, np.random.default_rng(0)).any()


def test_noise_of_deals_is_not_mistaken_for_knowledge() -> None:
    """A predictor that knows each deal's mean by heart is perfect on rows held out one by one."""
    rng = np.random.default_rng(5)
    deals, rows_each = 400, 30
    deck = np.array([rng.permutation(52)[:5] for _ in range(deals)], np.uint8)
    cards = np.full((deals * rows_each, NUM_SLOTS), NO_CARD, np.uint8)
    cards[:, :5] = np.repeat(deck, rows_each, axis=0)
    noise = np.repeat(rng.normal(size=deals), rows_each)
    targets = np.tile(noise[:, None], 3).astype(np.float32)
    rows = make_rows(canonical(cards), np.zeros(len(cards), int), 1, targets)

    def error_by_heart(held: NDArray[np.bool_]) -> float:
        known = {bytes(row["cards"]): row["targets"][0] for row in rows[~held]}
        guesses = np.array([known.get(bytes(row["cards"]), 0.0) for row in rows[held]])
        return float(np.mean((guesses - rows["targets"][held, 0]) ** 2))

    assert error_by_heart(rng.random(len(rows)) < 0.1) < 0.01
    assert error_by_heart(held_out(rows, 0.1, rng)) > 0.7
