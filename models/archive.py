"""What a strategy.keras declares, checked before Keras builds any of it.

A .keras file is a ZIP archive of three parts. Keras builds every layer that config.json names, of
any size, and then reads model.weights.h5. So the parts must be those three and of the size that
the network has, every layer must be one that this program writes, no number may exceed what the
network needs, and the weights must lie in the file itself.
"""

from __future__ import annotations

import io
import json
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py

from deep_cfr.networks.architectures import PartShape
from deep_cfr.networks.encoding import Encoding
from deep_cfr.networks.keras_file import CONFIG, TABLE_LAYER, WEIGHTS
from env.actions import NUM_ACTIONS

PARTS = {"metadata.json", CONFIG, WEIGHTS}
MAX_TEXT_BYTES = 1 << 20  # of config.json and of metadata.json; ours have some 30 KB
MAX_WEIGHT_BYTES = 1 << 31
HDF5_OVERHEAD = 1 << 18  # bytes of names and tables around the weights
MAX_HDF5_ITEMS, MAX_HDF5_DEPTH = 300, 12
MAX_CONFIG_DEPTH = 60
LAYERS = {
    *("InputLayer", "Functional", "Dense", "Activation", "ReLU", "Add", "LayerNormalization"),
    *("BatchNormalization", "Embedding", "Reshape", "RepeatVector", "Dot", "Softmax"),
    *("GetItem", "Log", "Maximum", "Where", "Greater", "Max", "Subtract", "Sum", "Multiply"),
}
INSIDE_LAYERS = {
    *("DTypePolicy", "GlorotUniform", "RandomUniform", "Zeros", "Ones"),
    *("__keras_tensor__", "__slice__"),
}


@dataclass(frozen=True)
class Declared:
    """What an archive may declare: sizes of the network that its description calls for."""

    encoding: Encoding
    parts: dict[str, PartShape]  # of the network and of its endgame networks

    def num_kernel_weights(self) -> int:
        """Numbers in the matrices of all dense layers."""
        total = 0
        for part in self.parts.values():
            inputs = (part.inputs, *part.units[:-1])
            total += sum(rows * columns for rows, columns in zip(inputs, part.units, strict=True))
        return total

    def num_other_weights(self) -> int:
        """At most so many numbers in biases and normalisations."""
        return sum(5 * number for part in self.parts.values() for number in part.units)

    def num_table_weights(self) -> int:
        """Numbers in a strength table."""
        encoding = self.encoding
        return encoding.num_bucket_rows * encoding.strength_features.shape[1] * NUM_ACTIONS

    def largest(self) -> int:
        """The largest number that a layer of the network is described by."""
        encoding = self.encoding
        sizes = (max(part.inputs, *part.units) for part in self.parts.values())
        knots = encoding.strength_features.shape[1] * NUM_ACTIONS
        return max(*sizes, encoding.num_bucket_rows, knots)


def check_archive(file: Path, declared: Declared) -> None:
    """A `ValueError` of one line if a strategy.keras is not a network of this size."""
    if not stat.S_ISREG(file.stat().st_mode):
        raise ValueError(f"{file.name} is not a regular file")
    with zipfile.ZipFile(file) as archive:
        _check_parts(archive, declared)
        config = json.loads(_read(archive, CONFIG))
        has_table = _check_config(config, declared)
        weights = declared.num_kernel_weights() + declared.num_other_weights()
        weights += declared.num_table_weights() if has_table else 0
        _check_weights(_read(archive, WEIGHTS), weights)


def _check_parts(archive: zipfile.ZipFile, declared: Declared) -> None:
    """Three parts, none of which unpacks to more than its due."""
    infos = archive.infolist()
    if sorted(info.filename for info in infos) != sorted(PARTS):
        raise ValueError(f"the archive does not consist of {', '.join(sorted(PARTS))}")
    least = 4 * declared.num_kernel_weights()
    most = least + 4 * (declared.num_other_weights() + declared.num_table_weights()) + HDF5_OVERHEAD
    for info in infos:
        limit = min(most, MAX_WEIGHT_BYTES) if info.filename == WEIGHTS else MAX_TEXT_BYTES
        if info.file_size > limit:
            raise ValueError(
                f"{info.filename} unpacks to {info.file_size:,} bytes; {limit:,} would be the most"
            )
        if info.filename == WEIGHTS and info.file_size < least:
            raise ValueError(f"{WEIGHTS} has {info.file_size:,} bytes, fewer than its network")


