"""Equity: the share of the pot that a hand wins at a showdown, against a range of hands.

Every board that can come is looked at while there are few enough of them; otherwise a sample is,
always the same one for the same cards.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from env.arrays import Doubles
from env.cards import NO_CARD, Cards
from env.deals import NUM_DEAL_SLOTS, showdown_results
from env.range_views import overlaps
from env.rules import Rules

MOST_SHOWDOWNS = 2_000_000  # compared for one equity; more are sampled
MOST_RUNOUTS = 20_000  # of a sample
_BLOCK = 1 << 18  # showdowns compared at once; bounds memory


def equity(rules: Rules, hand: Cards, hands: Cards, range_: Doubles, board: Cards) -> float:
    """The equity of a hand against a range over some hands. [2], [H, 2], [H], [5]

    Hands that share a card with one's own or the board do not count. A tie wins half the pot.
    """
    gone = np.concatenate([hand, board])
    possible = np.flatnonzero((range_ > 0) & ~overlaps(hands, gone))
    left = [card for card in rules.deck if card not in gone]
    coming = rules.visible_board[-1] - int((board != NO_CARD).sum())
    runouts = _runouts(left, coming, max(MOST_SHOWDOWNS // max(len(possible), 1), 1))
    won = total = 0.0
    per_block = max(_BLOCK // len(runouts), 1)
    for start in range(0, len(possible), per_block):
        block = possible[start : start + per_block]
        points, counted = _points(hand, hands[block], board, runouts)
        won += float((range_[block] * points).sum())
        total += float((range_[block] * counted).sum())
    return won / total if total else 0.5


def _runouts(left: list[int], coming: int, most: int) -> Cards:
    """What can still come, or a sample of it. [R, c]"""
    if comb(len(left), coming) <= most:
        every = list(combinations(left, coming))
        return np.array(every, np.uint8).reshape(len(every), coming)
    keys = np.random.default_rng(left).random((min(most, MOST_RUNOUTS), len(left)))
    return np.array(left, np.uint8)[np.argsort(keys, axis=1)[:, :coming]]


def _points(hand: Cards, others: Cards, board: Cards, runouts: Cards) -> tuple[Doubles, Doubles]:
    """Showdowns won against each hand, and how many there are. [H, 2], [5], [R, c] → [H], [H]"""
    shape = (len(others), len(runouts))
    shown = int((board != NO_CARD).sum())
    deals = np.full((*shape, NUM_DEAL_SLOTS), NO_CARD, np.uint8)
    deals[:, :, :2], deals[:, :, 2:4] = hand, others[:, None]
    deals[:, :, 4:] = board
    deals[:, :, 4 + shown : 4 + shown + runouts.shape[1]] = runouts
    possible = ~overlaps(others, runouts).T  # [H, R]
    results = np.zeros(shape, np.float64)
    results[possible] = (1 + showdown_results(deals[possible])) / 2
    return results.sum(axis=1), possible.sum(axis=1).astype(np.float64)
