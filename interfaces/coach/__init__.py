"""The coach: what a model thinks of a hand, as plain data for any face (docs/coach.md).

Reading order: `reference` (an agent as the model of both players), `situation` (what a player
knows), `last_street` and `rollouts` (two ways to value actions), `values`, `grades`, `advice`
(a decision judged), `range_grid` (who holds what), `played` and `replay` (finished hands),
`results` (luck taken out of a result), `history` (hands as text), `analysis` (one situation, all
figures).
"""
