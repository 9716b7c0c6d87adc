"""Matches against exact values, known outcomes, and a plain loop through the emulator."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from arena.match import MatchResult, Played, batches, match, play
from deep_cfr.single_deep_cfr import SingleDeepCFR
from env.actions import CALL, FOLD, RAISE
from env.betting_tree import SHOWDOWN
from env.cards import Cards, canonical
from env.deals import deal, visible_cards
from env.emulator import make_emulator
from env.game import Game, load_game
from env.rules import FHP, HULH, HULH_80, KUHN, LEDUC, Rules
from evaluation.best_response import expected_value
from policies.drawing import draw
from policies.fixed import TabularPolicy, always, uniform_policy
from policies.policy import Policy
from tests.policies import Hashed, hashed_pair


def single_of(game: Game, seed: int) -> SingleDeepCFR:
    """Iterations so different that it matters which one was drawn."""
    tree = game.tree
    iterations: list[tuple[Policy, Policy]] = [
        (Hashed(tree, seed), always(tree, RAISE)),
        (always(tree, CALL), always(tree, FOLD)),
        (always(tree, RAISE), Hashed(tree, seed + 1)),
    ]
    return SingleDeepCFR(game, iterations)


def exact_mbb(game: Game, a: Policy, b: Policy) -> tuple[float, float]:
    """What A wins in seat 0 and in seat 1."""
    unit = 1000 / game.rules.big_blind_chips
    return unit * expected_value(game, a, b), -unit * expected_value(game, b, a)


def assert_same(first: MatchResult, second: MatchResult) -> None:
    assert (first.hands, first.mbb, first.ci95_mbb) == (second.hands, second.mbb, second.ci95_mbb)
    assert first.seat_mbb == second.seat_mbb
    np.testing.assert_array_equal(first.actions, second.actions)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rules", [KUHN, LEDUC], ids=lambda rules: rules.name)
def test_winnings_are_the_exact_ones(rules: Rules, seed: int) -> None:
    game = load_game(rules)
    tree = game.tree
    a, b = Hashed(tree, 2 * seed), Hashed(tree, 2 * seed + 1)
    seats = exact_mbb(game, a, b)
    found = match(game, a, b, 200_000, seed)
    assert found.hands == 200_000
    assert abs(found.mbb - sum(seats) / 2) < 2 * found.ci95_mbb  # four standard errors
    assert found.ci95_mbb < 30
    for mine, exact in zip(found.seat_mbb, seats, strict=True):
        # One seat keeps the luck of the cards: up to the largest stake per hand.
        assert abs(mine - exact) < 4 * 1000 * tree.contributions.max() / np.sqrt(found.hands / 2)
    assert sum(found.seat_mbb) / 2 == pytest.approx(found.mbb)


@pytest.mark.parametrize("rules", [KUHN, LEDUC], ids=lambda rules: rules.name)
def test_intervals_cover_the_truth_nineteen_times_in_twenty(rules: Rules) -> None:
    game = load_game(rules)
    tree = game.tree
    a, b = Hashed(tree, 5), Hashed(tree, 8)
    exact = sum(exact_mbb(game, a, b)) / 2
    results = [match(game, a, b, 1_000, seed) for seed in range(600)]
    covered = [abs(found.mbb - exact) < found.ci95_mbb for found in results]
    assert abs(np.mean(covered) - 0.95) < 3.5 * np.sqrt(0.95 * 0.05 / 600)


@pytest.mark.parametrize("rules", [LEDUC, HULH], ids=lambda rules: rules.name)
@pytest.mark.parametrize("per_hand", [False, True])
def test_a_wins_what_b_loses_and_nothing_from_itself(rules: Rules, per_hand: bool) -> None:
    game = load_game(rules)
    tree = game.tree
    a: Policy = single_of(game, 1) if per_hand else Hashed(tree, 1)
    b = Hashed(tree, 2)
    ab, ba = match(game, a, b, 2_000, 3), match(game, b, a, 2_000, 3)
    assert ab.mbb == -ba.mbb != 0
    assert ab.seat_mbb == (-ba.seat_mbb[1], -ba.seat_mbb[0])
    assert ab.ci95_mbb == ba.ci95_mbb > 0
    np.testing.assert_array_equal(ab.actions, ba.actions[::-1])
    twin: Policy = single_of(game, 1) if per_hand else Hashed(tree, 1)
    alone = match(game, a, twin, 2_000, 3)
    assert (alone.mbb, alone.ci95_mbb) == (0, 0)
    assert alone.seat_mbb[0] == -alone.seat_mbb[1] != 0


@pytest.mark.parametrize("rules", [KUHN, LEDUC], ids=lambda rules: rules.name)
def test_agents_that_draw_per_hand_play_their_average(rules: Rules) -> None:
    """Also against each other: what one draws must tell nothing of what the other did."""
    game = load_game(rules)
    tree = game.tree
    a, b = single_of(game, 1), single_of(game, 4)
    for opponent in (uniform_policy(tree), b):
        exact = sum(exact_mbb(game, a, opponent)) / 2
        found = match(game, a, opponent, 100_000, 0)
        assert abs(found.mbb - exact) < 2 * found.ci95_mbb


@pytest.mark.parametrize("rules", [KUHN, LEDUC, HULH], ids=lambda rules: rules.name)
@pytest.mark.parametrize("per_hand", [False, True])
def test_batches_leave_no_trace(rules: Rules, per_hand: bool) -> None:
    game = load_game(rules)
    tree = game.tree
    a: Policy = single_of(game, 1) if per_hand else Hashed(tree, 1)
    b = single_of(game, 5)
    reports: list[int] = []
    whole = match(game, a, b, 601, 9)
    assert whole.hands == 602, "an odd hand is made even"
    for batch in (7, 100, 301):
        assert_same(whole, match(game, a, b, 601, 9, batch=batch, progress=reports.append))
    assert sum(reports) == 3 * 602
    other = match(game, a, b, 601, 10)
    assert (other.mbb, other.seat_mbb) != (whole.mbb, whole.seat_mbb)


def test_a_single_deal_has_no_interval() -> None:
    game = load_game(KUHN)
    tree = game.tree
    found = match(game, uniform_policy(tree), Hashed(tree, 0), 2, 0)
    assert (found.hands, found.ci95_mbb) == (2, np.inf)
    with pytest.raises(ValueError, match="0 hands"):
        match(game, uniform_policy(tree), uniform_policy(tree), 0, 0)


def all_played(game: Game, a: Policy, b: Policy, hands: int) -> Played:
    (played,) = batches(game, a, b, hands, 0)
    return played


def test_call_against_raise() -> None:
    """One raise per street: blinds, then 10 + 10 + 20 + 20 more, and a showdown."""
    game = load_game(HULH)
    tree = game.tree
    played = all_played(game, always(tree, CALL), always(tree, RAISE), 2_000)
    assert (tree.node_type[played.nodes] == SHOWDOWN).all()
    assert (tree.contributions[played.nodes] == 70).all()
    assert {tree.text(node) for node in np.unique(played.nodes)} == {
        "crc/rc/rc/rc",  # the caller on the button, who acts last after the flop
        "rc/crc/crc/crc",
    }
    assert set(np.unique(played.chips)) == {-70, 0, 70}
    assert (played.chips.sum(axis=1) == 0).all(), "the same showdown from both sides"
    # Per deal three calls and two raises on every street; 1 000 deals.
    np.testing.assert_array_equal(played.actions[0], [[0, 3_000, 0]] * 4)
    np.testing.assert_array_equal(played.actions[1], [[0, 0, 2_000]] * 4)


def test_raise_against_raise_and_fold_against_both() -> None:
    game = load_game(HULH)
    tree = game.tree
    fold, call, raises = (always(tree, action) for action in (FOLD, CALL, RAISE))
    capped = all_played(game, raises, raises, 200)
    assert (tree.contributions[capped.nodes] == 240).all()
    against_raise = match(game, fold, raises, 1_000, 0)
    assert against_raise.seat_mbb == (-500, -1000)  # the small blind, the big blind
    assert (against_raise.mbb, against_raise.ci95_mbb) == (-750, 0)
    np.testing.assert_array_equal(against_raise.actions[:, 0], [[1_000, 0, 0], [0, 0, 500]])
    assert not against_raise.actions[:, 1:].any()
    against_call = match(game, fold, call, 1_000, 0)
    assert against_call.seat_mbb[0] == -500
    checked = all_played(game, fold, call, 1_000)  # nothing to fold to: checked down
    assert set(np.unique(checked.chips[:, 1])) == {-10, 0, 10}


def test_a_policy_without_an_action_is_refused() -> None:
    game = load_game(KUHN)
    tree = game.tree
    nothing = TabularPolicy(lambda cards, nodes: np.zeros((len(nodes), 3), np.float32))
    with pytest.raises(ValueError, match="no legal action a probability after ''"):
        match(game, uniform_policy(tree), nothing, 100, 0)


@dataclass
class PlainLoop:
    """One hand at a time through the emulator, with the documented draws."""

    game: Game
    agents: tuple[Policy, Policy]
    salt: int

    def hand(self, number: int, cards: Cards, seating: int) -> tuple[str, int, list[list[int]]]:
        """History, A's chips and (agent, street, action) of every decision."""
        emulator = make_emulator(self.game.rules)
        state, letters, made = emulator.start(cards), "", []
        while not state.is_terminal:
            agent = state.actor if seating == 0 else 1 - state.actor
            view = canonical(visible_cards(self.game.rules, cards[None], state.actor, state.street))
            node = self.game.tree.node(letters)
            probabilities = self.agents[agent].strategies(view, np.array([node]))[0]
            threshold = draw(np.uint64(self.salt), number, node)
            action = int(np.searchsorted(np.cumsum(probabilities, dtype=float), threshold, "right"))
            made.append([agent, state.street, action])
            letters += "fcr"[action]
            state = emulator.act(state, action)
        return letters, emulator.payoffs(state)[seating], made


@pytest.mark.parametrize(
    ("rules", "count"),
    [(LEDUC, 200), (FHP, 60), (HULH, 150), (HULH_80, 50)],
    ids=lambda value: value.name if isinstance(value, Rules) else None,
)
def test_equals_a_plain_loop_through_the_emulator(rules: Rules, count: int) -> None:
    game = load_game(rules)
    tree = game.tree
    agents = hashed_pair(tree)
    deals, first, salt = deal(rules, count, np.random.default_rng(3)), 1_000, 12345
    rngs = (np.random.default_rng(0), np.random.default_rng(0))
    played = play(game, *agents, deals, first, salt, rngs)
    np.testing.assert_array_equal(played.deals, deals)
    loop = PlainLoop(game, agents, salt)
    actions = np.zeros_like(played.actions)
    for row, cards in enumerate(deals):
        for seating in (0, 1):
            letters, chips, made = loop.hand(first + row, cards, seating)
            assert played.nodes[row, seating] == tree.node(letters)
            assert played.chips[row, seating] == chips
            for agent, street, action in made:
                actions[agent, street, action] += 1
    np.testing.assert_array_equal(played.actions, actions)
