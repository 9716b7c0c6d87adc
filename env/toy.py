"""Kuhn and Leduc poker, with the same `Emulator` interface as hold'em.

Both are fixed-limit games with an ante and one hole card; the differences (one street or two,
bet sizes, raise caps, who opens) are all in their `Rules`. They follow OpenSpiel's `kuhn_poker`
and `leduc_poker`: player 0 opens every street. Kuhn's "pass" is CALL when there is nothing to
call and FOLD when there is.
"""

from __future__ import annotations

from env.actions import CALL, FOLD, RAISE
from env.states import TERMINAL, DealSource, Emulator, Move, State


class ToyEmulator(Emulator):
    """One-card poker, played directly from the rules."""

    version = "toy 1"

    def start(self, source: DealSource) -> State:
        ante = self.rules.ante
        return State(self.resolve_deal(source), 0, self.rules.first_to_act[0], (ante, ante))

    def act(self, state: State, action: int) -> State:
        action = self.check_action(state, action)
        actor, street = state.actor, state.street
        paid = {FOLD: 0, CALL: state.to_call, RAISE: self.raise_cost(state)}[action]
        pot = list(state.contributions)
        pot[actor] += paid
        opens_street = not any(move.street == street for move in state.moves)
        closes_street = action == CALL and not opens_street
        all_in = closes_street and pot[0] == self.rules.stack
        next_actor = 1 - actor
        if action == FOLD or (closes_street and (all_in or street == self.rules.streets - 1)):
            next_actor = TERMINAL
        elif closes_street:
            street += 1
            next_actor = self.rules.first_to_act[street]
        moves = (*state.moves, Move(state.street, actor, action, paid))
        return State(state.deal, street, next_actor, (pot[0], pot[1]), moves)
