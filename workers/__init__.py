"""Work that is done by others: processes of this machine, or actors of a Ray cluster.

Reading order: `tasks` (what is handed out), `in_process`, `pool` (who does what, and what if one
fails), `packing`, `local` and `process`, `ray_actors`, `opening`.
"""
