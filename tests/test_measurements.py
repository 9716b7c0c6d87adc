"""Measurements are kept beside a model, all of them, and never change the model."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.measurements import (
    Measurements,
    Published,
    record_evaluation,
    record_head_to_head,
)
from models.model import load
from models.records import ExploitabilityRecord, HeadToHead, StreetPart, most_precise
from models.storage import StorageError, checked_folder
from tests.test_model import save_random

ROOT = Path(__file__).parent.parent
PRETRAINED = ROOT / "checkpoints" / "pretrained"
LBR = ExploitabilityRecord(
    "lbr",
    "lower bound",
    exploitability_mbb=12.5,
    interval_mbb=1.0,
    hands=4000,
    seed=0,
    last_street="exact",
    by_street=(StreetPart("pre-flop", 4.0, 3.0), StreetPart("flop", 8.5, 0.5)),
)
EXACT = ExploitabilityRecord("exact", "exact", exploitability_mbb=20.0)
WRITERS, EACH = 4, 50
RECORD_MANY = """
import sys
from pathlib import Path
from models.measurements import record_head_to_head
from models.records import HeadToHead
folder, each, writer = sys.argv[1:]
for seed in range(int(each)):
    record_head_to_head(Path(folder), f"opponent {writer}", HeadToHead(1.0, 1.0, 100, seed=seed))
"""


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model to copy."""
    return save_random(tmp_path_factory.mktemp("saved") / "leduc", "leduc") / "iter_0001"


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    """A model to measure."""
    return Path(shutil.copytree(saved, tmp_path / "leduc" / "iter_0001"))


def undated(records: list[ExploitabilityRecord]) -> list[ExploitabilityRecord]:
    assert all(record.date for record in records)
    return [replace(record, date=None) for record in records]


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_measurements_stand_beside_each_other(folder: Path) -> None:
    before = files(folder)
    longer, other_seed = replace(LBR, hands=8000), replace(LBR, seed=1)
    for found in (LBR, EXACT, longer, other_seed):
        record_evaluation(folder, found)
    result = HeadToHead(mbb=-3.5, ci95=1.0, hands=100, seed=0)
    record_head_to_head(folder, "caller", result)
    record_head_to_head(folder, "caller", replace(result, hands=200))
    kept = Measurements.of(folder)
    assert undated(kept.evaluations) == [LBR, EXACT, longer, other_seed]
    assert [(name, match.hands) for name, match in kept.matches] == [
        ("caller", 100),
        ("caller", 200),
    ]
    after = files(checked_folder(folder))
    assert {name: after[name] for name in before} == before, "the model itself stays"
    assert after.keys() - before.keys() == {"measurements.jsonl"}, "nothing else is left behind"


def test_only_an_equal_repetition_replaces_itself(folder: Path) -> None:
    again = replace(LBR, exploitability_mbb=13.0, seconds=3.0)
    for found in (LBR, replace(EXACT, seed=1), again, replace(EXACT, seed=2)):
        record_evaluation(folder, found)
    assert undated(Measurements.of(folder).evaluations) == [again, replace(EXACT, seed=2)]


def test_lines_of_others_are_kept_and_hide_nothing(folder: Path) -> None:
    strange = b'no JSON \xff\n[]\n{"measured": "exploitability", "method": "lbr"}\n'
    (folder / "measurements.jsonl").write_bytes(strange)
    record_evaluation(folder, LBR)
    assert undated(Measurements.of(folder).evaluations) == [LBR]
    assert (folder / "measurements.jsonl").read_bytes().startswith(strange)


def test_copies_without_a_manifest_take_records(folder: Path) -> None:
    (folder / "manifest.json").unlink()
    record_evaluation(folder, LBR)
    assert undated(Measurements.of(folder).evaluations) == [LBR]


def test_a_crash_while_recording_loses_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_evaluation(folder, LBR)

    def crash(self: Path, target: Path) -> Path:
        raise OSError(5, "power cut")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", crash)
        with pytest.raises(OSError, match="power cut"):
            record_evaluation(folder, EXACT)
    assert undated(Measurements.of(folder).evaluations) == [LBR]
    record_evaluation(folder, EXACT)
    assert undated(Measurements.of(folder).evaluations) == [LBR, EXACT]
    assert not list(folder.glob(".*")), "nothing stays behind"


