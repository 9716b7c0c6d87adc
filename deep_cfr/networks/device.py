"""Where and how TensorFlow computes: GPU when there is one, threads, determinism."""

from __future__ import annotations

import logging
import os
import time

import numba
import tensorflow as tf

MAX_TOWERS = 8  # more would leave each too few rows of a minibatch


def prepare(threads: int, architecture: str) -> str:
    """Settle devices and threads before anything is computed; a description of what was found.

    The paper network's layers are so narrow that two threads sharing one matrix product mostly
    wait for each other. On a CPU each thread therefore computes a part of the batch of its own
    (a tower), operation by operation on one thread. The thesis network has wide layers and batch
    statistics that belong to the whole batch: there, threads share each product.
    """
    used = threads_used(threads)
    numba.set_num_threads(min(used, numba.get_num_threads()))
    gpus = tf.config.list_physical_devices("GPU")
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(gpu, True)
    has_towers = architecture == "paper" and not gpus
    try:
        tf.config.threading.set_intra_op_parallelism_threads(1 if has_towers else used)
        tf.config.threading.set_inter_op_parallelism_threads(used)
    except RuntimeError:
        pass  # TensorFlow has computed something already and keeps the threads it has
    tf.config.experimental.enable_op_determinism()
    # TensorFlow warns about retracing when one process opens many models.
    tf.get_logger().setLevel(logging.ERROR)
    found = f"{len(gpus)} GPU" if gpus else "no GPU"
    return f"{found}, {used} CPU threads"


def threads_used(threads: int) -> int:
    """How many threads a setting stands for on this machine; 0 is all."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(threads or cores or 1, cores or 1)


def towers() -> int:
    """Into how many parts a batch is split to be computed side by side, as `prepare` settled it.

    `prepare` sets threads so that operations run side by side only for the paper network on a CPU;
    otherwise there is one tower.
    """
    is_split = tf.config.threading.get_intra_op_parallelism_threads() == 1
    at_once = tf.config.threading.get_inter_op_parallelism_threads()
    return max(1, min(at_once, MAX_TOWERS)) if is_split else 1


def matmul_flops(size: int = 1024, repetitions: int = 5) -> float:
    """Floating-point operations per second of a plain float32 matrix product here."""
    matrix = tf.ones([size, size])
    best = float("inf")
    for _ in range(repetitions):
        start = time.perf_counter()
        tf.matmul(matrix, matrix).numpy()
        best = min(best, time.perf_counter() - start)
    return 2 * size**3 / best
