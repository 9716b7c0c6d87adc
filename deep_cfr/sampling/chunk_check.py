"""Samples that came back from elsewhere: can they be those of the chunk that was asked for?"""

from __future__ import annotations

import numpy as np

from deep_cfr.memory import ROW
from deep_cfr.networks.encoding import Encoding
from deep_cfr.row_check import rows_problem
from deep_cfr.sampling.chunks import Chunk, ChunkSampler, ChunkSamples
from deep_cfr.sampling.samples import Pairs, Samples

_COUNTS = 1e15  # larger ones are not counts


def chunk_problem(
    found: object, chunk: Chunk, sampler: ChunkSampler, encoding: Encoding
) -> str | None:
    """What is wrong with the samples of a chunk; None if nothing is."""
    if not isinstance(found, ChunkSamples) or not isinstance(found.samples, Samples):
        return f"an answer that is no samples but {type(found).__name__}"
    samples, tree = found.samples, sampler.game.tree
    for name, rows, actor in (
        ("advantages", samples.advantages, chunk.traverser),
        ("strategies", samples.strategies, 1 - chunk.traverser),
    ):
        if not isinstance(rows, np.ndarray) or rows.dtype != ROW or rows.ndim != 1:
            return f"{name} that are no rows of a memory"
        problem = rows_problem(rows, tree, chunk.t, actor)
        if problem:
            return f"{name} with {problem}"
        if (rows["t"] != chunk.t).any():
            return f"{name} of another iteration"
    counts = (samples.infosets, samples.nodes, samples.value, found.num_traversals)
    if not all(isinstance(count, (int, float)) and abs(count) < _COUNTS for count in counts):
        return "counts that are no numbers"
    if not 0 < found.num_traversals <= sampler.config.traversals:
        return "more traversals than were asked for"
    for pairs, actor in (
        (found.advantage_pairs, chunk.traverser),
        (found.strategy_pairs, 1 - chunk.traverser),
    ):
        problem = _pairs_problem(pairs, actor, encoding)
        if problem:
            return problem
    return None


def _pairs_problem(pairs: object, actor: int, encoding: Encoding) -> str | None:
    if not isinstance(pairs, list) or not all(isinstance(part, Pairs) for part in pairs):
        return "no list of pairs"
    tree = encoding.game.tree
    possible = tree.is_decision & (tree.actor == actor)
    for part in pairs:
        size = len(part.nodes)
        wanted = ((np.uint16, 1), (np.uint8, 1), (np.uint8, 1), (np.float32, 1), (np.float32, 2))
        if not all(
            isinstance(column, np.ndarray)
            and (column.dtype, column.ndim, len(column)) == (dtype, ndim, size)
            for column, (dtype, ndim) in zip(part, wanted, strict=True)
        ):
            return "pairs of another form"
        if part.targets.shape != (size, 3):
            return "pairs of another form"
        if (part.nodes >= len(tree)).any() or not possible[part.nodes].all():
            return f"pairs of nodes where player {actor} does not decide"
        if (part.buckets >= encoding.num_buckets).any():
            return "pairs with buckets that do not exist"
        if not np.isfinite(part.targets).all() or not np.isfinite(part.weights).all():
            return "pairs that are not finite numbers"
        if (part.weights < 0).any():
            return "pairs of negative weight"
    return None
