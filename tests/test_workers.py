"""Workers that are processes of this machine: order, faults, and nobody left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import worker_tasks
from tests.small_runs import ROOT
from workers import local
from workers.in_process import InProcess
from workers.local import LocalWorker
from workers.opening import WorkersSpec, parse_workers
from workers.packing import Packed, Unreadable, pack, read, unpack, write
from workers.pool import Pool
from workers.tasks import Job, Shared, Task, WorkersError

NUMBERS = range(8)
FACTOR = Shared(np.arange(4.0))
WANTED = [FACTOR.value * number**2 for number in NUMBERS]

KILLED_OWNER = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # the shell may ignore it
sys.path.insert(0, {root!r})
from tests import worker_tasks
from workers.opening import WorkersSpec, open_workers
from workers.tasks import Job, Task
workers = open_workers(WorkersSpec(count=2))
found = list(workers.run(Job(worker_tasks.process), [Task((n,)) for n in range(6)], lambda n: None))
print(*sorted(set(found)), flush=True)
time.sleep(1000)
"""


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def pool(warnings: list[str]) -> Iterator[Pool]:
    workers = Pool([LocalWorker("one"), LocalWorker("two")], 60.0, warnings.append)
    yield workers
    workers.close()


def squares(workers: Pool | InProcess, function: Callable[..., Any], *more: object) -> list[Any]:
    job = Job(function, (FACTOR,), worker_tasks.is_squared)
    return list(workers.run(job, [Task((n, *more)) for n in NUMBERS], lambda done: None))


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def gone(pids: list[int], seconds: float = 20.0) -> bool:
    """Whether processes end within some time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not any(map(is_running, pids)):
            return True
        time.sleep(0.05)
    return False


def test_results_come_in_order_and_can_be_written_to(pool: Pool) -> None:
    for workers in (InProcess(), pool):
        found = squares(workers, worker_tasks.squared)
        np.testing.assert_array_equal(found, WANTED)
        found[0] += 1
    report = pool.report()
    assert (report.workers, report.chunks, report.repeated) == (2, len(NUMBERS), 0)
    assert report.bytes_moved > 0
    asked = Job(worker_tasks.has_tensorflow)
    answers = list(pool.run(asked, [Task((n,)) for n in NUMBERS], lambda done: None))
    assert not any(answers)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (worker_tasks.dies, "was ended by SIGKILL"),
        (worker_tasks.lies, "gave nonsense"),
        (worker_tasks.babbles, "that is no message"),
    ],
)
def test_a_worker_that_fails_costs_its_task(
    warnings: list[str], tmp_path: Path, function: Callable[..., Any], said: str
) -> None:
    """Every task fails when it is done for the first time."""
    pool = Pool([LocalWorker("one")], 60.0, warnings.append)
    try:
        job = Job(function, (FACTOR,), worker_tasks.is_squared)
        tasks = [Task((n, tmp_path)) for n in range(2)]
        found = list(pool.run(job, tasks, lambda done: None))
    finally:
        pool.close()
    np.testing.assert_array_equal(found, WANTED[:2])
    assert pool.report().repeated == len(warnings) == 2
    assert all(said in line and "done again" in line for line in warnings), warnings


def test_a_worker_that_hangs_costs_its_task(
    pool: Pool, warnings: list[str], tmp_path: Path
) -> None:
    job = Job(worker_tasks.process)
    while len(set(pool.run(job, [Task((n,)) for n in NUMBERS], lambda done: None))) < 2:
        continue  # until both have loaded what they need
    pool.timeout_s = 4.0
    np.testing.assert_array_equal(squares(pool, worker_tasks.hangs, tmp_path), WANTED)
    assert [line for line in warnings if "gave no answer in 4 s" in line]


def test_a_task_that_always_fails_ends_the_work_in_one_line(
    pool: Pool, warnings: list[str]
) -> None:
    with pytest.raises(WorkersError, match=r"5 times .* number \d is impossible$"):
        squares(pool, worker_tasks.raises)
    np.testing.assert_array_equal(squares(pool, worker_tasks.squared), WANTED)


def test_workers_that_cannot_be_started_are_said_to_be_lost(
    warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "PROGRAM", "raise SystemExit(3)")
    pool = Pool([LocalWorker("one")], 60.0, warnings.append)
    with pytest.raises(WorkersError, match="no worker is left: one ended with 3"):
        squares(pool, worker_tasks.squared)
    pool.close()


def test_work_that_is_given_up_leaves_the_workers_usable(pool: Pool) -> None:
    class StopNowError(Exception):
        pass

    def stop(done: int) -> None:
        if done:
            raise StopNowError

    job = Job(worker_tasks.squared, (FACTOR,))
    with pytest.raises(StopNowError):
        list(pool.run(job, [Task((n,)) for n in range(100)], stop))
    np.testing.assert_array_equal(squares(pool, worker_tasks.squared), WANTED)


def test_closing_ends_every_process(pool: Pool) -> None:
    job = Job(worker_tasks.process)
    pids = set(pool.run(job, [Task((n,)) for n in range(20)], lambda done: None))
    assert pids
    assert os.getpid() not in pids
    pool.close()
    assert gone(list(pids))


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes as Linux shows them")
@pytest.mark.parametrize("sig", [signal.SIGKILL, signal.SIGINT])
def test_processes_end_with_their_owner(sig: signal.Signals) -> None:
    code = KILLED_OWNER.format(root=str(ROOT))
    owner = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert owner.stdout
    pids = [int(word) for word in owner.stdout.readline().split()]
    assert pids
    owner.send_signal(sig)
    owner.communicate()
    assert gone(pids)


def test_messages_survive_the_pipe_and_noise_is_found_out() -> None:
    value = {"rows": np.arange(6).reshape(2, 3), "text": "x", "nothing": np.zeros(0)}
    stream = BytesIO()
    write(stream, pack(value))
    stream.seek(0)
    found = unpack(read(stream))
    np.testing.assert_array_equal(found["rows"], value["rows"])
    assert found["rows"].flags.writeable
    for noise in (b"noise" * 10, b"dcfr\xff\xff\xff\xff" + b"x" * 80):
        with pytest.raises(Unreadable):
            read(BytesIO(noise))
    with pytest.raises(EOFError):
        read(BytesIO(b"dc"))
    with pytest.raises(Unreadable):
        unpack(Packed([b"no pickle"]))


def test_who_is_to_work_is_read_from_the_command_line() -> None:
    assert parse_workers("0") == WorkersSpec()
    assert parse_workers("3") == WorkersSpec(count=3)
    assert parse_workers("ray") == WorkersSpec(is_ray=True)
    assert parse_workers("ray:head:6379") == WorkersSpec(is_ray=True, address="head:6379")
    for text in ("-1", "x", "5000", "ray:", "ray:head", "ray:head:x", "1.5", ""):
        with pytest.raises(ValueError, match=r"ray:HOST:PORT|processes"):
            parse_workers(text)
