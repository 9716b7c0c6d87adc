"""What a run shows of its strength, in TensorBoard and in its files, as the document says."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer
from tensorboard.plugins.hparams import metadata as hparams_metadata
from tensorboard.util.tensor_util import make_ndarray

import train
from agents.bots import make_bot
from arena.match import match
from deep_cfr.config import Config
from deep_cfr.memory import make_rows
from deep_cfr.memory_average import memory_average
from env.game import load_game
from evaluation.local_best_response import local_best_response
from models.loading import load_model
from tests.small_runs import (
    ROOT,
    SMALL_DEFAULT_PATH,
    as_flags,
    assert_same_arrays,
    infosets,
    latest_arrays,
    metrics,
    network_of,
)
from training.tags import TAGS, about
from training.telemetry import Telemetry

KUHN = {"iterations": 3, "traversals": 40, "updates": 5, "strategy_updates": 5, "width": 8}
KUHN |= {"threads": 1, "checkpoint_every": 2}
HULH = SMALL_DEFAULT_PATH | {"eval_hands": 256, "eval_match_hands": 300, "iterations": 2}
HULH_STREETS = ("pre-flop", "flop", "turn", "river")
INTERNAL = "_hparams_/"


def run(folder: Path, name: str, *words: str) -> None:
    places = ["--logdir", str(folder / "runs"), "--checkpoints", str(folder / "checkpoints")]
    assert train.main([*words, "--run-name", name, *places]) == 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of kuhn, the same one watched less, and one of hulh."""
    folder = tmp_path_factory.mktemp("curves")
    run(folder, "first", "--preset=kuhn", *as_flags(KUHN))
    run(folder, "unwatched", "--preset=kuhn", *as_flags(KUHN | {"eval_every": 0}))
    run(folder, "hulh", "--preset=smoke", *as_flags(HULH | {"checkpoint_every": 1}))
    return folder


def events_of(logs: Path) -> EventAccumulator:
    events = EventAccumulator(str(logs), {"tensors": 0})
    events.Reload()
    return events


def curve(events: EventAccumulator, tag: str) -> dict[int, float]:
    return {event.step: make_ndarray(event.tensor_proto).item() for event in events.Tensors(tag)}


def written(events: EventAccumulator) -> set[str]:
    return {tag for tag in events.Tags()["tensors"] if not tag.startswith(INTERNAL)}


def test_the_document_lists_every_tag_and_no_other(folder: Path) -> None:
    text = (ROOT / "docs" / "reference" / "files.md").read_text()
    listed = set(re.findall(r"`(\d_\w+/[^`]+)`", text))
    assert listed == set(TAGS)
    for name in ("first", "hulh"):
        tags = written(events_of(folder / "runs" / name))
        unlisted = [tag for tag in tags if not any(fnmatchcase(tag, text) for text in listed)]
        assert not unlisted
    with pytest.raises(KeyError, match="6_new/tag is not in"):
        about("6_new/tag")


def test_every_curve_is_described_and_strength_comes_first(folder: Path) -> None:
    for name, first in (("first", "exploitability_mbb"), ("hulh", "lbr_mbb")):
        events = events_of(folder / "runs" / name)
        assert min(written(events)) == f"1_strength/{first}"
        for tag in written(events):
            assert events.SummaryMetadata(tag).summary_description == about(tag)


def test_curves_start_at_uniform_play_and_are_dense(folder: Path) -> None:
    events = events_of(folder / "runs" / "first")
    model = curve(events, "1_strength/exploitability_mbb")
    memory = curve(events, "1_strength/exploitability_of_memory_mbb")
    assert list(model) == [0, 2, 3]
    assert list(memory) == [0, 1, 2, 3]
    assert model[0] == memory[0] == pytest.approx(1000 * 11 / 24)  # known of uniform play in Kuhn
    rows = metrics(folder / "runs" / "first")
    assert [row["exploitability_mbb"] != "" for row in rows] == [False, True, True]
    shown = [float(row["exploitability_of_memory_mbb"]) for row in rows]
    assert shown == pytest.approx(list(memory.values())[1:], abs=1e-3)


