"""Best responses the slow way: OpenSpiel's, and brute force over every deal."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pyspiel
from numpy.typing import NDArray

from env.actions import CALL, FOLD
from env.betting_tree import BettingTree
from env.cards import NO_CARD, Cards, canonical
from env.deals import NUM_DEAL_SLOTS, canonical_views, deal_slots, showdown_results, visible_cards
from env.rules import LEDUC, Rules, parse_rules
from tests.games import tree_of
from tests.policies import Stateless, normalised

OPENSPIEL = {"kuhn": "kuhn_poker", "leduc": "leduc_poker"}


class InOpenSpiel:
    """A toy game there, with our names for its information states."""

    def __init__(self, preset: str) -> None:
        self.rules = parse_rules(preset)
        self.tree = tree_of(self.rules)
        self.game = pyspiel.load_game(OPENSPIEL[preset])
        self.start = self.game.new_initial_state()
        self._ours: dict[str, tuple[list[int], int]] = {}  # infostate → visible cards, node
        self._visit(self.start, 0, [])

    def _visit(self, state: pyspiel.State, node: int, dealt: list[int]) -> None:
        if state.is_terminal():
            return
        if state.is_chance_node():
            for card in state.legal_actions():
                self._visit(state.child(card), node, [*dealt, self.rules.deck[card]])
            return
        player = state.current_player()
        assert player == self.tree.actor[node]
        board = dealt[2] if len(dealt) > 2 else NO_CARD
        view = [dealt[player], NO_CARD, board] + [NO_CARD] * 4
        self._ours[state.information_state_string()] = (view, node)
        for action in np.flatnonzero(self.tree.legal[node]).tolist():
            child = int(self.tree.children[node, action])
            self._visit(state.child(self._their_action(node, action)), child, dealt)

    def _their_action(self, node: int, action: int) -> int:
        if self.rules == LEDUC:
            return action
        passing = FOLD if self.tree.legal[node, FOLD] else CALL
        return int(action != passing)

    def policy(self, ours: Stateless) -> pyspiel.TabularPolicy:
        views, nodes = (np.array(column) for column in zip(*self._ours.values(), strict=True))
        strategies = normalised(ours.strategies(canonical(views), nodes))
        table = {
            infostate: [
                (self._their_action(node, action), strategy[action])
                for action in np.flatnonzero(self.tree.legal[node]).tolist()
            ]
            for infostate, node, strategy in zip(self._ours, nodes, strategies, strict=True)
        }
        return pyspiel.TabularPolicy(table)

    def best_response_values(self, ours: Stateless) -> list[float]:
        policy = self.policy(ours)
        responses = [pyspiel.TabularBestResponse(self.game, player, policy) for player in (0, 1)]
        return [response.value_from_state(self.start) for response in responses]

    def value(self, *policies: Stateless) -> float:
        theirs = [self.policy(policy) for policy in policies]
        return float(pyspiel.expected_returns(self.start, theirs, -1, True)[0])


def every_deal(rules: Rules) -> Cards:
    """All deals, hands and the new cards of a street in ascending order. [n, 9]"""

    def draws(sizes: tuple[int, ...], left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if not sizes:
            yield ()
            return
        for cards in combinations(left, sizes[0]):
            rest = tuple(card for card in left if card not in cards)
            for later in draws(sizes[1:], rest):
                yield cards + later

    sizes = (rules.hole_cards, rules.hole_cards, *rules.board_cards[: rules.streets])
    dealt = np.array(list(draws(sizes, rules.deck)))
    deals = np.full((len(dealt), NUM_DEAL_SLOTS), NO_CARD, np.uint8)
    deals[:, deal_slots(rules)] = dealt
    return deals


class BruteForce:
    """Deal by deal and infoset by infoset, with suits as they are."""

    def __init__(self, rules: Rules, tree: BettingTree, *policies: Stateless) -> None:
        deals = every_deal(rules)
        views = canonical_views(rules, deals)
        self.tree = tree
        self.results = showdown_results(deals)
        self.seen = [
            [visible_cards(rules, deals, player, street) for street in range(rules.streets)]
            for player in (0, 1)
        ]
        self.strategy = {}
        for node in np.flatnonzero(tree.is_decision).tolist():
            actor = int(tree.actor[node])
            cards = views[:, actor, tree.street[node]]
            answers = policies[actor].strategies(cards, np.full(len(deals), node))
            self.strategy[node] = normalised(answers)

    def value(self, best_responder: int | None = None) -> float:
        """Chips per hand for player 0, both on policy but for the best responder."""
        deals = np.arange(len(self.results))
        return self._below(0, deals, np.ones(len(deals)), best_responder) / len(deals)

    def _below(
        self, node: int, rows: NDArray[np.intp], reach: NDArray[np.float64], responder: int | None
    ) -> float:
        tree = self.tree
        if not tree.is_decision[node]:
            nodes = np.full(len(rows), node)
            return float((reach * tree.payoffs(nodes, self.results[rows])).sum())
        actions = np.flatnonzero(tree.legal[node])
        children = tree.children[node, actions].tolist()
        if responder is None or tree.actor[node] != responder:
            chances = self.strategy[node][rows]
            return sum(
                self._below(child, rows, reach * chances[:, action], responder)
                for action, child in zip(actions, children, strict=True)
            )
        infosets: dict[bytes, list[int]] = {}
        for i, view in enumerate(self.seen[responder][tree.street[node]][rows]):
            infosets.setdefault(view.tobytes(), []).append(i)
        pick = max if responder == 0 else min
        return sum(
            pick(self._below(child, rows[same], reach[same], responder) for child in children)
            for same in infosets.values()
        )
