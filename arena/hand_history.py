"""Hands of a match written down: as text for people, PokerStars-like text, and JSON lines.

The PokerStars-like text has the shape that hand-history tools read: header with the stakes (small
and big bet of the limit game), seats, blinds, streets, actions with amounts, showdown, summary.
Seat 1 is always the first agent and the button moves. Both hands are shown as dealt, unless a hand
says otherwise. There is no clock in these games: every hand carries the same date.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from arena.match import Played
from env.actions import ACTION_NAMES, RAISE
from env.betting_tree import BettingTree
from env.cards import NO_CARD, card_text, cards_text
from env.hands import CATEGORIES, categories, hand_ranks
from env.rules import Rules
from env.states import TERMINAL, Move, State
from env.transcript import describe_action, transcript

DATE = "2000/01/01 00:00:00 ET"


@dataclass(frozen=True)
class Hand:
    """One finished hand between two agents, A and B."""

    number: int  # in its pair's match, from 1
    names: tuple[str, str]  # A, B
    seating: int  # A's seat
    state: State
    won: int  # chips, by player 0
    shown: tuple[int, ...] = (0, 1)  # players whose cards PokerStars-like text says were dealt

    @property
    def players(self) -> tuple[str, str]:
        """The names by seat: player 0, player 1."""
        return self.names if self.seating == 0 else (self.names[1], self.names[0])


def hands_of(tree: BettingTree, names: tuple[str, str], played: Played) -> Iterator[Hand]:
    """The hands in the order of the match: each deal with A in seat 0, then in seat 1."""
    for row, cards in enumerate(played.deals):
        for seating in (0, 1):
            state = finished_state(tree, tuple(cards.tolist()), int(played.nodes[row, seating]))
            chips = int(played.chips[row, seating])
            won = chips if seating == 0 else -chips
            yield Hand(2 * row + seating + 1, names, seating, state, won)


def finished_state(tree: BettingTree, cards: tuple[int, ...], node: int) -> State:
    """The state an emulator would have reached."""
    moves = []
    for before, after in pairwise(tree.path(node)):
        player = int(tree.actor[before])
        paid = int(tree.contributions[after, player] - tree.contributions[before, player])
        moves.append(Move(int(tree.street[before]), player, int(tree.action[after]), paid))
    first, second = tree.contributions[node].tolist()
    return State(cards, int(tree.street[node]), TERMINAL, (first, second), tuple(moves))


def as_text(rules: Rules, hands: Iterable[Hand]) -> str:
    """A paragraph per hand."""
    return "\n".join(
        f"{hand.names[0]} against {hand.names[1]}, hand {hand.number}: "
        f"{hand.players[0]} is player 0\n{transcript(rules, hand.state, hand.won)}\n"
        for hand in hands
    )


def as_json_lines(rules: Rules, hands: Iterable[Hand]) -> str:
    """An object per line and hand."""
    return "".join(f"{json.dumps(_entry(rules, hand))}\n" for hand in hands)


def _entry(rules: Rules, hand: Hand) -> dict[str, object]:
    state = hand.state
    holes = [[card_text(card) for card in _hole(state, player)] for player in (0, 1)]
    return {
        "game": rules.name,
        "a": hand.names[0],
        "b": hand.names[1],
        "hand": hand.number,
        "players": list(hand.players),
        "hole": holes,
        "board": [card_text(card) for card in _board(rules, state, rules.streets - 1)],
        "history": state.history,
        "moves": [
            {
                "street": rules.street_names[move.street],
                "player": move.player,
                "action": ACTION_NAMES[move.action],
                "paid_chips": move.paid,
            }
            for move in state.moves
        ],
        "contributions_chips": list(state.contributions),
        "showdown": state.folded is None,
        "won_chips": [hand.won, -hand.won],
    }


def as_pokerstars(rules: Rules, hands: Iterable[Hand]) -> str:
    """Two empty lines after each hand, as in files of that site; hold'em only."""
    if not rules.is_holdem:
        raise ValueError(f"{rules.name} is not hold'em and has no form at PokerStars")
    return "".join(
        "\n".join(_pokerstars(rules, hand, number)) + "\n\n\n"
        for number, hand in enumerate(hands, start=1)
    )


