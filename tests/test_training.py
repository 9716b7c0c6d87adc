"""Fitting: the loss by hand, weights t, masks, early stopping, determinism."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from deep_cfr.config import FitSettings
from deep_cfr.fitting.merging import merge
from deep_cfr.fitting.squared_errors import SquaredErrors
from deep_cfr.fitting.trainer import Diverged, Trainer
from deep_cfr.fitting.validation import held_out
from deep_cfr.memory import make_rows
from deep_cfr.networks.encoding import make_encoding
from deep_cfr.networks.network import initial_weights, make_network
from deep_cfr.networks.network_policy import NetworkPolicy
from deep_cfr.networks.softmax import masked_softmax
from env.betting_tree import BettingTree
from env.game import load_game
from env.rules import LEDUC
from tests.small_runs import infosets, seen_at

SETTINGS = FitSettings(updates=300, batch_size=256, learning_rate=5e-3, learning_rate_end=0.05)


@pytest.fixture(scope="module")
def tree() -> BettingTree:
    return load_game(LEDUC).tree


def trainer_of(is_strategy: bool = False, towers: int = 1) -> Trainer:
    network = make_network(make_encoding("paper", load_game(LEDUC)), 32, is_strategy)
    return Trainer(network, batch_size=256, towers=towers)


def sample_rows(tree: BettingTree, n: int, seed: int = 0) -> NDArray[np.void]:
    """Rows whose targets depend on the cards and the node, with iterations 1 to 9."""
    rng = np.random.default_rng(seed)
    cards, nodes = infosets(load_game(LEDUC), n, rng)
    rank = cards[:, 0].astype(np.float32) // 4 - 10
    targets = np.stack([rank, -rank, nodes % 3 - 1.0], axis=1).astype(np.float32)
    rows = make_rows(cards, nodes, 1, np.where(tree.legal[nodes], targets, 0))
    rows["t"] = rng.integers(1, 10, n)
    return rows


def predictions(trainer: Trainer, rows: NDArray[np.void]) -> NDArray[np.float32]:
    raw = NetworkPolicy(trainer.network, lambda outputs, legal: outputs)
    return raw.strategies(rows["cards"], rows["node"])


def weighted_loss(tree: BettingTree, rows: NDArray[np.void], outputs: NDArray[np.float32]) -> float:
    weights = rows["t"] / rows["t"].mean()
    errors = tree.legal[rows["node"]] * (rows["targets"] - outputs) ** 2
    return float((weights * errors.sum(axis=1)).mean())


@pytest.mark.parametrize("towers", [1, 2, 3])
def test_learns_a_simple_function(tree: BettingTree, towers: int) -> None:
    rows = sample_rows(tree, 4000)
    trainer = trainer_of(towers=towers)
    result = trainer.fit(rows, SETTINGS, np.random.default_rng(0))
    zero = weighted_loss(tree, rows, np.zeros((4000, 3), np.float32))
    assert result.updates == 300
    assert weighted_loss(tree, rows, predictions(trainer, rows)) < 0.05 * zero
    assert result.loss < 0.2 * zero


@pytest.mark.parametrize("is_strategy", [False, True])
def test_the_loss_is_the_formula(tree: BettingTree, is_strategy: bool) -> None:
    rows = sample_rows(tree, 500)
    trainer = trainer_of(is_strategy)
    trainer.fit(rows, FitSettings(20, 256, 1e-3), np.random.default_rng(0))
    outputs = predictions(trainer, rows)
    if is_strategy:
        outputs = masked_softmax(outputs, tree.legal[rows["node"]].astype(np.float32))
    errors = SquaredErrors(trainer.network)
    found = errors.weighted_mean(errors.on_device(rows))
    assert found == pytest.approx(weighted_loss(tree, rows, outputs), rel=1e-4)


@pytest.mark.parametrize("towers", [1, 2, 3])
def test_rows_that_fit_a_minibatch_are_all_learned_from(tree: BettingTree, towers: int) -> None:
    """A network that returns 0 has the loss of the merged rows, to the digit: nothing is drawn."""
    rows = sample_rows(tree, 400)
    merged = merge(rows, tree.legal.astype(np.float32))
    assert 50 < len(merged.rows) <= 256
    trainer = trainer_of(towers=towers)
    result = trainer.fit(rows, FitSettings(1, 256, 1e-3), np.random.default_rng(0))
    squares = (tree.legal[merged.rows["node"]] * merged.rows["targets"] ** 2).sum(axis=1)
    expected = merged.weights @ squares / merged.weights.sum() + merged.noise
    assert result.loss == pytest.approx(expected, rel=1e-5)


def test_iterations_weigh_by_t(tree: BettingTree) -> None:
    """Contradicting samples of one infoset: the fit is their mean weighted by t."""
    node = int(np.flatnonzero(tree.legal.all(axis=1))[0])
    cards = seen_at(load_game(LEDUC), np.array([node]), np.random.default_rng(0))
    rows = make_rows(np.repeat(cards, 2, 0), np.array([node, node]), 1, np.zeros((2, 3), "f4"))
    rows["t"] = [1, 3]
    rows["targets"] = [[4, 0, 0], [0, 8, 0]]
    trainer = trainer_of()
    trainer.fit(rows, SETTINGS, np.random.default_rng(0))
    np.testing.assert_allclose(predictions(trainer, rows)[0], [1, 6, 0], atol=0.4)


def test_targets_of_illegal_actions_do_not_count(tree: BettingTree) -> None:
    rows = sample_rows(tree, 1000)
    spoiled = rows.copy()
    spoiled["targets"][~tree.legal[rows["node"]]] = 1e6
    weights = []
    for given in (rows, spoiled):
        trainer = trainer_of()
        trainer.fit(given, FitSettings(30, 256, 1e-3), np.random.default_rng(0))
        weights.append(trainer.network.get_weights())
    for clean, dirty in zip(*weights, strict=True):
        np.testing.assert_array_equal(clean, dirty)


def test_each_fit_starts_from_scratch(tree: BettingTree) -> None:
    """What was fitted before leaves no trace, neither in the weights nor in Adam."""
    rows, other = sample_rows(tree, 1000), sample_rows(tree, 700, seed=1)
    trainer = trainer_of()
    settings = FitSettings(40, 256, 1e-3, learning_rate_end=0.1)
    trainer.fit(rows, settings, np.random.default_rng(0))
    first = trainer.network.get_weights()
    trainer.fit(other, SETTINGS, np.random.default_rng(5))
    assert any((a != b).any() for a, b in zip(first, trainer.network.get_weights(), strict=True))
    trainer.fit(rows, settings, np.random.default_rng(0))
    for before, after in zip(first, trainer.network.get_weights(), strict=True):
        np.testing.assert_array_equal(before, after)


def test_early_stopping_keeps_the_best_weights(tree: BettingTree) -> None:
    """Pure noise: the validation loss soon rises, the fit stops and takes the best point back."""
    rng = np.random.default_rng(3)
    rows = sample_rows(tree, 600)
    rows["targets"] = rng.normal(0, 1, (600, 3)) * tree.legal[rows["node"]]
    settings = FitSettings(5000, 256, 5e-3, validation_fraction=0.25, patience=4)
    trainer = trainer_of()
    result = trainer.fit(rows, settings, np.random.default_rng(0))
    validations = [entry[2] for entry in result.curve]
    assert result.updates < 5000
    assert len(validations) - 1 - int(np.argmin(np.array(validations, float))) == 4
    assert result.validation_loss == min(v for v in validations if v is not None)
    assert result.curve[0][0] == 2, "an epoch of about 450 rows is two updates of 256"
    rng = np.random.default_rng(0)  # draw what the fit drew, to find the rows it held out
    initial_weights(trainer.network, rng)
    rng.integers(1 << 31)
    held = held_out(rows, settings.validation_fraction, rng)
    errors = SquaredErrors(trainer.network)
    again = errors.weighted_mean(errors.on_device(rows[held]))
    assert again == pytest.approx(result.validation_loss, rel=1e-5), "the best weights are back"


def test_an_empty_memory_leaves_a_network_that_returns_zero(tree: BettingTree) -> None:
    trainer = trainer_of()
    result = trainer.fit(sample_rows(tree, 0), SETTINGS, np.random.default_rng(0))
    assert (result.updates, result.loss) == (0, 0.0)
    assert not predictions(trainer, sample_rows(tree, 50)).any()


def test_a_fit_that_diverges_says_so(tree: BettingTree) -> None:
    rows = sample_rows(tree, 100)
    rows["targets"][:] = np.nan
    with pytest.raises(Diverged, match="a lower learning rate"):
        trainer_of().fit(rows, SETTINGS, np.random.default_rng(0))
