"""Evaluations in TensorBoard, beside what the training run wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorflow as tf


def write_summaries(folder: Path, entries: list[dict[str, Any]]) -> None:
    """Scalars by iteration and by nodes touched; lower bounds and estimates have their own."""
    writer = tf.summary.create_file_writer(str(folder))
    with writer.as_default():
        for entry in entries:
            name, value = f"evaluation/{entry['method']}", entry["exploitability_mbb"]
            tf.summary.scalar(f"{name}_mbb", value, step=entry["iteration"])
            tf.summary.scalar(f"by_nodes/{name}_mbb", value, step=entry["nodes_touched"])
            for seat, won in enumerate(entry["br_mbb"]):
                tf.summary.scalar(f"{name}_seat_{seat}_mbb", won, step=entry["iteration"])
            if entry["interval_mbb"]:
                tf.summary.scalar(f"{name}_ci95_mbb", entry["interval_mbb"], entry["iteration"])
    writer.close()
