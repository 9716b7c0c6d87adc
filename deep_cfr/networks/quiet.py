"""Suppresses TensorFlow's messages about harmless errors and about a missing GPU."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def quiet_without_gpu() -> Iterator[None]:
    """Drop what is written to stderr meanwhile, unless the machine has an NVIDIA device.

    Later, TensorFlow's C++ part logs fatal errors only, unless the user has set another level: what
    it calls errors when it builds graphs has no consequence, and real ones become exceptions.
    TensorFlow's C++ part reports missing CUDA drivers while it is imported, before any log level
    applies. With a device present such messages matter and are shown. Exceptions are not touched.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if any(Path(device).exists() for device in ("/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg")):
        yield
        return
    sys.stderr.flush()
    saved = os.dup(2)
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - a device, not a path
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
