"""Writing an average-strategy model: strategy.keras, which plain Keras opens, and model.json."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from deep_cfr.endgame.network import EndgameNetwork
from deep_cfr.networks.network import Network
from deep_cfr.networks.strategy_model import strategy_model
from deep_cfr.solver import Solver
from env.extensions import is_extension
from env.own_game import tree_digest
from models.layout import MODEL_FILE, MODEL_INFO, model_folder, model_folders
from models.reproducible import make_reproducible
from models.starting_points import STARTED_FROM, StartingPoint
from models.storage import whole_folder
from models.versions import versions

ENCODING_NOTE = (
    "inputs cards, bets, legal; where there is a strength table, cell; where streets were learned "
    "from solved subgames, board and knots_STREET for each. Output: probabilities of fold, call, "
    "raise (0 where illegal). cards: suit-canonical cards as deep_cfr.networks.encoding describes; "
    "bets: betting features of the node; legal: 1 where the action exists; cell: the row of the "
    "strength table, one per node and hand bucket; board: what the board looks like; knots_STREET: "
    "where the hand's strength lies, all 0 on other streets. "
    "deep_cfr.networks.infoset_inputs.infoset_features makes them."
)


def save_model(
    run: Path,
    solver: Solver,
    network: Network,
    metrics: dict[str, float],
    endgames: Mapping[int, EndgameNetwork] = MappingProxyType({}),
    started_from: tuple[StartingPoint, ...] = (),
) -> Path:
    """The average strategy as a model folder of the run; removes what `keep` says.

    It consists of the network that was fitted to the strategy memory and of endgame networks for
    the streets that were learned from solved subgames. `started_from` are the runs that this one
    goes back to, without which the settings would not tell how the model was made.
    """
    folder = model_folder(run, solver.t)
    info: dict[str, Any] = {
        "kind": "average strategy",
        "rules": solver.game.rules.as_dict(),
        "iteration": solver.t,
        "nodes_touched": solver.nodes_touched,
        "config": dataclasses.asdict(solver.config),
        "metrics": metrics,
        "versions": versions(),
    }
    if started_from:
        info[STARTED_FROM] = [dataclasses.asdict(point) for point in started_from]
    if solver.game.own is not None:
        info["betting_tree"] = tree_digest(solver.game.tree)
    write_model(folder, info, network, endgames)
    if solver.config.keep:
        # Models later than this one are of a run that was killed and will come again.
        past = [path for path in model_folders(run) if path.name <= folder.name]
        for old in past[: -solver.config.keep]:
            shutil.rmtree(old, ignore_errors=True)
    return folder


def write_model(
    folder: Path,
    info: dict[str, Any],
    network: Network,
    endgames: Mapping[int, EndgameNetwork],
) -> None:
    """A model folder with this description, to which sizes and the encoding are added."""
    parameters = network.num_parameters + sum(e.num_parameters for e in endgames.values())
    encoding = {"name": network.encoding.name, "note": ENCODING_NOTE}
    described = info | {"parameters": parameters, "encoding": encoding}
    if is_extension(network.architecture):  # ours are known by their names
        described["dense_units"] = network.dense_units
    with whole_folder(folder) as temporary:
        strategy_model(network, endgames).save(temporary / MODEL_FILE)
        make_reproducible(temporary / MODEL_FILE)
        (temporary / MODEL_INFO).write_text(json.dumps(described, indent=1))
