"""The game: rules, step-by-step emulators, the compiled betting tree, deals and hands.

Reading order: `rules`, `cards`, `hands`, `deals`, `states`, `toy` (or the longer `emulator`),
`betting_tree`, `compiler`, `game`, `views`. Nothing here imports the learner.
"""

import os

from env import kernel_cache  # noqa: F401 - before any module with kernels
from env.actions import CALL, FOLD, RAISE
from env.betting_tree import BettingTree
from env.emulator import HULHEmulator, make_emulator
from env.game import Game, load_game
from env.rules import PRESETS, Rules, RulesError, parse_rules
from env.states import Emulator, IllegalAction, State

__all__ = [
    "CALL",
    "FOLD",
    "PRESETS",
    "RAISE",
    "BettingTree",
    "Emulator",
    "Game",
    "HULHEmulator",
    "IllegalAction",
    "Rules",
    "RulesError",
    "State",
    "load_game",
    "make_emulator",
    "parse_rules",
]

# Idle threads of the compiled kernels sleep instead of spinning, so that TensorFlow, which takes
# turns with them, finds the cores free. Read when the first kernel starts, not at import.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