def test_writers_at_the_same_time_lose_nothing(folder: Path) -> None:
    words = [sys.executable, "-c", RECORD_MANY, str(folder), str(EACH)]
    writers = [subprocess.Popen([*words, str(writer)], cwd=ROOT) for writer in range(WRITERS)]
    assert [process.wait(timeout=120) for process in writers] == [0] * WRITERS
    found = {(name, result.seed) for name, result in Measurements.of(folder).matches}
    expected = {
        (f"opponent {writer}", number) for writer in range(WRITERS) for number in range(EACH)
    }
    assert found == expected
    assert load(folder).description.iteration == 1


@pytest.mark.parametrize("game", ["hulh", "leduc"])
def test_published_models_take_no_records(game: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(PRETRAINED / game, tmp_path / "anywhere"))
    before = files(folder)
    with pytest.raises(Published, match="changed only by publishing"):
        record_evaluation(folder, LBR)
    with pytest.raises(Published):
        record_head_to_head(folder, "call", HeadToHead(1.0, 1.0, 10))
    assert files(folder) == before


def test_models_of_earlier_versions_still_tell_what_was_measured() -> None:
    found = Measurements.of(PRETRAINED / "hulh")
    best = {record.method: record for record in found.best_evaluations}
    assert best["lbr"].hands == 160_000
    assert best["lbr"].exploitability_mbb == pytest.approx(147.9, abs=0.05)
    assert best["lbr"].last_street == "checkdown", "the only form there was"
    assert found.best_matches["call"].hands == 60_000
    methods = [record.method for record in Measurements.of(PRETRAINED / "fhp").best_evaluations]
    assert methods == ["exact", "sampled boards"]


def test_an_exact_last_street_goes_before_a_smaller_interval() -> None:
    rough = replace(LBR, last_street="checkdown", interval_mbb=0.5)
    assert most_precise([LBR, rough]) == [LBR]
    assert most_precise([rough]) == [rough]


def test_entries_that_nobody_could_read_are_refused(folder: Path) -> None:
    before = files(folder)
    with pytest.raises(ValueError, match="JSON"):
        record_head_to_head(folder, "caller", HeadToHead(mbb=float("nan"), ci95=1.0, hands=10))
    with pytest.raises(ValueError, match="needs the name of the opponent"):
        record_head_to_head(folder, "", HeadToHead(mbb=1.0, ci95=1.0, hands=10))
    assert files(folder) == before
    with pytest.raises(StorageError, match="readable"):
        record_evaluation(folder.parent / "nothing", LBR)


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ({"kind": "exact"}, "needs exploitability_mbb"),
        ({"exploitability_mbb": 1.0}, "needs kind"),
        ({"kind": "guess", "exploitability_mbb": 1.0}, "not 'guess'"),
        ({"kind": "exact", "exploitability_mbb": "x"}, "exploitability_mbb .* cannot be 'x'"),
        ({"kind": "exact", "exploitability_mbb": 1.0, "hands": 1.5}, "hands .* cannot be 1.5"),
        ({"kind": "exact", "exploitability_mbb": 1.0, "br_mbb": [1]}, "br_mbb"),
        ({"kind": "exact", "exploitability_mbb": 1.0, "last_street": "x"}, "last_street .* 'x'"),
        ({"kind": "exact", "exploitability_mbb": 1.0, "by_street": {}}, "by_street .* a list"),
        ({"kind": "exact", "exploitability_mbb": 1.0, "by_street": [{}]}, "needs interval_mbb"),
        ([1.0], "is an object"),
    ],
)
def test_what_is_no_evaluation_is_refused(entry: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        ExploitabilityRecord.from_json("lbr", entry)


def test_what_is_no_result_of_a_match_is_refused() -> None:
    with pytest.raises(ValueError, match="needs ci95, hands"):
        HeadToHead.from_json({"mbb": 1.0})


def test_sections_of_another_form_are_refused(folder: Path) -> None:
    info = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(info | {"evaluations": [1]}))
    with pytest.raises(ValueError, match="evaluations of a model"):
        Measurements.of(folder)
