"""`evaluate.py A B`: two players on the same boards, and the interval of their difference."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import evaluate
from env.game import load_game
from env.progress import no_bar
from evaluation.differences import difference
from evaluation.methods import evaluate as evaluated
from evaluation.settings import Settings
from tests.policies import Hashed, Uniform

LEDUC = "checkpoints/pretrained/leduc"


def test_the_difference_of_bounds_is_paired_on_boards() -> None:
    """A policy differs from itself by nothing, and from another by less than both intervals say."""
    game = load_game("fhp:ranks=TJQKA,suits=cd")
    settings = Settings(method="lbr", hands=2_000, seed=3, by_street=True)
    one, same, other = (
        evaluated(game, policy, settings, no_bar)
        for policy in (Hashed(game.tree, 1), Hashed(game.tree, 1), Uniform(game.tree))
    )
    nothing = difference(one, same)
    assert (nothing.mbb, nothing.interval_mbb) == (0, 0)
    found = difference(one, other)
    assert one.board_mbb is not None
    assert other.board_mbb is not None
    gaps = one.board_mbb - other.board_mbb
    assert found.boards == len(gaps) == one.record.boards
    assert found.mbb == pytest.approx(gaps.mean())
    error = np.sqrt(((gaps - gaps.mean()) ** 2).sum() / (len(gaps) - 1) / len(gaps))
    assert found.interval_mbb is not None
    assert found.interval_mbb == pytest.approx(1.959964 * error)
    assert one.record.interval_mbb is not None
    assert other.record.interval_mbb is not None
    assert found.interval_mbb < one.record.interval_mbb + other.record.interval_mbb
    by_street = zip(found.by_street, one.record.by_street, other.record.by_street, strict=True)
    for part, mine, theirs in by_street:
        assert part.mbb == pytest.approx(mine.mbb - theirs.mbb)
        assert 0 < part.interval_mbb < mine.interval_mbb + theirs.interval_mbb
    assert sum(part.mbb for part in found.by_street) == pytest.approx(found.mbb)
    assert found.to_json()["by_street"][0]["street"] == "pre-flop"


def test_exact_figures_differ_exactly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    assert evaluate.main([LEDUC, "call", "--json", str(out)]) == 0
    found = json.loads(out.read_text())
    first, second = (entry["exploitability_mbb"] for entry in found["models"])
    assert found["difference"]["mbb"] == pytest.approx(first - second)
    assert found["difference"]["interval_mbb"] == 0
    assert [entry["name"] for entry in found["models"]] == [LEDUC, "call"]
    assert f"{LEDUC} less call: {first - second:+.2f} mbb/g" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([LEDUC, "checkpoints/pretrained/fhp"], "plays leduc"),
        ([LEDUC, "call", "raise"], "two to compare"),
        ([LEDUC, "call", "--chart", "chart.png"], "for one model"),
        (["call", "raise"], "name one with --game"),
    ],
)
def test_what_cannot_be_compared(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code: int | str | None = evaluate.main(words)
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    assert complaint in capsys.readouterr().err
