"""Endgame networks: what they see, what they are taught, what they answer, how they are saved."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import keras
import numpy as np
import pytest

from deep_cfr.config import Config, ConfigError
from deep_cfr.endgame.board_features import board_features, canonical_boards
from deep_cfr.endgame.grid import grid_of, hat_weights, teachable_streets
from deep_cfr.endgame.learner import EndgameLearner, LearnedEndgames
from deep_cfr.endgame.policy import ByStreet
from deep_cfr.endgame.solutions import LEVELS, UNIFORM_SHARE, BoardStrengths, solved_rows
from deep_cfr.endgame.teacher import Teacher
from deep_cfr.networks.encoding import make_encoding
from deep_cfr.networks.infoset_inputs import infoset_features
from deep_cfr.networks.network import make_network
from deep_cfr.networks.network_policy import average_strategy_policy
from deep_cfr.solver import Solver
from env.arrays import Floats
from env.cards import NO_CARD, NUM_SLOTS, Cards
from env.game import Game, load_game
from env.progress import no_bar
from env.rules import FHP, HULH, KUHN, LEDUC
from env.views import Views
from evaluation.best_response import exploitability
from models.loading import load_answers, load_model
from models.saving import save_model
from policies.fixed import uniform_policy
from search.betting import make_betting
from tests.small_runs import infosets

SMALL = Config(
    game="hulh",
    width=8,
    last_street_subgames=8,
    turn_subgames=1,
    endgame_width=8,
    endgame_updates=20,
)


def random_views(count: int, shown: int, seed: int) -> Cards:
    """Hole cards and so many board cards."""
    rng = np.random.default_rng(seed)
    views = np.full((count, NUM_SLOTS), NO_CARD, np.uint8)
    for row in views:
        row[: 2 + shown] = rng.choice(52, 2 + shown, replace=False)
    return views


@pytest.mark.parametrize("shown", [3, 4, 5])
def test_a_board_looks_the_same_with_other_suits_and_other_hands(shown: int) -> None:
    views = random_views(200, shown, seed=0)
    renamed = views.copy()
    suits = np.array([2, 0, 3, 1], np.uint8)
    cards = renamed != NO_CARD
    renamed[cards] = (views[cards] & ~np.uint8(3)) | suits[views[cards] & 3]
    renamed[:, :2] = NO_CARD  # what the player holds does not matter
    before, after = (board_features(canonical_boards(rows)) for rows in (views, renamed))
    np.testing.assert_array_equal(before, after)
    assert len(np.unique(before, axis=0)) > 150  # and different boards look different


def test_the_shape_of_a_board() -> None:
    royal = np.array([[NO_CARD, NO_CARD, 51, 47, 43, 39, 35]], np.uint8)  # AsKsQsJsTs
    suits, straight, same_rank = np.split(board_features(canonical_boards(royal))[0, -18:], 3)
    assert [int(part.argmax()) for part in (suits, straight, same_rank)] == [5, 5, 1]


def test_knots_interpolate_linear_functions_exactly() -> None:
    for street in (2, 3):
        grid = grid_of(HULH, street)
        strengths = np.random.default_rng(0).random(100)
        weights = hat_weights(grid.knots, strengths)
        np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-6)
        np.testing.assert_allclose(weights @ (1 + 2 * grid.knots), 1 + 2 * strengths, rtol=1e-5)
        assert set(grid.knots) <= set(grid.bins)


def test_which_streets_can_be_taught() -> None:
    found = [teachable_streets(rules) for rules in (HULH, FHP, LEDUC, KUHN)]
    assert found == [(2, 3), (1,), (), ()]


def test_rows_are_means_of_what_hands_do() -> None:
    """Against sums hand by hand, in plain Python."""
    game, rng = load_game("hulh"), np.random.default_rng(1)
    grid, entry = grid_of(HULH, 3), int(game.tree.entries(3)[5])
    betting = make_betting(game.tree, entry, is_last=True)
    num_hands, num_decisions = 40, len(betting.actor)
    legal = (betting.children >= 0).astype(np.float64)
    strategies = rng.random((num_hands, num_decisions, 3)) * legal
    strategies = (strategies / strategies.sum(axis=2, keepdims=True)).astype(np.float32)
    hands = BoardStrengths(
        np.array([50, 45, 31, 20, 3], np.uint8),
        rng.random(num_hands).astype(np.float32),
        np.zeros(num_hands, np.uint8),
    )
    ranges = rng.random((2, num_hands)).astype(np.float32)
    rows = solved_rows(grid, hands, betting, ranges, strategies)
    for d in range(num_decisions):
        reach = [_own_reach(betting, strategies[h], ranges[:, h], d) for h in range(num_hands)]
        share = np.array(reach) / ranges[betting.actor[d]].sum()
        assert rows.weights[d] == pytest.approx(share.sum(), rel=1e-5)
        weights = (1 - UNIFORM_SHARE) * share / share.sum() + UNIFORM_SHARE / num_hands
        nearest = np.abs(grid.bins[None] - hands.strengths[:, None]).argmin(axis=1)
        for b in np.unique(nearest):
            mine = nearest == b
            mean = np.average(strategies[mine, d], weights=weights[mine], axis=0)
            np.testing.assert_allclose(rows.bins[d, 0, b, :3] / LEVELS, mean, atol=0.51 / LEVELS)
        empty = np.setdiff1d(np.arange(len(grid.bins)), nearest)
        assert not rows.bins[d, 0, empty, 3].any()


def _own_reach(betting, strategies: Floats, ranges: Floats, decision: int) -> float:  # type: ignore[no-untyped-def]
    """How one hand of the player to act comes to a decision by its own actions."""
    player, node, reach = betting.actor[decision], decision, 1.0
    while node:
        parent, action = np.argwhere(betting.children == node)[0]
        if betting.actor[parent] == player:
            reach *= strategies[parent, action]
        node = parent
    return float(reach * ranges[player])


@pytest.fixture(scope="module")
def learned() -> tuple[Solver, LearnedEndgames]:
    """Both streets of limit hold'em, learned from a handful of subgames."""
    solver = Solver(SMALL, load_game("hulh"))
    return solver, solver.learn_endgames(uniform_policy(solver.game.tree))


