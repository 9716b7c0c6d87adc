"""The shapes of networks, without TensorFlow: parts, features that they take, units of layers.

A strategy model consists of the network of its architecture, `paper` or `thesis`, and of one
endgame network (`deep_cfr.endgame`) for each street that was taught. Every network has three parts,
two branches and a head. Endgame networks have the layers of `paper`.
"""

from __future__ import annotations

from typing import NamedTuple

from env.actions import NUM_ACTIONS

PARTS = ("card_branch", "bet_branch", "head")
MOST_DENSE = 16  # layers in a part of a user's own network


class PartShape(NamedTuple):
    """One part of a network."""

    inputs: int  # features that it takes
    units: tuple[int, ...]  # of its dense layers


def dense_units(
    architecture: str, width: int, num_outputs: int = NUM_ACTIONS
) -> dict[str, tuple[int, ...]]:
    """The units of the dense layers of each part, by the name that saved models give the part."""
    if architecture == "thesis":
        return {"card_branch": (512,), "bet_branch": (512,), "head": (512, 256, num_outputs)}
    return {
        "card_branch": (width,) * 4,
        "bet_branch": (width,) * 3,
        "head": (width, width, num_outputs),
    }


def part_shapes(
    units: dict[str, tuple[int, ...]], card_width: int, bet_width: int
) -> dict[str, PartShape]:
    """The parts of a network whose branches take so many features."""
    inputs = {"card_branch": card_width, "bet_branch": bet_width, "head": units["card_branch"][-1]}
    return {part: PartShape(inputs[part], units[part]) for part in PARTS}


def endgame_part(street: int, part: str) -> str:
    """What saved models call a part of the endgame network of a street."""
    return f"street_{street}_{part}"


def knot_input(street: int) -> str:
    """What saved models call the input that holds the weights of an endgame network's knots."""
    return f"knots_{street}"
