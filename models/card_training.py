"""What a model card says of training: how much of everything, and the commands that did it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from deep_cfr.config import Config
from deep_cfr.endgame.shape import subgames_by_street
from deep_cfr.memory import ROW
from env.rules import Rules
from models.markdown import code, count, fenced, table_head, table_row
from models.origin import Origin
from models.starting_points import StartingPoint


class Trained(NamedTuple):
    """How one model was made, as far as its model.json says it."""

    rules: Rules
    config: Config
    iteration: int
    nodes_touched: int | None
    parameters: int | None
    origin: Origin
    started_from: tuple[StartingPoint, ...]


def training_lines(model: Trained) -> Iterator[str]:
    """A table of settings and effort, then the commands."""
    yield from table_head("what", "how much")
    for what, how_much in _budget(model):
        yield table_row(what, how_much)
    origin = model.origin
    if origin.wall_s is not None:
        yield table_row("wall time", f"{origin.wall_s / 60:,.1f} minutes")
    for point in model.started_from:
        yield from ("", _starting_point(point))
    if origin.command is not None:
        yield from ("", "Started with", "", *fenced(origin.command))
    if origin.resumed_with is not None:
        yield from ("", "and resumed, last with", "", *fenced(origin.resumed_with))
    if origin.learned_with is not None:
        yield from ("", "Its last streets were learned anew with", "")
        yield from fenced(origin.learned_with)


def _starting_point(point: StartingPoint) -> str:
    """Where networks and memories come from, and with which other settings they were made."""
    changed = ", ".join(code(setting) for setting in point.changed)
    return (
        f"Iterations up to {point.iteration:,} are those of the run {code(point.run)}, whose "
        "networks and memories were taken over. "
        + (f"Settings that changed then: {changed}." if changed else "No setting changed.")
    )


def _budget(model: Trained) -> Iterator[tuple[str, str]]:
    """What training took, and how much of it."""
    config, t = model.config, model.iteration
    yield "iterations", f"{t:,}"
    boards = f"; drawn from {config.board_hands:,} hands on each of {config.boards:,} boards"
    changed = [setting for point in model.started_from for setting in point.changed]
    is_constant = not any(setting.startswith("traversals:") for setting in changed)
    yield (
        "traversals",
        f"{config.traversals:,} per player and iteration"
        + (f", {2 * config.traversals * t:,} in all" if is_constant else "")
        + (boards if config.boards else ""),
    )
    yield "nodes touched", count(model.nodes_touched)
    yield (
        "memories",
        f"up to {config.advantage_memory:,} rows for each player's advantages, "
        f"{config.strategy_memory:,} for strategies, {ROW.itemsize} bytes each",
    )
    width = f" of width {config.width}" if config.network == "paper" else ""
    yield "network", f"{config.network}{width}, {count(model.parameters)} parameters"
    if config.strength_regression:
        often = f"{config.rounds:,} times in every" if config.rounds > 1 else "in every"
        yield "strength regression", f"solved {often} iteration, from all samples so far"
    grown = f" + {config.updates_growth:,} · iteration" if config.updates_growth else ""
    every = f", every {config.refit_every:,} iterations" if config.refit_every > 1 else ""
    yield (
        "advantage fits",
        f"{config.updates:,}{grown} updates of {config.batch_size:,} samples{every}, "
        "each from scratch",
    )
    yield (
        "strategy fit",
        f"{config.strategy_updates:,} updates of {config.strategy_batch_size:,} samples",
    )
    for street, subgames in subgames_by_street(config, model.rules).items():
        yield (
            f"{model.rules.street_names[street]} learned from",
            f"{subgames:,} solved subgames, {config.endgame_updates:,} updates, width "
            f"{config.endgame_width}",
        )
    yield "seed", str(config.seed)
