"""Policies against each other: duplicate matches, round robins, standings and their report.

Reading order: `match` (one pair of agents), `statistics`, `schedule`, `round_robin` (all pairs),
`results`, `standings`, and what shows them: `report`, `page`, `charts`, `hand_history`.
"""
