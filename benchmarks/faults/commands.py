"""The store that is broken, and the commands that it is broken under."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

# What an erasure must leave nowhere.
SECRET = "the heron nests behind the boathouse"
_BATCH = "".join(
    f"the {colour} boat lies at berth {n}\n" for n, colour in enumerate(("red", "blue", "green", "white"))
)
_TURNS = (
    '{"role":"user","content":"I moved to Turku in May"}\n{"role":"assistant","content":"Noted."}\n'
)  # fmt: skip


class Command(NamedTuple):
    """A command line. `whole`: all of it or nothing; `erases`: SECRET is nowhere at its end.

    `first` are command lines that befall the store before; `damaged`: then a page of an index is
    lost, and what is looked at afterwards is the store once the command has run again unharmed.
    """

    words: tuple[str, ...]
    stdin: str = ""
    whole: bool = True
    erases: bool = False
    first: tuple[tuple[str, ...], ...] = ()
    damaged: bool = False


_ENCRYPT = ("encrypt", "--key-file", "KEY")


TABLE = (
    Command(("remember", "the tide table hangs in the kitchen")),
    Command(("remember", "--batch"), _BATCH, whole=False),
    Command(("remember", SECRET)),
    Command(("correct", "@0", "the ferry leaves at nine")),
    Command(("confirm", "@1")),
    Command(("edit", "@2", "--tag", "harbour", "--importance", "0.9")),
    Command(("merge", "@3", "@4", "--text", "both buoys are lit")),
    Command(("forget", "@5", "--reason", "over")),
    Command(("forget", "--hard", "--query", "heron boathouse", "--yes"), whole=False, erases=True),
    Command(("restore", "@ended")),
    Command(("undo",)),
    Command(("log", "the pilot came aboard at six")),
    Command(("session", "end", "--session", "voyage"), whole=False),
    Command(("session", "import", "-", "--session", "letters"), _TURNS, whole=False),
    Command(("task", "start", "paint the hull")),
    Command(("task", "note", "the primer is dry")),
    Command(("block", "set", "owner", "She sails alone.")),
    Command(("link", "Ann", "owns", "the Petrel")),
    Command(("unlink", "Ann", "moors_at", "Berth 4")),
    Command(("checkpoint", "save", "refit"), '{"at": 3}'),
    Command(
        ("procedure", "add", "moor", "-"),
        "---\ndescription: moor the boat\nsteps:\n  - bow line\n  - stern line\n---\n",
    ),
    Command(("rule", "add", "never", "weather", "--pattern", "drizzle")),
    Command(("space", "rename", "shed", "barn"), whole=False),
    Command(("space", "forget", "shed", "--yes")),
    Command(("space", "forget", "shed", "--hard", "--yes"), whole=False),
    Command(("import", "-"), '{"text":"the lamp is out"}\n{"text":"the bell rings"}\n', whole=False),
    Command(("export", "-o", "OUT")),
    Command(("sync", "SHARED"), whole=False),
    Command(("sync", "SHARED"), whole=False, first=(("sync", "SHARED"), ("confirm", "@1"))),
    Command(("merge-store", "OTHER"), whole=False),
    Command(("consolidate",), whole=False),
    Command(("backup", "create")),
    Command(("snapshot", "create", "monday")),
    Command(("snapshot", "rollback", "sunday", "--yes")),
    Command(("backup", "restore", "latest", "--yes")),
    Command(_ENCRYPT),
    Command(("rekey", "--key-file", "NEXT"), first=(_ENCRYPT,)),
    Command(("decrypt",), first=(_ENCRYPT,)),
    Command(("backup", "restore", "latest", "--yes"), first=(_ENCRYPT,)),
    Command(("snapshot", "rollback", "sunday", "--yes"), first=(_ENCRYPT,)),
    Command(
        ("forget", "--hard", "--query", "heron boathouse", "--yes"),
        whole=False,
        erases=True,
        first=(_ENCRYPT,),
    ),
    Command(("doctor", "--repair"), damaged=True),
    Command(("reindex",), whole=False),
    Command(("recall", "where is the ferry?")),
    Command(("context",)),
)


def make_store(folder: Path, call: Callable[..., int]) -> None:
    """Fill an empty folder with the store that every round begins with; `call` runs a command line there."""
    chance = random.Random(11)
    nouns = ("buoy", "anchor", "chart", "lamp", "mast", "oar", "rope", "sail")
    places = ("quay", "shed", "locker", "bridge", "hold")
    lines = [f"the {noun} number {n} is in the {chance.choice(places)}" for n, noun in enumerate(nouns * 4)]
    call("remember", "--batch", stdin="".join(f"{line}\n" for line in lines))
    for words in (
        ("remember", "the ferry leaves at eight"),
        ("remember", SECRET),
        ("remember", f"Ann said that {SECRET}"),
        ("remember", "I prefer tea to coffee", "--tag", "drinks"),
        ("remember", "--space", "shed", "the saw hangs by the door"),
        ("remember", "to be forgotten: the old pier"),
        ("forget", "--query", "the old pier", "--yes"),
        ("block", "set", "owner", "She keeps a log."),
        ("link", "Ann", "moors_at", "Berth 4"),
        ("task", "start", "find the leak"),
        ("procedure", "list"),
        ("backup", "create"),
        ("snapshot", "create", "sunday"),
        ("remember", "since sunday the flag is up"),
        ("consolidate",),
        ("--db", "OTHER", "remember", "the dinghy is yellow"),
        ("--db", "OTHER", "block", "set", "hut", "The key is under the mat."),
        ("--db", "OTHER", "sync", "SHARED"),
    ):
        call(*words)
    for n in range(6):
        call("log", "--session", "voyage", f"at hour {n} the wind was {3 + n} knots")


def lose_index(path: Path) -> None:
    """Overwrite the first page of an index, so that the file is salvaged into a new one."""
    with closing(sqlite3.connect(path)) as db:
        [(page,)] = db.execute(
            "SELECT min(rootpage) FROM sqlite_master WHERE type = 'index' AND tbl_name = 'memories'"
        )
        [(size,)] = db.execute("PRAGMA page_size")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(bytes(size))
