"""Workers on a real Ray: three nodes on this machine, which lose actors and one of them."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests import worker_tasks
from tests.same_runs import IN_CHUNKS, after_iterations
from tests.small_runs import assert_same_arrays
from workers.opening import WorkersSpec, open_workers, parse_workers
from workers.pool import Pool
from workers.tasks import Job, Shared, Task, WorkersError

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # of Ray's own
    pytest.mark.skipif(sys.platform != "linux", reason="clusters of several nodes on one machine"),
]
NODES = 3


@pytest.fixture(scope="module")
def cluster() -> Iterator[object]:
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    store = 150_000_000  # bytes
    one_core = {"num_cpus": 1, "object_store_memory": store, "include_dashboard": False}
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args=one_core)
    for _ in range(NODES - 1):
        cluster.add_node(num_cpus=1, object_store_memory=store)
    cluster.wait_for_nodes()
    yield cluster
    cluster.shutdown()


def test_a_cluster_that_loses_actors_and_a_node_changes_nothing(
    cluster: object, tmp_path: Path
) -> None:
    """Every actor dies once; in the second iteration a node goes as well."""
    alone, _ = after_iterations(IN_CHUNKS, None, 2)
    warnings: list[str] = []
    spec = parse_workers(f"ray:{cluster.address}")  # type: ignore[attr-defined]
    workers = open_workers(spec, warnings.append)
    assert isinstance(workers, Pool)
    try:
        factor = Shared(np.arange(4.0))
        job = Job(worker_tasks.dies, (factor,), worker_tasks.is_squared)
        tasks = [Task((number, tmp_path)) for number in range(NODES)]
        found = list(workers.run(job, tasks, lambda done: None))
        np.testing.assert_array_equal(found, [factor.value * n**2 for n in range(NODES)])
        assert workers.report().repeated == len(warnings) == NODES, warnings
        assert all("died; its work is done again" in line for line in warnings), warnings
        pids = set(workers.run(Job(worker_tasks.process), tasks_of(30), lambda done: None))
        begun: list[None] = []

        def before_each() -> None:
            begun.append(None)
            if len(begun) == 2:
                lose_a_node(cluster, pids)

        together, reports = after_iterations(IN_CHUNKS, workers, 2, before_each)
    finally:
        workers.close()
    assert_same_arrays(alone, together)
    assert all(report.chunks for report in reports)


def tasks_of(count: int) -> list[Task]:
    return [Task((number,)) for number in range(count)]


def lose_a_node(cluster: object, pids: set[int]) -> None:
    """Kill an actor, and the node that was added last with all that is on it."""
    os.kill(min(pids), signal.SIGKILL)
    cluster.remove_node(sorted(cluster.worker_nodes, key=str)[-1])  # type: ignore[attr-defined]


def test_a_cluster_that_is_not_there_is_named_in_one_line() -> None:
    pytest.importorskip("ray")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(WorkersError, match=f"there is no Ray cluster at {address}"):
        open_workers(WorkersSpec(is_ray=True, address=address))


def test_what_listens_but_is_no_cluster_is_named_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("ray")
    monkeypatch.setattr("workers.ray_actors.TRY_S", 4.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=server.accept, daemon=True).start()
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(WorkersError, match="cluster") as caught:
            open_workers(WorkersSpec(is_ray=True, address=address))
    assert address in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_ray_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "workers.ray_actors", raising=False)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(WorkersError, match=r"requirements-ray\.txt"):
        open_workers(WorkersSpec(is_ray=True))
