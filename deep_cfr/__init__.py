"""The learner: Deep CFR (Brown et al. 2019) with Linear CFR weights.

Reading order: `config`, `regret_matching`, `memory`, `encoding`, `networks`, `training`, `policy`,
`traversal` (Algorithm 2), `solver` (Algorithm 1), `checkpoint`, `telemetry`.
"""
