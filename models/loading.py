"""The one loader of saved models: every way to open a model passes the same checks here.

A model folder holds strategy.keras and model.json. Its files must be as they were written (where
there is a manifest), the description must be readable, and the network must take the features that
the game described has.
"""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import keras

from deep_cfr.config import Config, ConfigError
from deep_cfr.networks.encoding import make_encoding
from deep_cfr.networks.network import Network, network_of
from deep_cfr.networks.network_policy import NetworkPolicy, average_strategy_policy
from env.game import Game, load_game
from env.rules import Rules, RulesError
from models.layout import MODEL_FILE, MODEL_INFO, read_info
from models.storage import MANIFEST, StorageError, checked_folder

UNREADABLE = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    RulesError,
    ConfigError,
    zipfile.BadZipFile,
    zlib.error,
)


class SavedModel(NamedTuple):
    """An average strategy as it was saved."""

    game: Game
    policy: NetworkPolicy
    info: dict[str, Any]  # model.json


def load_model(path: Path) -> SavedModel:
    """The model of a folder or of its strategy.keras, or a `StorageError` of one line."""
    folder = path.parent if path.name == MODEL_FILE else path
    if (folder / MANIFEST).exists():
        folder = checked_folder(folder)
    try:
        info = read_info(folder)
        game, config = load_game(Rules.from_dict(info["rules"])), Config.from_saved(info["config"])
        encoding = make_encoding(config.network, game, config.strength)
        network = network_of(keras.models.load_model(folder / MODEL_FILE), encoding)
        if not isinstance(info["iteration"], int):
            raise ValueError(f"{MODEL_INFO} says no iteration")
    except UNREADABLE as error:
        reason = " ".join(str(error).split())  # Keras writes many lines
        raise StorageError(f"{folder} holds no readable model: {reason}") from None
    if not _fits(network):
        raise StorageError(f"{folder}: {MODEL_FILE} plays another game than {MODEL_INFO} says")
    return SavedModel(game, average_strategy_policy(network), info)


def _fits(network: Network) -> bool:
    """Whether a network takes the features that its game has."""
    takes = (network.cards.input_shape[-1], network.bets.input_shape[-1])
    return takes == (network.encoding.card_width, network.encoding.bet_width)
