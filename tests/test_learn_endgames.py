"""Learning the last streets of a saved model by the command."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from commands.learn_endgames import main
from env.game import load_game
from models.layout import read_info
from models.loading import load_answers
from models.publish import publish
from tests.small_runs import infosets

FHP = Path("checkpoints/pretrained/fhp")
SMALL = ("--last-street-subgames", "12", "--endgame-width", "8", "--endgame-updates", "10")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("learned") / "model"
    assert main([str(FHP), str(target), *SMALL]) == 0
    return target


def test_the_flop_is_new_and_the_rest_as_before(made: Path) -> None:
    game = load_game("fhp")
    cards, nodes = infosets(game, 400, np.random.default_rng(0))
    before, after = (load_answers(folder).policy.strategies(cards, nodes) for folder in (FHP, made))
    early = game.tree.street[nodes] == 0
    assert early.any()
    np.testing.assert_array_equal(after[early], before[early])
    assert abs(after[~early] - before[~early]).max() > 0.2


def test_the_model_says_how_it_was_made(made: Path) -> None:
    info = read_info(made)
    assert info["config"]["last_street_subgames"] == 12
    assert info["metrics"] == {}
    assert "evaluations" not in info
    assert "origin" not in info  # it is not published, and evaluate.py may add what it measures
    first, second = info["made_of"]["command"], info["made_of"]["learned_with"]
    assert first.startswith("python train.py --preset fhp")
    assert second.endswith(
        "--last-street-subgames 12 --endgame-width 8 --endgame-updates 10 --seed 0"
    )
    card = (made / "README.md").read_text()
    assert first in card
    assert second in card


def test_it_can_be_published(made: Path, tmp_path: Path) -> None:
    card = publish(made, tmp_path / "handed-on")
    info = read_info(tmp_path / "handed-on")
    assert "made_of" not in info
    assert info["origin"]["learned_with"] in card.read_text()


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([str(FHP)], "nothing to learn in fhp"),
        (["checkpoints/pretrained/leduc", *SMALL], "nothing to learn in leduc"),
        (["no/such/model", *SMALL], "no/such/model"),
        ([str(FHP), "--last-street-subgames", "-1"], "cannot be negative"),
    ],
)
def test_nonsense_gets_one_line(
    words: list[str], problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([words[0], str(tmp_path / "new"), *words[1:]]) == 1
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error.startswith("error: ")
    assert problem in error
    assert not (tmp_path / "new").exists()


def test_nothing_is_overwritten(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (made / "model.json").read_bytes()
    assert main([str(FHP), str(made), *SMALL]) == 1
    assert "is there already" in capsys.readouterr().err
    assert (made / "model.json").read_bytes() == before
