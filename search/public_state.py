"""Public states: what lies on the table, and hands in the order in which solvers want them."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from env.arrays import Integers, Ints, Longs
from env.boards import private_hands
from env.cards import NO_CARD, NUM_SLOTS, Cards, canonical, suit_renaming
from env.hands import hand_ranks
from env.range_views import overlaps
from env.ranges import ranked
from env.rules import Rules


class BoardHands(NamedTuple):
    """The L hands that a full board leaves, weak ones first."""

    live: Longs  # [L] numbers of private hands
    cards: Cards  # [L, 2]
    ties: Integers  # [L, 2] see `env.ranges.RankedHands`
    classes: Ints  # [L] the first hand here that looks like this one


@lru_cache(maxsize=256)
def hands_on(rules: Rules, board: bytes) -> BoardHands:
    """The hands on a board of five slots, given as bytes so that it can be kept."""
    live, views = live_views(rules, np.frombuffer(board, np.uint8))
    ranks = hand_ranks(views)
    order = np.argsort(ranks, kind="stable")
    live, views = live[order], views[order]
    found = ranked(views[:, :2], ranks[order])
    return BoardHands(live, found.cards, found.ties, first_alike(views))


def live_views(rules: Rules, board: Cards) -> tuple[Longs, Cards]:
    """The numbers of the hands that a board leaves, and their cards with the board's. [5]

    → [L], [L, 7]
    """
    hands = private_hands(rules)
    live = np.flatnonzero(~overlaps(hands, board))
    views = np.empty((len(live), NUM_SLOTS), np.uint8)
    views[:, :2], views[:, 2:] = hands[live], board
    return live, views


def first_alike(views: Cards) -> Ints:
    """The first view that differs from each one by a renaming of suits only. [L, 7] → [L]"""
    _, first, which = np.unique(canonical(views), axis=0, return_index=True, return_inverse=True)
    return first[which.reshape(-1)].astype(np.int32)


class Renaming(NamedTuple):
    """A board made canonical, and the hands with it."""

    board: Cards  # [5]
    cards: Cards  # [53] which card each one becomes


def canonical_board(board: Cards) -> Renaming:
    """The representative of a board's suit-canonical class. [5]"""
    row = np.full(NUM_SLOTS, NO_CARD, np.uint8)
    row[2:] = board
    return Renaming(canonical(row)[2:], suit_renaming(row))


@lru_cache(maxsize=8)
def _hand_numbers(rules: Rules) -> Longs:
    """The number of the private hand of two cards, in either order. [53, 53]"""
    hands = private_hands(rules)
    numbers = np.full((NO_CARD + 1, NO_CARD + 1), -1, np.int64)
    numbers[hands[:, 0], hands[:, 1]] = numbers[hands[:, 1], hands[:, 0]] = np.arange(len(hands))
    return numbers


def renamed_hands(rules: Rules, hands: Cards, renaming: Cards) -> Longs:
    """The numbers of hands after their suits are renamed. [n, 2], [53] → [n]"""
    return _hand_numbers(rules)[renaming[hands[:, 0]], renaming[hands[:, 1]]]
