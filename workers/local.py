"""Workers that are processes of this machine, started anew and spoken to by pipes.

They are programs of their own (not forked, because compiled kernels use threads) and belong to
another session, so Ctrl-C does not reach them: whoever started them ends them, and when that
process is gone they end by themselves.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from workers.packing import Unreadable, pack, read, unpack, write
from workers.performing import Remembered, Request
from workers.tasks import Job, Task, WorkerFault

ROOT = Path(__file__).resolve().parent.parent
START_S = 120.0  # that a process may take to say that it is there
PIPE_BYTES = 1 << 20  # that a pipe holds where the system allows it; tables are megabytes
ONE_THREAD = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
PROGRAM = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from workers.process import main; main()"


class LocalWorker:
    """One process, which computes with one thread."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.bytes_moved = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._remembered = Remembered()

    @property
    def pid(self) -> int | None:
        """The number of the process, if there is one."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """See that the process is there."""
        if self._process is not None and self._process.poll() is None:
            return
        self.stop()
        environment = os.environ | dict.fromkeys(ONE_THREAD, "1")
        environment.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=environment,
            start_new_session=True,
            pipesize=PIPE_BYTES,
        )
        self._remembered = Remembered()
        with self._limited(START_S):
            self._receive()

    def do(self, job: Job[Any], task: Task, timeout_s: float) -> Any:
        """The result of a task; a `WorkerFault` if there is none in time."""
        numbers = tuple(value.number for value in job.shared)
        new, _ = self._remembered.use(numbers)
        values = {value.number: value.value for value in job.shared if value.number in new}
        request = pack(Request(job.function, numbers, task.arguments, values))
        with self._limited(timeout_s):
            try:
                write(self._process.stdin, request)  # type: ignore[union-attr, arg-type]
            except OSError:
                raise WorkerFault(f"{self.name} {self._end()}") from None
            self.bytes_moved += request.size
            return self._receive()

    def stop(self) -> None:
        """End the process, whatever it does."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()

    def _receive(self) -> Any:
        try:
            answer = read(self._process.stdout)  # type: ignore[union-attr, arg-type]
            self.bytes_moved += answer.size
            return unpack(answer)
        except (EOFError, OSError):
            raise WorkerFault(f"{self.name} {self._end()}") from None
        except Unreadable as error:
            raise WorkerFault(f"{self.name} gave {error}") from None

    def _end(self) -> str:
        """How the process came to its end."""
        if self._process is None:
            return "was ended"
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "closed its pipe"
        return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"

    def _limited(self, seconds: float) -> _Limited:
        assert self._process is not None
        return _Limited(self.name, self._process, seconds)


class _Limited:
    """Ends a process that takes too long over what is inside."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], seconds: float) -> None:
        self._name, self._seconds, self._is_late = name, seconds, False
        self._process = process
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def _end(self) -> None:
        self._is_late = True
        self._process.kill()

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._timer.cancel()
        if self._is_late and isinstance(error, WorkerFault):
            raise WorkerFault(f"{self._name} gave no answer in {self._seconds:g} s") from None
