"""What was measured stays with its model, and a run's card says it."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.measurements import record_evaluation, record_head_to_head
from models.model import load
from models.model_card import write_card
from models.records import ExploitabilityRecord, HeadToHead
from models.storage import StorageError
from models.versions import versions
from tests.small_runs import train
from tests.test_model import save_random

ROOT = Path(__file__).parent.parent
LBR = ExploitabilityRecord(
    "lbr", "lower bound", exploitability_mbb=12.5, interval_mbb=1.0, last_street="exact"
)
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
        "**Exploitability after iteration 3:** 12.5 ± 1.0 mbb/g (lbr, lower bound, exact last "
        "street); 1,234.6 mbb/g (sampled boards, estimate)."
    ) in text
    assert load(run).game.rules.describe() in text
    assert rows(text, "Checkpoints") == [
        [
            "3",
            "3,000",
            "lbr",
            "lower bound; exact last street",
            "12.5 ± 1.0",
            "5.0",
            "20.0",
            "4,000",
        ],
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
    parameters = load(run).policy.raw.network.num_parameters
    assert budget["network"] == f"paper of width 16, {parameters:,} parameters"
    assert budget["advantage fits"].startswith("500 + 4 · iteration updates of 1,024 samples")
    assert budget["strategy fit"] == "8,000 updates of 2,048 samples"
    assert budget["seed"] == "5"
    assert "wall time" not in budget, "nothing says it"
    for name, number in versions().items():
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
    assert f"Nothing measured yet; `python tournament.py {run} call random` does it." in text


def test_folders_of_the_project_are_shown_as_one_types_them(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.shown_paths.ROOT", run.parent.parent)
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
        ["1", "1,000", "lbr", "lower bound; exact last street", "12.5 ± 1.0"]
    ]
    line = {"kuhn": "after c\n", "hulh": "after cc/\n"}.get(game, "first to act")
    assert line in run_example(text)
    record_evaluation(folder, LBR)
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


def test_the_headline_is_the_most_precise_measurement(run: Path) -> None:
    last = run / "iter_0003"
    precise = replace(LBR, exploitability_mbb=147.9, interval_mbb=18.2, hands=160_000)
    quick = replace(LBR, exploitability_mbb=109.3, interval_mbb=190.9, hands=2_000)
    lucky = replace(LBR, exploitability_mbb=500.0, interval_mbb=0.0, hands=4)
    for record in (precise, quick, lucky):
        record_evaluation(last, record)
    for hands, ci95 in ((60_000, 9.0), (400, 90.0)):
        record_head_to_head(last, "caller", HeadToHead(mbb=5.0, ci95=ci95, hands=hands))
    text = write_card(run).read_text()
    assert "iteration 3:** 147.9 ± 18.2 mbb/g (lbr, lower bound, exact last street)." in text
    assert [row[4] for row in rows(text, "Checkpoints")][:2] == ["147.9 ± 18.2", "—"]
    assert rows(text, "Head to head") == [["3", "caller", "+5.0 ± 9.0", "60,000"]]
    assert "`measurements.jsonl` beside each model holds them all" in text
    record_evaluation(last, EXACT)
    assert "iteration 3:** 20.0 mbb/g (exact)." in write_card(run).read_text()


def test_names_and_commands_cannot_become_markup(run: Path) -> None:
    last, evil = run / "iter_0003", "<script>alert(1)</script>"
    file = last / "model.json"
    info = json.loads(file.read_text())
    info["rules"]["name"] = evil
    info["origin"] = {"command": f"python train.py '\n```\n{evil}\n````'"}
    info["evaluations"] = {evil: LBR.to_json()}
    info["head_to_head"] = {f"[x](y) `a` {evil}": {"mbb": 1.0, "ci95": 1.0, "hands": 2}}
    file.write_text(json.dumps(info))
    text = write_card(run).read_text()
    outside = re.sub(r"(?ms)^(`{3,})\w*$.*?^\1$", "", text)
    assert "<script" not in outside
    assert outside.count("&lt;script&gt;") >= 4
    assert "`````\npython train.py" in text, "a fence longer than the command's own"
    assert rows(text, "Head to head")[0][1].startswith(r"\[x\](y) \`a\` &lt;")


def test_what_a_description_does_not_say_is_left_open(run: Path) -> None:
    file = run / "iter_0003" / "model.json"
    info = json.loads(file.read_text())
    for name in ("nodes_touched", "parameters", "versions"):
        del info[name]
    file.write_text(json.dumps(info))
    assert rows(write_card(run).read_text(), "Checkpoints")[0][:2] == ["3", "—"]


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