def _pokerstars(rules: Rules, hand: Hand, number: int) -> Iterator[str]:
    small, big = rules.bet_sizes[0], rules.bet_sizes[-1]
    yield f"PokerStars Hand #{number}: Hold'em Limit ({small}/{big}) - {DATE}"
    table = f"{hand.names[0]} against {hand.names[1]}"
    yield f"Table '{table}' 2-max (Play Money) Seat #{hand.seating + 1} is the button"
    for seat, name in enumerate(hand.names, start=1):
        yield f"Seat {seat}: {name} ({rules.stack} in chips)"
    button, other = hand.players
    yield f"{button}: posts small blind {rules.small_blind}"
    yield f"{other}: posts big blind {rules.big_blind}"
    yield "*** HOLE CARDS ***"
    for player in hand.shown:
        yield f"Dealt to {hand.players[player]} [{cards_text(_hole(hand.state, player))}]"
    yield from _streets(rules, hand)
    yield from _pokerstars_ending(rules, hand)


def _streets(rules: Rules, hand: Hand) -> Iterator[str]:
    """The betting; after a called all-in also the streets that came without any."""
    state = hand.state
    last = rules.streets - 1 if state.folded is None else state.street
    paid = [rules.small_blind, rules.big_blind]
    opening = 0  # what each player had paid before the street
    for street in range(last + 1):
        if street:
            before = cards_text(_board(rules, state, street - 1))
            new = cards_text(_board(rules, state, street)[rules.visible_board[street - 1] :])
            board = f"[{before}] [{new}]" if before else f"[{new}]"
            yield f"*** {rules.street_names[street].upper()} *** {board}"
            opening = max(paid)
        for move in state.moves:
            if move.street == street:
                level = max(paid) - opening
                paid[move.player] += move.paid
                total = paid[move.player] - opening
                action = describe_action(move, level, total, with_increase=True)
                all_in = " and is all-in" if move.paid and paid[move.player] == rules.stack else ""
                yield f"{hand.players[move.player]}: {action}{all_in}"


def _pokerstars_ending(rules: Rules, hand: Hand) -> Iterator[str]:
    state, folded = hand.state, hand.state.folded
    pot = 2 * min(state.contributions)
    if folded is not None and (uncalled := max(state.contributions) - min(state.contributions)):
        yield f"Uncalled bet ({uncalled}) returned to {hand.players[1 - folded]}"
    collected = _collected(hand, pot)
    if folded is None:
        yield "*** SHOW DOWN ***"
        has = _categories(rules, state)
        for player in _showing_order(rules, state):
            cards = cards_text(_hole(state, player))
            yield f"{hand.players[player]}: shows [{cards}] ({has[player]})"
    for player, chips in enumerate(collected):
        if chips:
            yield f"{hand.players[player]} collected {chips} from pot"
    yield "*** SUMMARY ***"
    yield f"Total pot {pot} | Rake 0"
    last = rules.streets - 1 if folded is None else state.street
    if board := _board(rules, state, last):
        yield f"Board [{cards_text(board)}]"
    for seat, name in enumerate(hand.names):
        player = seat ^ hand.seating
        role = " (button) (small blind)" if player == 0 else " (big blind)"
        yield f"Seat {seat + 1}: {name}{role} {_fate(rules, hand, player, collected[player])}"


def _showing_order(rules: Rules, state: State) -> tuple[int, int]:
    """Whoever bet or raised last on the last street shows first, else who opened that street."""
    last = rules.streets - 1
    raisers = [m.player for m in state.moves if m.street == last and m.action == RAISE]
    first = raisers[-1] if raisers else rules.first_to_act[last]
    return first, 1 - first


def _fate(rules: Rules, hand: Hand, player: int, collected: int) -> str:
    state = hand.state
    if state.folded == player:
        return f"folded {_when_folded(state.street)}"
    if state.folded is not None:
        return f"collected ({collected})"
    has = _categories(rules, state)[player]
    outcome = f"won ({collected})" if collected else "lost"
    return f"showed [{cards_text(_hole(state, player))}] and {outcome} with {has}"


def _when_folded(street: int) -> str:
    return f"on the {('Flop', 'Turn', 'River')[street - 1]}" if street else "before Flop"


def _collected(hand: Hand, pot: int) -> tuple[int, int]:
    """What each player takes from the pot; equal contributions make every pot even."""
    if hand.won == 0:
        return pot // 2, pot // 2
    return (pot, 0) if hand.won > 0 else (0, pot)


def _categories(rules: Rules, state: State) -> list[str]:
    """What each player's cards make at the showdown."""
    board = _board(rules, state, rules.streets - 1)
    rows = np.array([(*_hole(state, player), *board) for player in (0, 1)], np.uint8)
    return [CATEGORIES[i] for i in categories(hand_ranks(rows))]


def _hole(state: State, player: int) -> tuple[int, ...]:
    return tuple(card for card in state.deal[2 * player : 2 * player + 2] if card != NO_CARD)


def _board(rules: Rules, state: State, street: int) -> tuple[int, ...]:
    """The board cards on the table on a street."""
    return state.deal[4 : 4 + rules.visible_board[street]]
