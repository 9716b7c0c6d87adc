"""What a new run takes over from another one, and which settings may differ between the two.

`train.py --from RUN` starts a run with another run's networks and memories. Samples weigh as much
as the number of their iteration (Linear CFR), so iterations are counted on. Memories may shrink,
since a uniform sample of a uniform sample is one. They may grow as long as they hold every row that
they were ever shown; rows that were thrown away cannot come back, so later a larger memory would
not be a uniform sample.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator

from deep_cfr.config import Config, ConfigError
from models.run_state import RunState

# What no new run may change, and why.
KEPT = {
    "game": "the memories hold situations of that game",
    "network": "the networks are taken over",
    "width": "the networks are taken over",
    "strength": "the networks and the memories were made with it",
    "strength_regression": "the networks were made with it",
}


def config_of_new_run(state: RunState, wanted: Config, named: Collection[str]) -> Config:
    """The settings of a run that starts from a saved one; a `ConfigError` if they do not fit.

    A single-Deep-CFR player needs the networks of all iterations, and a new run has none of the
    earlier ones: it keeps no networks, and is refused where `named` settings ask for them.
    """
    problem = next(problems(state, wanted), None)
    if problem:
        raise ConfigError(problem)
    if wanted.keep_advantage_nets and "keep_advantage_nets" in named:
        raise ConfigError(
            "keep_advantage_nets is True, but a run that starts from another one has no networks "
            f"of its first {state.t} iterations, without which the others have no use"
        )
    return dataclasses.replace(wanted, keep_advantage_nets=False)


def problems(state: RunState, wanted: Config) -> Iterator[str]:
    """Why a run with these settings cannot start from a saved one."""
    saved = state.config
    for name, reason in KEPT.items():
        before, after = getattr(saved, name), getattr(wanted, name)
        if before != after:
            yield f"a run keeps the {name} of the run that it starts from, since {reason}: " + (
                f"{before!r} → {after!r}"
            )
    if wanted.strategy_regression and not saved.strategy_regression:
        yield (
            "strategy_regression cannot be switched on: it needs sums over all earlier samples, "
            "which the run to start from did not keep"
        )
    seen = {"advantage_memory": max(state.seen), "strategy_memory": state.strategy_seen}
    for name, rows in seen.items():
        before, after = getattr(saved, name), getattr(wanted, name)
        if after > before and rows > before:
            yield (
                f"{name}: {before} → {after}, but of {rows:,} rows only {before:,} were kept, so a "
                f"larger memory would be no uniform sample; {before} is the most"
            )


def changes(before: Config, after: Config) -> tuple[str, ...]:
    """Settings on which iterations depend and which differ, as `name: before → after`."""
    kept_alike = dataclasses.replace(before, keep_advantage_nets=after.keep_advantage_nets)
    return tuple(kept_alike.differences(after))
