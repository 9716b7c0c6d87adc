"""The one loader of saved models: every way to open a model passes the same checks here.

A model folder holds strategy.keras and model.json. Its files must be as they were written (where
there is a manifest), the description must be readable, and the network must take the features that
the game described has. `load_model` opens the network with Keras, for much work; `load_answers`
computes it with NumPy, for a few questions, and does not load TensorFlow.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from deep_cfr.config import Config, ConfigError
from deep_cfr.networks.encoding import Encoding, make_encoding
from deep_cfr.networks.keras_file import SavedNetwork, read_network
from deep_cfr.networks.numpy_policy import NumpyPolicy
from deep_cfr.networks.quiet import quiet_without_gpu
from env.game import Game, load_game
from env.rules import Rules, RulesError
from models.layout import MODEL_FILE, MODEL_INFO, read_info
from models.storage import MANIFEST, StorageError, checked_folder

if TYPE_CHECKING:
    from deep_cfr.networks.network import Network
    from deep_cfr.networks.network_policy import NetworkPolicy

N = TypeVar("N", "Network", SavedNetwork)

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


class SavedAnswers(NamedTuple):
    """The same for a few questions, without TensorFlow."""

    game: Game
    policy: NumpyPolicy
    info: dict[str, Any]  # model.json


def load_model(path: Path) -> SavedModel:
    """The model of a folder or of its strategy.keras, or a `StorageError` of one line."""
    with quiet_without_gpu():
        from deep_cfr.networks.network_policy import (  # noqa: PLC0415 - loads TensorFlow
            average_strategy_policy,
        )

    game, network, info = _open(path, _with_keras)
    return SavedModel(game, average_strategy_policy(network), info)


def load_answers(path: Path) -> SavedAnswers:
    """The same model, computed with NumPy."""
    game, network, info = _open(path, read_network)
    return SavedAnswers(game, NumpyPolicy(network), info)


def _open(path: Path, read: Callable[[Path, Encoding], N]) -> tuple[Game, N, dict[str, Any]]:
    """Game, network and description of a folder that passes every check."""
    folder = path.parent if path.name == MODEL_FILE else path
    if (folder / MANIFEST).exists():
        folder = checked_folder(folder)
    try:
        info = read_info(folder)
        game, config = load_game(Rules.from_dict(info["rules"])), Config.from_saved(info["config"])
        encoding = make_encoding(config.network, game, config.strength)
        network = read(folder / MODEL_FILE, encoding)
        if not isinstance(info["iteration"], int):
            raise ValueError(f"{MODEL_INFO} says no iteration")
    except UNREADABLE as error:
        reason = " ".join(str(error).split())  # Keras writes many lines
        raise StorageError(f"{folder} holds no readable model: {reason}") from None
    if not _fits(network):
        raise StorageError(f"{folder}: {MODEL_FILE} plays another game than {MODEL_INFO} says")
    return game, network, info


def _with_keras(file: Path, encoding: Encoding) -> Network:
    import keras  # noqa: PLC0415 - loads TensorFlow

    from deep_cfr.networks.network import network_of  # noqa: PLC0415

    return network_of(keras.models.load_model(file), encoding)


def _fits(network: Network | SavedNetwork) -> bool:
    """Whether a network takes the features that its game has."""
    takes = (network.cards.input_shape[-1], network.bets.input_shape[-1])
    return takes == (network.encoding.card_width, network.encoding.bet_width)
