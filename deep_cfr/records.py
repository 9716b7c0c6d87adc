"""What was measured of a saved model, kept in its model.json.

    info["evaluations"][method]      {"kind", "exploitability_mbb", …}; kind is exact, lower bound
                                     or estimate
    info["head_to_head"][opponent]   {"mbb", "ci95", "hands", …}

A model folder carries a manifest of checksums (`deep_cfr.storage`), and two files cannot be
replaced at one moment. So the manifest first lets go of model.json, then model.json is replaced,
then the manifest takes the new one up. Each step is one atomic replacement: whenever a crash comes,
model.json is the old one or the new one, whole, and everything the manifest lists is as it says.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Literal

from deep_cfr.layout import MODEL_INFO, read_info
from deep_cfr.storage import MANIFEST, checked_folder, whole_file

Section = Literal["evaluations", "head_to_head"]
REQUIRED = {  # of an entry; whatever else it holds is kept as well
    "evaluations": {"kind", "exploitability_mbb"},
    "head_to_head": {"mbb", "ci95", "hands"},
}


def record(folder: Path, key: tuple[Section, str], entry: dict[str, Any]) -> None:
    """Put an entry under a section's method or opponent, in place of an earlier one.

    `record(folder, ("evaluations", "lbr"), {...})`. Folders without a manifest, such as copies of
    just the two files, are served as well.
    """
    section, name = key
    if section not in REQUIRED or not name:
        raise ValueError(f"entries go under {' or '.join(REQUIRED)} and a name, not {key!r}")
    missing = sorted(REQUIRED[section] - entry.keys())
    if missing:
        raise ValueError(f"an entry of {section} needs {', '.join(missing)}")
    has_manifest = (folder / MANIFEST).exists()
    if has_manifest:
        folder = checked_folder(folder)
    info = read_info(folder)
    info[section] = info.get(section, {}) | {name: entry}
    content = json.dumps(info, indent=1, allow_nan=False).encode()
    if has_manifest:
        _replace_listed(folder, content)
    else:
        whole_file(folder / MODEL_INFO, content)


def _replace_listed(folder: Path, content: bytes) -> None:
    """Replace model.json in a folder whose manifest lists it."""
    manifest: dict[str, str] = json.loads((folder / MANIFEST).read_text())
    others = {name: digest for name, digest in manifest.items() if name != MODEL_INFO}
    listed = others | {MODEL_INFO: hashlib.sha256(content).hexdigest()}
    whole_file(folder / MANIFEST, json.dumps(others, indent=1).encode())
    whole_file(folder / MODEL_INFO, content)
    whole_file(folder / MANIFEST, json.dumps(listed, indent=1).encode())
