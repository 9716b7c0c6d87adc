"""Where agents meet people: the table, its sessions on disk, its faces, and the coach.

Reading order: `table` (the hand in play; the only place that knows both hands), `seat_view` (what
one seat may see of it), `opponents` (agents at the table), `storage` and `session` (tables that
outlast the program), then the faces `terminal/` and `web/`, and `coach/`.
"""
