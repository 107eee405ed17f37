"""The sdist and the wheel: built without the network and looked into; the wheel, installed by itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Mapping
from configparser import ConfigParser
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import pytest

from memcli import __version__

pytest.importorskip("hatchling", reason="hatchling, which builds the distributions, is not installed")

ROOT = Path(__file__).parent.parent
# What is installed beside the program: the manual page, and completions where each shell looks for them.
SHARED = {
    "share/man/man1/mem.1": "man/mem.1",
    "share/bash-completion/completions/mem": "completions/mem.bash",
    "share/zsh/site-functions/_mem": "completions/_mem",
    "share/fish/vendor_completions.d/mem.fish": "completions/mem.fish",
}


class Built(NamedTuple):
    """The distributions, and the folder that the sdist unpacks to."""

    sdist: Path
    wheel: Path
    unpacked: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The sdist of this checkout, and the wheel made of what the sdist holds, as `python -m build` does."""
    folder = tmp_path_factory.mktemp("distributions")
    hatchling = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run([*hatchling, "-t", "sdist"], cwd=ROOT, check=True, capture_output=True)
    [sdist] = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        # Of our own making; the older of Python 3.11 have no filters.
        archive.extractall(folder)
    unpacked = folder / sdist.name.removesuffix(".tar.gz")
    subprocess.run([*hatchling, "-t", "wheel"], cwd=unpacked, check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    return Built(sdist, wheel, unpacked)


@pytest.fixture(scope="module")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel in it; what memcli needs comes from around it."""
    venv = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    python = venv / ("Scripts" if os.name == "nt" else "bin") / "python"
    install: list[str | Path] = [
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--no-deps",
        "--no-index",
        built.wheel,
    ]
    subprocess.run([sys.executable, *install], check=True, capture_output=True)
    [packages] = venv.glob("[Ll]ib/**/site-packages")
    # Behind its own: a checkout that is installed around it is not seen.
    (packages / "around.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    return venv


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def tracked() -> list[str]:
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("this is no checkout of git")
    return [line for line in done.stdout.splitlines() if (ROOT / line).is_file()]


def test_the_wheel_has_the_program_its_types_pages_manual_and_completions(built: Built) -> None:
    held = names(built.wheel)
    modules = {path for path in tracked() if path.startswith("memcli/")}
    pages = {f"memcli/{path}" for path in tracked() if path.startswith("docs/")}
    shared = {f"memcli-{__version__}.data/data/{path}" for path in SHARED}
    assert {"memcli/py.typed", "memcli/docs/install.md", "memcli/docs/commands/recall.md"} <= held
    about = {name for name in held if name.startswith(f"memcli-{__version__}.dist-info/")}
    # That, and nothing else: no test, no benchmark, no data of theirs, no cache.
    assert held - about == modules | pages | shared


def test_the_wheel_says_what_it_is(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        told = f"memcli-{__version__}.dist-info"
        about = HeaderParser().parsestr(archive.read(f"{told}/METADATA").decode())
        points = ConfigParser()
        points.read_string(archive.read(f"{told}/entry_points.txt").decode())
        assert b"MIT License" in archive.read(f"{told}/licenses/LICENSE")
    assert (about["Name"], about["Version"], about["License-Expression"]) == ("memcli", __version__, "MIT")
    assert about["Requires-Python"] == ">=3.11" and about["Summary"] and about["Description-Content-Type"]
    assert set(points["console_scripts"]) == {"mem", "memcli"}
    assert points["llm"]["memcli"] == "memcli.agents.llm_plugin"
    extras = set(about.get_all("Provides-Extra", []))
    assert {"mcp", "llm", "keyring", "age", "openai"} <= extras


def test_the_sdist_is_what_it_takes_to_build_test_and_package(built: Built) -> None:
    held = {
        str(path.relative_to(built.unpacked).as_posix())
        for path in built.unpacked.rglob("*")
        if path.is_file()
    }
    wanted = {path for path in tracked() if PurePosixPath(path).name != ".gitignore"}
    assert wanted <= held
    # What is made, and what git leaves out, is not in it.
    assert held - wanted <= {"PKG-INFO", ".gitignore"}


def test_the_installed_program_runs_and_shows_its_pages(installed: Path, own_home: Path) -> None:
    assert run(installed, "mem", "--version").stdout.strip().endswith(__version__)
    assert run(installed, "memcli", "--version").returncode == 0
    assert "install" in run(installed, "mem", "help").stdout
    assert "pipx" in run(installed, "mem", "help", "install").stdout
    where = run(installed, "python", "-c", "import memcli; print(memcli.__file__)").stdout
    assert Path(where.strip()).is_relative_to(installed)
    assert run(installed, "mem", "remember", "--dry-run", "--help").returncode == 0


def test_beside_the_installed_program_stand_manual_and_completions(installed: Path) -> None:
    for path, source in SHARED.items():
        assert (installed / path).read_bytes() == (ROOT / source).read_bytes()


@pytest.mark.skipif(not shutil.which("man"), reason="man is not installed")
def test_man_finds_the_page_of_an_active_environment(installed: Path) -> None:
    done = run(installed, "man", "-w", "mem")
    if "minimized" in done.stdout + done.stderr:
        pytest.skip("man is a stub on this machine")
    assert done.stdout.strip() == str(installed / "share" / "man" / "man1" / "mem.1"), done.stderr


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_completes_by_what_is_installed(installed: Path, own_home: Path) -> None:
    told = {"XDG_DATA_DIRS": str(installed / "share")}
    done = run(installed, "fish", "-c", "complete -C 'mem reca'", env=told)
    assert done.stdout.startswith("recall"), done.stderr


def run(
    installed: Path, *command: str, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in the environment, as one who activated it does."""
    folder = installed / ("Scripts" if os.name == "nt" else "bin")
    around = {name: text for name, text in os.environ.items() if name not in ("PYTHONPATH", "MANPATH")}
    path = os.pathsep.join([str(folder), os.environ["PATH"]])
    program = shutil.which(command[0], path=path)
    assert program, command[0]
    return subprocess.run(
        [program, *command[1:]],
        env={**around, **(env or {}), "PATH": path},
        cwd=installed,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
