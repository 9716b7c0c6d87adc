"""From `--workers` to workers: `0`, a number of processes, `ray`, or `ray:` and an address."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from workers.in_process import InProcess
from workers.local import LocalWorker
from workers.pool import Pool
from workers.tasks import Workers, WorkersError

MOST_WORKERS = 4096
TIMEOUT_S = 900.0  # that a task may take; the first compiles kernels
RAY = "ray"
HELP = (
    "who makes what can be made side by side: 0 = this process, N = so many processes of this "
    "machine, ray = a Ray of its own on this machine, ray:HOST:PORT = a Ray cluster "
    "(docs/scaling.md); results do not depend on it"
)
TIMEOUT_HELP = "after which a worker's piece of work is taken from it and done again"


@dataclass(frozen=True)
class WorkersSpec:
    """What `--workers` asks for."""

    count: int = 0  # processes of this machine
    is_ray: bool = False
    address: str | None = None  # of a cluster; None starts Ray on this machine
    timeout_s: float = TIMEOUT_S

    @property
    def is_asked_for(self) -> bool:
        """Whether anybody but this process is to work."""
        return self.is_ray or self.count > 0


def parse_workers(text: str) -> WorkersSpec:
    """Read `--workers`; a ValueError says what it can be."""
    name, _, address = text.partition(":")
    if text == RAY:
        return WorkersSpec(is_ray=True)
    if name == RAY and address:
        return WorkersSpec(is_ray=True, address=_checked_address(address))
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{text!r} is not a number of processes, ray, or ray:HOST:PORT")
    if len(text) > len(str(MOST_WORKERS)) or int(text) > MOST_WORKERS:
        raise ValueError(f"{text} processes are not possible; from 0 to {MOST_WORKERS} are")
    return WorkersSpec(count=int(text))


def _checked_address(address: str) -> str:
    host, _, port = address.rpartition(":")
    is_port = port.isascii() and port.isdigit() and len(port) < 6 and 0 < int(port) < 1 << 16
    if not host or not is_port:
        raise ValueError(f"ray:{address} names no cluster; write ray:HOST:PORT")
    return address


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


@contextmanager
def opened(spec: WorkersSpec, warn: Callable[[str], None] = _to_stderr) -> Iterator[Workers]:
    """The workers, which are ended when the block is left, however it is left."""
    workers = open_workers(spec, warn)
    try:
        yield workers
    finally:
        workers.close()


def open_workers(spec: WorkersSpec, warn: Callable[[str], None] = _to_stderr) -> Workers:
    """The workers; a `WorkersError` of one line if they cannot be had."""
    if spec.is_ray:
        try:
            from workers.ray_actors import open_ray  # noqa: PLC0415 - loads Ray
        except ImportError as error:
            raise WorkersError(
                f"--workers ray needs Ray, which cannot be loaded ({error}); "
                "install it with: pip install -r requirements-ray.txt"
            ) from None
        return open_ray(spec.address, spec.timeout_s, warn)
    if spec.count == 0:
        return InProcess()
    names = [f"worker {number}" for number in range(1, spec.count + 1)]
    return Pool([LocalWorker(name) for name in names], spec.timeout_s, warn)