def test_learning_is_repeatable(learned: tuple[Solver, LearnedEndgames]) -> None:
    solver, first = learned
    weights = {s: [w.numpy() for w in n.trainable] for s, n in first.networks.items()}
    other = Solver(SMALL, solver.game)
    again = other.learn_endgames(uniform_policy(solver.game.tree))
    assert again.distances == first.distances
    for street, network in again.networks.items():
        for mine, theirs in zip(network.trainable, weights[street], strict=True):
            np.testing.assert_array_equal(mine.numpy(), theirs)


def test_streets_that_are_not_taught_stay_as_they_were(
    learned: tuple[Solver, LearnedEndgames],
) -> None:
    solver, found = learned
    cards, nodes = infosets(solver.game, 300, np.random.default_rng(0))
    uniform = uniform_policy(solver.game.tree).strategies(cards, nodes)
    now, early = found.policy.strategies(cards, nodes), solver.game.tree.street[nodes] < 2
    np.testing.assert_array_equal(now[early], uniform[early])
    assert not np.allclose(now[~early], uniform[~early], atol=0.01)
    np.testing.assert_allclose(now.sum(axis=1), 1, rtol=1e-5)
    assert not now[~solver.game.tree.legal[nodes]].any()


def test_saved_models_answer_alike_in_keras_numpy_and_tensorflow(
    learned: tuple[Solver, LearnedEndgames], tmp_path: Path
) -> None:
    solver, found = learned
    network = make_network(solver.encoding, SMALL.width, is_strategy=True)
    folder = save_model(tmp_path, solver, network, {}, found.networks)
    cards, nodes = infosets(solver.game, 300, np.random.default_rng(0))
    ours = ByStreet(
        solver.game.tree,
        average_strategy_policy(network),
        {street: endgame.policy() for street, endgame in found.networks.items()},
    ).strategies(cards, nodes)
    for loaded in (load_answers(folder), load_model(folder)):
        answers = loaded.policy.raw.strategies(cards, nodes)
        np.testing.assert_allclose(answers, ours, atol=2e-5)
    model = keras.models.load_model(folder / "strategy.keras")
    inputs = infoset_features(solver.encoding, cards, nodes, taught=(2, 3))
    np.testing.assert_allclose(model.predict(list(inputs), verbose=0), ours, atol=2e-5)


def test_an_answer_does_not_depend_on_the_company(
    learned: tuple[Solver, LearnedEndgames], tmp_path: Path
) -> None:
    solver, found = learned
    network = make_network(solver.encoding, SMALL.width, is_strategy=True)
    policy = load_answers(save_model(tmp_path, solver, network, {}, found.networks)).policy
    cards, nodes = infosets(solver.game, 60, np.random.default_rng(0))
    together = policy.strategies(cards, nodes)
    ask = policy.for_views(Views(solver.game, cards))
    for row in range(len(nodes)):
        alone = ask(np.array([row]), nodes[row : row + 1])
        np.testing.assert_array_equal(alone[0], together[row])


def test_solved_flops_make_uniform_play_far_less_exploitable() -> None:
    """Through the production path: uniform play whose flop is learned from solved subgames."""
    game = load_game("fhp")
    uniform = uniform_policy(game.tree)
    config = Config(game="fhp", last_street_subgames=400, endgame_width=64, endgame_updates=400)
    learner = EndgameLearner(config, make_encoding("paper", game, True), no_bar)
    found = learner.learn(uniform, [0])
    before, after = (_estimate(game, policy) for policy in (uniform, found.policy))
    assert before > 1400
    assert after < 0.6 * before
    assert found.distances[1].unseen < 0.1  # uniform play is at a distance of about 0.5


def _estimate(game: Game, policy: object) -> float:
    sample = (6, np.random.default_rng(0))
    return exploitability(game, policy, sample=sample).exploitability_mbb  # type: ignore[arg-type]


def test_teachers_draw_from_the_given_generator_alone() -> None:
    game = load_game("fhp")
    uniform = uniform_policy(game.tree)
    first, second, other = (
        Teacher(game, uniform, 1).solve(12, np.random.default_rng(seed), lambda done: None)
        for seed in (0, 0, 1)
    )
    for mine, theirs in zip(first, second, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert not np.array_equal(first.boards, other.boards)


def test_games_without_such_streets_refuse_the_settings() -> None:
    with pytest.raises(ConfigError, match="leduc has no hand strengths"):
        Config(game="leduc", last_street_subgames=5).for_game(LEDUC, {"last_street_subgames"})
    with pytest.raises(ConfigError, match="one card is to come"):
        Config(game="fhp", turn_subgames=5).for_game(FHP, {"turn_subgames"})
    with pytest.raises(ConfigError, match="no street is learned"):
        Config(endgame_width=32).for_game(HULH, {"endgame_width"})
    quiet = dataclasses.replace(Config(game="leduc"), last_street_subgames=5).for_game(LEDUC)
    assert quiet.last_street_subgames == 0
