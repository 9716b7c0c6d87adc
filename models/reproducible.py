"""Saved Keras models that do not depend on the process that wrote them.

Keras writes into a .keras archive when it was saved, numbers operations through the whole process
and notes memory addresses of shared objects. None of it matters to whoever opens the model, and
without it the same training gives the same bytes.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from models.storage import deflate

CONFIG, METADATA = "config.json", "metadata.json"
NO_DATE = "1980-01-01@00:00:00"  # the earliest that a ZIP archive can hold, in Keras' spelling
OPERATIONS = "keras.src.ops"  # modules of what Keras numbers: operations that have no name of ours


def make_reproducible(archive: Path) -> None:
    """Rewrite a .keras archive, compressed and with nothing in it that depends on the process."""
    with zipfile.ZipFile(archive) as stored:
        config, metadata = (json.loads(stored.read(part)) for part in (CONFIG, METADATA))
    names = _new_names(config["config"]["layers"])
    parts = {CONFIG: _stable(config, names, {}), METADATA: metadata | {"date_saved": NO_DATE}}
    deflate(archive, {name: json.dumps(part).encode() for name, part in parts.items()})


def _new_names(layers: list[dict[str, Any]]) -> dict[str, str]:
    """Names for operations, numbered within their model."""
    operations = [layer for layer in layers if layer["module"].startswith(OPERATIONS)]
    return {
        layer["name"]: f"{layer['class_name'].lower()}_{number}"
        for number, layer in enumerate(operations)
    }


def _stable(value: Any, names: dict[str, str], shared: dict[int, int]) -> Any:
    """A configuration with new names, and with shared objects numbered as they appear."""
    if isinstance(value, dict):
        return {
            key: shared.setdefault(inner, len(shared))
            if key == "shared_object_id"
            else _stable(inner, names, shared)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_stable(inner, names, shared) for inner in value]
    return names.get(value, value) if isinstance(value, str) else value
