"""benchmarks/deviations.py trains what it says and compares it with the preset."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import deviations
from benchmarks.deviations import AS_IT_IS, VARIANTS, Plan, Row


def plan(preset: str, *options: str) -> Plan:
    return Plan(preset, 0.01, 64, list(options), Path("checkpoints"), Path("runs"))


def test_each_preset_is_compared_with_what_changes_it() -> None:
    leduc, hulh = plan("leduc").variants(), plan("standard").variants()
    assert leduc[0] == hulh[0] == AS_IT_IS
    assert "linear weights (15)" in leduc
    assert "linear weights (15)" not in hulh
    assert "one round per iteration (13)" in hulh
    assert set(hulh) <= set(VARIANTS)
    assert len({plan("standard").run(name) for name in VARIANTS}) == len(VARIANTS)


def test_a_table_of_small_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Kuhn, exactly: the same runs are not trained twice and the differences are right."""
    options = ["--traversals=40", "--updates=5", "--strategy-updates=5", "--width=8"]
    options.append("--weighting=dcfr")
    places = ["--checkpoints", str(tmp_path / "c"), "--logdir", str(tmp_path / "r")]
    words = ["--preset=kuhn", "--minutes=0.02", *places, "--json", str(tmp_path / "found.json")]
    assert deviations.main([*words, "--", "--threads=1", *options]) == 0
    found = [Row(**row) for row in json.loads((tmp_path / "found.json").read_text())["rows"]]
    assert [row.variant for row in found] == plan("kuhn", *options).variants()
    assert len(found) > 1
    for row in found:
        expected = row.exploitability_mbb - found[0].exploitability_mbb
        assert row.worse_by_mbb == pytest.approx(expected)
        assert row.claim == "exact"
        assert row.iterations >= 1
    table = capsys.readouterr().out
    assert all(row.variant in table for row in found)


def test_bad_options_get_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert deviations.main(["--preset", "kuhn", "--", "--traversals=0"]) == 2
    assert capsys.readouterr().err == "error: traversals is 0, but must be positive\n"
