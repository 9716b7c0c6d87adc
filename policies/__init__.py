"""What an agent answers in an infoset, without TensorFlow: bots, matches and evaluators use this.

Reading order: `policy` (the protocol), `fixed` (policies given by tables and functions), `drawing`
(random actions that can be repeated), `answers` (checks on what a policy says).
"""
