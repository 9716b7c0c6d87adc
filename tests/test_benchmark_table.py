"""The table of all benchmarks, from canned figures; no benchmark runs here."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from benchmarks import all as every

CANNED: dict[str, dict[str, float | None]] = {
    "env": {
        "compile_s": 10, "cache_load_s": 0.005, "emulator_actions_per_s": 1280,
        "emulator_hands_per_s": 250, "playouts_per_s": 2.5e6, "openspiel_playouts_per_s": 25_000,
        "openspiel_ratio": 100, "rankings_per_s": 4e7, "canonical_per_s": 2.5e7,
    },
    "traversal": {
        "hulh_infosets_per_s": 1.2e6, "fhp_infosets_per_s": 9e5, "oracle_infosets_per_s": 80,
        "oracle_ratio": 15_000, "openspiel_infosets_per_s": 2000, "openspiel_ratio": 600,
    },
    "training": {
        "thesis_samples_per_s": 5e4, "thesis_gflops": 90, "thesis_matmul_gflops": 100,
        "paper_samples_per_s": 3e5, "paper_gflops": 60, "paper_matmul_gflops": 100,
    },
    "merging": {"single_error": 0.5, "merged_error": 0.125},
    "evaluation": {"fhp_exact_s": 80, "fhp_exact_peak_gb": 0.91, "lbr_hands_per_s": 2210},
    "match": {"hands_per_s": 64_000, "naive_hands_per_s": 5, "naive_ratio": 12_800},
}  # fmt: skip

TABLE = """\
                                            ours  OpenSpiel  naive  limit  ratio
hulh betting tree ready, s                 0.005          –     10      –  0.0005× naive
emulator, actions/s                        1,280          –      –      –  –
random hulh playouts/s                 2,500,000     25,000    250      –  100× OpenSpiel, 10,000× naive
7-card rankings/s                     40,000,000          –      –      –  –
suit-canonical forms/s                25,000,000          –      –      –  –
traversal in hulh, infosets/s          1,200,000      2,000     80      –  600× OpenSpiel, 15,000× naive
traversal in fhp, infosets/s             900,000          –      –      –  –
fit of a thesis network, samples/s        50,000          –      –      –  –
  GFLOP/s                                     90          –      –    100  0.9× limit
fit of a paper network, samples/s        300,000          –      –      –  –
  GFLOP/s                                     60          –      –    100  0.6× limit
error of a fit, Leduc, antes               0.125          –    0.5      –  0.25× naive
exact best response in fhp, s                 80          –      –      –  –
  peak memory, GB                           0.91          –      –      –  –
local best response in hulh, hands/s       2,210          –      –      –  –
match in hulh, hands/s                    64,000          –      5      –  12,800× naive
"""  # noqa: E501


def write_scripts(folder: Path, **bodies: str) -> None:
    """Scripts that print canned figures after a line for people, or do what is asked instead."""
    for script, figures in CANNED.items():
        body = bodies.get(script, f"print('measured')\nprint({json.dumps(figures)!r})")
        (folder / f"{script}.py").write_text(body)


def call(folder: Path, patch: pytest.MonkeyPatch, *options: str) -> int:
    patch.setattr(every, "FOLDER", folder)
    patch.setattr(sys, "argv", ["all.py", *options])
    return every.main()


def line_of(printed: str, meaning: str) -> list[str]:
    """The cells after a row's name."""
    (line,) = (line for line in printed.splitlines() if line.startswith(meaning))
    return re.split(r"\s{2,}", line[len(meaning) :].strip())


def test_the_table_sets_ours_beside_the_others() -> None:
    assert every.table(dict(CANNED)) == TABLE.rstrip("\n")


def test_every_script_of_the_folder_has_rows() -> None:
    scripts = {path.stem for path in every.FOLDER.glob("*.py")} - {"__init__", "all", "measuring"}
    assert {row.script for row in every.ROWS} == scripts - every.APART
    assert scripts > every.APART


@pytest.mark.parametrize("script", CANNED)
def test_rows_name_figures_that_their_script_reports(script: str) -> None:
    """A key that nobody reports would be a dash for ever."""
    source = (every.FOLDER / f"{script}.py").read_text()
    reported = re.findall(r'Figure\(\s*f?"(\w+|\{name\}\w+)"', source)
    keys = {key.replace("{name}", name) for key in reported for name in ("thesis", "paper")}
    rows = [row for row in every.ROWS if row.script == script]
    asked = {key for row in rows for key in (row.ours, row.openspiel, row.naive, row.limit)}
    assert asked - {""} <= keys
    assert set(CANNED[script]) <= keys


def test_all_scripts_run_and_json_comes_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = "import sys; assert sys.argv[1:] == ['--seconds', '2.5', '--json']"
    write_scripts(tmp_path, match=f"{asked}\nprint({json.dumps(CANNED['match'])!r})")
    assert call(tmp_path, monkeypatch, "--seconds", "2.5", "--json") == 0
    printed = capsys.readouterr()
    assert printed.out.startswith(TABLE)
    assert "requirements-benchmark.txt" not in printed.out
    assert f"2.5 s for each measurement, on {os.cpu_count()} CPUs" in printed.out
    assert json.loads(printed.out.splitlines()[-1]) == CANNED
    assert printed.err == "", "no progress bar when nobody watches"


def test_without_pytorch_openspiel_is_a_dash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = {**CANNED["traversal"], "openspiel_infosets_per_s": None, "openspiel_ratio": None}
    write_scripts(tmp_path, traversal=f"print({json.dumps(figures)!r})")
    assert call(tmp_path, monkeypatch) == 0
    printed = capsys.readouterr().out
    shown = line_of(printed, "traversal in hulh, infosets/s")
    assert shown == ["1,200,000", "–", "80", "–", "15,000× naive"]
    assert "pip install -r requirements-benchmark.txt" in printed


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
    assert line_of(printed.out, "local best response in hulh, hands/s")[0] == "2,210"
    assert json.loads(printed.out.splitlines()[-1]) == {**CANNED, "match": None}
