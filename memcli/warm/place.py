"""Where the keepers of a user listen, and who fits which, told with `os` and `sys` alone."""

from __future__ import annotations

import os
import sys

from memcli import __version__

# The longest path of a socket, in bytes: macOS has 104 with the NUL at its end, Linux 108.
LONGEST = 103
# What stands after the folder of the system: "/memcli/", a version, "-", 16 digits, ".sock".
_ROOM = 48
# A Mersenne prime: a number's rest by it is a short name, for which no module of hashes need be loaded.
_PRIME = 2**61 - 1
# What the interpreter, the loader and the libraries read once, when they start.
AT_START = (
    "PYTHON", "LD_", "DYLD_", "MALLOC_", "GLIBC_", "OMP_", "OPENBLAS_", "GOTO_", "MKL_", "COVERAGE_",
)  # fmt: skip
# What decides which model is held, and where it was compiled to.
_HELD = ("MEMCLI_MODEL", "MEMCLI_CACHE_DIR", "HF_HOME", "HF_HUB_CACHE")
_HELD_BY_DEFAULT = ("HOME", "XDG_CACHE_HOME")
_HELD_LINES = (b"model", b"cache_dir")


def folder() -> str:
    """The folder of this user's keepers, there or not: under XDG_RUNTIME_DIR, else one of its own in /tmp."""
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    if given.startswith("/") and len(os.fsencode(given)) + _ROOM <= LONGEST:
        return f"{given}/memcli"
    return f"/tmp/memcli-{os.geteuid()}"  # noqa: S108 - checked by `is_private` before it is used


def is_private(path: str) -> bool:
    """Whether a path is a folder, and no link to one, that its owner alone may enter, and we are that."""
    try:
        there = os.lstat(path)
    except OSError:
        return False
    # All of the mode: what stands there (a folder is 04), then who may do what.
    return there.st_mode & 0o170777 == 0o040700 and there.st_uid == os.geteuid() == os.getuid()


def identity() -> str:
    """All in which a keeper must be as this process would be, a line each.

    The version, the package and when it was written, the interpreter (by whichever name it was called) with
    its flags and what it reads at its start, and the settings that say which model it holds.
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
    """The name of the keeper of that identity: its version, and a number made of all of it."""
    number = int.from_bytes(os.fsencode(identity), "big") % _PRIME
    return f"{__version__}-{number:016x}"


def _config_lines() -> list[str]:
    """The lines of the config file that name what is held, as they stand: two that differ are two keepers."""
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
    """Where platformdirs puts it, which is not imported for this."""
    if sys.platform == "darwin":
        return "~/Library/Application Support/memcli/config.toml"
    return f"{os.environ.get('XDG_CONFIG_HOME') or '~/.config'}/memcli/config.toml"
