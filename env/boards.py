"""The hands players can hold and the boards that can come, merged where only suits differ."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from env.cards import NO_CARD, NUM_BOARD, NUM_SLOTS, Cards, canonical
from env.rules import Rules

EMPTY_BOARD = np.full(NUM_BOARD, NO_CARD, np.uint8)
EMPTY_BOARD.setflags(write=False)
FIRST_BOARD_SLOT = NUM_SLOTS - NUM_BOARD


def private_hands(rules: Rules) -> Cards:
    """Every hand a player can hold, an empty slot for the card that toy games lack. [H, 2]"""
    hands = np.full((comb(len(rules.deck), rules.hole_cards), 2), NO_CARD, np.uint8)
    hands[:, : rules.hole_cards] = list(combinations(rules.deck, rules.hole_cards))
    return hands


def hand_classes(hands: Cards) -> tuple[Cards, NDArray[np.intp]]:
    """Private hands up to a renaming of suits: one of each class, the class of each. [C, 2], [H]"""
    views = np.full((len(hands), NUM_SLOTS), NO_CARD, np.uint8)
    views[:, :2] = hands
    classes, members = np.unique(canonical(views), axis=0, return_inverse=True)
    return classes[:, :2], members.reshape(-1)


def boards(
    rules: Rules, street: int, before: Cards = EMPTY_BOARD, *, merge_suits: bool = True
) -> tuple[Cards, NDArray[np.int64]]:
    """The boards of `street` that continue `before`, and how many each stands for. [B, 5], [B]

    Suits are merged only on an empty table: cards already on it distinguish some suits, and a
    canonical flop does not say which of its cards came first.
    """
    new, shown = rules.board_cards[street], rules.visible_board[street]
    left = [card for card in rules.deck if card not in before]
    views = np.full((comb(len(left), new), NUM_SLOTS), NO_CARD, np.uint8)  # with an empty hand
    views[:, FIRST_BOARD_SLOT:] = before
    end = FIRST_BOARD_SLOT + shown
    views[:, end - new : end] = list(combinations(left, new))
    multiplicities = np.ones(len(views), np.int64)
    if merge_suits and is_empty(before):
        views, multiplicities = np.unique(canonical(views), axis=0, return_counts=True)
    return views[:, FIRST_BOARD_SLOT:], multiplicities


def num_boards(rules: Rules) -> int:
    """How many boards the whole game has, streets in order, suits not merged."""
    left, product = len(rules.deck), 1
    for new in rules.board_cards[: rules.streets]:
        product *= comb(left, new)
        left -= new
    return product


def num_board_classes(rules: Rules) -> int:
    """How many boards a best response visits one by one, suits merged where they can be."""
    return max(len(boards(rules, street)[0]) for street in range(rules.streets))


def sampled(
    multiplicities: NDArray[np.int64], num_samples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Multiplicities of a systematic sample of boards; zero where a board is left out. [B]

    Equal steps through the cumulated multiplicities: every board is expected to count as much as
    it should, and boards that sort next to each other are seldom drawn together.
    """
    ends = np.cumsum(multiplicities)
    steps = (np.arange(num_samples) + rng.random()) * (ends[-1] / num_samples)
    chosen = np.bincount(np.searchsorted(ends, steps, side="right"), minlength=len(ends))
    return chosen * (ends[-1] / num_samples)


def symmetrised(values: NDArray[np.float64], hands: Cards) -> NDArray[np.float64]:
    """Each hand's value averaged over the hands that a renaming of suits makes of it. [..., H]

    Merged boards are renamings of one board. Averaged over all renamings, a hand gets what the
    hands of its class get on that board.
    """
    classes = hand_classes(hands)[1]
    member = (classes[:, None] == np.arange(classes.max() + 1)).astype(float)  # [H, classes]
    return values @ (member / member.sum(axis=0)) @ member.T


def is_empty(board: Cards) -> bool:
    """No card lies on the table."""
    return bool((board == NO_CARD).all())
