"""Bots, games and networks in a user's files: what is refused, and when code runs at all."""

from __future__ import annotations

import dataclasses
import io
import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import keras
import numpy as np
import pytest
from keras import layers

import agents
import evaluate
import play
import tournament
import train
from deep_cfr.networks.encoding import make_encoding
from deep_cfr.networks.network import initial_weights, make_network
from deep_cfr.networks.own_network import own_parts
from deep_cfr.solver import Solver
from env.actions import FOLD
from env.betting_tree import SHOWDOWN
from env.extensions import ExtensionError, is_extension, made
from env.game import load_game
from env.own_game import game_named, names_own_game
from env.rules import KUHN, LEDUC
from env.toy import ToyEmulator
from evaluation.best_response import exploitability
from interfaces.opponents import load_opponent
from models import load
from models.advantage_nets import load_single, save_advantage_nets
from models.loading import load_answers, load_model
from models.run_state import RunProgress
from models.saving import save_model
from models.storage import StorageError
from tests.brute_force import BruteForce
from tests.how_to import page, save
from tests.policies import Hashed
from tests.small_runs import infosets, small_config
from training.checkpoint import save_latest

MODULE = '''
from pathlib import Path

Path("it_ran").touch()  # so that a test sees whether this file was imported

from dataclasses import replace
import keras
from keras import layers
import numpy as np
from env import KUHN_RULES as RULES
from env.toy import ToyEmulator


class Game(ToyEmulator):
    """Kuhn in which a bet cannot be called by folding."""

    def __init__(self):
        super().__init__(RULES)


class Bot:
    def __init__(self, game):
        self.legal = game.tree.legal

    def strategies(self, cards, nodes):
        legal = self.legal[nodes]
        return legal / legal.sum(axis=1, keepdims=True)


def net(card_features, bet_features, width):
    def part(size):
        return keras.Sequential([keras.Input((size,)), layers.Dense(width)])

    head = keras.Sequential([keras.Input((width,)), layers.ReLU(), layers.Dense(3)])
    return part(card_features), part(bet_features), head


number = 5


def broken():
    raise RuntimeError("too bad")


def leaves():
    raise SystemExit(3)
'''.replace("from env import KUHN_RULES as RULES", "from env.rules import KUHN as RULES")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A current folder with `own.py`, which leaves a mark when it is imported."""
    (tmp_path / "own.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    sys.modules.pop("own", None)


def ran(folder: Path) -> bool:
    return (folder / "it_ran").exists()


def forget(folder: Path) -> None:
    """As a new process in which nobody has named the module."""
    sys.modules.pop("own", None)
    (folder / "it_ran").unlink(missing_ok=True)


def run_of_own_game(folder: Path, network: str = "paper") -> Path:
    """A run of a game, and perhaps of a network, in `own.py`."""
    config = small_config("kuhn", {"traversals": 50, "updates": 5, "width": 8}, seed=0)
    config = dataclasses.replace(config, game="own:Game", network=network)
    solver = Solver(config, game_named("own:Game"), runs_own_code=True)
    solver.iterate()
    policy, _ = solver.fit_strategy()
    run = folder / "checkpoints" / "mine"
    save_advantage_nets(run, solver)
    save_model(run, solver, policy.network, {})
    save_latest(run, solver, RunProgress(logs="runs/mine"))
    return run


def test_the_form_of_a_name() -> None:
    for text in ("mybots:Maniac", "package.module:name", "m:_x"):
        assert is_extension(text), text
    for text in ("call", "a/b:c", "hulh:stack=100", "C:\\x", "x:", ":x", "a:b:c", "a b:c", "1:a"):
        assert not is_extension(text), text
    assert not names_own_game("hulh:stack"), "a preset with a mistake in its changes"
    assert names_own_game("mygames:Leduc")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nowhere:Bot", "there is no module nowhere: no nowhere.py in"),
        ("own.sub:Bot", "there is no module own.sub"),
        ("own.py:Bot", "write the module without .py: own:NAME"),
        ("own:Maniac", r"there is no Maniac in own \(.*own.py\): it has Game, Bot, net"),
        ("own:number", "own:number is an int, not a class or a function"),
        ("own:broken", r"own:broken raised RuntimeError: too bad \(own.py, line \d+\)"),
        ("own:leaves", r"own:leaves raised SystemExit: 3 \(own.py, line \d+\)"),
        ("own:Bot", "own:Bot raised TypeError"),
        ("syntax:Bot", r"syntax cannot be imported: SyntaxError: .*syntax.py, line 1"),
        ("needs:Bot", r"needs cannot be imported: ModuleNotFoundError: .*'absent'.*needs.py, line"),
    ],
)
def test_what_cannot_be_used_is_named_in_one_line(folder: Path, text: str, reason: str) -> None:
    (folder / "syntax.py").write_text("def (")
    (folder / "needs.py").write_text("import absent\n")
    with pytest.raises(ExtensionError, match=reason) as caught:
        made(text)
    assert "\n" not in str(caught.value)


def test_a_file_in_the_current_folder_replaces_no_module_of_the_program(folder: Path) -> None:
    (folder / "json.py").write_text("Bot = 1")
    (folder / "agents.py").write_text("Bot = 1")
    for text in ("json:Bot", "agents:Bot"):
        with pytest.raises(ExtensionError, match="there is no Bot in"):
            made(text)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("np.ones((len(nodes), 3)) / 3", "plays fold after '' with .*, which is not legal there"),
        ("np.zeros((len(nodes), 3))", "not a distribution"),
        ("np.full((len(nodes), 3), np.nan)", "not a distribution|not legal"),
        ("np.ones(3)", "strategies must have shape"),
        ("'call'", "own:Bad: "),
        ("None", "own:Bad: "),
        ("1 / 0", r"raised ZeroDivisionError: division by zero \(own.py, line \d+\)"),
    ],
)
def test_wrong_answers_of_a_bot(
    folder: Path, capsys: pytest.CaptureFixture[str], answer: str, reason: str
) -> None:
    bad = f"\nclass Bad(Bot):\n    def strategies(self, cards, nodes):\n        return {answer}\n"
    (folder / "own.py").write_text(MODULE + bad)
    words = ["own:Bad", "call", "--game", "leduc", "--hands", "40", "--games", "2", "--out", "out"]
    assert tournament.main(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: own:Bad")
    assert re.search(reason, line), line


def test_a_bot_plays_as_it_answers(folder: Path) -> None:
    game = load_game(LEDUC)
    (own,), (uniform,) = agents.load("own:Bot", game), agents.load("random", game)
    cards, nodes = infosets(game, 50, np.random.default_rng(0))
    answers = own.policy.strategies(cards, nodes)
    np.testing.assert_allclose(answers, uniform.policy.strategies(cards, nodes), atol=1e-6)
    assert own.code == folder / "own.py"


class Peeking(ToyEmulator):
    """Kuhn in which kings may not be folded: the betting depends on the cards."""

    version = "peeking"

    def __init__(self) -> None:
        super().__init__(KUHN)

    def legal(self, state):  # type: ignore[no-untyped-def]
        fold, call, raise_ = super().legal(state)
        return fold and state.deal[2 * state.actor] >> 2 != 11, call, raise_


class LowWins(ToyEmulator):
    """Kuhn in which the lower card wins."""

    version = "low"

    def __init__(self) -> None:
        super().__init__(KUHN)

    def payoffs(self, state):  # type: ignore[no-untyped-def]
        first, second = super().payoffs(state)
        return (first, second) if state.folded is not None else (second, first)


class FreeFold(LowWins):
    """Folding is always allowed."""

    def legal(self, state):  # type: ignore[no-untyped-def]
        return (not state.is_terminal, *super().legal(state)[1:])


class NoCall(LowWins):
    """Whoever opens must bet."""

    def legal(self, state):  # type: ignore[no-untyped-def]
        fold, call, raise_ = super().legal(state)
        return fold, call and bool(state.moves), raise_


class Endless(ToyEmulator):
    """Nobody ever stops betting."""

    version = "endless"

    def __init__(self) -> None:
        super().__init__(LEDUC)

    def act(self, state, action):  # type: ignore[no-untyped-def]
        return state


def not_a_game() -> int:
    return 3


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Peeking", "what is legal after '.*' is .* with some cards"),
        ("LowWins", "the payoff of player 0 after '.*' is"),
        ("FreeFold", "after '' FOLD is legal although there is nothing to call"),
        ("NoCall", "after '' CALL is not legal"),
        ("Endless", "betting sequences, more than the 65,536"),
        ("not_a_game", "makes an int, which is no emulator"),
    ],
)
def test_games_that_cannot_be_compiled(name: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        game_named(f"tests.test_extensions:{name}")


def test_an_own_game_with_our_rules_is_our_game(folder: Path) -> None:
    own, ours = game_named("own:Game"), load_game(KUHN)
    assert own.own == "own:Game"
    np.testing.assert_array_equal(own.tree.children, ours.tree.children)
    np.testing.assert_array_equal(own.tree.contributions, ours.tree.contributions)


def test_a_game_with_a_course_of_its_own_is_evaluated_exactly(folder: Path) -> None:
    """The game of the how-to, which ends early if nobody bets, against brute force over deals."""
    save(page("how-to/own-game.md"), folder)
    game = game_named("mygames:ThreeStreetLeduc")
    ends = set(map(game.tree.text, np.flatnonzero(game.tree.node_type == SHOWDOWN).tolist()))
    assert "cc/cc" in ends, "no third round"
    assert "cc/crc/cc" in ends
    policy = Hashed(game.tree, 1)
    found = exploitability(game, policy)
    by_force = BruteForce(game.rules, game.tree, policy, policy)
    best = (by_force.value(best_responder=0), -by_force.value(best_responder=1))
    assert found.br_chips == pytest.approx(best, abs=1e-9)
    assert found.value_chips == pytest.approx(by_force.value(), abs=1e-9)
    sys.modules.pop("mygames")


LOADERS: list[Callable[[Path], object]] = [load_answers, load_model, load, agents.load]


def test_a_saved_model_imports_nothing(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Whatever its description names: only the user's own words make code run."""
    run = run_of_own_game(folder)
    forget(folder)
    for loader in (*LOADERS, load_single):
        place = run if loader is load_single else run / "iter_0001"
        with pytest.raises(StorageError, match="own:Game"):
            loader(place)
    for script, words in (
        (evaluate.main, [str(run)]),
        (evaluate.main, [str(run / "iter_0001"), "--explain", "Kc"]),
        (tournament.main, [str(run), "call", "--out", "out"]),
        (tournament.main, [f"sdcfr:{run}", "call", "--out", "out"]),
        (train.main, ["--resume", "mine", "--iterations", "3"]),
        (play.main, [str(run)]),
    ):
        assert script(words) == 2, words
        (line,) = (s for s in capfd.readouterr().err.splitlines() if s.startswith("error: "))
        assert "own:Game" in line
    assert not ran(folder)
    assert evaluate.main([str(run), "--game", "own:Game"]) == 0
    assert ran(folder)


