"""Sessions in figures; the file of sessions with reviews; ranges as text."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from env.cards import NO_CARD
from env.game import load_game
from interfaces.coach.advice import Coach
from interfaces.coach.range_grid import range_grids
from interfaces.coach.range_text import range_text
from interfaces.coach.reference import Reference
from interfaces.coach.replay import replay
from interfaces.coach.report import MOST_SHOWN, Report, review
from interfaces.coach.results import results
from interfaces.coach.rollouts import Sampling
from interfaces.storage import SCHEMA_VERSION, Store
from tests.coaching import played_hands
from tests.policies import Hashed


@pytest.fixture(scope="module")
def coach() -> Coach:
    game = load_game("leduc")
    return Coach(Reference(game, Hashed(game.tree, 1)), sampling=Sampling(200, 2000))


def test_a_report_adds_up(coach: Coach) -> None:
    hands = played_hands(coach.reference.game, 40, seed=1)
    reviews = {
        number: json.loads(json.dumps(review(coach, one))) for number, one in enumerate(hands)
    }
    report = Report(reviews)
    each = [results(coach.reference, one) for one in hands]
    for name in ("won_bb", "showdown_adjusted_bb", "range_adjusted_bb", "baseline_bb"):
        figures = [getattr(one, name) for one in each]
        np.testing.assert_allclose(report.lines[name], [0, *np.cumsum(figures)], atol=1e-9)
        rate, margin = report.rates[name]
        assert rate == pytest.approx(100 * np.mean(figures))
        error = np.std(figures, ddof=1) / np.sqrt(len(figures))
        assert margin == pytest.approx(100 * 1.959964 * error)
    decisions = [one for hand in hands for one in replay(coach, hand).decisions]
    assert sum(report.grades.values()) == len(decisions)
    for grade, count in report.grades.items():
        assert count == sum(one.grade == grade for one in decisions)
    assert sum(report.loss_by_street_bb.values()) == pytest.approx(
        sum(one.loss_bb for one in decisions)
    )
    costs = sorted((one.loss_bb for one in decisions if one.loss_bb > 0), reverse=True)
    assert [one["loss_bb"] for one in report.worst] == costs[:MOST_SHOWN]
    worst = report.worst[0]
    text = report.text()
    assert text.startswith("40 hands")
    assert f"hand {worst['hand_number']}, " in text
    assert f"cost {costs[0]:.2f}" in text
    assert Report({}).text() == "no finished hand to report on"
    assert Report({3: reviews[3]}).rates["won_bb"][1] is None


def test_sessions_of_the_first_version_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite3"
    Store(path).close()
    with sqlite3.connect(path) as database:  # as the first version wrote it
        database.execute("DROP TABLE reviews")
        database.execute("PRAGMA user_version = 1")
    store = Store(path)
    row = store.create(load_game("leduc").rules, "call", 1, (0,) * 9)
    store.keep_review(row.id, 0, "who", {"a": 1})
    store.keep_review(row.id, 0, "who", {"a": 2})
    assert store.reviews(row.id, "who") == {0: {"a": 1}}
    assert store.reviews(row.id, "else") == {}
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


def test_ranges_as_text(coach: Coach) -> None:
    reference = Reference(load_game("hulh"), Hashed(load_game("hulh").tree, 1))
    board = np.full(5, NO_CARD, np.uint8)
    grids = range_grids(reference, board, 0)
    lines = range_text(grids[0], "Button").splitlines()
    assert lines[0].startswith("Button: 1326.0 hands")
    assert len(lines) == 15
    assert lines[2].split() == ["AA=9", *(f"A{rank}s=9" for rank in "KQJT98765432")]
    assert max(map(len, lines)) <= 80
    node = reference.game.tree.node("rc/")
    board[:3] = 48, 49, 50  # three aces: few hands hold the fourth, none two
    grid = range_grids(reference, board, node)[0]
    lines = range_text(grid, "Button").splitlines()
    assert "AA" not in lines[2]
    shares = dict(zip(grid.cells.names, grid.shares, strict=True))
    for name in ("KK", "T9s", "72o"):
        shown = next(word for line in lines for word in line.split() if word.startswith(name))
        expected = min(int(10 * shares[name] / grid.shares.max()), 9)
        assert shown in (f"{name}={expected}", f"{name}=.")
