"""Who does which task, and what happens if somebody fails.

A thread for each worker takes the next task, sends it, waits and checks what comes back. A worker
that dies, hangs or answers nonsense costs its task and nothing else: it is ended and started again,
and the task is done by whoever is free. Results are handed on in the order of the tasks, and only
so many tasks are given out ahead that results do not pile up.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from env.progress import Advance
from workers.performing import Failure
from workers.tasks import Job, Report, T, Task, Worker, WorkerFault, WorkersError

AHEAD = 3  # tasks given out for each worker, beyond those whose results were handed on
MOST_TRIES = 5  # of a task, before the work is given up
MOST_STARTS = 5  # of a worker in a row that come to nothing, before it is given up
LOOK_S = 0.1  # between looks at whether somebody wants the work to stop
_END = (float("inf"), 0)  # comes after every task


@dataclass
class _Run:
    """One call of `Pool.run`."""

    number: int
    job: Job[Any]
    done: queue.SimpleQueue[tuple[_Order, Any]] = field(default_factory=queue.SimpleQueue)
    is_over: bool = False


@dataclass
class _Order:
    """A task to be done, again and again until somebody has done it."""

    run: _Run
    number: int
    task: Task
    tries: int = 0


class Pool:
    """Several workers. `warn` shows a line about each failure."""

    def __init__(
        self, workers: Sequence[Worker], timeout_s: float, warn: Callable[[str], None]
    ) -> None:
        self.timeout_s = timeout_s  # that a task may take
        self._workers, self._warn = list(workers), warn
        self._orders: queue.PriorityQueue[tuple[tuple[float, int], _Order | None]]
        self._orders = queue.PriorityQueue()
        self._lock = threading.Lock()
        self._runs = self._chunks = self._repeated = 0
        self._waiting_s = 0.0
        self._lost: list[str] = []  # why workers were given up
        self._is_closing = False
        self._threads = [
            threading.Thread(target=self._serve, args=(worker,), daemon=True)
            for worker in self._workers
        ]
        for thread in self._threads:
            thread.start()

    def run(self, job: Job[T], tasks: Iterable[Task], advance: Advance) -> Iterator[T]:
        """The results of all tasks, in their order."""
        self._runs += 1
        run = _Run(self._runs, job)
        orders = (_Order(run, number, task) for number, task in enumerate(tasks))
        given: deque[_Order] = deque()
        found: dict[int, Any] = {}
        try:
            while True:
                for order in islice(orders, AHEAD * len(self._workers) - len(given)):
                    given.append(order)
                    self._give_out(order)
                if not given:
                    return
                number = given.popleft().number
                self._collect(run, number, found, advance)
                yield found.pop(number)
        finally:
            run.is_over = True

    def report(self) -> Report:
        """What was done until now."""
        moved = sum(worker.bytes_moved for worker in self._workers)
        working = len(self._workers) - len(self._lost)
        return Report(working, self._chunks, self._repeated, self._waiting_s, moved)

    def close(self) -> None:
        """End all workers at once."""
        self._is_closing = True
        for _ in self._threads:
            self._orders.put((_END, None))
        for worker in self._workers:
            worker.stop()
        for thread in self._threads:
            thread.join(timeout=1)
        for worker in self._workers:  # one may have been starting
            worker.stop()

    def _collect(self, run: _Run, wanted: int, found: dict[int, Any], advance: Advance) -> None:
        """Wait for a result, and take in those that come before it."""
        start = time.perf_counter()
        while wanted not in found:
            advance(0)
            if len(self._lost) == len(self._workers):
                raise WorkersError(f"no worker is left: {self._lost[-1]}")
            try:
                order, result = run.done.get(timeout=LOOK_S)
            except queue.Empty:
                continue
            if isinstance(result, WorkersError):
                raise result
            found[order.number] = result
            self._chunks += 1
            advance(order.task.size)
        self._waiting_s += time.perf_counter() - start

    def _give_out(self, order: _Order) -> None:
        self._orders.put(((order.run.number, order.number), order))

    def _serve(self, worker: Worker) -> None:
        """What one worker's thread does."""
        while self._start(worker):
            _, order = self._orders.get()
            if order is None:
                return
            if not order.run.is_over:
                self._do(worker, order)

    def _start(self, worker: Worker) -> bool:
        """See that a worker is there, so that none holds a task that cannot do it."""
        for number in range(MOST_STARTS):
            if self._is_closing:
                return False
            try:
                worker.start()
                return True
            except (WorkerFault, OSError) as error:
                reason = str(error)
                worker.stop()
                time.sleep(min(2**number, 10) * LOOK_S)
        with self._lock:
            self._lost.append(reason)
        if not self._is_closing:
            self._warn(f"warning: {worker.name} is given up: {reason}")
        return False

    def _do(self, worker: Worker, order: _Order) -> None:
        run = order.run
        try:
            result = worker.do(run.job, order.task, self.timeout_s)
            if isinstance(result, Failure):
                raise WorkerFault(f"{worker.name} failed: {result.reason}")
            problem = run.job.problem(order.task, result)
            if problem:
                raise WorkerFault(f"{worker.name} gave {problem}")
        except Exception as error:  # of a worker, or of a check that nonsense has broken
            worker.stop()
            if not self._is_closing and not run.is_over:
                self._again(order, str(error) or type(error).__name__)
            return
        run.done.put((order, result))

    def _again(self, order: _Order, reason: str) -> None:
        """Give a task out once more, or give up."""
        order.tries += 1
        with self._lock:
            self._repeated += 1
        if order.tries < MOST_TRIES:
            self._warn(f"warning: {reason}; its work is done again")
            self._give_out(order)
        else:
            error = WorkersError(f"workers failed {order.tries} times at the same task: {reason}")
            order.run.done.put((order, error))
