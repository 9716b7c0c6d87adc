"""An agent as a PyPokerEngine player: it sits down at an ordinary two-player table of the engine.

The engine's table becomes an infoset of the agent's game by three rules:

1. Whoever posts the small blind is player 0.
2. A street's line is given by who raised, and whose turn it is. In the tree player 1 opens the
   later streets, at the bare engine's table player 0 does (`env.emulator`, fault 1). So a player
   1 who has not acted yet counts as having checked when player 0 is to act or has bet, and a
   check of player 0 with which the street began is left out. Each player's chips, raises and
   choices are then the same at the table and in the tree.
3. Every raise counts as one bet, whatever its size. If the tree has no such line, because the
   table allows more raises or deeper stacks, two raises are dropped at a time, so that the last
   raiser stays the same; if no line remains, the agent calls.

The answer is one bet more than the call. A table where that is too little, after a larger raise,
gets its smallest raise; a player without enough chips goes all-in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pypokerengine.players import BasePokerPlayer

from agents.agent import Agent
from env.actions import ACTION_LETTERS, CALL, FOLD
from env.betting_tree import NONE
from env.cards import NO_CARD, NUM_SLOTS, Cards, canonical, parse_card
from env.game import load_game
from policies.drawing import sample_action

STREETS = ("preflop", "flop", "turn", "river")  # as the engine calls them


class AgentPlayer(BasePokerPlayer):
    """Plays an agent's strategy; `rng` draws its actions."""

    def __init__(self, agent: Agent, rng: np.random.Generator) -> None:
        super().__init__()
        rules = agent.rules
        if not rules.is_holdem or rules.streets != len(STREETS) or len(rules.deck) != 52:
            raise ValueError(
                "PyPokerEngine plays hold'em of four streets with a full deck, "
                f"and {agent.name} plays {rules.describe()}"
            )
        self._agent, self._rng = agent, rng
        self._tree = load_game(rules).tree

    def declare_action(
        self, valid_actions: list[dict[str, Any]], hole_card: list[str], round_state: dict[str, Any]
    ) -> tuple[str, int]:
        """The engine's question: an action and the chips put in on this street in all."""
        action, node = CALL, self.node(round_state)
        if node != NONE:
            view = canonical(_view(hole_card, round_state["community_card"]))
            strategy = self._agent.policy.strategies(view[None], np.array([node]))[0]
            action = sample_action(strategy, self._tree.children[node], self._rng.random())
        to_call = int(valid_actions[CALL]["amount"])
        if action == FOLD:
            return "fold", 0
        total = to_call
        if action != CALL:
            total = self._raised(to_call, valid_actions[action]["amount"]["min"], round_state)
        return ("raise", total) if total > to_call else ("call", to_call)

    def node(self, round_state: dict[str, Any]) -> int:
        """The node of the agent's tree where the table stands; NONE if there is none like it."""
        seats = [seat["uuid"] for seat in round_state["seats"]]
        small_blind, actor = (seats[round_state[key]] for key in ("small_blind_pos", "next_player"))
        node = 0
        for street, name in enumerate(STREETS):
            moves = round_state["action_histories"].get(name, [])
            # In the order of their amounts: the engine lists moves as if player 0 opened.
            raises = sorted(
                (move for move in moves if move["action"] == "RAISE"), key=lambda m: m["amount"]
            )
            raisers = [int(move["uuid"] != small_blind) for move in raises]
            opener = self._agent.rules.first_to_act[street]
            if name == round_state["street"]:
                return self._to_act(node, opener, raisers, int(actor != small_blind))
            node = self._finished(node, opener, raisers)
            if node == NONE:
                break
        return NONE

    def receive_game_start_message(self, game_info: dict[str, Any]) -> None:
        """Refuse a table with other players, blinds or antes than the agent's game has."""
        rules, table = self._agent.rules, game_info["rule"]
        if (
            game_info["player_num"] != 2
            or table["small_blind_amount"] != rules.small_blind
            or table["ante"]
            or table["blind_structure"]
        ):
            raise ValueError(
                f"{self._agent.name} plays {rules.describe()}, for two players; this table has "
                f"{game_info['player_num']} players, small blind {table['small_blind_amount']}, "
                f"ante {table['ante']} and blind structure {table['blind_structure']}"
            )

    def receive_round_start_message(self, round_count: int, hole_card: Any, seats: Any) -> None:
        """`declare_action` is given the whole hand, so nothing is kept between questions."""

    def receive_street_start_message(self, street: str, round_state: Any) -> None:
        """Nothing to keep."""

    def receive_game_update_message(self, new_action: Any, round_state: Any) -> None:
        """Nothing to keep."""

    def receive_round_result_message(self, winners: Any, hand_info: Any, round_state: Any) -> None:
        """Nothing to keep."""

    def _to_act(self, node: int, opener: int, raisers: list[int], actor: int) -> int:
        """Where somebody is to act after these raises on a street."""
        first = raisers[0] if raisers else actor
        for count in range(len(raisers), -1, -2):
            after = self._follow(node, ("" if first == opener else "c") + "r" * count)
            if after != NONE and self._tree.actor[after] == actor:
                return after
        return NONE

    def _finished(self, node: int, opener: int, raisers: list[int]) -> int:
        """Where the next street starts after these raises and the call."""
        for count in range(len(raisers), 0, -2):
            after = self._follow(node, ("" if raisers[0] == opener else "c") + "r" * count + "c")
            if after != NONE and self._tree.is_decision[after]:
                return after
        return self._follow(node, "cc")

    def _follow(self, node: int, letters: str) -> int:
        """The node that a line leads to; NONE if the tree has no such line."""
        for letter in letters:
            node = int(self._tree.children[node, ACTION_LETTERS.index(letter)])
            if node == NONE:
                break
        return node

    def _raised(self, to_call: int, smallest: int, round_state: dict[str, Any]) -> int:
        """Chips on this street after one bet more; the engine takes less only as an all-in."""
        me = round_state["seats"][round_state["next_player"]]
        moves = round_state["action_histories"][round_state["street"]]
        paid = [move["amount"] for move in moves if move["uuid"] == me["uuid"] and "amount" in move]
        bet = self._agent.rules.bet_sizes[STREETS.index(round_state["street"])]
        return min(max(to_call + bet, smallest), me["stack"] + max(paid, default=0))


def _view(hole_card: list[str], community_card: list[str]) -> Cards:
    """What the player sees, from the engine's texts such as SA for the ace of spades. [7]"""
    view = np.full(NUM_SLOTS, NO_CARD, np.uint8)
    shown = [parse_card(text[1] + text[0]) for text in (*hole_card, *community_card)]
    view[: len(shown)] = shown
    return view
