"""No workers: every task is done in this process, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from env.progress import Advance
from workers.tasks import Job, Report, T, Task


class InProcess:
    """Does the tasks itself."""

    def __init__(self) -> None:
        self._chunks = 0

    def run(self, job: Job[T], tasks: Iterable[Task], advance: Advance) -> Iterator[T]:
        shared = [value.value for value in job.shared]
        for task in tasks:
            result = job.function(*shared, *task.arguments, advance)
            self._chunks += 1
            yield result

    def report(self) -> Report:
        return Report(chunks=self._chunks)

    def close(self) -> None:
        """There is nothing to end."""
