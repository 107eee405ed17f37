"""The small install: what it lists is what is needed without torch, in the versions that are tested."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
# What the default model is run without, and what only these ask for.
LEFT_OUT = {"sentence-transformers", "huggingface-hub", "tzdata", "pip"}


def versions(file: str) -> dict[str, str]:
    lines = (ROOT / file).read_text("utf-8").splitlines()
    pinned = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {normal(name): version for name, version in pinned}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_small_install_has_the_tested_versions() -> None:
    whole = versions("constraints.txt")
    assert {name: whole.get(name) for name in versions("requirements-slim.txt")} == versions(
        "requirements-slim.txt"
    )


def test_the_small_install_lacks_nothing_that_the_default_model_needs() -> None:
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    open_, needed = [Requirement(each) for each in asked], set[str]()
    while open_:
        each = open_.pop()
        name = normal(each.name)
        if name in needed | LEFT_OUT or (each.marker and not each.marker.evaluate({"extra": ""})):
            continue
        needed.add(name)
        try:
            open_ += [Requirement(line) for line in requires(name) or ()]
        except PackageNotFoundError:
            pytest.skip(f"{name} is not installed here")
    assert needed == set(versions("requirements-slim.txt"))