def test_being_watched_changes_neither_the_run_nor_its_models(folder: Path) -> None:
    watched, unwatched = (folder / "checkpoints" / name for name in ("first", "unwatched"))
    assert_same_arrays(latest_arrays(watched), latest_arrays(unwatched))
    for model in ("iter_0002", "iter_0003"):
        weights = [
            network_of(load_model(run / model).policy.raw).get_weights()
            for run in (watched, unwatched)
        ]
        for mine, theirs in zip(*weights, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_runs_of_equal_settings_stay_apart_under_hparams(tmp_path: Path) -> None:
    for name in ("first", "second"):
        Telemetry(tmp_path / name, Config(traversals=40), []).close()
    multiplexer = EventMultiplexer()
    multiplexer.AddRunsFromDirectory(str(tmp_path))
    multiplexer.Reload()
    groups = {}
    for name in ("first", "second"):
        content = multiplexer.SummaryMetadata(name, hparams_metadata.SESSION_START_INFO_TAG)
        start = hparams_metadata.parse_session_start_info_plugin_data(content.plugin_data.content)
        groups[name] = start.group_name
        assert start.hparams["traversals"].number_value == 40
    assert groups == {"first": "first", "second": "second"}
    content = multiplexer.SummaryMetadata("first", hparams_metadata.EXPERIMENT_TAG)
    experiment = hparams_metadata.parse_experiment_plugin_data(content.plugin_data.content)
    assert experiment.metric_infos[0].name.tag == "1_strength/exploitability_mbb"
    assert "learning_rate" in {info.name for info in experiment.hparam_infos}


def test_holdem_is_watched_by_lbr_and_matches_on_the_same_cards(folder: Path) -> None:
    events, rows = events_of(folder / "runs" / "hulh"), metrics(folder / "runs" / "hulh")
    names = ("lbr", "won_from_loose_aggressive", "won_from_call")
    saved = load_model(folder / "checkpoints/hulh/iter_0002")
    game, policy = saved.game, saved.policy.raw  # training judges the network alone
    info = json.loads((folder / "checkpoints/hulh/iter_0002/model.json").read_text())["metrics"]
    lbr = local_best_response(game, policy, 256, np.random.default_rng(0))
    won = [match(game, policy, make_bot(bot, game), 300, 0) for bot in ("loose-aggressive", "call")]
    expected = [(lbr.bound_mbb, lbr.interval_mbb), *((one.mbb, one.ci95_mbb) for one in won)]
    for name, (mbb, interval) in zip(names, expected, strict=True):
        points = curve(events, f"1_strength/{name}_mbb")
        assert list(points) == [0, 1, 2]
        assert list(curve(events, f"1_strength_intervals/{name}_mbb")) == [0, 1, 2]
        assert (points[2], info[f"{name}_mbb"]) == pytest.approx((mbb, mbb), rel=1e-3)
        assert info[f"{name}_interval_mbb"] == pytest.approx(interval, rel=1e-3)
        assert float(rows[1][f"{name}_mbb"]) == pytest.approx(mbb, rel=1e-3)
        assert float(rows[1][f"{name}_interval_mbb"]) == pytest.approx(interval, rel=1e-3)


def test_holdem_is_watched_street_by_street(folder: Path) -> None:
    events = events_of(folder / "runs" / "hulh")
    streets = [curve(events, f"1_strength_by_street/lbr_{name}_mbb") for name in HULH_STREETS]
    for step, bound in curve(events, "1_strength/lbr_mbb").items():
        assert sum(points[step] for points in streets) == pytest.approx(bound, abs=0.1)


def test_the_averages_of_a_memory_by_hand() -> None:
    game, rng = load_game("leduc"), np.random.default_rng(0)
    legal = game.tree.legal
    cards, nodes = infosets(game, 40, rng)
    targets = legal[nodes] * rng.random((40, 3))
    targets = (targets / targets.sum(axis=1, keepdims=True)).astype(np.float32)
    rows = np.concatenate([make_rows(cards, nodes, t, targets) for t in (1, 3)])
    rows["targets"][:40] = legal[nodes] / legal[nodes].sum(axis=1, keepdims=True)
    sums: dict[tuple[bytes, int], NDArray[np.float64]] = {}
    for row in rows:
        key = row["cards"].tobytes(), int(row["node"])
        sums[key] = sums.get(key, np.zeros(4)) + row["t"] * np.append(row["targets"], 1)
    asked_cards, asked = infosets(game, 200, rng)
    asked_cards, asked = np.concatenate([cards, asked_cards]), np.concatenate([nodes, asked])
    answers = memory_average(rows, game.tree).strategies(asked_cards, asked)
    unknown = 0
    for view, node, answer in zip(asked_cards, asked, answers, strict=True):
        known = sums.get((view.tobytes(), int(node)))
        unknown += known is None
        mean = legal[node] / legal[node].sum() if known is None else known[:3] / known[3]
        np.testing.assert_allclose(answer, mean, atol=1e-6)
    assert 0 < unknown < 200
    empty = memory_average(rows[:0], game.tree).strategies(asked_cards, asked)
    np.testing.assert_allclose(empty, legal[asked] / legal[asked].sum(axis=1, keepdims=True))
