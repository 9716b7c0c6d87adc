"""Saved models: how they are written, loaded, asked, described and handed on.

`models.load` opens a trained model. It is imported lazily, because reading the records
of a model needs no network.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from models.model import Model, load

__all__ = ["Model", "load"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("models.model"), name)
    raise AttributeError(f"module 'models' has no attribute {name!r}")
