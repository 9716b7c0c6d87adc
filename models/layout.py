"""Where a run keeps its models, and what can be read of them without TensorFlow."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from models.json_object import read_object
from models.messages import one_line
from models.storage import MANIFEST, StorageError, known_json

MODEL_FILE, MODEL_INFO = "strategy.keras", "model.json"
DEFAULT_ARCHITECTURE = "paper"
PROJECT = Path(__file__).resolve().parent.parent
PRETRAINED = Path("checkpoints", "pretrained")  # the models that come with the project
# Folders among the logs of runs that are not of a run, so that no run may have these names.
EVALUATIONS, TOURNAMENTS = "evaluations", "tournaments"


def model_folder(run: Path, t: int) -> Path:
    """The model of iteration t."""
    return run / f"iter_{t:04d}"


def model_folders(run: Path) -> list[Path]:
    """The saved models of a run, oldest first."""
    found = [path for path in run.glob("iter_*") if re.fullmatch(r"iter_\d+", path.name)]
    return sorted(found, key=lambda path: int(path.name[5:]))


def run_of(folder: Path) -> Path:
    """The run that a model folder belongs to; one that is not called iter_… stands for itself."""
    return folder.parent if folder.name.startswith("iter_") else folder


def shipped(path: Path) -> Path:
    """A path below checkpoints/pretrained/, found from other folders than the project's as well."""
    if path.parts[:2] != PRETRAINED.parts or path.exists() or not (PROJECT / path).exists():
        return path
    return PROJECT / path


def is_model(folder: Path) -> bool:
    """Whether a folder holds a saved model itself."""
    return (folder / MODEL_FILE).is_file()


def has_manifest(folder: Path) -> bool:
    """Whether a folder says what its files should be, so that damage to them is noticed.

    Copies of just the two files of a model have none and can be loaded as well.
    """
    manifest = folder / MANIFEST
    if manifest.exists() and not manifest.is_file():
        raise StorageError(f"{manifest} is not a file")
    return manifest.exists()


def unverified_note(folder: Path) -> str | None:
    """One line for people if nothing vouches for a model's files."""
    if has_manifest(folder):
        return None
    return f"note: {folder} has no {MANIFEST}, so damage to its files would not be noticed"


def models_at(path: Path) -> list[Path]:
    """The model folders that a path stands for: a model, its file, or a run with its models."""
    try:
        return _models_at(path)
    except StorageError:
        raise
    except (OSError, ValueError, RuntimeError) as error:  # a loop of links, a name too long
        raise StorageError(f"{str(path)[:200]!r} cannot be opened: {one_line(error)}") from None


def _models_at(path: Path) -> list[Path]:
    path = shipped(path)
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
        return read_object(folder / MODEL_INFO)
    except StorageError as error:
        raise StorageError(f"{folder} holds no readable model: {error}") from None


def architecture_of(folder: Path) -> str:
    """The network architecture of a saved model, as `deep_cfr.networks.device.prepare` takes it."""
    config = read_info(folder).get("config")
    network = config.get("network") if isinstance(config, dict) else None
    return network if isinstance(network, str) else DEFAULT_ARCHITECTURE


def known_count(info: dict[str, Any], name: str) -> int | None:
    """A count of a model.json, or None where the file does not say it."""
    value = info.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
