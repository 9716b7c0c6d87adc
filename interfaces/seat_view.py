"""What the human's seat may see of the hand in play. Faces and the wire get nothing else.

The opponent's cards are in it only after a showdown: a hand that ends with a fold is not shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from env.actions import ACTION_NAMES, CALL, FOLD, RAISE
from env.betting_tree import SHOWDOWN, BettingTree
from env.cards import NO_CARD, card_text
from env.game import Game
from env.hands import CATEGORIES, add_card, categories, packed_rank
from env.rules import Rules
from env.states import Move
from env.transcript import describe_action
from interfaces.table import Hand, Table

YOU, OPPONENT = "you", "opponent"


@dataclass(frozen=True)
class Choice:
    """A legal action."""

    action: str  # fold, call or raise
    label: str  # as a button names it, such as "Raise to 30"
    cost: int  # chips


@dataclass(frozen=True)
class PlayedMove:
    """An action that was played."""

    street: int
    by: str  # you or opponent
    action: str  # fold, call or raise
    text: str  # such as "raises to 30", or of one's own "raise to 30"
    paid: int  # chips


@dataclass(frozen=True)
class HandResult:
    """How a hand ended."""

    won: int  # chips, by the human
    showdown: bool
    own_made: str  # what each player's cards make at a showdown, such as "two pair"
    opponent_made: str


@dataclass(frozen=True)
class SeatView:
    """The hand as the human sees it. Amounts in chips, own before the opponent's."""

    hand: int  # its number in the session, from 1
    step: int  # actions played so far in the hand
    button: str  # who posts the small blind and acts last after the flop; "" in toy games
    street: int
    street_name: str
    own_cards: tuple[str, ...]
    opponent_cards: tuple[str, ...]  # empty until the showdown
    board: tuple[str, ...]
    pot: int  # of finished streets
    bets: tuple[int, int]  # of this street
    paid: tuple[int, int]  # in the whole hand
    to_act: str  # you, opponent, or "" when the hand is over
    choices: tuple[Choice, ...]  # empty unless it is the human's turn
    moves: tuple[PlayedMove, ...]
    result: HandResult | None


def seat_view(table: Table) -> SeatView:
    """What the human sees of the hand in play."""
    game, hand, seat = table.game, table.hand, table.hand.human_seat
    rules, tree, node = game.rules, game.tree, table.hand.node
    street = int(tree.street[node])
    is_shown = int(tree.node_type[node]) == SHOWDOWN
    paid = _from(tree.contributions[node].tolist(), seat)
    opened = opening(game, node)
    moves = tuple(_moves(game, hand))
    return SeatView(
        hand=hand.number + 1,
        step=len(moves),
        button=(YOU, OPPONENT)[seat] if rules.is_holdem else "",
        street=street,
        street_name=rules.street_names[street],
        own_cards=_texts(_hole(hand.deal, seat)),
        opponent_cards=_texts(_hole(hand.deal, 1 - seat)) if is_shown else (),
        board=_texts(visible_board(rules, hand.deal, rules.streets - 1 if is_shown else street)),
        pot=2 * opened,
        bets=(paid[0] - opened, paid[1] - opened),
        paid=paid,
        to_act="" if table.is_over else YOU if table.is_humans_turn else OPPONENT,
        choices=_choices(game, hand) if table.is_humans_turn else (),
        moves=moves,
        result=_result(table) if table.is_over else None,
    )


def visible_board(rules: Rules, deal: tuple[int, ...], street: int) -> tuple[int, ...]:
    """The board cards on the table on a street."""
    return deal[4 : 4 + rules.visible_board[street]]


def opening(game: Game, node: int) -> int:
    """What each player had paid before the street of a node; blinds are bets, antes are not."""
    tree, street = game.tree, int(game.tree.street[node])
    if not street:
        return game.rules.ante
    first = next(step for step in tree.path(node) if tree.street[step] == street)
    return int(tree.contributions[first].min())


def _from(both: list[int], seat: int) -> tuple[int, int]:
    """Two figures by player, own first."""
    return both[seat], both[1 - seat]


def _hole(deal: tuple[int, ...], player: int) -> tuple[int, ...]:
    return deal[2 * player : 2 * player + 2]


def _texts(cards: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(card_text(card) for card in cards if card != NO_CARD)


def _moves(game: Game, hand: Hand) -> Iterator[PlayedMove]:
    for before, after in pairwise(game.tree.path(hand.node)):
        move, text = _described(game, before, int(game.tree.action[after]))
        by = YOU if move.player == hand.human_seat else OPPONENT
        words = _imperative(text) if by == YOU else text
        yield PlayedMove(move.street, by, ACTION_NAMES[move.action], words, move.paid)


def _described(game: Game, node: int, action: int) -> tuple[Move, str]:
    """An action at a node, and its words."""
    tree, after = game.tree, int(game.tree.children[node, action])
    player = int(tree.actor[node])
    before_chips, after_chips = (tree.contributions[n, player].item() for n in (node, after))
    move = Move(int(tree.street[node]), player, action, after_chips - before_chips)
    opened = opening(game, node)
    level = int(tree.contributions[node].max()) - opened
    text = describe_action(move, level, after_chips - opened)
    is_all_in = move.paid and game.rules.stack_binds and after_chips == game.rules.stack
    return move, text + (" (all-in)" if is_all_in else "")


def _choices(game: Game, hand: Hand) -> tuple[Choice, ...]:
    found = []
    for action in (FOLD, CALL, RAISE):
        if game.tree.legal[hand.node, action]:
            move, text = _described(game, hand.node, action)
            found.append(Choice(ACTION_NAMES[action], _imperative(text).capitalize(), move.paid))
    return tuple(found)


def _imperative(text: str) -> str:
    """ "raise to 30" for "raises to 30"."""
    verb, _, rest = text.partition(" ")
    return " ".join([verb.removesuffix("s"), rest]).strip()


def _result(table: Table) -> HandResult:
    tree: BettingTree = table.game.tree
    hand, seat = table.hand, table.hand.human_seat
    if int(tree.node_type[hand.node]) != SHOWDOWN:
        return HandResult(table.won, False, "", "")
    made = [made_hand(table.game.rules, hand.deal, player) for player in (seat, 1 - seat)]
    return HandResult(table.won, True, made[0], made[1])


def made_hand(rules: Rules, deal: tuple[int, ...], player: int) -> str:
    """What a player's cards make on the whole board, such as "two pair"."""
    cards = _hole(deal, player) + visible_board(rules, deal, rules.streets - 1)
    packed, present = 0, [card for card in cards if card != NO_CARD]
    for card in present:
        packed = add_card(packed, card)
    return CATEGORIES[int(categories(np.array([packed_rank(packed, len(present))], np.int32))[0])]
