"""Where a run keeps its models, and what can be read of them without TensorFlow."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from models.storage import StorageError, known_json

MODEL_FILE, MODEL_INFO = "strategy.keras", "model.json"
DEFAULT_ARCHITECTURE = "paper"


def model_folder(run: Path, t: int) -> Path:
    """The model of iteration t."""
    return run / f"iter_{t:04d}"


def model_folders(run: Path) -> list[Path]:
    """The saved models of a run, oldest first."""
    found = [path for path in run.glob("iter_*") if re.fullmatch(r"iter_\d+", path.name)]
    return sorted(found, key=lambda path: int(path.name[5:]))


def is_model(folder: Path) -> bool:
    """Whether a folder holds a saved model itself."""
    return (folder / MODEL_FILE).is_file()


def models_at(path: Path) -> list[Path]:
    """The model folders that a path stands for: a model, its file, or a run with its models."""
    if path.name == MODEL_FILE and path.is_file():
        return [path.parent]
    if not path.exists():
        raise StorageError(f"there is no {path}")
    if not path.is_dir():
        raise StorageError(f"{path} is neither a model folder, a {MODEL_FILE} nor a run folder")
    models = [path] if is_model(path) else model_folders(path)
    if not models and (path / "latest").is_dir():
        raise StorageError(
            f"{path} is a run without a model yet; `python train.py --resume {path} --iterations "
            f"{_iterations_done(path)}` makes one of what was saved last"
        )
    if not models:
        raise StorageError(f"{path} holds no model: neither {MODEL_FILE} nor folders iter_*")
    return models


def _iterations_done(run: Path) -> int:
    """Iterations that a run had done when it was last saved; at least 1, which a model needs."""
    done = known_json(run / "latest" / "state.json").get("t")
    return max(done, 1) if isinstance(done, int) else 1


def read_info(folder: Path) -> dict[str, Any]:
    """What a model's description says."""
    try:
        info = json.loads((folder / MODEL_INFO).read_text())
    except (OSError, ValueError) as error:
        raise StorageError(f"{folder} has no readable {MODEL_INFO}: {error}") from None
    if not isinstance(info, dict):
        raise StorageError(f"{folder / MODEL_INFO} is not of this program")
    return info


def architecture_of(folder: Path) -> str:
    """The network architecture of a saved model, as `deep_cfr.networks.device.prepare` takes it."""
    config = read_info(folder).get("config")
    network = config.get("network") if isinstance(config, dict) else None
    return network if isinstance(network, str) else DEFAULT_ARCHITECTURE
