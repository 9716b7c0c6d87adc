"""Every card that can come on the last street, as solvers of two streets want them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from env.arrays import Bytes, Ints, Longs
from env.boards import private_hands
from env.cards import NO_CARD, Cards
from env.rules import Rules
from search.public_state import (
    canonical_board,
    first_alike,
    hands_on,
    live_views,
    renamed_hands,
)
from search.solutions import places
from search.two_streets import Runouts


class StreetHands(NamedTuple):
    """The L hands that a board leaves before the last card has come."""

    live: Longs  # [L] numbers of private hands
    cards: Bytes  # [L, 2]
    classes: Ints  # [L] the first hand that looks like this one


class NextBoard(NamedTuple):
    """A full board that some card leads to."""

    row: int  # of the card among the runouts
    numbers: Longs  # [K] of its hands once the full board's suits are canonical


def street_hands(rules: Rules, board: Cards) -> StreetHands:
    """The hands on a board. [5]"""
    live, views = live_views(rules, board)
    return StreetHands(live, np.ascontiguousarray(views[:, :2]), first_alike(views))


def make_runouts(
    rules: Rules, board: Cards, hands: StreetHands
) -> tuple[Runouts, dict[bytes, NextBoard]]:
    """The cards that can come on a board, one for all that look alike.

    Beside them the full boards, suit-canonical and as bytes, that they lead to.
    """
    place = places(hands.live, len(private_hands(rules)))
    slot = int((board != NO_CARD).sum())
    cards: dict[bytes, list[int]] = {}
    for card in rules.deck:
        if card not in board:
            full = canonical_board(_with_card(board, slot, card)).board.tobytes()
            cards.setdefault(full, []).append(card)
    first = [alike[0] for alike in cards.values()]
    found = [hands_on(rules, _with_card(board, slot, card).tobytes()) for card in first]
    possible = len(rules.deck) - slot - 2 * rules.hole_cards
    boards = {}
    for row, (full, here) in enumerate(zip(cards, found, strict=True)):
        renaming = canonical_board(_with_card(board, slot, first[row])).cards
        boards[full] = NextBoard(row, renamed_hands(rules, here.cards, renaming))
    runouts = Runouts(
        cards=np.array(first, np.uint8),
        live=np.stack([place[here.live] for here in found]),
        hands=np.stack([here.cards for here in found]),
        ties=np.stack([here.ties for here in found]),
        classes=np.stack([here.classes for here in found]),
        weights=np.array([len(alike) / possible for alike in cards.values()], np.float32),
    )
    return runouts, boards


def _with_card(board: Cards, slot: int, card: int) -> Cards:
    full = board.copy()
    full[slot] = card
    return full
