"""The coach's figures the slow way: every card, every action, by recursion."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from env.cards import NO_CARD, Cards, canonical, parse_cards
from env.deals import visible_cards
from env.emulator import make_emulator
from env.game import Game
from env.playouts import random_playouts
from env.rules import Rules
from env.states import State
from interfaces.coach.played import PlayedHand
from interfaces.coach.situation import Situation
from policies.policy import Policy


def full_deals(rules: Rules, situation: Situation) -> Iterator[tuple[int, ...]]:
    """Every deal in which the player of a situation sees what the situation says."""
    own = [int(card) for card in situation.hand if card != NO_CARD]
    shown = [int(card) for card in situation.board if card != NO_CARD]
    left = [card for card in rules.deck if card not in own + shown]
    for other in combinations(left, rules.hole_cards):
        rest = [card for card in left if card not in other]
        for coming in combinations(rest, rules.visible_board[-1] - len(shown)):
            holes = (own, list(other)) if situation.player == 0 else (list(other), own)
            deal = [NO_CARD] * 9
            deal[: rules.hole_cards] = holes[0]
            deal[2 : 2 + rules.hole_cards] = holes[1]
            board = [*shown, *coming]
            deal[4 : 4 + len(board)] = board
            yield tuple(deal)


class SlowTable:
    """Two players with one policy at the emulator's table."""

    def __init__(self, game: Game, policy: Policy) -> None:
        self.game, self.policy = game, policy
        self.emulator = make_emulator(game.rules)
        self._known: dict[bytes, list[float]] = {}

    def strategy(self, state: State, node: int) -> list[float]:
        """What the player to act does."""
        deal = np.array([state.deal], np.uint8)
        view = canonical(visible_cards(self.game.rules, deal, state.actor, state.street))
        key = view.tobytes() + node.to_bytes(4, "big")
        if key not in self._known:
            answer = self.policy.strategies(view, np.array([node]))[0].astype(np.float64)
            self._known[key] = (answer / answer.sum()).tolist()
        return self._known[key]

    def after(self, deal: tuple[int, ...], node: int) -> tuple[State, tuple[float, float]]:
        """The state at a node, and how probably each player's own choices lead there."""
        state, reach, here = self.emulator.start(deal), [1.0, 1.0], 0
        for step in list(self.game.tree.path(node))[1:]:
            action = int(self.game.tree.action[step])
            reach[state.actor] *= self.strategy(state, here)[action]
            state, here = self.emulator.act(state, action), step
        return state, (reach[0], reach[1])

    def value(self, state: State, node: int) -> float:
        """Chips that player 0 wins on average from a state on."""
        if state.is_terminal:
            return float(self.emulator.payoffs(state)[0])
        total = 0.0
        for action, chance in enumerate(self.strategy(state, node)):
            if chance > 0:
                child = int(self.game.tree.children[node, action])
                total += chance * self.value(self.emulator.act(state, action), child)
        return total

    def action_values(self, situation: Situation) -> list[float]:
        """Chips that the player to act wins with each action; NaN for illegal ones."""
        tree, player = self.game.tree, situation.player
        sign = 1 if player == 0 else -1
        totals, weight = np.zeros(3), 0.0
        for deal in full_deals(self.game.rules, situation):
            state, reach = self.after(deal, situation.node)
            if reach[1 - player] > 0:
                weight += reach[1 - player]
                for action in np.flatnonzero(situation.legal).tolist():
                    child = int(tree.children[situation.node, action])
                    won = self.value(self.emulator.act(state, action), child)
                    totals[action] += reach[1 - player] * sign * won
        return np.where(situation.legal, totals / weight, np.nan).tolist()


def random_situation(game: Game, street: int, rng: np.random.Generator) -> Situation:
    """A decision on a street, with cards that go together."""
    tree, rules = game.tree, game.rules
    node = int(rng.choice(np.flatnonzero(tree.is_decision & (tree.street == street))))
    shown = rules.visible_board[street]
    cards = rng.choice(rules.deck, rules.hole_cards + shown, replace=False)
    hand, board = np.full(2, NO_CARD, np.uint8), np.full(5, NO_CARD, np.uint8)
    hand[: rules.hole_cards] = cards[: rules.hole_cards]
    board[:shown] = cards[rules.hole_cards :]
    return Situation(game, node, hand, board)


def cards_of(text: str, width: int) -> Cards:
    """Cards in slots, the rest empty."""
    cards = np.full(width, NO_CARD, np.uint8)
    given = parse_cards(text)
    cards[: len(given)] = given
    return cards


def played_hands(game: Game, count: int, seed: int) -> list[PlayedHand]:
    """Random hands, played to the end by whoever chooses uniformly."""
    rng = np.random.default_rng(seed)
    hands = random_playouts(game, count, rng)
    return [
        PlayedHand(game, tuple(deal.tolist()), game.tree.text(int(node)), int(seat))
        for deal, node, seat in zip(
            hands.deals, hands.nodes, rng.integers(2, size=count), strict=True
        )
    ]
