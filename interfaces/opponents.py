"""Agents at the table: loaded to answer at once, asked about many tables together.

One thread at a time may ask: compiled kernels that run on several cores cannot be entered twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import agents
from agents.agent import Agent, AgentError
from agents.names import inner_agent, is_own_bot
from env.arrays import Floats
from env.cards import canonical
from env.game import Game, load_game
from env.progress import NewBar, no_bar
from env.rules import Rules
from interfaces.coach.advice import Coach
from interfaces.coach.analysis import coach_of
from interfaces.table import Question
from policies.answers import checked
from policies.diluted import DilutedPolicy
from policies.policy import DrawsPerHand
from policies.unbeatable import NeverFoldsUnbeatable
from search.policy import SearchPolicy


@dataclass(frozen=True, eq=False)
class Opponent:
    """An agent with the game that it plays."""

    spec: str  # what `agents.load` was given
    agent: Agent
    game: Game

    def strategies(self, questions: Sequence[Question], progress: NewBar = no_bar) -> Floats:
        """Strategies for decisions at any number of tables. [n, 3]

        Search says how far each of its solves is.
        """
        if self._search is None:
            return self._answers(questions)
        self._search.resolver.progress = progress
        try:
            return self._answers(questions)
        finally:
            self._search.resolver.progress = no_bar

    def _answers(self, questions: Sequence[Question]) -> Floats:
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
        search = self._search
        return search is not None and street >= search.settings.first_street

    @cached_property
    def coach(self) -> Coach:
        """A coach who judges by this agent, with all that it has worked out so far."""
        if isinstance(self.agent.policy, DrawsPerHand):
            raise AgentError(f"{self.agent.name} draws a strategy for each hand and cannot judge")
        return coach_of(self.agent)

    @cached_property
    def _search(self) -> SearchPolicy | None:
        """The search below whatever rules lie on top of it."""
        policy = self.agent.policy
        if isinstance(policy, DilutedPolicy):
            policy = policy.inner
        if isinstance(policy, NeverFoldsUnbeatable):
            policy = policy.raw
        return policy if isinstance(policy, SearchPolicy) else None


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


def short_name(spec: str) -> str:
    """What an agent is called on the screen: without the folders that models lie in."""
    below = [part.rpartition("checkpoints/")[2] for part in spec.split(":")]
    return ":".join(part.removeprefix("pretrained/") for part in below)
