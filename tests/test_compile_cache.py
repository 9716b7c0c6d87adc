"""The cache of compiled trees is fast to trust and never trusted blindly."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import numpy as np
import pytest

import env.compiler
from env.betting_tree import BettingTree
from env.compiler import compile_tree
from env.emulator import make_emulator
from env.game import load_game
from env.rules import FHP, KUHN, LEDUC
from env.states import Emulator


class Walks:
    """Counts how often the emulator is really walked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self._walk = env.compiler.walk
        monkeypatch.setattr(env.compiler, "walk", self)

    def __call__(self, emulator: Emulator) -> BettingTree:
        self.count += 1
        return self._walk(emulator)


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> Walks:
    return Walks(monkeypatch)


def assert_same(first: BettingTree, second: BettingTree) -> None:
    for field in dataclasses.fields(BettingTree):
        np.testing.assert_array_equal(getattr(first, field.name), getattr(second, field.name))


def test_second_compile_loads_the_same_tree(tmp_path: Path, walks: Walks) -> None:
    emulator = make_emulator(FHP)
    assert_same(compile_tree(emulator, tmp_path), compile_tree(emulator, tmp_path))
    assert walks.count == 1
    assert len(list(tmp_path.iterdir())) == 1, "no temporary file stays behind"


def test_other_rules_and_other_engines_have_other_trees(
    tmp_path: Path, walks: Walks, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_tree(make_emulator(LEDUC), tmp_path)
    compile_tree(make_emulator(dataclasses.replace(LEDUC, max_raises=(1, 1))), tmp_path)
    assert walks.count == 2
    emulator = make_emulator(LEDUC)
    monkeypatch.setattr(emulator, "version", "a later engine")
    compile_tree(emulator, tmp_path)
    assert walks.count == 3


def test_changed_source_makes_a_cached_tree_stale(
    tmp_path: Path, walks: Walks, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_tree(make_emulator(KUHN), tmp_path / "cache")
    copy = tmp_path / "env"
    shutil.copytree(Path(env.compiler.__file__).parent, copy, ignore=shutil.ignore_patterns("__*"))
    unchanged = env.compiler.source_digest(copy)
    with (copy / "rules.py").open("a") as file:
        file.write("# edited")
    env.compiler.source_digest.cache_clear()
    assert env.compiler.source_digest(copy) != unchanged
    monkeypatch.setattr(env.compiler, "_PACKAGE", copy)
    compile_tree(make_emulator(KUHN), tmp_path / "cache")
    assert walks.count == 2


def test_the_name_of_the_rules_does_not_matter(tmp_path: Path, walks: Walks) -> None:
    compile_tree(make_emulator(LEDUC), tmp_path)
    compile_tree(make_emulator(dataclasses.replace(LEDUC, name="my leduc")), tmp_path)
    assert walks.count == 1


@pytest.mark.parametrize(
    "damage", ["truncated", "empty", "text", "flipped", "locked", "array", "swapped"]
)
def test_a_damaged_cache_is_rebuilt(tmp_path: Path, walks: Walks, damage: str) -> None:
    emulator = make_emulator(LEDUC)
    tree = compile_tree(emulator, tmp_path)
    (path,) = tmp_path.iterdir()
    content = bytearray(path.read_bytes())
    if damage == "truncated":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "text":
        path.write_text("not a tree")
    elif damage == "flipped":
        content[len(content) // 3] ^= 0xFF
        path.write_bytes(content)
    elif damage == "locked":  # the bit that says an archive's entry is encrypted
        content[content.index(b"PK\x01\x02") + 8] ^= 1
        path.write_bytes(content)
    elif damage == "array":
        with path.open("wb") as file:
            np.save(file, tree.children)
    else:  # a well-formed file whose arrays are not the tree's
        arrays = dict(np.load(path))
        arrays["children"] = np.full_like(arrays["children"], -1)
        np.savez(path, **arrays)
    assert_same(compile_tree(emulator, tmp_path), tree)
    assert walks.count == 2
    assert_same(compile_tree(emulator, tmp_path), tree)
    assert walks.count == 2, "the rebuilt file is good again"


@pytest.mark.parametrize("position", range(40))
def test_no_flipped_byte_is_trusted(tmp_path: Path, position: int) -> None:
    emulator = make_emulator(KUHN)
    tree = compile_tree(emulator, tmp_path)
    (path,) = tmp_path.iterdir()
    content = bytearray(path.read_bytes())
    content[position * len(content) // 40] ^= 0x55
    path.write_bytes(content)
    assert_same(compile_tree(emulator, tmp_path), tree)


def test_an_unwritable_cache_only_costs_time(tmp_path: Path, walks: Walks) -> None:
    (tmp_path / "file").write_text("in the way")
    compile_tree(make_emulator(KUHN), tmp_path / "file" / "below")
    assert walks.count == 1


def test_the_environment_says_where_the_cache_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEEP_CFR_CACHE", str(tmp_path))
    load_game(KUHN)
    assert len(list((tmp_path / "trees").glob("*.npz"))) == 1


def test_the_key_covers_source_files_in_folders_below(tmp_path: Path) -> None:
    nested = tmp_path / "package" / "below" / "deeper"
    nested.mkdir(parents=True)
    (nested / "rules.py").write_text("CAP = 3\n")
    before = env.compiler.source_digest.__wrapped__(tmp_path / "package")
    (nested / "rules.py").write_text("CAP = 4\n")
    assert env.compiler.source_digest.__wrapped__(tmp_path / "package") != before
    (nested / "rules.py").write_text("CAP = 3\n")
    assert env.compiler.source_digest.__wrapped__(tmp_path / "package") == before