def test_a_model_of_a_game_that_has_changed_is_refused(folder: Path) -> None:
    run = run_of_own_game(folder)
    assert load_answers(run / "iter_0001", game_named("own:Game")).game.own == "own:Game"
    with pytest.raises(StorageError, match="own:Game, a game in somebody's own file"):
        load_answers(run / "iter_0001", load_game(KUHN))
    forget(folder)
    stopped = MODULE.replace(
        "        super().__init__(RULES)\n",
        "        super().__init__(RULES)\n\n"
        "    def legal(self, state):\n"
        "        fold, call, raise_ = super().legal(state)\n"
        "        return fold, call, raise_ and not state.moves\n",
    )
    (folder / "own.py").write_text(stopped)
    with pytest.raises(StorageError, match="has other rules or other betting now"):
        load_answers(run / "iter_0001", game_named("own:Game"))


def test_a_model_with_a_network_of_ones_own_opens_without_its_file(folder: Path) -> None:
    run = run_of_own_game(folder, "own:net")
    game = game_named("own:Game")
    (folder / "own.py").unlink()
    forget(folder)
    cards, nodes = infosets(game, 40, np.random.default_rng(0))
    answers = load_answers(run / "iter_0001", game).policy.strategies(cards, nodes)
    same = load_model(run / "iter_0001", game).policy.strategies(cards, nodes)
    np.testing.assert_allclose(answers, same, atol=1e-5)
    with pytest.raises(StorageError, match="own:net, somebody's own file"):
        load_single(run, game)
    info = json.loads((run / "iter_0001" / "model.json").read_text())
    changes: list[dict[str, object]] = [
        {"dense_units": {}},
        {"dense_units": {**info["dense_units"], "head": [8, 3]}},
        {"dense_units": {**info["dense_units"], "head": [10**9, 3]}},
        {"dense_units": None},
    ]
    for change in changes:
        copy = Path(shutil.copytree(run / "iter_0001", folder / "copy"))
        (copy / "manifest.json").unlink()
        (copy / "model.json").write_text(json.dumps(info | change))
        with pytest.raises(StorageError, match=r"dense_units|layers of"):
            load_answers(copy, game)
        shutil.rmtree(copy)


