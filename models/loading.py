"""The one loader of saved models: every way to open a model passes the same checks here.

A model folder holds strategy.keras and model.json. Its files must be as they were written (where
there is a manifest), the description must make sense, the network must be the one described, and
its weights must be numbers that it can compute with. Whatever is wrong ends in a `StorageError` of
one line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import keras

from deep_cfr.networks.encoding import make_encoding
from deep_cfr.networks.network import Network, make_network, network_of
from deep_cfr.networks.network_policy import NetworkPolicy, average_strategy_policy
from deep_cfr.networks.weight_check import weights_problem
from env.game import Game, load_game
from models.archive import Declared, check_archive
from models.description import described
from models.json_object import one_line
from models.layout import MODEL_FILE, has_manifest, read_info
from models.storage import StorageError, checked_folder


class SavedModel(NamedTuple):
    """An average strategy as it was saved."""

    game: Game
    policy: NetworkPolicy
    info: dict[str, Any]  # model.json


def load_model(path: Path) -> SavedModel:
    """The model of a folder or of its strategy.keras, or a `StorageError` of one line."""
    folder = path.parent if path.name == MODEL_FILE else path
    try:
        if has_manifest(folder):
            folder = checked_folder(folder)
        return _load(folder)
    except StorageError:
        raise
    except Exception as error:
        # Keras, TensorFlow, HDF5 and ZIP raise errors of all kinds for files that are not theirs.
        raise StorageError(f"{folder} holds no readable model: {one_line(error)}") from None


def _load(folder: Path) -> SavedModel:
    """The model of a folder; any exception if there is none."""
    info = read_info(folder)
    description = described(info)
    game, config = load_game(description.rules), description.config
    encoding = make_encoding(config.network, game, config.strength)
    check_archive(folder / MODEL_FILE, Declared(encoding, config.width))
    network = network_of(keras.models.load_model(folder / MODEL_FILE, compile=False), encoding)
    _check_fit(network, config.width)
    return SavedModel(game, average_strategy_policy(network), info)


def _check_fit(network: Network, width: int) -> None:
    """A `ValueError` unless a network takes the features of its game and can compute with them."""
    ours = make_network(network.encoding, width, True, network.strength_table is not None)
    problem = weights_problem(ours, network.get_weights())
    if problem:
        raise ValueError(f"{MODEL_FILE} has {problem}")
