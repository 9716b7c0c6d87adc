"""What is looked at before a model is built, and what its weights must be."""

from __future__ import annotations

import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import agents
import models
from deep_cfr.config import Config
from deep_cfr.endgame.shape import model_parts
from deep_cfr.networks.architectures import dense_units
from deep_cfr.networks.encoding import make_encoding
from deep_cfr.networks.network import make_network
from deep_cfr.networks.strategy_model import strategy_model
from deep_cfr.networks.weight_check import weights_problem
from env.game import load_game
from models.archive import Declared, check_archive
from models.description import described
from models.layout import unverified_note
from models.loading import load_model
from models.reproducible import make_reproducible
from models.saving import save_model
from models.storage import StorageError
from tests.small_runs import SMALL_LEDUC, small_config, solver_of

Json = dict[str, Any]
WIDTH = 16


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that has learned nothing, with its manifest."""
    solver = solver_of(small_config("leduc", SMALL_LEDUC))
    policy, _ = solver.fit_strategy()
    return save_model(tmp_path_factory.mktemp("model"), solver, policy.network, {})


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    """Its two files, without a manifest."""
    for name in ("strategy.keras", "model.json"):
        shutil.copyfile(folder / name, tmp_path / name)
    return tmp_path


def declared() -> Declared:
    encoding = make_encoding("paper", load_game("leduc"))
    return Declared(encoding, model_parts(encoding, Config(game="leduc", width=WIDTH)))


def rewrite(file: Path, parts: dict[str, bytes]) -> None:
    """Replace or add parts of an archive."""
    with zipfile.ZipFile(file) as stored:
        contents = {name: stored.read(name) for name in stored.namelist()} | parts
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)


def refused(path: Path, match: str) -> None:
    """Every way to open a model refuses it with the same kind of error, in one line."""
    for opened in (load_model, models.load, agents.load):
        with pytest.raises(StorageError, match=match) as caught:
            opened(path)
        assert "\n" not in str(caught.value)


def first_layer(config: Json) -> Json:
    branch = next(layer for layer in config["config"]["layers"] if layer["name"] == "card_branch")
    return branch["config"]["layers"][1]


def more_units(config: Json) -> None:
    first_layer(config)["config"]["units"] = 2_000_000


def other_units(config: Json) -> None:
    first_layer(config)["config"]["units"] = WIDTH - 1


def own_code(config: Json) -> None:
    first_layer(config)["class_name"] = "Lambda"


def foreign_module(config: Json) -> None:
    first_layer(config)["module"] = "os"


def no_head(config: Json) -> None:
    config["config"]["layers"] = [
        layer for layer in config["config"]["layers"] if layer["name"] != "head"
    ]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (more_units, "card_branch has layers of \\(2000000"),
        (other_units, "card_branch has layers of"),
        (own_code, "'Lambda', which no saved model has"),
        (foreign_module, "the module 'os'"),
        (no_head, "head"),
    ],
)
def test_declared_layers_are_checked_before_keras_builds_them(
    copy: Path, change: Callable[[Json], None], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(copy / "strategy.keras") as stored:
        config = json.loads(stored.read("config.json"))
    change(config)
    rewrite(copy / "strategy.keras", {"config.json": json.dumps(config).encode()})
    monkeypatch.setattr("keras.models.load_model", lambda *_, **__: pytest.fail("Keras was asked"))
    refused(copy, reason)


@pytest.mark.parametrize(
    ("part", "content", "reason"),
    [
        ("model.weights.h5", bytes(64 << 20), "unpacks to"),
        ("config.json", b" " * (8 << 20), "unpacks to"),
        ("assets/x", b"more", "does not consist of"),
        ("config.json", b"[" * 100_000, "recursion|nested"),
        ("config.json", b"\xff\xfe", "no readable model"),
        ("model.weights.h5", bytes(40_000), "no readable model"),
        ("model.weights.h5", b"", "fewer than its network"),
    ],
)
def test_parts_of_other_sizes_and_kinds_are_refused(
    copy: Path, part: str, content: bytes, reason: str
) -> None:
    rewrite(copy / "strategy.keras", {part: content})
    refused(copy, reason)


def test_weights_must_lie_in_the_file_itself(copy: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(copy / "strategy.keras") as stored:
        own = stored.read("model.weights.h5")
    attacks: list[tuple[Callable[[Any], Any], str]] = [
        (lambda file: file.create_dataset("big", (1 << 40,), "f4"), "more than"),
        (lambda file: file.create_dataset("text", data=b"x"), "something else"),
        (lambda file: file.__setitem__("away", h5py.ExternalLink("x.h5", "/y")), "outside"),
    ]
    for add, reason in attacks:
        content = io.BytesIO(own)
        with h5py.File(content, "r+") as file:
            add(file)
        rewrite(copy / "strategy.keras", {"model.weights.h5": content.getvalue()})
        with pytest.raises(ValueError, match=reason):
            check_archive(copy / "strategy.keras", declared())


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"nodes_touched": None}, "nodes_touched must be a whole number"),
        ({"iteration": True}, "iteration must be a whole number, not True"),
        ({"iteration": -1}, "iteration is -1"),
        ({"iteration": 10**30}, "iteration is 1e"),
        ({"rules": {}}, "incomplete rules"),
        ({"config": []}, "no table of names"),
        ({"config": {"nonsense": 1}}, "no setting 'nonsense'"),
        ({"config": {"width": "64"}}, "width must be of type int"),
        ({"config": {"width": True}}, "width must be of type int"),
        ({"config": {"game": "kuhn"}}, "but the settings are of kuhn"),
        ({"config": {"network": "other"}}, "choose from paper, thesis"),
        ({"config": {"width": 2_000_000}}, "width is 2000000, but can be 8192 at most"),
        ({"config": {"width": 4_096}}, "fewer than its network"),
    ],
)
def test_descriptions_that_make_no_sense_are_refused(
    copy: Path, changes: Json, reason: str
) -> None:
    info = json.loads((copy / "model.json").read_text())
    config = changes.get("config")
    whole = {"config": info["config"] | config} if isinstance(config, dict) else {}
    (copy / "model.json").write_text(json.dumps(info | changes | whole))
    refused(copy, reason)


@pytest.mark.parametrize("content", [b"[" * 100_000, b"\xff\xfe\x00", b"9" * 10_000, b"3", b""])
def test_unreadable_descriptions_are_refused(copy: Path, content: bytes) -> None:
    (copy / "model.json").write_bytes(content)
    refused(copy, r"model\.json")


def test_descriptions_of_models_pass(folder: Path) -> None:
    info = json.loads((folder / "model.json").read_text())
    assert described(info).rules.name == "leduc"


@pytest.mark.parametrize("name", ["strategy.keras", "model.json", "manifest.json"])
def test_pipes_are_not_waited_for(copy: Path, name: str) -> None:
    (copy / name).unlink(missing_ok=True)
    os.mkfifo(copy / name)
    with pytest.raises(StorageError) as caught:
        load_model(copy)
    assert "\n" not in str(caught.value)


def test_links_that_go_in_circles_are_refused(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for path in (loop, tmp_path / ("x" * 5_000)):
        with pytest.raises(StorageError) as caught:
            models.load(path)
        assert "\n" not in str(caught.value)
        with pytest.raises((StorageError, agents.AgentError)):
            agents.load(path)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30])
@pytest.mark.parametrize("layer", ["cards_1", "bets_3", "outputs"])
def test_weights_that_are_no_numbers_are_refused(copy: Path, layer: str, value: float) -> None:
    network = make_network(declared().encoding, WIDTH, is_strategy=True)
    part = {"cards_1": network.cards, "bets_3": network.bets, "outputs": network.head}[layer]
    kernel = part.get_layer(layer).kernel
    changed = kernel.numpy()
    changed[0, 0] = value
    kernel.assign(changed)
    problem = weights_problem(network, network.get_weights())
    assert problem in (
        "weights that are not finite numbers",
        "weights so large that answers would overflow",
    )
    if layer == "cards_1" and value != np.inf:  # once through the file, for each kind of problem
        strategy_model(network, {}).save(copy / "strategy.keras")
        refused(copy, problem)


@pytest.mark.parametrize("architecture", ["paper", "thesis"])
def test_tables_and_variances_are_checked(architecture: str) -> None:
    encoding = make_encoding(architecture, load_game("fhp"), strength=True)
    network = make_network(encoding, 8, is_strategy=True, has_strength_table=True)
    weights = network.get_weights()
    assert weights_problem(network, weights) is None
    found = {part.name: () for part in network.parts}
    for part in network.parts:
        dense = [layer for layer in part.layers if hasattr(layer, "units")]
        found[part.name] = tuple(layer.units for layer in dense)
    assert found == dense_units(architecture, 8)
    size = sum(value.size for value in weights)
    sizes = Declared(encoding, model_parts(encoding, Config("fhp", network=architecture, width=8)))
    at_least = sizes.num_kernel_weights() + sizes.num_table_weights()
    assert at_least <= size <= at_least + sizes.num_other_weights()
    spoilt = [*weights[:-1], np.full_like(weights[-1], np.nan)]
    assert weights_problem(network, spoilt) == "weights that are not finite numbers"
    if architecture == "thesis":
        names = [variable.path.rsplit("/", 1)[-1] for variable in network.variables]
        spoilt = [-v if n == "moving_variance" else v for n, v in zip(names, weights, strict=True)]
        assert weights_problem(network, spoilt) == "a negative variance among the weights"


def test_models_without_a_manifest_say_so(folder: Path, copy: Path) -> None:
    assert models.load(folder).is_verified
    assert unverified_note(folder) is None
    assert not models.load(copy).is_verified
    assert "no manifest.json, so damage" in str(unverified_note(copy))


def test_the_same_network_gives_the_same_bytes(tmp_path: Path) -> None:
    """Whatever else the process has built before."""
    encoding = make_encoding("paper", load_game("fhp"), strength=True)
    networks = [make_network(encoding, 8, True, True) for _ in range(2)]
    networks[1].set_weights(networks[0].get_weights())
    files = [tmp_path / f"{number}.keras" for number in range(2)]
    for network, file in zip(networks, files, strict=True):
        strategy_model(network, {}).save(file)
        make_reproducible(file)
    assert files[0].read_bytes() == files[1].read_bytes()
