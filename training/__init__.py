"""One training run: start or resume, checkpoints, metrics and TensorBoard.

Reading order: `run`, `checkpoint` (what an exact resume needs), `metrics`, `telemetry`.
"""
