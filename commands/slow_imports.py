"""Imports modules that need TensorFlow, late and without its messages."""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType

from deep_cfr.networks.quiet import quiet_without_gpu


def load_quietly(module: str) -> ModuleType:
    """Import a module that loads TensorFlow, which takes seconds and has much to say.

    Commands call this once they know that a request makes sense. What TensorFlow logs is shown
    from errors on, unless the user has set another level.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with quiet_without_gpu():
        return import_module(module)
