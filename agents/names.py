"""The bots by name; known without loading what they need to play."""

BOT_NAMES = {
    "random": "every legal action equally often",
    "fold": "folds whenever it can",
    "call": "calls and checks only",
    "raise": "bets and raises whenever it can",
}
