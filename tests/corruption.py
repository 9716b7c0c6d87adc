"""Damaging files of a saved folder in ways that can be repeated, with or without its manifest."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np

from models.storage import MANIFEST, file_digest

DAMAGES = ("flip", "truncate", "swap", "foreign", "garbage", "append")


def seal(folder: Path) -> None:
    """Make the manifest match the files as they are now."""
    files = [file for file in sorted(folder.iterdir()) if file.name != MANIFEST]
    manifest = {file.name: file_digest(file) for file in files}
    (folder / MANIFEST).write_text(json.dumps(manifest))


def corrupt(file: Path, damage: str, foreign: Path, rng: np.random.Generator) -> None:
    """Damage one file; `foreign` is the same folder of another run."""
    content = file.read_bytes()
    place = int(rng.integers(len(content)))
    if damage == "flip":
        flipped = content[place] ^ (1 << int(rng.integers(8)))
        file.write_bytes(content[:place] + bytes([flipped]) + content[place + 1 :])
    elif damage == "truncate":
        file.write_bytes(content[:place])
    elif damage == "swap":
        others = [other for other in sorted(file.parent.iterdir()) if other != file]
        shutil.copyfile(others[int(rng.integers(len(others)))], file)
    elif damage == "foreign":
        shutil.copyfile(foreign / file.name, file)
    elif damage == "garbage":
        file.write_bytes(rng.bytes(int(rng.integers(200))))
    else:
        file.write_bytes(content + rng.bytes(16))


def without_digests(latest: Path) -> None:
    """Make the state one of an earlier version, which did not say what its arrays are."""
    file = latest / "state.json"
    state = json.loads(file.read_text())
    del state["digests"]
    file.write_text(json.dumps(state))
