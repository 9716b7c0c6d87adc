"""Why some rules cannot be played. Each reason is a sentence for the user."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from env.cards import NUM_BOARD, RANKS, SUITS

if TYPE_CHECKING:
    from env.rules import Rules

HOLDEM_BOARD = (0, 3, 1, 1)
HOLDEM_ORDER = (0, 1, 1, 1)
MAX_CHIPS = 2**30


def problems(rules: Rules) -> Iterator[str]:
    """Why the rules cannot be played, the most basic reason first; nothing when they can."""
    for check in (_numbers, _lengths, _cards, _holdem if rules.hole_cards == 2 else _toy, _stack):
        yield from check(rules)


def _numbers(rules: Rules) -> Iterator[str]:
    """Whole, non-negative numbers everywhere."""
    if not isinstance(rules.name, str) or not rules.name:
        yield "the rules need a name"
    amounts = {
        key: getattr(rules, key)
        for key in ("small_blind", "big_blind", "ante", "stack", "streets", "hole_cards")
    }
    for key in ("bet_sizes", "max_raises", "board_cards", "first_to_act"):
        amounts |= {f"{key}[{i}]": amount for i, amount in enumerate(getattr(rules, key))}
    for key, amount in amounts.items():
        if not isinstance(amount, int) or isinstance(amount, bool):
            yield f"{key} must be a whole number, not {amount!r}"
        elif amount < 0:
            yield f"{key} is {amount}, but no amount can be negative"


def _lengths(rules: Rules) -> Iterator[str]:
    """One to four streets, and one entry per street in every list."""
    if not 1 <= rules.streets <= 4:
        yield f"{rules.streets} streets, but a hand has between one and four"
    for key in ("bet_sizes", "max_raises"):
        entries = len(getattr(rules, key))
        if entries != rules.streets:
            yield f"{key} has {_entries(entries)}, one per street makes {rules.streets}"
    for key in ("board_cards", "first_to_act"):
        entries = len(getattr(rules, key))
        if entries < rules.streets:
            yield f"{key} has {_entries(entries)} for {rules.streets} streets"
    if not set(rules.first_to_act) <= {0, 1}:
        yield f"first_to_act names players other than 0 and 1: {rules.first_to_act}"
    for street, size in enumerate(rules.bet_sizes):
        if size == 0:
            yield f"bet_sizes[{street}] is 0, but a bet needs chips"


def _cards(rules: Rules) -> Iterator[str]:
    """A deck of known cards that is large enough."""
    if not isinstance(rules.ranks, str) or not set(rules.ranks) <= set(RANKS):
        yield f"ranks {rules.ranks!r} are not all among {RANKS}"
    if not rules.ranks or len(set(rules.ranks)) < len(rules.ranks):
        yield f"ranks {rules.ranks!r} must name each rank once"
    if not isinstance(rules.suits, str) or not rules.suits or not SUITS.startswith(rules.suits):
        yield f"suits {rules.suits!r} must be the first one to four of {SUITS}"
    board = sum(rules.board_cards[: rules.streets])
    if board > NUM_BOARD:
        yield f"{board} board cards, but the table has room for {NUM_BOARD}"
    needed, size = 2 * rules.hole_cards + board, len(rules.ranks) * len(rules.suits)
    if needed > size:
        yield f"a hand needs {needed} cards and the deck has {size}"


def _holdem(rules: Rules) -> Iterator[str]:
    """What PyPokerEngine can carry."""
    small, big = rules.small_blind, rules.big_blind
    if small == 0 or big == 0:
        yield f"blinds {small}/{big}, but hold'em needs both blinds"
    if small > big:
        yield f"the small blind {small} is above the big blind {big}"
    if big != 2 * small:
        yield f"the big blind {big} is not twice the small blind {small}, as PyPokerEngine has it"
    if rules.ante:
        yield "hold'em is played without an ante here"
    for street, size in enumerate(rules.bet_sizes):
        if size < big:
            yield (
                f"bet_sizes[{street}] is {size}, below the big blind {big}, "
                "and PyPokerEngine takes no smaller bet"
            )
    if rules.board_cards[: rules.streets] != HOLDEM_BOARD[: rules.streets]:
        yield f"board_cards {rules.board_cards} are not hold'em's {HOLDEM_BOARD}"
    if rules.first_to_act[: rules.streets] != HOLDEM_ORDER[: rules.streets]:
        yield (
            f"first_to_act {rules.first_to_act} is not hold'em's {HOLDEM_ORDER}: "
            "the button opens before the flop and acts last after it"
        )


def _toy(rules: Rules) -> Iterator[str]:
    """One hole card and an ante, as in Kuhn and Leduc."""
    if rules.hole_cards != 1:
        yield f"{rules.hole_cards} hole cards: a game has 2 (hold'em) or 1 (Kuhn, Leduc)"
    if rules.small_blind or rules.big_blind:
        yield "games with one hole card are played with an ante, not with blinds"
    if not rules.ante:
        yield "games with one hole card need an ante"
    dealt = [cards for cards in rules.board_cards[: rules.streets] if cards]
    if len(dealt) > 1 or sum(dealt) > 3:
        yield (
            f"board_cards {rules.board_cards}: games with one hole card deal at most three board "
            "cards, all on one street"
        )


def _stack(rules: Rules) -> Iterator[str]:
    if min(rules.stack, rules.max_contribution) > MAX_CHIPS:
        yield f"pots above {MAX_CHIPS} chips a player cannot be counted"
    if rules.hole_cards == 2 and rules.stack < rules.big_blind:
        yield f"a stack of {rules.stack} cannot pay the big blind of {rules.big_blind}"
    if rules.hole_cards == 1 and rules.stack <= rules.ante:
        yield f"a stack of {rules.stack} leaves nothing to bet after the ante of {rules.ante}"


def _entries(number: int) -> str:
    return f"{number} {'entry' if number == 1 else 'entries'}"
