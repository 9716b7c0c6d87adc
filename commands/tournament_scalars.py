"""A tournament's results for TensorBoard, which TensorFlow writes."""

from __future__ import annotations

from pathlib import Path

import tensorflow as tf

from agents import Agent
from arena.charts import lineage
from arena.standings import Standings


def write_scalars(logdir: Path, agents: dict[str, Agent], table: Standings) -> None:
    """Write the strength by iteration of the agents that have an iteration.

    A folder that cannot be written is an `OSError`, as with any other file.
    """
    try:
        _write(logdir, agents, table)
    except tf.errors.OpError as error:
        raise OSError(f"{logdir}: {error.message}") from None


def _write(logdir: Path, agents: dict[str, Agent], table: Standings) -> None:
    writer = tf.summary.create_file_writer(str(logdir))
    with writer.as_default():
        for place in table.ranking:
            agent = agents[table.names[place.agent]]
            if agent.iteration is None:
                continue
            tag = f"tournament/{lineage(agent.name)}"
            tf.summary.scalar(f"{tag}/mean_mbb", place.mbb, step=agent.iteration)
            tf.summary.scalar(f"{tag}/mean_ci95_mbb", place.ci95_mbb, step=agent.iteration)
            for other, won in zip(table.names, table.mbb[place.agent], strict=True):
                if other != agent.name:
                    tf.summary.scalar(f"{tag}/against/{other}_mbb", won, step=agent.iteration)
    writer.close()
