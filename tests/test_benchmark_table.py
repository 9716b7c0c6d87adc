"""The benchmarks: every line of the table is measured, and ratios come from measurements."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import all as every
from benchmarks import measuring
from benchmarks.traversal import learned_solver, make_seatings, sample_one_round
from deep_cfr.presets import PRESETS
from env.arrays import Floats
from env.cards import Cards
from env.strength import Strengths

SCRIPTS = list(dict.fromkeys(row.script for row in every.ROWS))
SHARED_MODULES = {"__init__", "all", "measuring", "random_rows", "scripts"}
NEEDS_PYTORCH = {"openspiel_infosets_per_s"}


def keys_of(row: every.Row) -> set[str]:
    """The figures that a row shows."""
    return {row.ours, row.openspiel, row.naive, row.limit} - {""}


def made_up_figures(script: str) -> every.Figures:
    """A different number for every figure that the table asks of a script."""
    keys = sorted(set().union(*(keys_of(row) for row in every.ROWS if row.script == script)))
    return {key: 10.0 * place for place, key in enumerate(keys, start=1)}


def write_scripts(folder: Path, **bodies: str) -> None:
    """Scripts that print made-up figures after a line for people, or do what is asked instead."""
    for script in SCRIPTS:
        figures = json.dumps(made_up_figures(script))
        body = bodies.get(script, f"print('measured')\nprint({figures!r})")
        (folder / f"{script}.py").write_text(body)


def call(folder: Path, patch: pytest.MonkeyPatch, *options: str) -> int:
    patch.setattr(every, "FOLDER", folder)
    patch.setattr(sys, "argv", ["all.py", *options])
    return every.main()


def line_of(printed: str, meaning: str) -> list[str]:
    """The cells after a row's name."""
    (line,) = (line for line in printed.splitlines() if line.startswith(meaning))
    return re.split(r"\s{2,}", line[len(meaning) :].strip())


def test_every_script_of_the_folder_has_rows() -> None:
    scripts = {path.stem for path in every.FOLDER.glob("*.py")} - SHARED_MODULES
    assert set(SCRIPTS) | every.APART == scripts
    assert not set(SCRIPTS) & every.APART


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_tiny_run_measures_everything_that_its_rows_show(script: str) -> None:
    figures = every.run(script, 0.01)
    for row in every.ROWS:
        if row.script == script:
            missing = {key for key in keys_of(row) if not figures.get(key)}
            assert missing <= NEEDS_PYTORCH, row.meaning
            assert every.FAILED not in every.cells(row, figures)
    for ours, other, ratio in (
        ("range_pairs_per_s", "range_apart_pairs_per_s", "range_sharing_ratio"),
        ("range_pairs_per_s", "range_by_seat_pairs_per_s", "range_by_seat_ratio"),
        ("hulh_infosets_per_s", "oracle_infosets_per_s", "oracle_ratio"),
    ):
        if script == "traversal":
            numbers = [figures[key] or 0.0 for key in (ours, other, ratio)]
            assert numbers[0] / numbers[1] == pytest.approx(numbers[2])


def test_views_of_their_own_cost_features_and_change_no_sample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the benchmark says of the ways it compares: features once, three times, twice."""
    solver = learned_solver(PRESETS["smoke"][1])
    computed = 0
    compute = Strengths.expected

    def counting(self: Strengths, views: Cards) -> Floats:
        nonlocal computed
        computed += len(views)
        return compute(self, views)

    monkeypatch.setattr(Strengths, "expected", counting)
    counts, samples = [], []
    for policies in make_seatings(*solver.policies):
        computed = 0
        samples.append(sample_one_round(solver, policies, traverser=0, seed=5))
        counts.append(computed)
    shared, apart, by_seat = counts
    assert shared > 0
    assert (apart, by_seat) == (3 * shared, 2 * shared)
    for other in samples[1:]:
        np.testing.assert_array_equal(other.advantages, samples[0].advantages)
        np.testing.assert_array_equal(other.strategies, samples[0].strategies)


def test_rates_of_ways_by_turns_are_medians(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock that only work moves: one turn in four takes ten times as long."""
    now, called = 0.0, ""

    def work(name: str, seconds: float) -> int:
        nonlocal now, called
        called += name
        now += seconds * (10 if called.count(name) % 4 == 0 else 1)
        return 100

    monkeypatch.setattr("benchmarks.measuring.time.perf_counter", lambda: now)
    rates = measuring.alternating_rates([lambda: work("a", 2.0), lambda: work("b", 5.0)], 0.0)
    assert rates == [50.0, 20.0]
    assert called == "ab" * (measuring.MIN_TURNS + 1)


def test_ratios_are_ours_over_the_other_and_json_comes_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = "import sys; assert sys.argv[1:] == ['--seconds', '2.5', '--json']"
    figures = {"hands_per_s": 50.0, "naive_hands_per_s": 4.0}
    write_scripts(tmp_path, match=f"{asked}\nprint({json.dumps(figures)!r})")
    assert call(tmp_path, monkeypatch, "--seconds", "2.5", "--json") == 0
    printed = capsys.readouterr()
    assert line_of(printed.out, "match in hulh, hands/s") == ["50", "–", "4", "–", "12.5× naive"]
    assert json.loads(printed.out.splitlines()[-1])["match"] == figures
    assert every.NO_PYTORCH not in printed.out
    assert printed.err == "", "no progress bar when nobody watches"


def test_without_pytorch_openspiel_is_a_dash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = made_up_figures("traversal") | dict.fromkeys(NEEDS_PYTORCH)
    write_scripts(tmp_path, traversal=f"print({json.dumps(figures)!r})")
    assert call(tmp_path, monkeypatch) == 0
    printed = capsys.readouterr().out
    shown = line_of(printed, "traversal in hulh, infosets/s")
    assert shown[1] == every.NOTHING
    assert "OpenSpiel" not in shown[-1]
    assert every.NO_PYTORCH in printed


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("print('{}')\nraise ValueError('no cards left')", "ValueError: no cards left"),
        ("import sys; sys.exit(3)", "exit code 3"),
        ("", "its last line is not a JSON object"),
        ("print('measured')", "its last line is not a JSON object"),
        ("print('[1]')", "its last line is not a JSON object"),
        ("print('{}')", "not measured: hands_per_s"),
        ("""print('{"hands_per_s": null}')""", "not measured: hands_per_s"),
    ],
)
def test_one_failing_script_costs_its_rows_only(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    body: str,
    complaint: str,
) -> None:
    write_scripts(tmp_path, match=body)
    assert call(tmp_path, monkeypatch, "--json") == 1
    printed = capsys.readouterr()
    assert printed.err == f"benchmarks/match.py failed: {complaint}\n"
    assert line_of(printed.out, "match in hulh, hands/s") == ["failed", "–", "–", "–", "–"]
    assert every.FAILED not in line_of(printed.out, "local best response in hulh, hands/s")
    results = json.loads(printed.out.splitlines()[-1])
    assert [script for script, figures in results.items() if figures is None] == ["match"]
