"""Agents at the table: loaded to answer at once, asked about many tables together.

One thread at a time may ask: compiled kernels that run on several cores cannot be entered twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import agents
from agents.agent import Agent, AgentError
from agents.names import inner_agent, is_own_bot
from env.arrays import Floats
from env.cards import canonical
from env.game import Game, load_game
from env.rules import Rules
from interfaces.table import Question
from policies.answers import checked
from policies.diluted import DilutedPolicy
from policies.policy import DrawsPerHand
from search.policy import SearchPolicy


@dataclass(frozen=True, eq=False)
class Opponent:
    """An agent with the game that it plays."""

    spec: str  # what `agents.load` was given
    agent: Agent
    game: Game

    def strategies(self, questions: Sequence[Question]) -> Floats:
        """Strategies for decisions at any number of tables. [n, 3]"""
        views = canonical(np.array([question.cards for question in questions], np.uint8))
        nodes = np.array([question.node for question in questions])
        policy = self.agent.policy
        if isinstance(policy, DrawsPerHand):
            answers = np.concatenate(
                [
                    policy.for_hands(1, np.random.default_rng(question.hand_seed)).strategies(
                        views[row : row + 1], nodes[row : row + 1], np.zeros(1, np.intp)
                    )
                    for row, question in enumerate(questions)
                ]
            )
        else:
            answers = policy.strategies(views, nodes)
        rows = np.arange(len(nodes))
        return checked(self.game.tree, answers, views, rows, nodes).astype(np.float32)

    def searches(self, street: int) -> bool:
        """Whether decisions on a street are searched for, which takes a moment."""
        policy = self.agent.policy
        inner = policy.inner if isinstance(policy, DilutedPolicy) else policy
        return isinstance(inner, SearchPolicy) and street >= inner.settings.first_street


def load_opponent(spec: str, rules: Rules | None, *, runs_own_code: bool = False) -> Opponent:
    """The agent of a text, the newest one if it stands for several.

    `rules` are for bots, which play any game; other agents are refused if theirs are different.
    `runs_own_code`: the user has typed this text, so a bot in a user's file may be imported. A
    session's file or a page is not enough.
    """
    if not runs_own_code and is_own_bot(inner_agent(spec)):
        raise AgentError(
            f"{spec} is in somebody's own file, which is imported only if you name it yourself: "
            f"python play.py {spec} --continue SESSION"
        )
    agent = agents.load(spec, rules, at_once=True)[-1]
    return Opponent(spec, agent, load_game(agent.rules if rules is None else rules))
