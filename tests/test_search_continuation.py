"""Continual re-solving: how play reaches a subgame, and what the street before says of it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

from env.arrays import Doubles, Floats
from env.boards import private_hands
from env.cards import Cards, canonical, parse_cards
from env.game import Game, load_game
from search.betting import make_betting
from search.continuation import Continuation, continuation, new_two_streets
from search.gadgets import GADGETS, UNSAFE
from search.last_street import LastStreet, Subgames
from search.policy import SearchPolicy
from search.public_state import canonical_board, hands_on, renamed_hands
from search.resolver import UNEXPECTED, entries_of, scaled
from search.runouts import street_hands
from search.settings import parse_settings
from search.solutions import PublicState
from search.trunk import Trunk
from search.two_streets import LastStreetLeaves, TwoStreets
from search.variants import VARIANTS
from tests.policies import Hashed
from tests.subgames import PlainSubgame, decision_entries, random_board, river_strategies

FOUR_STREETS = "hulh:ranks=QKA,suits=cdhs,max_raises=1/1/1/1"
TURN = "Ks Qh Qs Kh"  # hearts and spades look alike, clubs and diamonds too; not canonical


def boards_of(text: str, last: int | None = None) -> Cards:
    """A turn board, with a river card if one is given. [5]"""
    return np.array([*parse_cards(text), 52 if last is None else last], np.uint8)


# Ranges from the blueprint


@pytest.mark.parametrize("text", ["leduc", "fhp:ranks=TJQKA,suits=cd", FOUR_STREETS])
def test_ranges_are_products_of_the_players_own_probabilities(text: str) -> None:
    game = load_game(text)
    blueprint = Hashed(game.tree, 2)
    last = game.rules.streets - 1
    entries = np.array(decision_entries(game, last)[::5])
    boards = np.array([random_board(game, last, seed) for seed in range(len(entries))])
    found = Trunk(game, blueprint).ranges(boards, entries)
    hands = private_hands(game.rules)
    for board, entry, ranges in zip(boards, entries, found, strict=True):
        free = PlainSubgame(game, board, int(entry)).possible(board)
        assert (ranges[:, ~free] == 0).all()
        expected = np.ones((2, len(hands)))
        path = list(game.tree.path(int(entry)))
        for node, child in pairwise(path):
            shown = game.rules.visible_board[game.tree.street[node]]
            views = np.column_stack([hands, np.tile(board, (len(hands), 1))])[free]
            views[:, 2 + shown :] = 52
            rows = blueprint.strategies(canonical(views), np.full(len(views), node))
            expected[game.tree.actor[node], free] *= rows[:, game.tree.action[child]]
        np.testing.assert_allclose(ranges[:, free], expected[:, free], rtol=1e-5)


# From the turn to the river


@dataclass
class SolvedTurn:
    """A solved turn, and what its solution says of the rivers."""

    game: Game
    board: Cards
    ranges: Doubles  # [2, H]
    solver: TwoStreets
    leaves: LastStreetLeaves
    found: Continuation

    def reach(self, player: int, node: int) -> Doubles:
        """How the average strategy of the turn brings a player's hands to a node below it. [H]"""
        path = [int(step) for step in self.game.tree.path(node)]
        path = path[path.index(int(self.solver.betting.nodes[0])) :]
        reach = self.ranges[player].copy()
        solution = self.found.solution
        live = solution.place >= 0
        for step, child in pairwise(path):
            if self.game.tree.actor[step] == player:
                column = int(np.flatnonzero(solution.decisions == step)[0])
                rows = solution.strategies[solution.place[live], column]
                reach[live] *= rows[:, self.game.tree.action[child]]
        return reach

    def river_strategy(self, card: int, node: int) -> Doubles:
        """The average strategy on the river after a card that was solved itself. [H, 3]"""
        runouts = self.leaves.runouts
        row = int(np.flatnonzero(runouts.cards == card)[0])
        out = np.zeros((len(private_hands(self.game.rules)), 3))
        live = street_hands(self.game.rules, self.board).live
        for nodes, strategies in river_strategies(self.leaves, row):
            if node in nodes:
                column = nodes.tolist().index(node)
                out[live[runouts.live[row]]] = strategies[:, column]
        return out


