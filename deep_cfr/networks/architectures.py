"""How large the layers of the two architectures are, `paper` and `thesis`, without TensorFlow."""

from __future__ import annotations

from env.actions import NUM_ACTIONS


def dense_units(architecture: str, width: int) -> dict[str, tuple[int, ...]]:
    """The units of the dense layers of each part, by the name that saved models give the part."""
    if architecture == "thesis":
        return {"card_branch": (512,), "bet_branch": (512,), "head": (512, 256, NUM_ACTIONS)}
    return {
        "card_branch": (width,) * 4,
        "bet_branch": (width,) * 3,
        "head": (width, width, NUM_ACTIONS),
    }
