"""The models in the repository: they load, are what their cards say and play as claimed."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from agents import load as load_agent
from arena.match import match
from env.rules import PRESETS
from evaluation.best_response import exploitability
from models.layout import read_info
from models.measurements import Measurements
from models.model import Model, load
from models.model_card import write_card
from models.storage import checked_folder
from tests.test_model_card import run_example

FOLDER = Path(__file__).parent.parent / "checkpoints" / "pretrained"
GAMES = ("hulh", "fhp", "leduc")
BOTS = (
    "random",
    "call",
    "raise",
    "honest",
    "loose-passive",
    "loose-aggressive",
    "tight-passive",
    "tight-aggressive",
)


@pytest.fixture(scope="module", params=GAMES)
def model(request: pytest.FixtureRequest) -> Model:
    return load(FOLDER / request.param)


@pytest.mark.parametrize("game", GAMES)
def test_folder_is_whole_small_and_described(game: str) -> None:
    folder = checked_folder(FOLDER / game)
    assert sum(file.stat().st_size for file in folder.iterdir()) <= 4_000_000
    info, card = read_info(folder), (folder / "README.md").read_text()
    assert info["origin"]["command"].startswith("python train.py")
    assert info["origin"]["command"] in card
    assert info["evaluations"], "measured by evaluate.py"
    assert f"{info['iteration']} iterations" in card


@pytest.mark.parametrize("game", GAMES)
def test_cards_are_up_to_date_and_their_code_runs(game: str, tmp_path: Path) -> None:
    """What `write_card` says of a copy, which lies elsewhere, is what the repository says."""
    card = (FOLDER / game / "README.md").read_text()
    assert "raise" in run_example(card)
    copy = Path(shutil.copytree(FOLDER / game, tmp_path / "pretrained" / game))
    fresh = (
        write_card(copy).read_text().replace(f"path/to/{game}", f"checkpoints/pretrained/{game}")
    )
    assert fresh == card


def test_rules_are_those_of_the_game(model: Model) -> None:
    assert model.game.rules == PRESETS[model.game.rules.name]


def test_answers_are_strategies(model: Model) -> None:
    hand = "Kc" if model.game.rules.name == "leduc" else "AhKd"
    answer = model.ask(hand)
    assert abs(sum(answer.values()) - 1) < 1e-5


def test_leduc_is_as_exploitable_as_its_card_says() -> None:
    model = load(FOLDER / "leduc")
    found = exploitability(model.game, model.policy).exploitability_mbb
    (claimed,) = Measurements.of(FOLDER / "leduc").evaluations
    assert claimed.claim == "exact"
    assert found == pytest.approx(claimed.exploitability_mbb, abs=0.1)
    assert found < 10, "uniform play: 2373.6"
    raw = exploitability(model.game, model.policy.raw).exploitability_mbb
    assert found < raw - 0.05, "never folding an unbeatable hand gives less away"


def test_fhp_is_hardly_exploitable_on_a_sample_of_flops() -> None:
    """A sample flatters the best response: always-call would lose 388 even on all flops."""
    model = load(FOLDER / "fhp")
    sample = (12, np.random.default_rng(0))
    found = exploitability(model.game, model.policy, sample=sample)
    assert found.exploitability_mbb < 100
    assert read_info(FOLDER / "fhp")["evaluations"]["exact"]["exploitability_mbb"] < 37


@pytest.mark.parametrize("bot", BOTS)
def test_hulh_beats_the_bots(bot: str) -> None:
    model = load(FOLDER / "hulh")
    agent = load_agent(bot, model.game.rules)[0]
    hands = 200_000 if bot == "loose-aggressive" else 40_000  # the hardest: about 50 mbb/g
    result = match(model.game, model.policy, agent.policy, hands, seed=1)
    assert result.mbb > result.ci95_mbb


@pytest.mark.parametrize("game", ["hulh", "fhp"])
def test_it_plays_good_hands_and_folds_bad_ones(game: str) -> None:
    model = load(FOLDER / game)
    assert model.ask("7h2c")["fold"] > 0.8
    assert model.ask("AhAd")["fold"] < 0.02
    assert model.ask("AhAd", line="r")["raise"] > 0.8
