"""Networks: zero before training, the printed layouts, models that plain Keras opens."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import keras
import numpy as np
import pytest

from deep_cfr.fitting.squared_errors import SquaredErrors
from deep_cfr.memory import make_rows
from deep_cfr.networks.encoding import KNOTS, make_encoding
from deep_cfr.networks.infoset_inputs import infoset_features
from deep_cfr.networks.keras_file import read_network
from deep_cfr.networks.network import Network, initial_weights, make_network
from deep_cfr.networks.network_policy import average_strategy_policy, regret_matching_policy
from deep_cfr.networks.numpy_policy import NumpyPolicy
from deep_cfr.networks.softmax import masked_softmax
from deep_cfr.networks.strategy_model import strategy_model
from deep_cfr.sampling.external_sampling import traverse
from env.arrays import Nodes
from env.cards import Cards
from env.game import load_game
from env.rules import FHP, HULH, HULH_80, LEDUC, Rules
from env.strength import Strengths
from env.views import Views
from models.storage import deflate
from policies.fixed import uniform_policy
from tests.small_runs import infosets


def random_infosets(rules: Rules, count: int) -> tuple[Cards, Nodes]:
    return infosets(load_game(rules), count, np.random.default_rng(0))


def network_of(
    rules: Rules, architecture: str, strength: bool = False, has_table: bool = False
) -> Network:
    encoding = make_encoding(architecture, load_game(rules), strength=strength)
    return make_network(encoding, 64, is_strategy=has_table, has_strength_table=has_table)


def randomised(network: Network, seed: int = 0) -> Network:
    rng = np.random.default_rng(seed)
    weights = initial_weights(network, rng)
    network.set_learned([w + rng.normal(0, 0.1, w.shape).astype(np.float32) for w in weights])
    if network.strength_table is not None:
        table = rng.uniform(-0.2, 1, network.strength_table.shape)
        network.set_strength_table(table.astype(np.float32))
    return network


@pytest.mark.parametrize("architecture", ["paper", "thesis"])
@pytest.mark.parametrize("rules", [LEDUC, HULH], ids=lambda rules: rules.name)
def test_an_untrained_network_plays_uniformly(rules: Rules, architecture: str) -> None:
    network = network_of(rules, architecture)
    network.set_weights(initial_weights(network, np.random.default_rng(1), zero=True))
    cards, nodes = random_infosets(rules, 300)
    found = regret_matching_policy(network).strategies(cards, nodes)
    expected = uniform_policy(load_game(rules).tree).strategies(cards, nodes)
    np.testing.assert_allclose(found, expected)


def test_sizes() -> None:
    thesis = network_of(HULH_80, "thesis")
    hidden = 156 * 512 + 512 + 512 * 512 + 512 + 512 * 256 + 256
    assert thesis.num_parameters == hidden + 2 * 256 + 256 * 3 + 3
    # The paper's layout with embeddings and the first card layer as one matrix, width 64.
    assert network_of(HULH, "paper").num_parameters == 50_179
    fhp = (2 * 69 + 2 * 5 * 2) * 64 + 7 * 64 * 64 + 9 * 64 + 64 * 3 + 3
    assert network_of(FHP, "paper").num_parameters == fhp


def test_initial_weights() -> None:
    thesis = network_of(HULH_80, "thesis")
    kernels = [w for w in initial_weights(thesis, np.random.default_rng(0)) if w.ndim == 2]
    assert len(kernels) == 5
    for kernel in kernels:
        assert 0.0045 < np.abs(kernel).max() <= 0.005
    paper = network_of(HULH, "paper")
    first, again, other = (
        initial_weights(paper, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert any((a != b).any() for a, b in zip(first, other, strict=True))
    assert not first[-2].any(), "the output layer starts at zero"


@pytest.mark.parametrize(
    ("architecture", "strength", "has_table"),
    [
        ("paper", False, False),
        ("paper", True, False),
        ("paper", True, True),
        ("thesis", False, False),
        ("thesis", True, True),
    ],
)
@pytest.mark.parametrize("rules", [LEDUC, FHP, HULH_80], ids=lambda rules: rules.name)
def test_a_saved_model_opens_with_plain_keras(
    rules: Rules, architecture: str, strength: bool, has_table: bool, tmp_path: Path
) -> None:
    has_table &= rules.is_holdem  # toy games have no hand strengths for it
    network = randomised(network_of(rules, architecture, strength, has_table))
    cards, nodes = random_infosets(rules, 200)
    ours = average_strategy_policy(network).strategies(cards, nodes)
    strategy_model(network, {}).save(tmp_path / "strategy.keras")
    stored = (tmp_path / "strategy.keras").stat().st_size
    deflate(tmp_path / "strategy.keras")
    assert (tmp_path / "strategy.keras").stat().st_size < stored
    saved = read_network(tmp_path / "strategy.keras", network.encoding)
    in_numpy = NumpyPolicy(saved.plain, saved.strength_table)
    np.testing.assert_allclose(in_numpy.strategies(cards, nodes), ours, atol=2e-6)
    loaded = keras.models.load_model(tmp_path / "strategy.keras", safe_mode=True)
    inputs = infoset_features(network.encoding, cards, nodes, with_bucket_rows=has_table)
    theirs = loaded.predict(list(inputs), verbose=0)
    np.testing.assert_allclose(theirs, ours, atol=1e-5)
    np.testing.assert_allclose(theirs.sum(axis=1), 1, atol=1e-5)
    assert (theirs[inputs[2] == 0] == 0).all(), "illegal actions have probability 0"


def test_a_file_of_another_network_is_not_computed(tmp_path: Path) -> None:
    """Layers that strategy networks do not have are refused, and not taken for others."""
    encoding = make_encoding("paper", load_game(LEDUC))
    x = keras.Input((encoding.card_width,), name="card_features")
    branch = keras.Model(x, keras.layers.Dense(8, activation="gelu")(x), name="card_branch")
    cards = keras.Input((encoding.card_width,), name="cards")
    keras.Model(cards, branch(cards)).save(tmp_path / "strategy.keras")
    with pytest.raises(ValueError, match="no layer of a strategy network"):
        read_network(tmp_path / "strategy.keras", encoding)


def test_shared_branches_give_the_same_answers() -> None:
    """Asking about views in any order, in parts, with towers: always the same strategies."""
    network = randomised(network_of(HULH, "paper"))
    cards, nodes = random_infosets(HULH, 500)
    whole = regret_matching_policy(network).strategies(cards, nodes)
    for towers in (1, 2, 3):
        ask = regret_matching_policy(network, towers).for_views(Views(network.encoding.game, cards))
        rows = np.random.default_rng(0).permutation(500)
        for part in (rows[:70], rows[70:71], rows[71:], rows[:30]):
            np.testing.assert_allclose(ask(part, nodes[part]), whole[part], atol=1e-5)


def test_strengths_reach_the_network_and_the_samples() -> None:
    network = randomised(network_of(FHP, "paper", strength=True))
    encoding = network.encoding
    assert network.num_parameters == network_of(FHP, "paper").num_parameters + KNOTS * 64
    np.testing.assert_allclose(encoding.strength_features.sum(axis=1), 1, rtol=1e-6)
    knots = np.linspace(0, 1, KNOTS)
    np.testing.assert_allclose(encoding.strength_features @ knots, np.arange(256) / 255, atol=1e-6)
    policy, rng = regret_matching_policy(network), np.random.default_rng(2)
    samples = traverse(encoding.game, (policy, policy), 0, 1, 30, rng, keep_strength=True)
    for rows in (samples.advantages, samples.strategies):
        wins = Strengths(FHP).expected(rows["cards"])
        np.testing.assert_allclose(rows["strength"] / 255, wins, atol=0.002 + 1e-5)
    toy = network_of(LEDUC, "paper", strength=True).encoding
    assert not toy.strength_features.size, "toy games have none"


def test_a_policy_follows_its_network() -> None:
    """Weights set later are used at once: nothing stale is kept between questions."""
    network = randomised(network_of(LEDUC, "paper"), 1)
    policy = average_strategy_policy(network)
    cards, nodes = random_infosets(LEDUC, 50)
    before = policy.strategies(cards, nodes)
    randomised(network, 2)
    after = policy.strategies(cards, nodes)
    assert np.abs(before - after).max() > 0.01
    fresh = average_strategy_policy(network).strategies(cards, nodes)
    np.testing.assert_allclose(after, fresh)


HUGE_LOGITS = np.array([5e9, -2e9, -2.5e9], np.float32)  # of fold, which is illegal, call and raise


def test_an_illegal_action_never_wins(tmp_path: Path) -> None:
    """However large its logit is: in the policy, in the saved model and while training."""
    network = network_of(LEDUC, "paper")
    network = dataclasses.replace(network, is_strategy=True)
    outputs = network.head.get_layer("outputs")
    outputs.set_weights([np.zeros((64, 3), np.float32), HUGE_LOGITS])
    cards, nodes = random_infosets(LEDUC, 100)
    nodes = np.zeros_like(nodes)  # at the start of the hand there is nothing to fold to
    assert network.encoding.legal[0].tolist() == [0, 1, 1]
    answers = average_strategy_policy(network).strategies(cards, nodes)
    np.testing.assert_array_equal(answers, np.tile([0, 1, 0], (100, 1)))
    strategy_model(network, {}).save(tmp_path / "strategy.keras")
    loaded = keras.models.load_model(tmp_path / "strategy.keras", safe_mode=True)
    inputs = infoset_features(network.encoding, cards, nodes)
    np.testing.assert_array_equal(loaded.predict(list(inputs), verbose=0), answers)
    rows = make_rows(cards, nodes, 1, answers)
    errors_of = SquaredErrors(network)
    errors, _ = errors_of(errors_of.on_device(rows), training=False)
    assert not errors.numpy().any()


def test_no_logit_is_too_large_for_a_softmax() -> None:
    largest = np.float32(3e38)
    logits = np.array([[largest, -largest, 0], [largest, largest, -largest]], np.float32)
    legal = np.array([[0, 1, 1], [0, 0, 1]], np.float32)
    assert masked_softmax(logits, legal).tolist() == [[0, 0, 1], [0, 0, 1]]