def solved_turn(*, renamed: bool = True) -> SolvedTurn:
    """Solved on the board as it is dealt, or with its suits renamed first, as a policy does."""
    game = load_game(FOUR_STREETS)
    board = canonical_board(boards_of(TURN)).board if renamed else boards_of(TURN)
    entry = decision_entries(game, 2)[-1]
    live = street_hands(game.rules, board).live
    trunk = Trunk(game, Hashed(game.tree, 4, unplayed=0.1))
    reach = trunk.ranges(board[None], np.array([entry]))[0][:, live].astype(np.float32)
    ranges = scaled(reach, UNEXPECTED)
    variant = VARIANTS["dcfr"]
    solver, leaves, boards = new_two_streets(game, board, entry, ranges, variant)
    solver.iterate(6)
    num_hands = len(private_hands(game.rules))
    spread = np.zeros((2, num_hands))
    spread[:, live] = ranges
    found = continuation(solver, leaves, boards, live, num_hands)
    return SolvedTurn(game, board, spread, solver, leaves, found)


def rivers(game: Game, entry: int) -> list[int]:
    """The nodes at which a river begins below the entry of a turn."""
    betting = make_betting(game.tree, entry, is_last=False)
    return [int(leaf) for leaf in betting.leaves if game.tree.is_decision[leaf]]


@pytest.mark.parametrize("renamed", [True, False])
@pytest.mark.parametrize("resolver", [0, 1])
def test_a_river_starts_with_the_ranges_of_the_turns_solution(resolver: int, renamed: bool) -> None:
    """After every card, those that were merged with others included."""
    turn = solved_turn(renamed=renamed)
    rules = turn.game.rules
    cards = [card for card in rules.deck if card not in turn.board]
    assert len(turn.leaves.runouts.cards) < len(cards), "some cards look alike"
    others = 0  # boards whose suits change
    for card in cards:
        full = turn.board.copy()
        full[4] = card
        renaming = canonical_board(full)
        others += bool((renaming.board != full).any())
        here = hands_on(rules, renaming.board.tobytes())
        place = {int(hand): row for row, hand in enumerate(here.live)}
        before = hands_on(rules, full.tobytes())
        numbers = renamed_hands(rules, before.cards, renaming.cards)
        rows = [place[int(number)] for number in numbers]
        for node in rivers(turn.game, int(turn.solver.betting.nodes[0])):
            situation = turn.found.situation(renaming.board.tobytes(), node, here, resolver)
            for player in (0, 1):
                expected = turn.reach(player, node)[before.live]
                assert expected.max() > 0
                np.testing.assert_allclose(
                    situation.ranges[player, rows], expected, rtol=1e-3, atol=1e-6
                )
    assert others, "some rivers rename the suits of the turn"


@pytest.mark.parametrize("renamed", [True, False])
@pytest.mark.parametrize("resolver", [0, 1])
def test_the_alternatives_are_the_opponents_values_in_the_turns_solution(
    resolver: int, renamed: bool
) -> None:
    turn = solved_turn(renamed=renamed)
    opponent = 1 - resolver
    for row, card in enumerate(turn.leaves.runouts.cards.tolist()):
        full = turn.board.copy()
        full[4] = card
        renaming = canonical_board(full)
        assert turn.found.boards[renaming.board.tobytes()].row == row
        here = hands_on(turn.game.rules, renaming.board.tobytes())
        for node in rivers(turn.game, int(turn.solver.betting.nodes[0])):
            plain = PlainSubgame(turn.game, full, node)

            def strategy(board: Cards, at: int) -> Doubles:
                return turn.river_strategy(int(board[4]), at)

            slow = plain.values(opponent, False, turn.reach(resolver, node), strategy)
            situation = turn.found.situation(renaming.board.tobytes(), node, here, resolver)
            assert situation.alternatives is not None
            by_hand = np.zeros(len(plain.hands))
            by_hand[here.live] = situation.alternatives
            live = hands_on(turn.game.rules, full.tobytes()).live
            numbers = renamed_hands(turn.game.rules, plain.hands[live], renaming.cards)
            scale = np.abs(slow).max()
            np.testing.assert_allclose(by_hand[numbers], slow[live], rtol=0, atol=1e-4 * scale)


