"""Safe re-solving is never more exploitable than the blueprint, exactly; unsafe re-solving is."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from env.game import Game, load_game
from evaluation.best_response import exploitability
from models.loading import SavedAnswers, load_answers
from policies.policy import Policy
from search.policy import SearchPolicy
from search.resolver import UNEXPECTED, scaled
from search.settings import parse_settings
from search.variants import VARIANTS
from tests.equilibrium import Equilibrium
from tests.policies import Hashed

PRETRAINED = Path(__file__).parent.parent / "checkpoints" / "pretrained"
GAMES = (
    "leduc",
    "leduc:suits=cdh,max_raises=1/2",
    "fhp:ranks=JQKA,suits=cd,max_raises=1/2",
    "fhp:ranks=QKA,suits=cdh,max_raises=1/1",
)
SAFE = ("resolve", "max-margin")
LITTLE = 1e-3  # antes or big blinds


@lru_cache
def equilibrium_of(text: str) -> tuple[Game, Equilibrium]:
    game = load_game(text)
    return game, Equilibrium(game.rules, game.tree)


def lost(game: Game, policy: Policy) -> float:
    """Exploitability in antes or big blinds."""
    return exploitability(game, policy).exploitability_mbb / 1000


def lost_with(game: Game, blueprint: Policy, options: str) -> float:
    return lost(game, SearchPolicy(game, blueprint, parse_settings(game.rules, options)))


@pytest.mark.parametrize("gadget", SAFE)
@pytest.mark.parametrize("text", GAMES)
def test_an_equilibrium_stays_one(text: str, gadget: str) -> None:
    game, equilibrium = equilibrium_of(text)
    assert lost(game, equilibrium) < 1e-6
    options = f"gadget={gadget},alternatives=best-response,iterations=2000"
    assert lost_with(game, equilibrium, options) < LITTLE


def test_every_variant_keeps_an_equilibrium() -> None:
    game, equilibrium = equilibrium_of("leduc")
    for variant in VARIANTS:
        options = f"alternatives=best-response,iterations=2000,variant={variant}"
        assert lost_with(game, equilibrium, options) < LITTLE


@pytest.mark.parametrize("text", ["leduc", "fhp:ranks=JQKA,suits=cd,max_raises=1/2"])
def test_without_a_gadget_an_equilibrium_is_lost(text: str) -> None:
    """Its range is answered, but the opponent may come with another one."""
    game, equilibrium = equilibrium_of(text)
    assert lost_with(game, equilibrium, "gadget=unsafe,iterations=2000") > 5 * LITTLE


@pytest.mark.parametrize("gadget", SAFE)
@pytest.mark.parametrize("text", GAMES)
def test_random_blueprints_get_no_worse(text: str, gadget: str) -> None:
    game = load_game(text)
    for seed in range(4):
        blueprint = Hashed(game.tree, seed)
        options = f"gadget={gadget},alternatives=best-response,iterations=500"
        assert lost_with(game, blueprint, options) < lost(game, blueprint) + LITTLE


@pytest.mark.parametrize("gadget", SAFE)
@pytest.mark.parametrize("text", GAMES)
def test_nearly_perfect_blueprints_get_no_worse(text: str, gadget: str) -> None:
    """Where there is little to win, there is most to lose: a solution of few iterations."""
    game, equilibrium = equilibrium_of(text)
    few = SearchPolicy(game, equilibrium, parse_settings(game.rules, "iterations=20"))
    before = lost(game, few)
    assert before > 2 * LITTLE, "there is something to repair"
    options = f"gadget={gadget},alternatives=best-response,iterations=2000"
    assert lost_with(game, few, options) < before + LITTLE


@lru_cache
def pretrained() -> SavedAnswers:
    return load_answers(PRETRAINED / "leduc")


def test_unsafe_search_can_be_worse_than_the_model_it_starts_from() -> None:
    model = pretrained()
    before = lost(model.game, model.policy)
    assert lost_with(model.game, model.policy, "gadget=unsafe,iterations=1000") > 1.3 * before


@pytest.mark.parametrize("gadget", SAFE)
def test_safe_search_makes_the_model_better(gadget: str) -> None:
    model = pretrained()
    before = lost(model.game, model.policy)
    options = f"gadget={gadget},alternatives=best-response,iterations=1000"
    assert lost_with(model.game, model.policy, options) < 0.9 * before
    assert lost_with(model.game, model.policy, "") < 0.7 * before, "as it comes"


def test_ranges_sum_to_one_and_the_opponents_has_every_hand() -> None:
    ranges = np.zeros((2, 8), np.float32)
    ranges[0, 2], ranges[1, :4] = 0.01, 0.5
    found = scaled(ranges, UNEXPECTED, 1)
    assert found.sum(axis=1) == pytest.approx([1, 1])
    assert found[0, 0] == pytest.approx(UNEXPECTED / 8)
    assert found[1].tolist() == [0.25] * 4 + [0] * 4
    assert scaled(np.zeros((2, 8), np.float32), resolver=0)[0] == pytest.approx([1 / 8] * 8)
