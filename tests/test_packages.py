"""The list of packages in pyproject.toml is kept by hand; these tests compare it with the tree."""

from __future__ import annotations

import importlib
import os
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
TOP = {"front": "vademecum", "engine": "vademecum.engine", "storage": "vademecum.storage",
       "embeddings": "vademecum.embeddings", "transport": "vademecum.transport"}  # fmt: skip


def packages_in_the_tree() -> dict[str, str]:
    """Package name → folder, for every folder under the layers' folders that holds Python modules."""
    found = {}
    for top, name in TOP.items():
        for folder, _, files in os.walk(ROOT / top):
            if any(file.endswith(".py") for file in files):
                below = Path(folder).relative_to(ROOT / top).parts
                found[".".join([name, *below])] = "/".join([top, *below])
    found.pop("vademecum.embeddings.models", None)  # the shipped model and the script that builds it: data
    return found


def test_every_package_of_the_tree_is_listed_and_nothing_else() -> None:
    assert sorted(SETUPTOOLS["packages"]) == sorted(packages_in_the_tree())


def test_no_package_is_listed_twice() -> None:
    assert len(SETUPTOOLS["packages"]) == len(set(SETUPTOOLS["packages"]))


def test_every_package_is_mapped_to_its_own_folder() -> None:
    assert SETUPTOOLS["package-dir"] == packages_in_the_tree()


@pytest.mark.parametrize("name", sorted(SETUPTOOLS["packages"]))
def test_the_modules_that_are_imported_are_those_of_the_tree(name: str) -> None:
    """Whether installed in place or copied: what the tests run is what the tree holds, and all of it."""
    package = importlib.import_module(name)
    assert package.__file__ is not None
    installed = {file.name: file.read_bytes() for file in Path(package.__file__).parent.glob("*.py")}
    in_tree = {file.name: file.read_bytes() for file in (ROOT / SETUPTOOLS["package-dir"][name]).glob("*.py")}
    assert installed == in_tree


@pytest.mark.parametrize("package", sorted(SETUPTOOLS["package-data"]))
def test_every_pattern_of_package_data_names_a_package(package: str) -> None:
    assert package in SETUPTOOLS["packages"]


def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "front" / "py.typed").is_file()
    assert "py.typed" in SETUPTOOLS["package-data"]["vademecum"]
