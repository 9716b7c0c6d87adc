"""Questions as people write them: a hand, a board and a betting line, for a game.

Cards are written "AhKd", "Ah Kd" or "10h 9h". A hand may be a class such as "AKs", "AKo" or "AA":
before the flop all its hands are played alike, and on a board the answer is the mean over those of
its hands that the board leaves, each equally likely. A line has a letter for each action (f, c, r;
k or x checks, b bets) and slashes between streets. What makes no sense ends in a ValueError of one
line that says what would.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from env.actions import ACTION_LETTERS, ACTION_NAMES, CALL, RAISE
from env.betting_tree import HistoryError
from env.cards import NO_CARD, NUM_SLOTS, RANKS, Cards, card_text, parse_card, parse_cards
from env.game import Game
from env.rules import Rules
from env.transcript import counted

MOST_BOARDS = 20_000  # asked about for a mean; more are sampled
OTHER_LETTERS = str.maketrans("kxb", "ccr")  # check and bet as some write them
SUITED, OFFSUIT = "s", "o"


def decision(game: Game, line: str) -> int:
    """The node where a line ends and somebody is to act."""
    line = _spelled_out(game, line)
    if _is_line(game, line):
        node = game.tree.node(line)
        if game.tree.is_decision[node]:
            return node
    prefix = _readable(game, line)
    node = game.tree.node(prefix)
    after = f"after {prefix!r}" if prefix else "at the start"
    if not game.tree.is_decision[node]:
        raise ValueError(f"{line!r}: the hand is over {after}, nobody is to act")
    possible = [
        f"{letter} ({name})"
        for letter, name, legal in zip(
            ACTION_LETTERS, ACTION_NAMES, game.tree.legal[node], strict=True
        )
        if legal
    ]
    raise ValueError(
        f"{line!r} cannot be played in {game.rules.name}: possible {after}: {', '.join(possible)}"
    )


def views(game: Game, hand: str, board: str | None, node: int) -> Cards:
    """What the player to act may see, checked against the rules. [n, 7]

    A board of None stands for all boards, with a row for each. A class of hands on a board stands
    for its hands that the board leaves.
    """
    rules = game.rules
    needed = rules.visible_board[int(game.tree.street[node])]
    hole = hand_cards(rules, hand)
    rows = _any_boards(rules, hole, needed) if board is None else [_cards(rules, board, "board")]
    shown = rows[0]
    if len(shown) != needed:
        there = f"{game.tree.text(node)!r} leads to" if node else "the hand starts on"
        raise ValueError(
            f"{there} the {rules.street_names[int(game.tree.street[node])]}, where the board has "
            f"{counted(needed, 'card')}; {len(shown)} given"
        )
    holes = [hole]
    if needed and board is not None and class_of(rules, hand) is not None:
        holes = [one for one in hands_of_class(rules, hand) if not set(one) & set(shown)]
        if not holes:
            raise ValueError(f"the board leaves no hand of {hand_text(rules, hand)}")
    both = [card for card in shown if card in holes[0]]
    if both:
        raise ValueError(f"{card_text(both[0])} is in the hand and on the board")
    found = np.full((max(len(rows), len(holes)), NUM_SLOTS), NO_CARD, np.uint8)
    found[:, : len(hole)] = holes
    found[:, 2 : 2 + needed] = rows
    return found


def hands_of_class(rules: Rules, text: str) -> list[tuple[int, ...]]:
    """Every hand of the class that a text names: the four of AKs, the six of AA."""
    named = class_of(rules, text) or ""
    both = combinations(rules.deck[::-1], 2)
    return [one for one in both if class_of(rules, _class_text(*one)) == named]


def _class_text(first: int, second: int) -> str:
    """The class of two cards, the higher one first."""
    ranks = RANKS[first >> 2] + RANKS[second >> 2]
    if ranks[0] == ranks[1]:
        return ranks
    return ranks + (SUITED if first & 3 == second & 3 else OFFSUIT)


def hand_cards(rules: Rules, text: str) -> tuple[int, ...]:
    """The hole cards that a text names; any hand of a class that it names."""
    named = class_of(rules, text)
    if named is not None:
        other = rules.suits[0 if named.endswith(SUITED) else 1]
        return parse_card(named[0] + rules.suits[0]), parse_card(named[1] + other)
    hole = _cards(rules, text, "hand")
    if len(hole) != rules.hole_cards:
        raise ValueError(
            f"a hand of {rules.name} has {counted(rules.hole_cards, 'card')}, "
            f"but {text!r} has {len(hole)}"
        )
    return hole


def board_cards(rules: Rules, text: str) -> tuple[int, ...]:
    """The cards that a text names, however many."""
    return _cards(rules, text, "cards")


def is_class(rules: Rules, text: str) -> bool:
    """Whether a text names a class of hands; an unfinished one counts as cards."""
    try:
        return class_of(rules, text) is not None
    except ValueError:
        return False


def class_of(rules: Rules, text: str) -> str | None:
    """The class of hands that a text names, the higher rank first; None if it names cards."""
    letters = "".join(text.split()).replace("10", "T")
    ranks, kind = letters[:2].upper(), letters[2:].lower()
    if len(ranks) != 2 or not set(ranks) <= set(rules.ranks) or not rules.is_holdem:
        return None
    if ranks[0] == ranks[1]:
        return ranks if not kind and len(rules.suits) > 1 else None
    if kind not in (SUITED, OFFSUIT):
        if not kind:
            raise ValueError(
                f"{text!r} is suited or not: write {ranks}{SUITED} or {ranks}{OFFSUIT}"
            )
        return None
    return "".join(sorted(ranks, key=RANKS.index, reverse=True)) + kind


def hand_text(rules: Rules, text: str) -> str:
    """A hand in the form in which this project writes it: "Ah Kd", or "AKs" for a class."""
    named = class_of(rules, text)
    return named or " ".join(card_text(card) for card in hand_cards(rules, text))


def action_name(game: Game, node: int, action: int) -> str:
    """What people call an action at a node; the blinds count as bets, antes do not."""
    paid = game.tree.contributions[node]
    to_call = int(paid.max() - paid[game.tree.actor[node]])
    if action == CALL and to_call == 0:
        return "check"
    opened = game.rules.is_holdem and game.tree.street[node] == 0
    if action == RAISE and to_call == 0 and not opened:
        return "bet"
    return ACTION_NAMES[action]


def action_names(game: Game, node: int) -> dict[str, str]:
    """The legal actions at a node, with what people call each."""
    return {
        ACTION_NAMES[action]: action_name(game, node, action)
        for action in np.flatnonzero(game.tree.legal[node]).tolist()
    }


def _spelled_out(game: Game, line: str) -> str:
    """A line in our letters, with the call that a slash right after a bet implies."""
    text = ""
    for letter in line.strip().lower().translate(OTHER_LETTERS):
        if letter == "/" and not _is_line(game, text + "/") and _is_line(game, text + "c/"):
            text += "c"
        text += letter
    return text


def _is_line(game: Game, text: str) -> bool:
    try:
        game.tree.node(text)
    except HistoryError:
        return False
    return True


def _readable(game: Game, line: str) -> str:
    """The longest beginning of a line that the betting tree knows."""
    readable, text = "", line.strip()
    for end in range(1, len(text) + 1):
        if not _is_line(game, text[:end]):
            break
        readable = text[:end]
    return readable


def _any_boards(rules: Rules, hole: tuple[int, ...], needed: int) -> list[tuple[int, ...]]:
    """All boards of so many cards, or many of them where there are too many."""
    left = [card for card in rules.deck if card not in hole]
    # From the turn on the order matters, which combinations do not run through.
    if needed <= 3 and comb(len(left), needed) <= MOST_BOARDS:
        return list(combinations(left, needed))
    rng = np.random.default_rng(0)
    return [tuple(rng.choice(left, needed, replace=False)) for _ in range(MOST_BOARDS)]


def _cards(rules: Rules, text: str, what: str) -> tuple[int, ...]:
    """The codes of some cards, all from this game's deck."""
    try:
        cards = parse_cards(text)
    except ValueError as error:
        raise ValueError(f"{what} {text!r}: {error}") from None
    foreign = [card for card in cards if card not in rules.deck]
    if foreign:
        raise ValueError(
            f"{what} {text!r}: {card_text(foreign[0])} is not in the deck of {rules.name}, "
            f"which has ranks {rules.ranks} in suits {rules.suits}"
        )
    return cards
