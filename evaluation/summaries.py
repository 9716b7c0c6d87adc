"""Evaluations in TensorBoard, beside what the training run wrote."""

from __future__ import annotations

from pathlib import Path

import tensorflow as tf

from evaluation.results import EvaluatedModel
from models.records import CHECKDOWN
from training.tags import BY_NODES, STRENGTH, about, street_tag

# A method's figure has the name that training gives to the same measure, so that both stand in one
# chart.
NAMES = {"exact": "exploitability", "sampled boards": "exploitability_estimate"}
CHECKDOWN_NAME = "lbr_checkdown"  # training does not use this form


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
            name, value = NAMES.get(record.method, record.method), record.exploitability_mbb
            if record.last_street == CHECKDOWN:
                name = CHECKDOWN_NAME
            _scalar(f"{STRENGTH}/{name}_mbb", value, step)
            if model.nodes_touched is not None:
                _scalar(f"{STRENGTH}{BY_NODES}/{name}_mbb", value, model.nodes_touched)
            for seat, won in enumerate(record.br_mbb or ()):
                _scalar(f"{STRENGTH}_by_seat/{name}_seat_{seat}_mbb", won, step)
            if record.interval_mbb:
                _scalar(f"{STRENGTH}_intervals/{name}_mbb", record.interval_mbb, step)
            for part in record.by_street:
                of_street = street_tag(name, part.street)
                _scalar(f"{STRENGTH}_by_street/{of_street}", part.mbb, step)
                _scalar(f"{STRENGTH}_intervals/{of_street}", part.interval_mbb, step)
    writer.close()


def _scalar(tag: str, value: float, step: int) -> None:
    tf.summary.scalar(tag, value, step=step, description=about(tag))
