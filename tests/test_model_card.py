"""What was measured stays with its model, and a run's card says it."""

from __future__ import annotations

import itertools
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.model import load
from models.model_card import write_card
from models.records import (
    ExploitabilityRecord,
    HeadToHead,
    record_evaluation,
    record_head_to_head,
)
from models.storage import StorageError, checked_folder
from tests.small_runs import train
from tests.test_model import save_random

ROOT = Path(__file__).parent.parent
LBR = ExploitabilityRecord("lbr", "lower bound", exploitability_mbb=12.5, interval_mbb=1.0)
EXACT = ExploitabilityRecord("exact", "exact", exploitability_mbb=20.0)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run to copy."""
    return save_random(tmp_path_factory.mktemp("saved") / "leduc", "leduc", iterations=3)


@pytest.fixture
def run(saved: Path, tmp_path: Path) -> Path:
    """A run to change."""
    return Path(shutil.copytree(saved, tmp_path / "checkpoints" / "leduc"))


@pytest.fixture
def folder(run: Path) -> Path:
    """A model to change."""
    return run / "iter_0002"


def test_records_are_kept_replaced_and_verified(folder: Path) -> None:
    before = load(folder)
    better = replace(LBR, exploitability_mbb=14.0, seed=3)
    for found in (LBR, EXACT, better):
        record_evaluation(folder, found)
    record_head_to_head(folder, "caller", HeadToHead(mbb=-3.5, ci95=1.0, hands=100))
    after = load(checked_folder(folder))
    assert ExploitabilityRecord.all_of(after.info) == [better, EXACT]
    assert after.info["head_to_head"] == {"caller": {"mbb": -3.5, "ci95": 1.0, "hands": 100}}
    rest = {key: after.info[key] for key in before.info}
    assert rest == before.info, "everything else stays"
    assert after.ask("Kc") == before.ask("Kc")
    (folder / "model.json").write_text("{}")
    with pytest.raises(StorageError, match=r"model\.json is damaged"):
        load(folder)  # the manifest vouches for the new description


def test_copies_without_a_manifest_take_records(folder: Path) -> None:
    (folder / "manifest.json").unlink()
    record_evaluation(folder, LBR)
    assert ExploitabilityRecord.all_of(load(folder).info) == [LBR]
    assert sorted(file.name for file in folder.iterdir()) == ["model.json", "strategy.keras"]


@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_crash_while_recording_leaves_a_whole_model(
    folder: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_file, calls = Path.replace, itertools.count(1)

    def crash(self: Path, target: Path) -> Path:
        if next(calls) == step:
            raise OSError(5, "power cut")
        return replace_file(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", crash)
        with pytest.raises(OSError, match="power cut"):
            record_evaluation(folder, LBR)
    assert checked_folder(folder) == folder
    assert ExploitabilityRecord.all_of(load(folder).info) == ([] if step < 3 else [LBR])
    record_evaluation(folder, replace(LBR, seed=1))
    assert load(folder).info["evaluations"]["lbr"]["seed"] == 1
    listed = json.loads((folder / "manifest.json").read_text())
    assert sorted(listed) == ["model.json", "strategy.keras"]
    assert not list(folder.glob(".*")), "nothing stays behind"


def test_entries_that_nobody_could_read_are_refused(folder: Path) -> None:
    before = (folder / "model.json").read_bytes()
    with pytest.raises(ValueError, match="JSON"):
        record_head_to_head(folder, "caller", HeadToHead(mbb=float("nan"), ci95=1.0, hands=10))
    with pytest.raises(ValueError, match="an entry of head_to_head needs a name"):
        record_head_to_head(folder, "", HeadToHead(mbb=1.0, ci95=1.0, hands=10))
    assert (folder / "model.json").read_bytes() == before
    with pytest.raises(StorageError, match="readable"):
        record_evaluation(folder.parent / "nothing", LBR)


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ({"kind": "exact"}, "needs exploitability_mbb"),
        ({"exploitability_mbb": 1.0}, "needs kind"),
        ({"kind": "guess", "exploitability_mbb": 1.0}, "not 'guess'"),
        ([1.0], "is an object"),
    ],
)
def test_what_is_no_evaluation_is_refused(entry: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        ExploitabilityRecord.from_json("lbr", entry)


def test_what_is_no_result_of_a_match_is_refused() -> None:
    with pytest.raises(ValueError, match="needs ci95, hands"):
        HeadToHead.from_json({"mbb": 1.0})


def rows(card: str, section: str) -> list[list[str]]:
    """The cells of a section's table, without its head."""
    body = card.split(f"\n## {section}\n")[1].split("\n## ", maxsplit=1)[0]
    lines = [line for line in body.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1, "equally wide rows"
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def run_example(card: str) -> str:
    """Run the card's own code; what it explains."""
    code = card.split("```python\n")[1].split("```", maxsplit=1)[0]
    assert len([line for line in code.splitlines() if line]) <= 5
    shown: list[Any] = []
    exec(code, {"print": shown.append})
    assert sum(shown[0].values()) == pytest.approx(1, abs=1e-5)
    return str(shown[1])


def test_a_card_holds_every_figure(run: Path) -> None:
    last, first = run / "iter_0003", run / "iter_0001"
    record_evaluation(last, replace(LBR, br_mbb=(5.0, 20.0), hands=4000))
    sampled = ExploitabilityRecord("sampled boards", "estimate", 1234.56, note="too high")
    record_evaluation(last, sampled)
    record_evaluation(first, replace(EXACT, exploitability_mbb=99.0))
    record_head_to_head(last, "a|b", HeadToHead(mbb=-3.25, ci95=1.04, hands=2000))
    record_head_to_head(first, "caller", HeadToHead(mbb=40.0, ci95=2.0, hands=10))
    card = write_card(run)
    assert card == run / "README.md"
    text = card.read_text()
    assert text.startswith("# Deep CFR for leduc, 3 iterations\n")
    assert (
        "**Exploitability after iteration 3:** 12.5 ± 1.0 mbb/g (lbr, lower bound); "
        "1,234.6 mbb/g (sampled boards, estimate)."
    ) in text
    assert load(run).game.rules.describe() in text
    assert rows(text, "Checkpoints") == [
        ["3", "3,000", "lbr", "lower bound", "12.5 ± 1.0", "5.0", "20.0", "4,000"],
        ["3", "3,000", "sampled boards", "estimate; too high", "1,234.6", "—", "—", "—"],
        ["2", "2,000", "—", "—", "—", "—", "—", "—"],
        ["1", "1,000", "exact", "exact", "99.0", "—", "—", "—"],
    ]
    assert rows(text, "Head to head") == [
        ["3", "a\\|b", "-3.2 ± 1.0", "2,000"],
        ["1", "caller", "+40.0 ± 2.0", "10"],
    ]
    budget = dict(rows(text, "Training"))
    assert budget["traversals"] == "5,000 per player and iteration, 30,000 in all"
    assert budget["nodes touched"] == "3,000"
    assert budget["memories"].startswith("up to 4,000,000 rows for each player's advantages, 4,000")
    parameters = load(run).policy.network.num_parameters
    assert budget["network"] == f"paper of width 16, {parameters:,} parameters"
    assert budget["advantage fits"].startswith("500 + 4 · iteration updates of 1,024 samples")
    assert budget["strategy fit"] == "8,000 updates of 2,048 samples"
    assert budget["seed"] == "5"
    assert "wall time" not in budget, "nothing tells it"
    for name, number in load(run).info["versions"].items():
        assert f"{name} {number}" in text
    assert write_card(run).read_text() == text, "the same files, the same card"


def test_what_training_estimates_never_passes_for_exact(run: Path) -> None:
    file = run / "iter_0003" / "model.json"
    info = json.loads(file.read_text())
    info["metrics"]["exploitability_estimate_mbb"] = 321.0
    file.write_text(json.dumps(info))
    text = write_card(run).read_text()
    assert "321.0 mbb/g (sampled boards, estimate)" in text
    expected = ["sampled boards", "estimate; too high on average", "321.0"]
    assert rows(text, "Checkpoints")[0][2:5] == expected


def test_what_was_not_measured_is_said_with_the_command_that_does(run: Path) -> None:
    text = write_card(run).read_text()
    command = f"`python evaluate.py {run}`"
    assert f"**Exploitability:** not measured yet; {command} does it." in text
    assert text.count(f"Nothing measured yet: {command}") == 2


def test_folders_of_the_project_are_shown_as_one_types_them(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.model_card.ROOT", run.parent.parent)
    text = write_card(run).read_text()
    assert 'load("checkpoints/leduc")' in text
    assert "python evaluate.py checkpoints/leduc`" in text
    assert str(run.parent) not in text


@pytest.mark.parametrize("game", ["kuhn", "hulh", "hulh:stack=10"])
def test_a_folder_that_is_a_model_has_a_card_with_code_that_runs(tmp_path: Path, game: str) -> None:
    folder = tmp_path / "model"
    (save_random(tmp_path / "run", game) / "iter_0001").rename(folder)
    record_evaluation(folder, LBR)
    text = write_card(folder).read_text()
    assert [row[:5] for row in rows(text, "Checkpoints")] == [
        ["1", "1,000", "lbr", "lower bound", "12.5 ± 1.0"]
    ]
    line = {"kuhn": "after c\n", "hulh": "after cc/\n"}.get(game, "first to act")
    assert line in run_example(text)
    record_evaluation(folder, LBR)
    assert ExploitabilityRecord.all_of(load(folder).info) == [LBR]
    assert (folder / "README.md").read_text() == text, "recording leaves the card alone"


def test_unreadable_models_are_left_out(run: Path, tmp_path: Path) -> None:
    (run / "iter_0003" / "model.json").write_text("{}")
    (run / "iter_0002" / "model.json").write_text("no JSON")
    assert [row[0] for row in rows(write_card(run).read_text(), "Checkpoints")] == ["1"]
    shutil.rmtree(run / "iter_0001")
    with pytest.raises(StorageError, match="no model to describe"):
        write_card(run)
    with pytest.raises(StorageError, match="there is no"):
        write_card(tmp_path / "nothing")


def test_training_writes_the_card(tmp_path: Path) -> None:
    arguments = [
        "--preset=kuhn",
        "--iterations=2",
        "--checkpoint-every=1",
        "--traversals=40",
        "--width=16",
        "--updates=10",
        "--strategy-updates=10",
        "--threads=1",
        "--run-name=k",
    ]
    done = train(tmp_path, *arguments)
    assert done.returncode == 0, done.stderr
    run = tmp_path / "checkpoints" / "k"
    text = (run / "README.md").read_text()
    table = rows(text, "Checkpoints")
    assert [row[0] for row in table] == ["2", "1"]
    for row, name in zip(table, ("iter_0002", "iter_0001"), strict=True):
        info = json.loads((run / name / "model.json").read_text())
        exact_mbb = info["metrics"]["exploitability_mbb"]
        assert row[2:5] == ["exact", "exact", f"{exact_mbb:,.1f}"]
        assert row[1] == f"{info['nodes_touched']:,}"
    assert f"after iteration 2:** {table[0][4]} mbb/g (exact)." in text
    minutes = json.loads((run / "latest" / "state.json").read_text())["extra"]["wall_s"] / 60
    assert float(dict(rows(text, "Training"))["wall time"].split()[0]) <= round(minutes, 1)
    started = next(line for line in text.splitlines() if line.startswith("python train.py"))
    assert "--preset=kuhn --iterations=2" in started
    run_example(text)
    record_evaluation(run / "iter_0002", replace(EXACT, exploitability_mbb=7.0))
    again = rows(write_card(run).read_text(), "Checkpoints")
    assert [row[4] for row in again] == ["7.0", table[1][4]], "in place of what training recorded"
