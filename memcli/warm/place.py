"""The place where a user's keepers listen, and which keeper fits a call; needs only `os` and `sys`."""

from __future__ import annotations

import os
import sys

from memcli import __version__

# The longest path of a Unix socket, in bytes: macOS allows 104 with the NUL at the end, Linux 108.
LONGEST = 103
# Bytes of the path after XDG_RUNTIME_DIR: "/memcli/", a version, "-", 16 digits, ".sock".
_ROOM = 48
# A Mersenne prime: the remainder by it serves as a hash, for which no module has to be imported.
_PRIME = 2**61 - 1
# Prefixes of variables that the interpreter, the loader and the libraries read once, on start.
AT_START = (
    "PYTHON", "LD_", "DYLD_", "MALLOC_", "GLIBC_", "OMP_", "OPENBLAS_", "GOTO_", "MKL_", "COVERAGE_",
)  # fmt: skip
# Variables that decide which model is held, and where its compiled form lies.
_HELD = ("MEMCLI_MODEL", "MEMCLI_CACHE_DIR", "HF_HOME", "HF_HUB_CACHE")
_HELD_BY_DEFAULT = ("HOME", "XDG_CACHE_HOME")
_HELD_LINES = (b"model", b"cache_dir")


def folder() -> str:
    """Return the folder of this user's keepers (it may not exist): in XDG_RUNTIME_DIR, else one in /tmp."""
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    if given.startswith("/") and len(os.fsencode(given)) + _ROOM <= LONGEST:
        return f"{given}/memcli"
    return f"/tmp/memcli-{os.geteuid()}"  # noqa: S108 - checked by `is_private` before it is used


def is_private(path: str) -> bool:
    """True if a path is a folder (no symlink) of ours that nobody else may enter."""
    try:
        there = os.lstat(path)
    except OSError:
        return False
    # The whole mode: the file type (04 for a folder), then the permissions.
    return there.st_mode & 0o170777 == 0o040700 and there.st_uid == os.geteuid() == os.getuid()


def identity() -> str:
    """Return all that a keeper must have in common with this process, one item per line.

    The version, the package and when it was written, the interpreter (and the name it was started by) with
    its flags and what it reads on start, and the settings that decide which model it holds.
    """
    package = os.path.dirname(os.path.dirname(__file__))
    written = os.stat(f"{package}/__init__.py")
    environment = os.environ
    held = _HELD if environment.get("MEMCLI_CACHE_DIR") else (*_HELD, *_HELD_BY_DEFAULT)
    return "\n".join([
        __version__, package, f"{written.st_ino} {written.st_mtime_ns}",
        os.path.realpath(sys.executable), sys.prefix, sys.version,
        str(tuple(sys.flags)), str(sys.warnoptions), str(sys._xoptions),  # noqa: SLF001 - documented so
        sys.getfilesystemencoding(), sys.getfilesystemencodeerrors(), *sys.path[1:],
        *sorted(f"{name}={environment[name]}" for name in environment if name.startswith(AT_START)),
        *(f"{name}={environment.get(name, '')}" for name in held),
        *_config_lines(),
    ])  # fmt: skip


def name_of(identity: str) -> str:
    """Return the name of the keeper with that identity: the version, and a hash of the identity."""
    number = int.from_bytes(os.fsencode(identity), "big") % _PRIME
    return f"{__version__}-{number:016x}"


def _config_lines() -> list[str]:
    """Return the lines of the config file that name the model or the cache, verbatim."""
    path = os.environ.get("MEMCLI_CONFIG") or _usual_config()
    try:
        descriptor = os.open(os.path.expanduser(path), os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return []
    try:
        lines = os.read(descriptor, 1 << 16).splitlines()
    except OSError:
        return []
    finally:
        os.close(descriptor)
    return [os.fsdecode(line.strip()) for line in lines if line.lstrip().startswith(_HELD_LINES)]


def _usual_config() -> str:
    """Return where platformdirs puts the config file, without importing it."""
    if sys.platform == "darwin":
        return "~/Library/Application Support/memcli/config.toml"
    return f"{os.environ.get('XDG_CONFIG_HOME') or '~/.config'}/memcli/config.toml"
