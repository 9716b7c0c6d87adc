"""Models that search, as agents: by name, in the commands, and at PyPokerEngine's tables."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import agents
import evaluate
import tournament
from agents.agent import Agent
from agents.pypokerengine_player import AgentPlayer
from agents.searching import parse_search
from arena.match import match
from env.actions import ACTION_NAMES, CALL, RAISE
from env.cards import canonical
from env.deals import deal
from env.emulator import HULHEmulator
from env.rules import HULH, LEDUC, parse_rules
from evaluation.best_response import exploitability
from models.loading import load_answers
from policies.drawing import sample_action
from policies.ranges import AnswersRanges
from policies.unbeatable import NeverFoldsUnbeatable
from search.policy import SearchPolicy
from search.settings import parse_settings
from tests.small_tournaments import SHORT, results_of
from tests.test_pypokerengine_player import question

ROOT = Path(__file__).parent.parent
PRETRAINED = ROOT / "checkpoints" / "pretrained"


@pytest.fixture
def leduc(tmp_path: Path) -> Path:
    """A copy of the model to write beside."""
    return Path(shutil.copytree(PRETRAINED / "leduc", tmp_path / "leduc"))


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


# By name


def test_a_model_that_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (agent,) = agents.load("search:checkpoints/pretrained/leduc")
    assert (agent.name, agent.source, agent.rules) == ("search:leduc", "search", LEDUC)
    assert agent.iteration == load_answers(PRETRAINED / "leduc").description.iteration
    assert agent.run is None, "its results are not the model's own"
    assert isinstance(agent.policy, AnswersRanges)
    assert search_below(agent).settings == parse_settings(LEDUC, "")


def search_below(agent: Agent) -> SearchPolicy:
    """The search below the rule that no unbeatable hand is folded."""
    policy = agent.policy
    assert isinstance(policy, NeverFoldsUnbeatable)
    assert isinstance(policy.raw, SearchPolicy)
    return policy.raw


def test_options_are_part_of_the_name() -> None:
    options = "gadget=unsafe,iterations=9"
    (agent,) = agents.load(f"search:{PRETRAINED / 'leduc'}:{options}", LEDUC)
    assert agent.name == f"search:leduc:{options}"
    assert search_below(agent).settings == parse_settings(LEDUC, options)


def test_paths_may_have_colons(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(PRETRAINED / "leduc", tmp_path / "a:b" / "my=leduc"))
    assert agents.load(f"search:{folder}")[0].name == "search:my=leduc"
    assert parse_search(f"search:{folder.parent}/my=leduc:iterations=3").settings.iterations == 3
    options = parse_search(f"search:{folder}:from=second round,iterations=3").options
    assert options == "from=second round,iterations=3"
    file = folder / "strategy.keras"
    assert agents.load(f"search:{file}")[0].name == "search:my=leduc"


def test_of_a_run_the_newest_model_searches(tmp_path: Path) -> None:
    for name in ("iter_0002", "iter_0010"):
        shutil.copytree(PRETRAINED / "leduc", tmp_path / "run" / name)
    (agent,) = agents.load(f"search:{tmp_path / 'run'}:iterations=3")
    assert agent.name == "search:run/iter_0010:iterations=3"
    assert agent.folder == tmp_path / "run" / "iter_0010"
    assert agents.load(f"search:{tmp_path / 'run'}:")[0].name == "search:run/iter_0010"


def test_models_that_search_are_loaded_without_tensorflow() -> None:
    code = f"import sys, agents; agents.load('search:{PRETRAINED / 'leduc'}')[0].policy; "
    code += "sys.exit('tensorflow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize("options", ["", ":iterations=5"])
def test_other_rules_are_refused(options: str) -> None:
    with pytest.raises(agents.AgentError, match=r"search:leduc.* plays leduc.*cannot play hulh"):
        agents.load(f"search:{PRETRAINED / 'leduc'}{options}", HULH)
    with pytest.raises(agents.AgentError, match="cannot play"):
        agents.load(f"search:{PRETRAINED / 'leduc'}{options}", parse_rules("leduc:stack=9"))


# Commands

Command = Callable[[list[str]], int]


def exit_code(main: Command, words: list[str]) -> object:
    try:
        return main(words)
    except SystemExit as ended:
        return ended.code


@pytest.mark.parametrize(
    "spec",
    [
        "search:nowhere",
        "search:",
        "search:README.md",
        "search:checkpoints",
        "search:MODEL:speed=9",
        "search:MODEL:from=river",
        "search:MODEL:from=first round",
        "search:MODEL:iterations=0",
        "search:MODEL:iterations=-1",
        f"search:MODEL:iterations={10**30}",
        f"search:MODEL:iterations={'9' * 5000}",
        "search:MODEL:iterations=5,ms=5",
        "search:MODEL:gadget=best",
        "search:MODEL:gadget=\n",
        "search:" + "x" * 10_000,
    ],
)
@pytest.mark.parametrize("main", [evaluate.main, tournament.main], ids=["evaluate", "tournament"])
def test_impossible_agents_get_one_short_line(
    main: Command, spec: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    words = [spec.replace("MODEL", "checkpoints/pretrained/leduc")]
    assert exit_code(main, words if main is evaluate.main else [*words, "call"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert len(error) < 700
    if "MODEL" in spec and spec.isprintable():
        assert error.startswith("error: search:"), "it says whose options are wrong"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--explain", "Kc", "cc/"], "search solves one board at a time: give the board"),
        (["--preflop-chart", "chart.png"], "search does not change the pre-flop; chart .*leduc"),
        (["--method", "exploiter"], "use exact or lbr"),
        (["--game", "leduc"], "--game is for bots"),
    ],
)
def test_what_does_not_go_with_search(
    words: list[str], complaint: str, leduc: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(evaluate.main, [f"search:{leduc}", *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(complaint, line)


def test_evaluate_explains_the_search(leduc: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = f"search:{leduc}:iterations=50"
    assert evaluate.main([spec, "--explain", "Kc", "Qd", "cc/", "--threads", "1"]) == 0
    shown = capsys.readouterr().out
    (agent,) = agents.load(spec)
    cards = canonical(np.array([[44, 52, 41, 52, 52, 52, 52]], np.uint8))
    node = load_answers(leduc).game.tree.node("cc/")
    bets = float(agent.policy.strategies(cards, np.array([node]))[0, RAISE])
    assert f"{bets:.1%}" in shown
    assert "value of the whole hand in antes, exact; equity " in shown


def test_evaluate_measures_the_search(leduc: Path, tmp_path: Path) -> None:
    """And keeps nothing with the model, whose strategy it is not."""
    before, json_file = contents(leduc), tmp_path / "found.json"
    spec = f"search:{leduc}:iterations=50"
    words = [spec, "--json", str(json_file), "--logdir", str(tmp_path / "runs"), "--threads", "1"]
    assert evaluate.main(words) == 0
    found = json.loads(json_file.read_text())
    model = load_answers(leduc)
    policy = SearchPolicy(model.game, model.policy, parse_settings(LEDUC, "iterations=50"))
    expected = exploitability(model.game, policy)
    assert (found["method"], found["name"]) == ("exact", "search:leduc:iterations=50")
    assert found["exploitability_mbb"] == pytest.approx(expected.exploitability_mbb, rel=1e-5)
    assert contents(leduc) == before


def test_search_plays_in_tournaments(leduc: Path, tmp_path: Path) -> None:
    """Beside its own model and beside itself with other options, and keeps nothing with it."""
    specs = [f"search:{leduc}", f"search:{leduc}:gadget=unsafe,iterations=20", str(leduc), "call"]
    out = tmp_path / "out"
    assert tournament.main([*specs, *SHORT, "--out", str(out)]) == 0
    results = results_of(out)
    names = ["search:leduc", "search:leduc:gadget=unsafe,iterations=20", "leduc", "call"]
    assert [agent["name"] for agent in results["agents"]] == names
    assert [agent["kind"] for agent in results["agents"]] == ["search", "search", "model", "bot"]
    assert [agent["iteration"] for agent in results["agents"]][3] is None
    assert len(results["pairs"]) == 6
    (searching,), (caller,) = agents.load(specs[0]), agents.load("call", LEDUC)
    game = load_answers(leduc).game
    expected = match(game, searching.policy, caller.policy, 400, 0)
    pair = next(p for p in results["pairs"] if {p["a"], p["b"]} == {"search:leduc", "call"})
    sign = 1 if pair["a"] == "search:leduc" else -1
    assert pair["mbb"] == pytest.approx(sign * expected.mbb)


# At PyPokerEngine's tables


def test_search_answers_the_engine() -> None:
    """A river decision: checked down to it, then bet into."""
    (agent,) = agents.load(f"search:{PRETRAINED / 'hulh'}:iterations=4")
    emulator = HULHEmulator(HULH)
    cards = deal(HULH, 1, np.random.default_rng(1))[0]
    hand = emulator.start(cards)
    for action in [CALL] * 6 + [RAISE]:
        hand = emulator.act(hand, action)
    assert hand.actor == 0
    tree = search_below(agent).resolver.game.tree
    node = tree.node("cc/cc/cc/r")
    view = canonical(np.concatenate([cards[:2], cards[4:]]))
    strategy = agent.policy.strategies(view[None], np.array([node]))[0]
    for seed in range(20):
        player = AgentPlayer(agent, np.random.default_rng(seed))
        name, _ = player.declare_action(*question(hand.table))
        drawn = np.random.default_rng(seed).random()
        assert ACTION_NAMES.index(name) == sample_action(strategy, tree.children[node], drawn)
    assert search_below(agent).resolver._solved._kept, "it was solved"
