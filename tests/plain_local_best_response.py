"""Local best response as a plain recursion: an own hand and a board, each opposing hand alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from env.actions import CALL, FOLD, RAISE
from env.betting_tree import FOLDED, NONE, BettingTree
from env.cards import NO_CARD, NUM_SLOTS, canonical
from env.deals import showdown_result
from env.rules import Rules
from policies.policy import Policy

Hand = tuple[int, ...]


@dataclass
class PlainLBR:
    rules: Rules
    tree: BettingTree
    policy: Policy
    exact: bool  # a best response on the last street, not its check-down form
    start: int = 0  # before this street the seat plays as the policy does
    asked: dict[tuple[Hand, Hand, int], list[float]] = field(default_factory=dict)
    compared: dict[tuple[Hand, Hand, Hand], float] = field(default_factory=dict)

    def value_mbb(self, seat: int) -> float:
        """What LBR wins in a seat, averaged over all boards and own hands."""
        hands = list(combinations(self.rules.deck, self.rules.hole_cards))
        values = []
        for board in self._boards(0, ()):
            for own in (hand for hand in hands if not set(hand) & set(board)):
                theirs = {hand: 1.0 for hand in hands if not set(hand) & set(own)}
                left = sum(not set(hand) & set(board) for hand in theirs)
                values.append(self._below(0, seat, own, board, theirs) / left)
        return 1000 * float(np.mean(values)) / self.rules.big_blind_chips

    def _boards(self, street: int, before: Hand) -> Iterator[Hand]:
        if street == self.rules.streets:
            yield before
            return
        left = [card for card in self.rules.deck if card not in before]
        for new in combinations(left, self.rules.board_cards[street]):
            yield from self._boards(street + 1, before + new)

    def _below(
        self, node: int, seat: int, own: Hand, board: Hand, reach: dict[Hand, float]
    ) -> float:
        """Σ over the opposing hands that the full board leaves of reach times chips won."""
        tree = self.tree
        if not tree.is_decision[node]:
            return sum(
                chance * self._chips(node, seat, own, hand, board)
                for hand, chance in reach.items()
                if not set(hand) & set(board)
            )
        visible = board[: self.rules.visible_board[tree.street[node]]]
        if tree.actor[node] == seat and tree.street[node] < self.start:
            chances = self._strategy(own, visible, node)
            return sum(
                chances[action]
                * self._below(int(tree.children[node, action]), seat, own, board, reach)
                for action in np.flatnonzero(tree.legal[node]).tolist()
            )
        if tree.actor[node] == seat and self.exact and tree.street[node] == self.rules.streets - 1:
            children = [int(child) for child in tree.children[node] if child != NONE]
            return max(self._below(child, seat, own, board, reach) for child in children)
        if tree.actor[node] == seat:
            action = self._choice(node, seat, own, visible, reach)
            return self._below(int(tree.children[node, action]), seat, own, board, reach)
        total = 0.0
        for action in np.flatnonzero(tree.legal[node]).tolist():
            after = {
                hand: chance * self._strategy(hand, visible, node)[action]
                for hand, chance in reach.items()
                if not set(hand) & set(visible)
            }
            if any(chance for hand, chance in after.items() if not set(hand) & set(board)):
                total += self._below(int(tree.children[node, action]), seat, own, board, after)
        return total

    def _choice(
        self, node: int, seat: int, own: Hand, visible: Hand, reach: dict[Hand, float]
    ) -> int:
        tree = self.tree
        seen = {hand: chance for hand, chance in reach.items() if not set(hand) & set(visible)}
        values = {}
        if tree.legal[node, FOLD]:
            values[FOLD] = -float(tree.contributions[node, seat])
        after = int(tree.children[node, CALL])
        edge = self._edge(own, visible, seen)
        values[CALL] = edge * float(tree.contributions[after, seat])
        if tree.legal[node, RAISE]:
            after = int(tree.children[node, RAISE])
            folds = {hand: self._strategy(hand, visible, after)[FOLD] for hand in seen}
            stays = {hand: chance * (1 - folds[hand]) for hand, chance in seen.items()}
            fp = 1 - sum(stays.values()) / sum(seen.values())
            called = int(tree.children[after, CALL])
            values[RAISE] = fp * float(tree.contributions[after, 1 - seat])
            if any(stays.values()):
                edge = self._edge(own, visible, stays)
                values[RAISE] += (1 - fp) * edge * float(tree.contributions[called, seat])
        best = max(values.values())
        return min(action for action, value in values.items() if value > best - 1e-6)

    def _edge(self, own: Hand, visible: Hand, seen: dict[Hand, float]) -> float:
        """2 wp − 1."""
        won = sum(chance * self._duel(own, hand, visible) for hand, chance in seen.items())
        return won / sum(seen.values())

    def _duel(self, own: Hand, other: Hand, visible: Hand) -> float:
        """Chances to win less chances to lose, over every rest of the board."""
        key = (own, other, tuple(sorted(visible)))
        if key not in self.compared:
            left = [card for card in self.rules.deck if card not in own + other + visible]
            rests = combinations(left, self.rules.visible_board[-1] - len(visible))
            results = [self._result(own, other, visible + rest) for rest in rests]
            self.compared[key] = sum(results) / len(results)
        return self.compared[key]

    def _result(self, own: Hand, other: Hand, board: Hand) -> int:
        filled = (*own, NO_CARD)[:2] + (*other, NO_CARD)[:2] + board
        return showdown_result(filled + (NO_CARD,) * (9 - len(filled)))

    def _chips(self, node: int, seat: int, own: Hand, other: Hand, board: Hand) -> float:
        lost = int(self.tree.contributions[node].min())
        if self.tree.node_type[node] == FOLDED:
            return -lost if self.tree.actor[self.tree.parent[node]] == seat else lost
        return lost * self._result(own, other, board)

    def _strategy(self, hand: Hand, visible: Hand, node: int) -> list[float]:
        key = (hand, visible, node)
        if key not in self.asked:
            row = (*hand, NO_CARD)[:2] + visible
            view = np.array([row + (NO_CARD,) * (NUM_SLOTS - len(row))], np.uint8)
            answer = self.policy.strategies(canonical(view), np.array([node])).astype(float)[0]
            self.asked[key] = (answer / answer.sum()).tolist()
        return self.asked[key]