# The whole way


def searching(options: str) -> tuple[Game, SearchPolicy]:
    game = load_game(FOUR_STREETS)
    settings = parse_settings(game.rules, options)
    return game, SearchPolicy(game, Hashed(game.tree, 4, unplayed=0.1), settings)


def test_the_turn_before_a_river_is_found_however_suits_are_named() -> None:
    game, policy = searching("from=turn,iterations=1")
    for seed in range(50):
        board = random_board(game, 3, seed)
        river, turn = canonical_board(board).board, board.copy()
        turn[4] = 52
        entry = decision_entries(game, 3)[seed % len(decision_entries(game, 3))]
        before = policy.resolver._before(PublicState(river.tobytes(), entry, seed % 2))
        assert before.board == canonical_board(turn).board.tobytes()
        assert before.resolver == seed % 2
        start = entries_of(game)[game.tree.parent[entry]]
        assert before.entry == start
        assert game.tree.street[start] == 2


@pytest.mark.parametrize("gadget", GADGETS)
def test_rivers_are_solved_behind_the_turns_solution(gadget: str) -> None:
    """What the policy answers is the subgame that the turn's solution sets up, solved by hand."""
    game, policy = searching(f"from=turn,iterations=6,variant=dcfr,gadget={gadget}")
    turn = solved_turn()
    node = rivers(game, int(turn.solver.betting.nodes[0]))[1]
    assert game.tree.actor[node] == 1
    full = boards_of("Kc Qd Qc Kd", parse_cards("Ah")[0])
    board = canonical_board(full).board
    here = hands_on(game.rules, board.tobytes())
    situation = turn.found.situation(board.tobytes(), node, here, resolver=1)
    assert situation.alternatives is not None
    betting = make_betting(game.tree, node, is_last=True)
    total = situation.ranges[1].sum()
    subgames = Subgames(
        cards=here.cards[None],
        ties=here.ties[None].astype(np.int32),
        classes=here.classes[None],
        stakes=betting.stakes[None],
        ranges=scaled(situation.ranges, UNEXPECTED if gadget == UNSAFE else 0, 1)[None],
        alternatives=(situation.alternatives / total)[None],
    )
    solver = LastStreet(
        betting, subgames, gadget, np.ones(1, np.int32), VARIANTS[policy.settings.variant]
    )
    solver.iterate(6)
    by_hand: Floats = solver.strategies()[0, :, 0]
    found = policy.range_strategies(board[None], here.cards, np.array([node]))[0]
    np.testing.assert_allclose(found, by_hand, rtol=0, atol=1e-6)


def test_alternatives_at_the_river_can_be_those_of_a_best_response() -> None:
    """With each hand a best response gets at least what the opponent's own average gets."""
    found = []
    for alternatives in ("self-play", "best-response"):
        game, policy = searching(f"from=turn,iterations=6,alternatives={alternatives}")
        board = canonical_board(boards_of(TURN)).board
        entry = decision_entries(game, 2)[-1]
        found.append(policy.resolver._continuation(PublicState(board.tobytes(), entry, 0)))
    own, best = found
    np.testing.assert_array_equal(own.ranges, best.ranges)
    scale = np.abs(best.values).max()
    assert (best.values >= own.values - 1e-6 * scale).all()
    assert (best.values > own.values + 1e-3 * scale).mean() > 0.01
