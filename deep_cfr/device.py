"""Where and how TensorFlow computes: GPU when there is one, threads, determinism."""

from __future__ import annotations

import os
import time

import numba
import tensorflow as tf


def prepare(threads: int) -> str:
    """Settle devices before anything is computed; says in a few words what was found."""
    cores = os.cpu_count() or 1
    used = min(threads or cores, cores)
    numba.set_num_threads(min(used, numba.get_num_threads()))
    gpus = tf.config.list_physical_devices("GPU")
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(gpu, True)
    try:
        tf.config.threading.set_intra_op_parallelism_threads(used)
        tf.config.threading.set_inter_op_parallelism_threads(used)
    except RuntimeError:  # TensorFlow has computed something already and keeps what it has
        used = tf.config.threading.get_intra_op_parallelism_threads() or cores
    tf.config.experimental.enable_op_determinism()
    return f"{len(gpus)} GPU, {used} CPU threads" if gpus else f"no GPU, {used} CPU threads"


def matmul_flops(size: int = 1024, repetitions: int = 5) -> float:
    """Floating-point operations per second of a plain float32 matrix product here."""
    matrix = tf.ones([size, size])
    best = float("inf")
    for _ in range(repetitions):
        start = time.perf_counter()
        tf.matmul(matrix, matrix).numpy()
        best = min(best, time.perf_counter() - start)
    return 2 * size**3 / best