def test_a_session_against_a_bot_of_ones_own_goes_on_only_if_it_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert play.main(["own:Bot", "--hands", "1"]) == 0
    assert "--continue" in (said := capsys.readouterr().out)
    assert "play.py own:Bot --continue" in said
    forget(folder)
    assert play.main(["--continue", "last"]) == 2
    assert "which is imported only if you name it" in capsys.readouterr().err
    with pytest.raises(agents.AgentError, match="only if you name it"):
        load_opponent("diluted:20:own:Bot", LEDUC)
    assert not ran(folder)
    assert play.main(["own:Bot", "--continue", "last"]) == 0
    assert ran(folder)
    assert play.main(["own:Other", "--continue", "last"]) == 2
    assert "is played against own:Bot, not own:Other" in capsys.readouterr().err


def everything(card_features: int, bet_features: int, width: int) -> tuple[keras.Model, ...]:
    """Each layer and each activation that a network may have."""
    cards = keras.Input((card_features,))
    z = layers.Dense(width, activation="tanh", kernel_initializer="he_normal")(cards)
    z = layers.BatchNormalization(momentum=0.9)(z)
    card_branch = keras.Model(cards, layers.Dense(width, use_bias=False)(z))
    bet_branch = keras.Sequential(
        [keras.Input((bet_features,)), layers.Activation("sigmoid"), layers.Dense(width)]
    )
    summed = keras.Input((width,))
    z = layers.ReLU()(summed)
    for activation in ("relu", "softplus", "elu", "silu"):
        z = layers.Add()([z, layers.Dense(width, activation=activation)(z), summed])
    z = layers.LayerNormalization(center=False, scale=False)(z)
    return card_branch, bet_branch, keras.Model(summed, layers.Dense(3)(z))


