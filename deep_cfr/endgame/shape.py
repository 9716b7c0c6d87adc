"""Which streets a run teaches, and the parts of the model that this makes, without TensorFlow."""

from __future__ import annotations

from deep_cfr.config import Config
from deep_cfr.endgame.board_features import board_width
from deep_cfr.endgame.grid import grid_of, teachable_streets
from deep_cfr.networks.architectures import PartShape, dense_units, endgame_part, part_shapes
from deep_cfr.networks.encoding import Encoding
from env.rules import Rules


def subgames_by_street(config: Config, rules: Rules) -> dict[int, int]:
    """How many solved subgames each street is learned from, earlier streets first."""
    last = rules.streets - 1
    counts = {last - 1: config.turn_subgames, last: config.last_street_subgames}
    return {s: counts[s] for s in teachable_streets(rules) if counts[s]}


def model_parts(
    encoding: Encoding, config: Config, own_units: dict[str, tuple[int, ...]] | None = None
) -> dict[str, PartShape]:
    """The parts of a strategy model with the endgame networks that its settings call for.

    `own_units` are those of the dense layers of a user's own network.
    """
    units = own_units or dense_units(config.network, config.width)
    parts = part_shapes(units, encoding.card_width, encoding.bet_width)
    rules = encoding.game.rules
    for street in subgames_by_street(config, rules):
        units = dense_units("paper", config.endgame_width, grid_of(rules, street).num_outputs)
        for part, shape in part_shapes(units, board_width(), encoding.bet_width).items():
            parts[endgame_part(street, part)] = shape
    return parts
