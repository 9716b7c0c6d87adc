"""Agents that leave decisions to chance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import agents
from agents.diluting import diluted, parse_diluted
from env.cards import canonical
from env.game import load_game
from env.views import Views
from policies.diluted import DilutedPolicy
from policies.fixed import always, uniform_policy

GAME = load_game("kuhn")
VIEWS = canonical(np.array([[card] + [52] * 6 for card in (36, 40, 44)], np.uint8))
ROWS = np.repeat(np.arange(3), int(GAME.tree.is_decision.sum()))
NODES = np.tile(np.flatnonzero(GAME.tree.is_decision), 3)


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_strategies_are_mixed_with_the_uniform_one(share: float) -> None:
    own, uniform = always(GAME.tree, 2), uniform_policy(GAME.tree)
    mixed = DilutedPolicy(GAME.tree, own, share)
    cards = VIEWS[ROWS]
    expected = (1 - share) * own.strategies(cards, NODES) + share * uniform.strategies(cards, NODES)
    np.testing.assert_allclose(mixed.strategies(cards, NODES), expected)
    np.testing.assert_allclose(mixed.for_views(Views(GAME, VIEWS))(ROWS, NODES), expected)
    assert mixed.strategies(cards, NODES).dtype == np.float32


def test_shares_are_shares() -> None:
    for share in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="share"):
            DilutedPolicy(GAME.tree, always(GAME.tree, 2), share)


def test_by_name() -> None:
    (agent,) = agents.load("diluted:20:raise", GAME.rules)
    assert (agent.name, agent.source, agent.folder) == ("diluted:20:raise", "diluted", None)
    expected = DilutedPolicy(GAME.tree, always(GAME.tree, 2), 0.2).strategies(VIEWS[ROWS], NODES)
    np.testing.assert_allclose(agent.policy.strategies(VIEWS[ROWS], NODES), expected)
    assert parse_diluted(diluted(7, "search:a:from=turn")) == (7, "search:a:from=turn")
    assert diluted(0, "call") == "call"


@pytest.mark.parametrize(
    "text", ["diluted:", "diluted:5", "diluted:x:call", "diluted:101:call", "diluted:²:call"]
)
def test_what_is_not_readable(text: str) -> None:
    with pytest.raises(agents.AgentError):
        agents.load(text, GAME.rules)


def test_twice_is_refused() -> None:
    with pytest.raises(agents.AgentError, match="twice"):
        agents.load("diluted:5:diluted:5:call", GAME.rules)


def test_a_model_at_once_answers_as_it_does_in_tensorflow() -> None:
    folder = Path(__file__).parent.parent / "checkpoints" / "pretrained" / "leduc"
    (quick,), (slow,) = agents.load(folder, at_once=True), agents.load(folder)
    assert (quick.name, quick.source, quick.iteration) == (slow.name, slow.source, slow.iteration)
    game = load_game(slow.rules)
    cards = canonical(np.array([[36, 52, 52, 52, 52, 52, 52]], np.uint8))
    first = np.array([0])
    assert game.tree.is_decision[0]
    np.testing.assert_allclose(
        quick.policy.strategies(cards, first), slow.policy.strategies(cards, first), atol=1e-5
    )
