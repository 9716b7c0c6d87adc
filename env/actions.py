"""The three actions of limit poker, by the ids they have everywhere."""

FOLD, CALL, RAISE = 0, 1, 2  # CALL is also check, RAISE is also bet
NUM_ACTIONS = 3
ACTION_NAMES = ("fold", "call", "raise")
ACTION_LETTERS = "fcr"
