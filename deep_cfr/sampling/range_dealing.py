"""Dealing boards with many hands on each, stratified so that a few represent the whole game.

The flops of one iteration are a systematic sample of all flops, and the hands on a board are a
stratified sample over showdown ranks, so that every hand meets weak and strong opponents in fair
proportion. Every flop and every hand is as likely as any other. Two hands of one stratum are drawn
together less often than two of different strata, so each pair is weighted by the inverse of its
probability, and sums over pairs are unbiased.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from env.boards import boards, sampled
from env.cards import NO_CARD, NUM_SLOTS, Cards, canonical
from env.hands import strengths
from env.rules import Rules
from policies.policy import Floats


@dataclass(frozen=True)
class RangeTable:
    """Boards and the hands held on them. B boards, M hands, S streets."""

    views: Cards  # [B, S, M, 7] canonical
    results: Floats  # [B, M, M] weight of the pair; + if the first hand wins, − if it loses
    disjoint: Floats  # [B, M, M] weight of the pair; 0 if the hands share a card
    pairs: float  # ordered pairs of disjoint hands that a board is expected to have


def deal_first_cards(rules: Rules, num_boards: int, rng: np.random.Generator) -> Cards:
    """The first cards on the table (flops, in hold'em) of so many boards. [B, f]

    A systematic sample, in equal steps through all flops in order: every flop is as likely as any
    other, and flops that look alike are seldom drawn together.
    """
    rows, multiplicities = _all_first_cards(rules)
    weights = sampled(multiplicities, num_boards, rng)
    counts = np.rint(weights * (num_boards / multiplicities.sum())).astype(np.int64)
    return np.repeat(rows, counts, axis=0)


@lru_cache(maxsize=4)
def _all_first_cards(rules: Rules) -> tuple[Cards, NDArray[np.int64]]:
    """Everything that can come first on the table, suits merged, and how often. [C, f], [C]"""
    street = next((s for s, shown in enumerate(rules.visible_board) if shown), 0)
    rows, multiplicities = boards(rules, street)
    return rows[:, : rules.visible_board[street]], multiplicities


def deal_ranges(
    rules: Rules, first_cards: Cards, num_hands: int, rng: np.random.Generator
) -> RangeTable:
    """Completes the boards and draws hands on each."""
    shown, hole, deck = rules.visible_board[-1], rules.hole_cards, np.array(rules.deck, np.uint8)
    holdings = np.array(list(combinations(range(len(deck) - shown), hole)))  # [H, hole]
    strata = min(num_hands, len(holdings)) // 2
    full = np.full((len(first_cards), 2 * strata, NUM_SLOTS), NO_CARD, np.uint8)
    for rows, begun in zip(full, first_cards, strict=True):
        cards = np.concatenate([begun, rng.permutation(np.setdiff1d(deck, begun))])
        possible = np.full((len(holdings), NUM_SLOTS), NO_CARD, np.uint8)
        possible[:, 2 : 2 + shown] = cards[:shown]
        possible[:, :hole] = cards[shown:][holdings]
        rows[:] = possible[stratified_sample(strengths(possible), strata, rng)]
    strength = strengths(full.reshape(-1, NUM_SLOTS)).reshape(full.shape[:2])
    # Two hands of a stratum are drawn together less often than two of different ones.
    size = len(holdings) // strata
    counts = np.ones((2 * strata, 2 * strata), np.float32)
    pair = np.arange(2 * strata) // 2
    counts[pair[:, None] == pair] = 2 * (size - 1) / size
    disjoint = _disjoint(full[:, :, :2]) * counts
    results = np.sign(strength[:, :, None] - strength[:, None, :]) * disjoint
    visible = np.array(rules.visible_board[: rules.streets]) + 2  # slots seen on each street
    seen = np.arange(NUM_SLOTS) < visible[:, None]  # [S, 7]
    views = np.where(seen[None, :, None], full[:, None], np.uint8(NO_CARD))
    # The probability that two different hands share no card.
    share = comb(len(deck) - shown - hole, hole) / (comb(len(deck) - shown, hole) - 1)
    pairs = 2 * strata * (2 * strata - 2 / size) * share
    return RangeTable(
        canonical(views), results.astype(np.float32), disjoint.astype(np.float32), pairs
    )


def stratified_sample(
    strength: NDArray[np.int32], num_strata: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Two random hands of each of so many strata, equally large, in order of rank. [2 · strata]

    Every hand is as likely as any other. What does not fill the strata is left out at random.
    """
    size = len(strength) // num_strata
    kept = rng.permutation(len(strength))[: num_strata * size]
    ordered = kept[np.argsort(strength[kept], kind="stable")].reshape(num_strata, size)
    first = rng.integers(size, size=num_strata)
    second = (first + rng.integers(1, size, size=num_strata)) % size
    return np.take_along_axis(ordered, np.stack([first, second], axis=1), axis=1).reshape(-1)


def _disjoint(hands: Cards) -> NDArray[np.bool_]:
    """Which hands of a board share no card. [B, M, 2] → [B, M, M]"""
    same = hands[:, :, None, :, None] == hands[:, None, :, None, :]  # [B, M, M, 2, 2]
    return ~(same & (hands != NO_CARD)[:, :, None, :, None]).any(axis=(3, 4))
