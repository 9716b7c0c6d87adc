"""Algorithm 2 as the paper prints it: a recursion through the emulator. The oracle."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from env.betting_tree import BettingTree
from env.cards import canonical
from env.states import Emulator, State
from policies.drawing import draw, sample_action
from policies.policy import Policy

Key = tuple[bytes, int]  # canonical visible cards, node
Sample = tuple[Key, list[float]]


@dataclass
class Recursion:
    """One traverser's traversals with given strategies and draws."""

    emulator: Emulator
    tree: BettingTree
    policies: tuple[Policy, Policy]
    traverser: int
    salt: int
    advantages: list[Sample] = field(default_factory=list)
    strategies: list[Sample] = field(default_factory=list)

    def traverse(self, deal_number: int, state: State, node: int = 0) -> float:
        """The sampled value of a state for the traverser, in big blinds."""
        if state.is_terminal:
            payoff = self.emulator.payoffs(state)[self.traverser]
            return payoff / self.emulator.rules.big_blind_chips
        cards = canonical(self.emulator.visible_cards(state, state.actor)[None])
        key = (cards[0].tobytes(), node)
        strategy = self.policies[state.actor].strategies(cards, np.array([node]))[0]
        legal = [action for action, ok in enumerate(self.emulator.legal(state)) if ok]
        if state.actor != self.traverser:
            self.strategies.append((key, strategy.tolist()))
            number = draw(np.uint64(self.salt), deal_number, node)
            action = sample_action(strategy, self.tree.children[node], number)
            return self._below(deal_number, state, node, action)
        values = {action: self._below(deal_number, state, node, action) for action in legal}
        value = sum(float(strategy[action]) * values[action] for action in legal)
        regrets = [values[a] - value if a in values else 0.0 for a in range(3)]
        self.advantages.append((key, regrets))
        return value

    def _below(self, deal_number: int, state: State, node: int, action: int) -> float:
        child = int(self.tree.children[node, action])
        return self.traverse(deal_number, self.emulator.act(state, action), child)


def as_samples(rows: Any) -> list[Sample]:
    """Memory rows in the recursion's form."""
    return [((row["cards"].tobytes(), int(row["node"])), row["targets"].tolist()) for row in rows]
