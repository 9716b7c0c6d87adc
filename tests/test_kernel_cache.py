"""Caches that cannot be written, and kernels that must be compiled first."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest

from env import kernel_cache

ROOT = Path(__file__).parent.parent


def locked_copy(folder: Path) -> dict[str, str]:
    """A copy of the game that can write no cache, and the environment of a process that cannot.

    A file stands where each cache would be, because permissions do not bind every user.
    """
    shutil.copytree(ROOT / "env", folder / "env", ignore=shutil.ignore_patterns("__pycache__"))
    for file in (folder / "env" / "__pycache__", folder / ".cache", folder / "home"):
        file.write_text("in the way")
    (folder / "tmp").mkdir()
    home = str(folder / "home" / "below")
    places = {"HOME": home, "XDG_CACHE_HOME": home, "NUMBA_CACHE_DIR": home, "DEEP_CFR_CACHE": ""}
    return os.environ | places | {"TMPDIR": str(folder / "tmp")}


def test_a_folder_that_cannot_be_written_costs_one_line(tmp_path: Path) -> None:
    environment = locked_copy(tmp_path)
    shown = subprocess.run(
        [sys.executable, "-m", "env", "kuhn", "--line", "cr"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert shown.returncode == 0, shown.stderr
    said = [line for line in shown.stderr.splitlines() if line != kernel_cache.COMPILING]
    (used,) = (tmp_path / "tmp").iterdir()
    assert said == [f"no cache can be written beside the program; {used} is used instead"]
    assert used.stat().st_mode & 0o077 == 0, "kernels are code: for this user alone"
    assert list((used / "trees").glob("*.npz")), "the tree is kept there, too"


def test_a_folder_of_somebody_else_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    kernel_cache.temporary_root.cache_clear()
    first = kernel_cache.temporary_root()
    kernel_cache.temporary_root.cache_clear()
    assert kernel_cache.temporary_root() == first, "kernels are found again"
    first.chmod(0o777)
    kernel_cache.temporary_root.cache_clear()
    other = kernel_cache.temporary_root()
    kernel_cache.temporary_root.cache_clear()
    assert other != first
    assert other.stat().st_mode & 0o077 == 0


def test_a_kernel_is_compiled_again_when_one_that_it_calls_has_changed(tmp_path: Path) -> None:
    """Numba by itself looks at the file of the outer kernel alone."""
    shutil.copytree(ROOT / "env", tmp_path / "env", ignore=shutil.ignore_patterns("__pycache__"))
    inner, outer = tmp_path / "env" / "inner.py", tmp_path / "env" / "outer.py"
    outer.write_text(
        "from numba import njit\nfrom env.inner import add\n"
        "@njit(cache=True)\ndef twice(x):\n    return add(add(x))\n"
    )

    def answer() -> str:
        code = "from env.outer import twice; print(twice(0))"
        environment = {key: os.environ[key] for key in os.environ if key != "NUMBA_CACHE_DIR"}
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env=environment,
            check=True,
            text=True,
            capture_output=True,
        )
        return done.stdout.strip()

    for step in (1, 10):
        inner.write_text(
            f"from numba import njit\n@njit(cache=True)\ndef add(x):\n    return x + {step}\n"
        )
        assert answer() == str(2 * step)
        assert answer() == str(2 * step)


def test_compiling_is_announced_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel: Any = numba.njit(_plus_one)
    monkeypatch.setattr(kernel_cache, "PROJECT", Path(__file__).parent / "elsewhere")
    kernel_cache.announce_compilation()
    kernel(1)
    assert capsys.readouterr().err == "", "not a kernel of this project"
    monkeypatch.setattr(kernel_cache, "PROJECT", Path(__file__).parent)
    kernel(1.0)
    kernel(1j)
    assert kernel_cache.COMPILING in capsys.readouterr().err
    kernel(True)
    assert capsys.readouterr().err == "", "said once"


def _plus_one(x: float) -> float:
    return x + 1
