"""One training run: start or resume, checkpoints, metrics and TensorBoard.

Reading order: `run`, `places`, `checkpoint` (what an exact resume needs), `stopping`, `forecast`,
`metrics`, `telemetry`, `console`.
"""