def _read(archive: zipfile.ZipFile, part: str) -> bytes:
    """The content of a part, of which no more is unpacked than the archive announces."""
    size = archive.getinfo(part).file_size
    with archive.open(part) as stored:
        content = stored.read(size + 1)
    if len(content) != size:
        raise ValueError(f"{part} is cut off or longer than announced")
    return content


def _check_config(config: Any, declared: Declared) -> bool:
    """Whether config.json declares a strength table; a `ValueError` if it is not one of ours."""
    _check_names(config)
    layers = {layer["name"]: layer for layer in config["config"]["layers"]}
    for part, (width, units) in declared.parts.items():
        found = layers[part]["config"]["layers"]
        dense = tuple(item["config"]["units"] for item in found if item["class_name"] == "Dense")
        inputs = [item["config"] for item in found if item["class_name"] == "InputLayer"]
        if [item["batch_shape"] for item in inputs] != [[None, width]]:
            raise ValueError(f"{part} does not take the {width} features that its game has")
        if dense != units or len(found) > 4 * len(units) + 4:
            raise ValueError(
                f"{part} has layers of {dense} units; its description calls for {units}"
            )
    _check_sizes(config, declared.largest())
    if TABLE_LAYER in layers:
        sizes = layers[TABLE_LAYER]["config"]
        if sizes["input_dim"] * sizes["output_dim"] != declared.num_table_weights():
            raise ValueError("the strength table is not of the size that its game calls for")
    return TABLE_LAYER in layers


def _check_names(config: Any) -> None:
    """Only layers that this program writes, from Keras itself."""
    for key, value in _walk(config, MAX_CONFIG_DEPTH):
        if key == "class_name" and value not in LAYERS | INSIDE_LAYERS:
            raise ValueError(f"{CONFIG} names {value!r:.60}, which no saved model has")
        if key == "module" and not _is_keras(value):
            raise ValueError(f"{CONFIG} names the module {value!r:.60}, which no saved model has")


def _check_sizes(config: Any, largest: int) -> None:
    """No number may be larger than the sizes of the network."""
    for key, value in _walk(config, MAX_CONFIG_DEPTH):
        if key == "shared_object_id" or isinstance(value, bool):
            continue
        if isinstance(value, int) and abs(value) > largest:
            raise ValueError(f"{CONFIG} declares a size of {value:.6g}; {largest} is the largest")


def _walk(value: Any, depth: int, key: str = "") -> Iterator[tuple[str, Any]]:
    """Every value in nested JSON with the name that it stands under."""
    if not depth:
        raise ValueError(f"{CONFIG} is nested too deeply")
    inner: Any = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = ((key, item) for item in value)
    else:
        yield key, value
    for name, item in inner:
        yield from _walk(item, depth - 1, name)


def _is_keras(module: Any) -> bool:
    return module is None or (isinstance(module, str) and module.split(".")[0] == "keras")


def _check_weights(content: bytes, at_most: int) -> None:
    """A `ValueError` unless the weights lie in this file, as so many numbers at most."""
    with h5py.File(io.BytesIO(content), "r") as file:
        total = 0
        for number, dataset in enumerate(_datasets(file, MAX_HDF5_DEPTH)):
            total += dataset.size
            if total > at_most or number > MAX_HDF5_ITEMS:
                raise ValueError(f"{WEIGHTS} declares more than {at_most:,} numbers")
            if dataset.dtype.kind != "f" or dataset.is_virtual or dataset.external:
                raise ValueError(f"{WEIGHTS} holds something else than numbers of its own")


def _datasets(group: Any, depth: int) -> Iterator[Any]:
    """All arrays of an HDF5 file that are not somewhere else."""
    if not depth or len(group) > MAX_HDF5_ITEMS:
        raise ValueError(f"{WEIGHTS} has too many parts")
    for name in group:
        if not isinstance(group.get(name, getlink=True), h5py.HardLink):
            raise ValueError(f"{WEIGHTS} refers to something outside of it")
        item = group[name]
        if isinstance(item, h5py.Group):
            yield from _datasets(item, depth - 1)
        elif isinstance(item, h5py.Dataset):
            yield item
