"""A tournament's results for TensorBoard, which TensorFlow writes."""

from __future__ import annotations

from pathlib import Path

import tensorflow as tf

from agents import Agent
from arena.charts import lineage
from arena.standings import Standings
from training.tags import STRENGTH, about


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
            run, step = lineage(agent.name), agent.iteration
            _scalar(f"{STRENGTH}/tournament_{run}_mbb", place.mbb, step)
            _scalar(f"{STRENGTH}_intervals/tournament_{run}_mbb", place.ci95_mbb, step)
            for other, won in zip(table.names, table.mbb[place.agent], strict=True):
                if other != agent.name:
                    _scalar(f"{STRENGTH}_against/{run}/{other}_mbb", won, step)
    writer.close()


def _scalar(tag: str, value: float, step: int) -> None:
    tf.summary.scalar(tag, value, step=step, description=about(tag))
