"""The one loader of saved models: every way to open a model passes the same checks here.

A model folder holds strategy.keras and model.json. Its files must be as they were written (where
there is a manifest), the description must make sense, the network must be the one described, and
its weights must be numbers that it can compute with. Whatever is wrong ends in a `StorageError` of
one line.

`load_answers` computes the network with NumPy, for a few questions, and does not load TensorFlow.
`load_model` makes the same checks and then opens the network with Keras, for much work.

Both add the rule of `policies.unbeatable`: a hand that cannot lose is not folded. It is no part of
strategy.keras; the policy's `raw` is the network as it was saved.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from deep_cfr.endgame.grid import grid_of
from deep_cfr.endgame.policy import ByStreet, EndgameParts, EndgamePolicy
from deep_cfr.endgame.shape import model_parts, subgames_by_street
from deep_cfr.networks.encoding import make_encoding
from deep_cfr.networks.keras_file import SavedNetwork, read_network
from deep_cfr.networks.numpy_policy import NumpyPolicy
from deep_cfr.networks.quiet import quiet_without_gpu
from deep_cfr.networks.weight_check import saved_weights_problem
from env.game import Game, load_game
from env.own_game import names_own_game, tree_digest
from models.archive import Declared, check_archive
from models.description import Description, described
from models.layout import MODEL_FILE, has_manifest, read_info
from models.messages import one_line
from models.storage import StorageError, checked_folder
from policies.policy import Policy
from policies.unbeatable import NeverFoldsUnbeatable, never_folding


class SavedModel(NamedTuple):
    """An average strategy as it was saved."""

    game: Game
    policy: NeverFoldsUnbeatable[Policy]  # of TensorFlow, but for what solved subgames taught
    description: Description


class SavedAnswers(NamedTuple):
    """The same for a few questions, without TensorFlow."""

    game: Game
    policy: NeverFoldsUnbeatable[Policy]
    description: Description


class _Checked(NamedTuple):
    """What passed every check."""

    folder: Path
    game: Game
    network: SavedNetwork
    description: Description


def load_answers(path: Path, game: Game | None = None) -> SavedAnswers:
    """The model of a folder or of its strategy.keras, or a `StorageError` of one line.

    `game` is needed only for models of a game of the user's own, whose code is never run because
    a file names it: the user names the game and hands it in.
    """
    found = _open(path, game)
    base = NumpyPolicy(found.network.plain, found.network.strength_table)
    policy = never_folding(found.game, _with_endgames(found, base))
    return SavedAnswers(found.game, policy, found.description)


def load_model(path: Path, game: Game | None = None) -> SavedModel:
    """The same model in TensorFlow."""
    found = _open(path, game)
    with quiet_without_gpu():
        import keras  # noqa: PLC0415 - loads TensorFlow

        from deep_cfr.networks.network_policy import average_strategy_policy  # noqa: PLC0415
        from deep_cfr.networks.strategy_model import network_of  # noqa: PLC0415
    try:
        model = keras.models.load_model(found.folder / MODEL_FILE, compile=False)
        network = network_of(model, found.network.encoding)
        base = _with_endgames(found, average_strategy_policy(network))
        policy = never_folding(found.game, base)
        return SavedModel(found.game, policy, found.description)
    except Exception as error:  # of all kinds, where a library finds what no check has seen
        raise _unreadable(found.folder, error) from None


def _with_endgames(found: _Checked, base: Policy) -> Policy:
    """The policy with what the model learned from solved subgames, computed with NumPy."""
    encoding, rules = found.network.encoding, found.game.rules
    if not found.network.endgames:
        return base
    taught = {
        street: EndgamePolicy(encoding, grid_of(rules, street), EndgameParts(*parts))
        for street, parts in found.network.endgames.items()
    }
    return ByStreet(found.game.tree, base, taught)


def _open(path: Path, game: Game | None) -> _Checked:
    """Game, network and description of a folder that passes every check."""
    folder = path.parent if path.name == MODEL_FILE else path
    try:
        if has_manifest(folder):
            folder = checked_folder(folder)
        return _read(folder, game)
    except StorageError:
        raise
    except Exception as error:
        # HDF5, JSON and ZIP raise errors of all kinds for files that are not theirs.
        raise _unreadable(folder, error) from None


def _read(folder: Path, own_game: Game | None) -> _Checked:
    """What a folder holds; any exception if that is no model."""
    description = described(read_info(folder))
    game, config = game_of(description, own_game), description.config
    encoding = make_encoding(config.network, game, config.strength)
    parts = model_parts(encoding, config, description.units)
    check_archive(folder / MODEL_FILE, Declared(encoding, parts))
    taught = tuple(subgames_by_street(config, game.rules))
    network = read_network(folder / MODEL_FILE, encoding, taught)
    problem = saved_weights_problem(network)
    if problem:
        raise ValueError(f"{MODEL_FILE} has {problem}")
    return _Checked(folder, game, network, description)


def game_of(description: Description, own_game: Game | None) -> Game:
    """The game of a model; one of the user's own must be the one that the user has named."""
    name = description.config.game
    if not names_own_game(name):
        return load_game(description.rules)
    if own_game is None or own_game.own != name:
        raise ValueError(
            f"it plays {name}, a game in somebody's own file, which is imported only if you name "
            f"it yourself (evaluate.py, tournament.py and train.py take --game {name})"
        )
    if (own_game.rules, tree_digest(own_game.tree)) != (description.rules, description.tree):
        raise ValueError(f"{name} has other rules or other betting now than when it was trained")
    return own_game


def _unreadable(folder: Path, error: Exception) -> StorageError:
    return StorageError(f"{folder} holds no readable model: {one_line(error)}")
