"""The game: rules, step-by-step emulators, the compiled betting tree, deals and hands.

Reading order: `rules`, `cards`, `hands`, `deals`, `game`, `emulator` (or the shorter `toy`),
`betting_tree`, `compiler`, `playouts`. Nothing here knows of the learner.
"""

import os

from env.actions import CALL, FOLD, RAISE
from env.betting_tree import BettingTree
from env.compiler import compile
from env.emulator import HULHEmulator, make_emulator
from env.game import Emulator, IllegalAction, State
from env.rules import PRESETS, Rules, RulesError, parse_rules

__all__ = [
    "CALL",
    "FOLD",
    "PRESETS",
    "RAISE",
    "BettingTree",
    "Emulator",
    "HULHEmulator",
    "IllegalAction",
    "Rules",
    "RulesError",
    "State",
    "compile",
    "make_emulator",
    "parse_rules",
]

# Idle threads of the compiled kernels sleep instead of spinning, so that TensorFlow, which takes
# turns with them, finds the cores free. Read when the first kernel starts, not at import.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
