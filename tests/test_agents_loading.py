"""Agents by name and path."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import agents
from agents.names import BOT_NAMES
from deep_cfr.presets import PRESETS
from deep_cfr.solver import Solver
from env.arrays import Nodes
from env.betting_tree import BettingTree
from env.cards import Cards, canonical
from env.deals import canonical_views, deal
from env.game import load_game
from env.rules import KUHN, LEDUC, parse_rules
from models.advantage_nets import load_single, save_advantage_nets
from models.loading import load_model
from models.run_state import RunProgress
from models.saving import save_model
from models.storage import StorageError
from training.checkpoint import save_latest

ROOT = Path(__file__).parent.parent
ITERATIONS = 2


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Kuhn run of two iterations with a model after each and every advantage network."""
    config = dataclasses.replace(
        PRESETS["kuhn"][1],
        iterations=ITERATIONS,
        traversals=50,
        updates=5,
        strategy_updates=5,
        width=8,
    )
    folder = tmp_path_factory.mktemp("runs") / "tiny"
    solver = Solver(config, load_game(KUHN))
    for _ in range(ITERATIONS):
        solver.iterate()
        save_advantage_nets(folder, solver)
        policy, _ = solver.fit_strategy()
        save_model(folder, solver, policy.network, {})
        save_latest(folder, solver, RunProgress())
    return folder


def situations(tree: BettingTree) -> tuple[Cards, Nodes]:
    nodes = np.flatnonzero(tree.is_decision)
    views = canonical_views(KUHN, deal(KUHN, len(nodes), np.random.default_rng(0)))
    return views[np.arange(len(nodes)), tree.actor[nodes], tree.street[nodes]], nodes


def test_a_run_is_all_its_models(run: Path) -> None:
    found = agents.load(run)
    assert [agent.name for agent in found] == ["tiny/iter_0001", "tiny/iter_0002"]
    assert [agent.iteration for agent in found] == [1, 2]
    assert {agent.source for agent in found} == {"model"}
    assert {agent.rules for agent in found} == {KUHN}
    assert [agent.folder for agent in found] == [run / "iter_0001", run / "iter_0002"]


def test_a_model_by_folder_and_by_file_plays_alike(run: Path) -> None:
    cards, nodes = situations(load_game(KUHN).tree)
    expected = load_model(run / "iter_0002").policy.strategies(cards, nodes)
    for spec in (run / "iter_0002", str(run / "iter_0002" / "strategy.keras")):
        (agent,) = agents.load(spec, KUHN)
        assert agent.name == "tiny/iter_0002"
        np.testing.assert_array_equal(agent.policy.strategies(cards, nodes), expected)


def test_single_deep_cfr(run: Path) -> None:
    (agent,) = agents.load(f"sdcfr:{run}", KUHN)
    assert (agent.name, agent.source, agent.iteration) == ("sdcfr:tiny", "single", ITERATIONS)
    cards, nodes = situations(load_game(KUHN).tree)
    expected = load_single(run).policy.strategies(cards, nodes)
    np.testing.assert_array_equal(agent.policy.strategies(cards, nodes), expected)


@pytest.mark.parametrize("name", BOT_NAMES)
def test_bots_by_name(name: str) -> None:
    rules = parse_rules("hulh")
    (agent,) = agents.load(name, rules)
    assert (agent.name, agent.source, agent.rules) == (name, "bot", rules)
    assert (agent.iteration, agent.folder) == (None, None)
    view = np.array([[51, 50, 52, 52, 52, 52, 52]], np.uint8)
    assert agent.policy.strategies(canonical(view), np.array([0])).sum() == pytest.approx(1)


def test_other_rules_are_refused_in_one_line(run: Path) -> None:
    for spec in (str(run), f"sdcfr:{run}"):
        with pytest.raises(agents.AgentError) as error:
            agents.load(spec, LEDUC)
        assert KUHN.describe() in str(error.value)
        assert LEDUC.describe() in str(error.value)
        assert "\n" not in str(error.value)


def test_the_name_of_the_rules_does_not_count(run: Path) -> None:
    renamed = dataclasses.replace(KUHN, name="mine")
    assert len(agents.load(run, renamed)) == ITERATIONS
    with pytest.raises(agents.AgentError):
        agents.load(run, dataclasses.replace(KUHN, stack=3, max_raises=(2,)))


def test_what_is_no_agent(run: Path, tmp_path: Path) -> None:
    with pytest.raises(agents.AgentError) as error:
        agents.load("nobody")
    for accepted in (*BOT_NAMES, "strategy.keras", "run folder", "sdcfr:"):
        assert accepted in str(error.value)
    assert "\n" not in str(error.value)
    with pytest.raises(agents.AgentError, match="plays any game; say which rules"):
        agents.load("call")
    with pytest.raises(agents.AgentError, match="no run folder"):
        agents.load("sdcfr:nowhere")
    with pytest.raises(StorageError, match="holds no model"):
        agents.load(tmp_path)


def test_models_know_their_run_and_others_have_none(run: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(run / "iter_0002", tmp_path / "mine"))
    (of_a_run,), (alone,) = agents.load(run / "iter_0002"), agents.load(copy)
    assert (of_a_run.run, alone.run) == (run, copy)
    assert alone.name == "mine"
    (single,), (bot,) = agents.load(f"sdcfr:{run}"), agents.load("call", KUHN)
    assert (single.run, bot.run) == (None, None)


def test_bots_are_loaded_without_tensorflow() -> None:
    load = "agents.load('call', parse_rules('leduc'))"
    code = f"import sys, agents; from env.rules import parse_rules; {load}; "
    code += "sys.exit('tensorflow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
