"""The versions of what a result may depend on. None of the packages is loaded for this."""

from __future__ import annotations

import platform
from importlib.metadata import version

PACKAGES = ("tensorflow", "keras", "numpy", "numba", "PyPokerEngine")


def versions() -> dict[str, str]:
    """By name: Python, and the packages that compute results."""
    return {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}
