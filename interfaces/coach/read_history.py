"""Reading a played hand back from text: PokerStars-like text, or PHH, the format of PokerKit.

This is the inverse of `interfaces.coach.history`, and reads what other programs write in these
formats as far as it is heads-up limit hold'em. Only what was done counts, not how much it cost:
calls and raises have one size. A hand may be unfinished, and an opponent's cards unknown.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from typing import Any

from env.actions import ACTION_LETTERS, CALL, FOLD, RAISE
from env.betting_tree import HistoryError
from env.cards import cards_text, parse_cards
from env.game import Game

HEADER = re.compile(r"^PokerStars .*?(Hand|Game) #", re.MULTILINE)
_VERBS = {"folds": FOLD, "checks": CALL, "calls": CALL, "bets": RAISE, "raises": RAISE}
_PHH_ACTIONS = {"f": FOLD, "cc": CALL, "cbr": RAISE}
_UNKNOWN = "?"


@dataclass(frozen=True)
class ReadHand:
    """A hand as far as its text tells. Players are counted as everywhere: 0 has the button."""

    names: tuple[str, str]
    holes: tuple[tuple[int, ...] | None, tuple[int, ...] | None]  # None where they are not known
    board: tuple[int, ...]  # as much of it as was dealt
    actions: tuple[int, ...]


def is_history(text: str) -> bool:
    """Whether a text is a played hand and no hand of two cards."""
    return (
        bool(HEADER.search(text)) or re.search(r"^\s*actions\s*=", text, re.MULTILINE) is not None
    )


def read_hand(text: str, game: Game) -> ReadHand:
    """The hand of a text, checked against the game; a `ValueError` of one line otherwise."""
    rules = game.rules
    if not rules.is_holdem:
        raise ValueError(f"histories of played hands are of hold'em, not of {rules.name}")
    found = (
        _pokerstars(text, rules.bet_sizes) if HEADER.search(text) else _phh(text, rules.bet_sizes)
    )
    _check(found, game)
    return found


def line_of(hand: ReadHand, game: Game) -> list[int]:
    """The nodes that the hand went through, the first one included."""
    nodes = [0]
    for action in hand.actions:
        child = int(game.tree.children[nodes[-1], action])
        if child < 0:
            after = game.tree.text(nodes[-1])
            raise HistoryError(
                f"{ACTION_LETTERS[action]!r} after {after!r} in the history is not possible in "
                f"{game.rules.describe()}"
            )
        nodes.append(child)
    return nodes


def _check(hand: ReadHand, game: Game) -> None:
    rules = game.rules
    nodes = line_of(hand, game)
    known = [card for hole in hand.holes for card in hole or ()] + list(hand.board)
    if len(set(known)) < len(known):
        raise ValueError("a card appears twice in the history")
    if any(card not in rules.deck for card in known):
        raise ValueError(f"the history has cards that are not in the deck of {rules.name}")
    last = max(int(game.tree.street[node]) for node in nodes if game.tree.is_decision[node])
    if len(hand.board) < rules.visible_board[last]:
        raise ValueError(
            f"the history plays the {rules.street_names[last]} but deals {len(hand.board)} board "
            "cards"
        )
    if not any(hand.holes):
        raise ValueError("the history shows nobody's cards")


def _pokerstars(text: str, bet_sizes: tuple[int, ...]) -> ReadHand:
    if len(HEADER.findall(text)) > 1:
        raise ValueError("the history has several hands; give one")
    head = text[HEADER.search(text).start() :].splitlines()[0]  # type: ignore[union-attr]
    if "Limit" not in head or re.search(r"\b(No|Pot) Limit\b", head) or "Hold'em" not in head:
        raise ValueError(f"only limit hold'em can be read, not {head!r}")
    _check_stakes(re.findall(r"[\d.]+", head.partition("(")[2].partition(")")[0]), bet_sizes)
    seats = dict(re.findall(r"^Seat (\d+): (.+?) \([^()]*in chips\)", text, re.MULTILINE))
    button = re.search(r"Seat #(\d+) is the button", text)
    if len(seats) != 2 or button is None or button[1] not in seats:
        raise ValueError("the history is not of two players, one of whom has the button")
    names = (seats.pop(button[1]), *seats.values())
    holes: list[tuple[int, ...] | None] = [None, None]
    actions: list[int] = []
    board: tuple[int, ...] = ()
    for line in text.partition("*** SUMMARY ***")[0].splitlines():
        if street := re.match(r"\*\*\* (FLOP|TURN|RIVER) \*\*\* (.*)", line):
            before, board = board, parse_cards(re.sub(r"[\[\]]", " ", street[2]))
            if board[: len(before)] != before:
                raise ValueError(
                    f"the board of the history changes from {cards_text(before)} to "
                    f"{cards_text(board)}"
                )
        for player, name in enumerate(names):
            rest = line.removeprefix(f"{name}: ")
            if rest != line and (verb := rest.split(" ")[0].rstrip(",")) in _VERBS:
                actions.append(_VERBS[verb])
            shown = re.match(r"shows \[(.*?)\]", rest) if rest != line else None
            dealt = re.match(r"\[(.*?)\]", line.removeprefix(f"Dealt to {name} "))
            if cards := shown or dealt:
                holes[player] = _hole(cards[1])
    return ReadHand((names[0], names[1]), (holes[0], holes[1]), board, tuple(actions))


def _phh(text: str, bet_sizes: tuple[int, ...]) -> ReadHand:
    fields = _toml(text)
    variant, actions = fields.get("variant"), fields.get("actions")
    if variant != "FT":
        raise ValueError(f"only fixed-limit hold'em (FT) can be read, not the variant {variant!r}")
    if not isinstance(actions, list) or not all(isinstance(one, str) for one in actions):
        raise ValueError("the actions of the history are no list of texts")
    if len(fields.get("starting_stacks", ())) != 2:
        raise ValueError("the history is not of two players")
    stakes = [fields.get("small_bet"), fields.get("big_bet")]
    _check_stakes([str(one) for one in stakes], bet_sizes)
    players = fields.get("players") or ["p1", "p2"]
    holes: list[tuple[int, ...] | None] = [None, None]
    board: tuple[int, ...] = ()
    done = []
    for words in (one.partition("#")[0].split() for one in actions):
        who = {"p1": 1, "p2": 0}  # p2 of two players has the button
        if words[:2] == ["d", "db"] and len(words) > 2:
            board += parse_cards(words[2])
        elif words[:2] == ["d", "dh"] and len(words) > 3 and words[2] in who:
            holes[who[words[2]]] = _hole(words[3])
        elif len(words) > 1 and words[0] in who and words[1] in _PHH_ACTIONS:
            done.append(_PHH_ACTIONS[words[1]])
        elif len(words) > 2 and words[0] in who and words[1] == "sm":
            holes[who[words[0]]] = _hole(words[2]) or holes[who[words[0]]]
        elif words[1:] != ["sm"]:
            raise ValueError(f"{' '.join(words)!r} in the history is not readable")
    return ReadHand((str(players[1]), str(players[0])), (holes[0], holes[1]), board, tuple(done))


def _hole(text: str) -> tuple[int, ...] | None:
    """Two cards; None if they are not known."""
    if _UNKNOWN in text:
        return None
    cards = parse_cards(text)
    if len(cards) != 2:
        raise ValueError(f"{text!r} in the history is no hand of two cards")
    return cards


def _check_stakes(written: list[str], bet_sizes: tuple[int, ...]) -> None:
    """The two sizes of bets must have the proportion that they have in the game."""
    try:
        small, big = map(float, written[:2])
    except ValueError:
        raise ValueError("the history does not say the sizes of its two bets") from None
    if len(bet_sizes) > 2 and small * bet_sizes[-1] != big * bet_sizes[0]:
        raise ValueError(
            f"the history is of bets {small:g}/{big:g}, and the game has "
            f"{bet_sizes[0]}/{bet_sizes[-1]}"
        )


def _toml(text: str) -> dict[str, Any]:
    """The fields of a PHH file."""
    if sys.version_info >= (3, 11):
        import tomllib  # noqa: PLC0415 - Python 3.10 has none

        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"the history is no readable PHH: {error}") from None
    try:  # what this project writes has JSON's values
        pairs = (line.partition("=") for line in text.splitlines() if line.strip())
        return {name.strip(): json.loads(value) for name, _, value in pairs}
    except ValueError as error:
        raise ValueError(f"the history is no readable PHH: {error}") from None
