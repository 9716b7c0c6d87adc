"""Settings: every one that a run states is read, and those of earlier versions are understood."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from deep_cfr.config import Config, ConfigError
from deep_cfr.presets import DEFAULT_PRESET, PRESETS
from env.rules import parse_rules

PRETRAINED = Path(__file__).parent.parent / "checkpoints" / "pretrained"


def test_smoke_takes_the_default_path_in_small() -> None:
    """The two presets differ in sizes alone: whatever is on in one is on in the other."""
    small, default = PRESETS["smoke"][1], PRESETS[DEFAULT_PRESET][1]
    how_long = {"updates_growth", "eval_every", "keep", "threads"}
    for field in dataclasses.fields(Config):
        mine, theirs = getattr(small, field.name), getattr(default, field.name)
        if isinstance(mine, bool | str):
            assert mine == theirs, field.name
        elif field.name not in how_long:
            assert (mine > 0) == (theirs > 0), field.name
    assert small.rounds > 1
    assert small.refit_every > 1
    assert small.iterations > small.refit_every, "networks are fitted more than once"


@pytest.mark.parametrize(
    ("game", "changes", "switched_off"),
    [
        ("leduc", {"strength_regression": True}, {"strength", "strength_regression", "rounds"}),
        ("kuhn", {"strategy_regression": True}, {"strategy_regression", "refit_every"}),
        ("hulh", {"strength": False}, {"strength_regression", "rounds", "refit_every"}),
        ("hulh", {"eval_every": 5, "eval_hands": 0, "eval_match_hands": 0}, {"eval_every"}),
        ("fhp", {"eval_hands": 5, "eval_match_hands": 7}, {"eval_hands", "eval_match_hands"}),
        ("hulh", {"network": "thesis", "width": 32}, {"width"}),
        ("leduc", {"eval_boards": 7}, {"eval_boards"}),
    ],
)
def test_what_a_game_does_not_read_is_off_unless_the_user_named_it(
    game: str, changes: dict[str, object], switched_off: set[str]
) -> None:
    rules = parse_rules(game)
    config = dataclasses.replace(PRESETS[DEFAULT_PRESET][1], game=game, **changes)  # type: ignore[arg-type]
    resolved = config.for_game(rules)
    differing = {
        field.name
        for field in dataclasses.fields(Config)
        if getattr(config, field.name) != getattr(resolved, field.name)
    }
    assert switched_off <= differing
    assert resolved.for_game(rules) == resolved
    for name in switched_off:
        with pytest.raises(ConfigError, match=f"{name} is .*, but "):
            config.for_game(rules, {name})


@pytest.mark.parametrize("name", ["hulh", "fhp", "leduc"])
def test_settings_of_published_models_are_understood(name: str) -> None:
    saved = json.loads((PRETRAINED / name / "model.json").read_text())["config"]
    config = Config.from_saved(saved)
    assert config.traversals == saved["traversals"]
    name_then = "linear_part" if "linear_part" in saved else "strength_regression"
    assert config.strength_regression == saved[name_then]


def test_settings_of_earlier_versions_keep_their_meaning_or_are_refused() -> None:
    old = {"linear_part": True, "strategy_part": True, "traversal_batch": 99, "warm_start": False}
    config = Config.from_saved(old)
    assert (config.strength_regression, config.strategy_regression) == (True, True)
    with pytest.raises(ConfigError, match="warm_start is True, which this version does not have"):
        Config.from_saved({"warm_start": True})
    with pytest.raises(TypeError):
        Config.from_saved({"temperature": 1.0})


def test_a_run_that_would_learn_nothing_is_refused() -> None:
    with pytest.raises(ConfigError, match="nothing would be learned"):
        Config(updates=0, updates_growth=0)
