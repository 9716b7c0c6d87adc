"""The bots by name; known without loading what they need to play."""

BOT_NAMES = {
    "random": "every legal action equally often",
    "fold": "folds whenever it can",
    "call": "calls and checks only",
    "raise": "bets and raises whenever it can",
    "honest": "calls when it beats a random hand half of the time, otherwise folds; never raises",
    "loose-passive": "plays most hands, mostly by calling",
    "loose-aggressive": "plays most hands, betting and raising often, sometimes as a bluff",
    "tight-passive": "plays good hands only, mostly by calling",
    "tight-aggressive": "plays good hands only and bets them",
}
