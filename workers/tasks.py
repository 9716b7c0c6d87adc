"""What is handed out: tasks of a job, in order, and what comes back, in the same order.

A job is one function of many tasks. What all tasks need is shared: a worker keeps it from one task
to the next and gets it again only when it has changed. The caller cannot tell who computes: the
results are those of calling the function in this process, task by task.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from env.progress import Advance

T = TypeVar("T")
_numbers = itertools.count(1)


class WorkersError(OSError):
    """Workers that cannot be had, or that fail whatever is tried; the message is one line."""


class WorkerFault(Exception):  # noqa: N818 - the name says what happened
    """A worker that did not do a task; the message says which and why."""


@dataclass(frozen=True, eq=False)
class Shared(Generic[T]):
    """A value that many tasks need. The number stands for it; a changed value is a new one."""

    value: T
    number: int = field(default_factory=lambda: next(_numbers))


class Task(NamedTuple):
    """One call of a job's function."""

    arguments: tuple[Any, ...]
    size: int = 1  # steps of a progress bar


@dataclass(frozen=True)
class Job(Generic[T]):
    """A function of a module, what its tasks share, and how its results are recognised.

    It is called with the shared values, the arguments of a task, and a function that it tells of
    its progress. `problem` says what is wrong with a result that came back; None if nothing is.
    """

    function: Callable[..., T]
    shared: tuple[Shared[Any], ...] = ()
    problem: Callable[[Task, object], str | None] = lambda task, result: None


@dataclass(frozen=True)
class Report:
    """What workers have done so far."""

    workers: int = 0  # besides this process
    chunks: int = 0  # tasks that came back
    repeated: int = 0  # tasks that had to be done again
    waiting_s: float = 0.0  # time in which this process had nothing to do but wait
    bytes_moved: int = 0  # there and back

    def since(self, before: Report) -> Report:
        """What was done after an earlier report."""
        return Report(
            self.workers,
            self.chunks - before.chunks,
            self.repeated - before.repeated,
            self.waiting_s - before.waiting_s,
            self.bytes_moved - before.bytes_moved,
        )


class Worker(Protocol):
    """One who does a task at a time, somewhere else."""

    name: str
    bytes_moved: int

    def start(self) -> None:
        """See that it is there; a `WorkerFault` if it cannot be had."""
        ...

    def do(self, job: Job[Any], task: Task, timeout_s: float) -> Any:
        """The result of a task; a `WorkerFault` if there is none in time."""
        ...

    def stop(self) -> None:
        """End it, whatever it does."""
        ...


class Workers(Protocol):
    """Whoever does the tasks."""

    def run(self, job: Job[T], tasks: Iterable[Task], advance: Advance) -> Iterator[T]:
        """The results of all tasks in their order, as soon as they are there.

        `advance` is told of progress, and called now and then meanwhile: it may end the work by
        raising an exception.
        """
        ...

    def report(self) -> Report:
        """What was done until now."""
        ...

    def close(self) -> None:
        """End all workers at once."""
        ...
