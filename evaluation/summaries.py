"""Evaluations in TensorBoard, beside what the training run wrote."""

from __future__ import annotations

from pathlib import Path

import tensorflow as tf

from evaluation.results import EvaluatedModel


def write_summaries(folder: Path, models: list[EvaluatedModel]) -> None:
    """Scalars by iteration and by nodes touched, with a name of its own for each method.

    A folder that cannot be written is an `OSError`, as with any other file.
    """
    try:
        _write(folder, models)
    except tf.errors.OpError as error:
        raise OSError(f"{folder}: {error.message}") from None


def _write(folder: Path, models: list[EvaluatedModel]) -> None:
    writer = tf.summary.create_file_writer(str(folder))
    with writer.as_default():
        for model in models:
            record, step = model.record, model.iteration
            name, value = f"evaluation/{record.method}", record.exploitability_mbb
            tf.summary.scalar(f"{name}_mbb", value, step=step)
            if model.nodes_touched is not None:
                tf.summary.scalar(f"by_nodes/{name}_mbb", value, step=model.nodes_touched)
            for seat, won in enumerate(record.br_mbb or ()):
                tf.summary.scalar(f"{name}_seat_{seat}_mbb", won, step=step)
            if record.interval_mbb:
                tf.summary.scalar(f"{name}_ci95_mbb", record.interval_mbb, step=step)
    writer.close()
