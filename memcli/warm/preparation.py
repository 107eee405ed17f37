"""Preparation of a keeper: import every module, open the model, and work out what a first call would have to.

It runs the calls of `CALLS` on a temporary store, with invented texts, and deletes the store.
"""

from __future__ import annotations

import gc
import os
import pkgutil
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module

import memcli
from memcli.config.config import Config
from memcli.errors import MemcliError
from memcli.named_tuple import NamedTuple
from memcli.system import places
from memcli.system.numerics import load_numpy_for_little
from memcli.text.expressions import compile_all
from memcli.warm import pages

# Modules that only calls at a terminal import.
_FOR_TERMINALS = ("rich.console", "rich.table", "rich.text", "rich.progress", "difflib", "tomllib")
# Modules of commands that always run cold (`cold`), and that import much.
_ASIDE = ("memcli.agents.mcp", "memcli.commands.mcp")
_QUESTION = "which port does the staging server listen on?"
CALLS: tuple[tuple[str, ...], ...] = (
    ("remember", "The staging server listens on port 8443", "--tag", "ops"),
    # These conflict with the first: they exercise the contradiction check, on writing and in recall.
    ("remember", "The staging server is not slow, and listens on port 9443 since last March"),
    ("remember", "The staging server is slow and listens on a port of Ann's", "--force"),
    ("remember", "Ann Miller works at Acme and prefers tea to coffee"),
    ("remember", "--kind", "constraint", "Never deploy on Fridays"),
    ("recall", _QUESTION),
    ("recall", _QUESTION, "--json"),
    ("recall", _QUESTION, "--format", "table", "--explain"),
    ("recall", "what happened since Monday"),
    ("recall", "where does Ann Miller work?"),
    ("recall", "--words", "staging"),
    ("context",),
    ("context", "--json"),
    ("list", "--json"),
    ("log", "Which port does staging use?"),
    ("policy", "check", "deploy on Friday"),
)


class Prepared(NamedTuple):
    """The model and pages that a keeper holds: shown in its status, or used by its children."""

    model: str | None
    """The model's name; None if it is not compiled yet, since opening it then would import torch."""
    pages: list[pages.Range]
    """The memory pages that calls use."""


class StartCancelled(Exception):
    """The keeper was stopped before it was ready."""


def prepare(
    run: Callable[[list[str]], int], model: str | None, is_wanted: Callable[[], bool] = lambda: True
) -> Prepared:
    """Import and warm up everything; `run` carries out a command line.

    Raises StartCancelled as soon as `is_wanted` returns False.
    """

    def go_on() -> None:
        if not is_wanted():
            raise StartCancelled

    load_numpy_for_little()  # as each command does, before a module imports it
    for module in pkgutil.walk_packages(memcli.__path__, "memcli."):
        go_on()
        if not module.name.endswith("__main__") and not module.name.startswith(_ASIDE):
            with suppress(ImportError):  # an extra that is not installed
                import_module(module.name)
    for name in _FOR_TERMINALS:
        with suppress(ImportError):
            import_module(name)
    held = _ready(model)
    with _elsewhere(held):

        def do() -> None:
            for call in CALLS:
                go_on()
                if held or call[0] != "remember":
                    sys.argv = ["mem", *call]
                    run([*call])

        do()
        compile_all()
        go_on()
        os.environ["MEMCLI_DB"] += ".again"
        # The objects that exist now are exempt from garbage collection, so that children go on sharing
        # their pages.
        gc.collect()
        gc.freeze()
        gc.disable()
        return Prepared(held, pages.used_by(do))


def _ready(model: str | None) -> str | None:
    """Return the name of the model if it is compiled, else None."""
    from memcli.embedding.manifest import find_compiled
    from memcli.embedding.models import locate_model

    try:
        config = Config()
        name = model or config["model"]
        return name if find_compiled(locate_model(name), config["cache_dir"]) else None
    except (MemcliError, OSError):
        return None


@contextmanager
def _elsewhere(model: str | None) -> Iterator[None]:
    """Use a temporary home, store and configuration: nothing of it remains but what is in memory."""
    before, folder = dict(os.environ), tempfile.mkdtemp(prefix="mem-")
    cache = str(Config()["cache_dir"])
    try:
        for name in [each for each in os.environ if each.startswith(("MEMCLI_", "_MEM"))]:
            del os.environ[name]
        os.environ.update(
            HOME=folder, MEMCLI_DB=f"{folder}/memory.db", MEMCLI_CONFIG=f"{folder}/config.toml",
            MEMCLI_CACHE_DIR=cache, **({"MEMCLI_MODEL": model} if model else {}),
        )  # fmt: skip
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        time.tzset()
        shutil.rmtree(folder, ignore_errors=True)
        places.forget_guarded()
        tempfile.tempdir = None
