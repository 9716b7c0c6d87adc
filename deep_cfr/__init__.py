"""The learner: Deep CFR (Brown et al. 2019) with Linear CFR weights.

Reading order: `config`, `regret_matching`, `sampling.external_sampling` (Algorithm 2), `memory`,
`fitting.merging`, `fitting.trainer`, `networks.encoding`, `networks.network`, `solver`
(Algorithm 1). `docs/algorithm.md` lists where this differs from the paper.
"""
