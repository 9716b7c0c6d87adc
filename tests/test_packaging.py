"""What is declared for installing agrees with what is there; installed commands work anywhere."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from commands.play_options import parse as parse_play
from interfaces.web.menu import find_opponents
from models.layout import models_at
from models.storage import StorageError
from tests.test_architecture import ROOMS, SCRIPTS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
VERSIONS = ("3.10", "3.11", "3.12", "3.13")


def text(name: str) -> str:
    return (ROOT / name).read_text()


def requirements(name: str) -> list[Requirement]:
    """What a file asks for; setuptools, which reads these files, knows no other files in them."""
    lines = [line.split("#")[0].strip() for line in text(name).splitlines()]
    return [Requirement(line) for line in lines if line]


def test_every_room_is_a_package_with_its_data() -> None:
    setuptools = PROJECT["tool"]["setuptools"]
    assert set(setuptools["packages"]["find"]["include"]) == {f"{room}*" for room in ROOMS}
    assert set(setuptools["py-modules"]) == set(SCRIPTS)
    shown = subprocess.run(
        ["git", "ls-files", *ROOMS], cwd=ROOT, capture_output=True, text=True, check=False
    )
    files = [ROOT / name for name in shown.stdout.splitlines()]
    if shown.returncode or not files:
        pytest.skip("not a clone: which files belong to the project is not known")
    declared = {
        file
        for package, patterns in setuptools["package-data"].items()
        for pattern in patterns
        for file in ROOT.joinpath(*package.split(".")).glob(pattern)
    }
    for file in files:
        if file.suffix == ".py":
            assert (file.parent / "__init__.py").is_file(), f"{file.parent} is no package"
        elif file.exists():
            assert file in declared, f"{file} would not be installed"


def test_requirements_are_read_from_the_files_that_make_uses() -> None:
    dynamic = PROJECT["tool"]["setuptools"]["dynamic"]
    assert dynamic["dependencies"]["file"] == ["requirements.txt"]
    extras = {name: found["file"] for name, found in dynamic["optional-dependencies"].items()}
    files = {name: [f"requirements-{name}.txt"] for name in ("dev", "gpu", "ray")}
    assert extras == files | {"dev": [*files["dev"], *files["ray"]]}
    for name in ("requirements.txt", *(file for files in extras.values() for file in files)):
        assert requirements(name)
    for version in VERSIONS:
        wanted = [
            found.name
            for found in requirements("requirements.txt")
            if found.marker is None or found.marker.evaluate({"python_version": version})
        ]
        assert wanted.count("keras") == 1
        assert ("tomli" in wanted) == (version == "3.10")


def test_the_same_versions_of_python_are_named_everywhere() -> None:
    supported = SpecifierSet(PROJECT["project"]["requires-python"])
    known = [f"3.{minor}" for minor in range(6, 20)]
    assert tuple(version for version in known if version in supported) == VERSIONS
    (matrix,) = re.findall(r"python: \[(.*)\]", text(".github/workflows/ci.yml"))
    assert tuple(re.findall(r"3\.\d+", matrix)) == VERSIONS
    (first, last) = re.findall(r"\((\d), (\d+)\)", text("Makefile"))
    assert (".".join(first), ".".join(last)) == (VERSIONS[0], VERSIONS[-1])
    assert all(f"python{version}" in text("Makefile") for version in VERSIONS)
    classifiers = " ".join(PROJECT["project"]["classifiers"])
    assert tuple(re.findall(r"3\.\d+", classifiers)) == VERSIONS
    assert f"Python {', '.join(VERSIONS[:-1])} or {VERSIONS[-1]}" in text("README.md")
    (image,) = re.findall(r"^FROM python:(\S+)$", text("Dockerfile"), re.MULTILINE)
    assert image in VERSIONS


def test_other_places_run_targets_of_make() -> None:
    targets = re.findall(r"^([\w./-]+):", text("Makefile"), re.MULTILINE)
    for name in ("Dockerfile", ".github/workflows/ci.yml", ".ci/run", "CONTRIBUTING.md"):
        used = re.findall(r"^(?:RUN |- run: | *)make (\S+)", text(name), re.MULTILINE)
        used += re.findall(r"`make (\S+?)`", text(name)) + re.findall(
            r"run: make (\S+)", text(name)
        )
        assert used, name
        assert set(used) <= set(targets), name


def test_the_citation_and_the_license_are_those_of_the_project() -> None:
    citation = dict(re.findall(r"^(\S+): (.+)$", text("CITATION.cff"), re.MULTILINE))
    assert citation["version"] == PROJECT["project"]["version"]
    assert citation["license"] == PROJECT["project"]["license"] == "MIT"
    (author,) = PROJECT["project"]["authors"]
    assert f"  - name: {author['name']}\n" in text("CITATION.cff")
    assert text("LICENSE").startswith("MIT License\n")
    assert author["name"] in text("LICENSE")
    named = re.findall(r"`((?:\w+/)*[\w-]+\.(?:py|md))`", text("CONTRIBUTING.md"))
    assert len(named) > 5
    assert not [name for name in named if not (ROOT / name).is_file()]


@pytest.mark.parametrize("command", PROJECT["project"]["scripts"])
def test_installed_commands_take_the_words_of_the_command_line(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    module, name = PROJECT["project"]["scripts"][command].split(":")
    assert command == f"deep-cfr-{module}"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [command, "--no-such-option"])
    with pytest.raises(SystemExit) as ended:
        getattr(importlib.import_module(module), name)()
    assert ended.value.code == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert not list(tmp_path.iterdir())


def test_pretrained_models_are_found_from_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = Path("checkpoints", "pretrained", "leduc")
    assert models_at(shown) == [ROOT / shown]
    assert parse_play([]).agent == f"search:{shown.with_name('hulh')}"
    menu = find_opponents(Path("checkpoints"))
    assert {"pretrained/hulh", "pretrained/fhp", "pretrained/leduc"} <= menu.specs.keys()
    for path in ("checkpoints/pretrained/nothing", "checkpoints/other", "pretrained/leduc"):
        with pytest.raises(StorageError, match=f"there is no {path}"):
            models_at(Path(path))
    shown.mkdir(parents=True)
    with pytest.raises(StorageError, match="holds no model"):
        models_at(shown)  # what lies here comes first
