"""Workers that are actors of a Ray cluster, one for each of its cores.

What tasks share is put into Ray's object store once and fetched once by each machine. Without an
address a Ray is started on this machine and ended with the program. An address is tried out by
another process first, because Ray ends or holds up the process that asks for a cluster in vain.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import ray

from workers.packing import Packed, Unreadable, pack, unpack
from workers.performing import KEPT, Performer, Remembered, Request
from workers.pool import Pool
from workers.tasks import Job, Shared, Task, WorkerFault, WorkersError

ROOT = Path(__file__).resolve().parent.parent
CONNECT_S, TRY_S, START_S = 5.0, 120.0, 120.0
CLIENT = "ray://"  # begins the address of a cluster that this machine is no part of
NOT_SENT = ["runs", "checkpoints", ".git", ".cache", ".venv", "docs", "tests"]  # of the program
QUIET: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
TRIAL = """
import json, sys, ray
ray.init(address=sys.argv[1], logging_level="ERROR", log_to_driver=False)
print(json.dumps(sorted({n["NodeManagerAddress"] for n in ray.nodes() if n["Alive"]})))
"""


def open_ray(address: str | None, timeout_s: float, warn: Callable[[str], None]) -> Pool:
    """An actor on every core of a cluster; a `WorkersError` of one line if there is none."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    is_elsewhere = address is not None and _has_other_machines(address)
    try:
        ray.init(address=address or "local", runtime_env=_environment(is_elsewhere), **QUIET)
        count = int(ray.cluster_resources().get("CPU", 0))
    except Exception as error:  # Ray raises errors of all kinds
        raise WorkersError(f"Ray cannot be used: {_one_line(error)}") from None
    if count == 0:
        ray.shutdown()
        raise WorkersError("the Ray cluster has no CPU")
    store = _Store()
    return _RayPool([RayWorker(f"actor {n + 1}", store) for n in range(count)], timeout_s, warn)


def _has_other_machines(address: str) -> bool:
    """Whether a cluster has machines to which the program must be sent.

    Only a client speaks to a cluster from outside; otherwise this machine is one of its nodes.
    """
    machines = _machines(address)
    return address.startswith(CLIENT) or len(machines) > 1


def _machines(address: str) -> list[str]:
    """The addresses of a cluster's machines; a `WorkersError` if it does not answer for long."""
    host, _, port = address.removeprefix(CLIENT).rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=CONNECT_S).close()
    except OSError as error:
        raise WorkersError(
            f"there is no Ray cluster at {address}: {error.strerror or error}"
        ) from None
    words = [sys.executable, "-c", TRIAL, address]
    try:
        tried = subprocess.run(words, capture_output=True, text=True, timeout=TRY_S, check=True)
        found: list[str] = json.loads(tried.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        raise WorkersError(f"what listens at {address} is no Ray cluster that answers") from None
    except subprocess.CalledProcessError as error:
        reason = (error.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise WorkersError(f"the Ray cluster at {address} cannot be used: {reason}") from None
    return found


def _environment(is_elsewhere: bool) -> dict[str, Any]:
    """What actors need: the program, and one thread for each."""
    threads = dict.fromkeys(("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    if is_elsewhere:
        return {"env_vars": threads, "working_dir": str(ROOT), "excludes": NOT_SENT}
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    return {"env_vars": threads | {"PYTHONPATH": path}}


class _RayPool(Pool):
    """Actors, and the connection to their cluster."""

    def close(self) -> None:
        super().close()
        ray.shutdown()


class _Actor:
    """A process of the cluster that does tasks."""

    def __init__(self) -> None:
        self._performer = Performer()

    def process(self) -> int:
        """Its number on its machine; answers once the actor is there."""
        return os.getpid()

    def do(self, parts: list[Any], new: dict[int, Any]) -> list[Any]:
        """The parts of an answer. `new` are references to shared values."""
        request: Request = unpack(_owned(parts))
        values = {number: unpack(_owned(ray.get(ref))) for number, ref in new.items()}
        return _as_arrays(self._performer.answer(request._replace(new=values)))


class _Store:
    """Shared values in Ray's object store, as long as tasks are likely to need them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._refs: OrderedDict[int, Any] = OrderedDict()
        self.bytes_put = 0

    def ref(self, value: Shared[Any]) -> Any:
        with self._lock:
            if value.number not in self._refs:
                packed = pack(value.value)
                self.bytes_put += packed.size
                self._refs[value.number] = ray.put(_as_arrays(packed))
            self._refs.move_to_end(value.number)
            while len(self._refs) > 2 * KEPT:
                self._refs.popitem(last=False)
            return self._refs[value.number]


class RayWorker:
    """One actor."""

    def __init__(self, name: str, store: _Store) -> None:
        self.name = name
        self.bytes_moved = 0
        self._store = store
        self._actor: Any = None
        self._remembered = Remembered()
        self.pid: int | None = None

    def start(self) -> None:
        """See that the actor is there: wait until the cluster has a core for it."""
        if self._actor is not None:
            return
        actor = ray.remote(_Actor).options(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")
        self._remembered = Remembered()
        self._actor = actor.remote()
        self.pid = self._get(self._actor.process.remote(), START_S, "found no core in the cluster")

    def do(self, job: Job[Any], task: Task, timeout_s: float) -> Any:
        """The result of a task; a `WorkerFault` if there is none in time."""
        if self._actor is None:
            raise WorkerFault(f"{self.name} was ended")
        numbers = tuple(value.number for value in job.shared)
        new, _ = self._remembered.use(numbers)
        before = self._store.bytes_put
        refs = {v.number: self._store.ref(v) for v in job.shared if v.number in new}
        request = pack(Request(job.function, numbers, task.arguments, {}))
        self.bytes_moved += request.size + self._store.bytes_put - before
        answer = self._actor.do.remote(_as_arrays(request), refs)
        late = f"gave no answer in {timeout_s:g} s"
        packed = _owned(self._get(answer, timeout_s, late))
        self.bytes_moved += packed.size
        try:
            return unpack(packed)
        except Unreadable as error:
            raise WorkerFault(f"{self.name} gave {error}") from None

    def stop(self) -> None:
        """End the actor, whatever it does."""
        actor, self._actor = self._actor, None
        if actor is not None:
            ray.kill(actor)

    def _get(self, ref: Any, timeout_s: float, late: str) -> Any:
        try:
            return ray.get(ref, timeout=timeout_s)
        except ray.exceptions.GetTimeoutError:
            raise WorkerFault(f"{self.name} {late}") from None
        except ray.exceptions.RayActorError:
            raise WorkerFault(f"{self.name} died") from None
        except ray.exceptions.RayError as error:
            raise WorkerFault(f"{self.name} failed: {_one_line(error)}") from None


def _as_arrays(packed: Packed) -> list[Any]:
    """Parts as Ray moves them without copies."""
    body, *buffers = packed.parts
    return [bytes(body), *(np.frombuffer(buffer, np.uint8) for buffer in buffers)]


def _owned(parts: list[Any]) -> Packed:
    """Parts as memory that can be written to; what Ray hands out is shared and cannot."""
    body, *buffers = parts
    return Packed([body, *(bytearray(buffer) for buffer in buffers)])


def _one_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines or [type(error).__name__])[0][:300]