def test_every_layer_that_is_taken_can_be_saved_and_read(tmp_path: Path) -> None:
    spec = "tests.test_extensions:everything"
    config = small_config("kuhn", {"width": 8}, seed=0)
    config = dataclasses.replace(config, network=spec)
    game = load_game(KUHN)
    solver = Solver(config, game, runs_own_code=True)
    network = make_network(solver.encoding, 8, is_strategy=True, runs_own_code=True)
    rng = np.random.default_rng(0)
    weights = initial_weights(network, rng)
    network.set_learned([w + rng.uniform(0, 0.3, w.shape).astype(np.float32) for w in weights])
    solver.t = 1
    folder = save_model(tmp_path, solver, network, {})
    cards, nodes = infosets(game, 60, rng)
    answers = load_answers(folder).policy.strategies(cards, nodes)
    np.testing.assert_allclose(
        answers, load_model(folder).policy.strategies(cards, nodes), atol=2e-5
    )
    assert (answers[:, FOLD] > 0).any()


def layered(*stack: layers.Layer) -> Callable[[int, int, int], tuple[keras.Model, ...]]:
    """A factory whose card branch has these layers between two dense ones."""

    def factory(card_features: int, bet_features: int, width: int) -> tuple[keras.Model, ...]:
        first, last = layers.Dense(width), layers.Dense(width)
        cards = keras.Sequential([keras.Input((card_features,)), first, *stack, last])
        bets = keras.Sequential([keras.Input((bet_features,)), layers.Dense(width)])
        head = keras.Sequential([keras.Input((width,)), layers.Dense(3)])
        return cards, bets, head

    return factory


class Mine(layers.Layer):
    """A layer of a user's own."""

    def call(self, x):  # type: ignore[no-untyped-def]
        return x


def adding(card_features: int, bet_features: int, width: int) -> tuple[keras.Model, ...]:
    cards = keras.Input((card_features,))
    z = layers.Dense(width)(cards)
    _, bets, head = layered()(card_features, bet_features, width)
    return keras.Model(cards, layers.Dense(width)(z + z)), bets, head


FACTORIES = {
    "dropout": layered(layers.Dropout(0.1)),
    "mine": layered(Mine()),
    "leaky": layered(layers.LeakyReLU()),
    "capped": layered(layers.ReLU(max_value=6.0)),
    "gelu": layered(layers.Activation("gelu")),
    "scaled": layered(layers.LayerNormalization()),
    "ridge": layered(layers.Dense(4, kernel_regularizer="l2")),
    "frozen": layered(layers.Dense(4, trainable=False)),
    "huge": layered(layers.Dense(9000)),
    "flat": layered(*(layers.ReLU() for _ in range(20))),
    "adding": adding,
    "two": lambda c, b, w: layered()(c, b, w)[:2],
    "none": lambda c, b, w: None,
    "swapped": lambda c, b, w: layered()(b, c, w),
    "uneven": lambda c, b, w: (layered()(c, b, w)[0], *layered()(c, b, w + 1)[1:]),
    "blunt": lambda c, b, w: (*layered()(c, b, w)[:2], layered()(c, w, w)[1]),
    "subclass": lambda c, b, w: (keras.Model(), *layered()(c, b, w)[1:]),
}


def __getattr__(name: str) -> object:
    """The factories as attributes of this module, as the command line names them."""
    try:
        return FACTORIES[name]
    except KeyError:
        raise AttributeError(name) from None


@pytest.mark.parametrize("name", FACTORIES)
def test_networks_that_could_not_be_opened_later_are_refused(name: str) -> None:
    spec = f"tests.test_extensions:{name}"
    with pytest.raises(ExtensionError) as caught:
        own_parts(spec, 30, 20, 8)
    assert str(caught.value).startswith(spec)
    assert "raised" not in str(caught.value), "each has a reason of its own"
    assert "\n" not in str(caught.value)


def test_a_network_is_made_only_where_its_name_was_typed() -> None:
    encoding = make_encoding("tests.test_extensions:everything", load_game(KUHN))
    with pytest.raises(ExtensionError, match="imported only to train"):
        make_network(encoding, 8)
