"""Copy of a whole store to an empty place, in resumable transactions; it appears only when proven.

A file is written beside its place and gets its name at the end; a database bears a mark until then, and
`open_store` refuses it. Interrupted anywhere, the same command continues with the next batch. The source is
only read, as it stood when this run began.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from memcli import times
from memcli.config.config import Config
from memcli.config.location import Address, Location
from memcli.doors import COPIES, Deed
from memcli.errors import BadInput, StoreBusy, StoreUnusable
from memcli.messages import Command, message
from memcli.model import EVERYWHERE
from memcli.named_tuple import NamedTuple
from memcli.scope import require
from memcli.storage import Store, areas, states
from memcli.storage.batches import in_batches
from memcli.storage.encryption import own_salt
from memcli.storage.errands import INCOMING
from memcli.storage.stores import drop_incoming, open_incoming, open_to_copy
from memcli.system.files import put_where_nothing_is, sync_folder
from memcli.system.places import SIDE_FILES
from memcli.upkeep.moving.parts import BATCH, PARTS
from memcli.upkeep.moving.verification import PartDigest, digests

# The key of the progress note in the target; it is dropped when the copy is proven.
_KEY = "copy"

Progress = Callable[[int], None]


class Copied(NamedTuple):
    """Counts of what was copied, by part; `resumed` if an earlier run had begun it."""

    parts: dict[str, PartDigest]
    resumed: bool

    def to_record(self) -> dict[str, Any]:
        """Return the result as JSON types."""
        counts = {name: each.rows for name, each in self.parts.items()}
        return {
            **counts,
            "digests": {name: each.sum for name, each in self.parts.items()},
            "resumed": self.resumed,
        }


def copy_store(
    source: Location,
    target: Location,
    config: Config,
    *,
    plain: bool = False,
    progress: Progress = lambda _: None,
) -> Copied:
    """Copy all that a store holds to an empty place, and prove that it is the same there.

    `plain` allows copying an encrypted store to an unencrypted place. `progress` is called with how many
    rows are written. Raises Refused for an untrusted origin, NotFound, BadInput for a target that is not
    empty, StoreBusy if another process copies there, StoreUnusable.
    """
    require(config, COPIES, Deed.CHANGE, "copying the store")
    if _is_same(source, target):
        raise BadInput(f"{target}: from and to are the same store; name another place")
    with ExitStack() as stack:
        old = stack.enter_context(closing(open_to_copy(source, config["busy_timeout"])))
        stack.enter_context(old.reading())
        if own_salt(old) and not plain:
            raise BadInput(
                f"{source} is encrypted, and {target} would not be",
                by_hand=message(
                    "--plain all the same, then ", Command("encrypt"), " for a file, or the disk of a server"
                ),
            )
        if next(old.damaged(), None):
            raise StoreUnusable(
                f"{source}: rows of it are damaged", by_hand=message(Command("doctor --repair"), " first")
            )
        with _incoming(target, config) as new:
            halves = isinstance(source, Address) or isinstance(target, Address)
            return _Copy(old, new, str(source), progress).carried_out(halves=halves)


class _NotTheSame(StoreUnusable):
    """Raised if the copy differs from the source."""


class _Copy:
    """One run of a copy."""

    def __init__(self, source: Store, target: Store, named: str, progress: Progress) -> None:
        self._source, self._target, self._named = source, target, named
        self._progress = progress
        self._note = self._begun()

    def carried_out(self, *, halves: bool) -> Copied:
        resumed = self._note["begun"]
        self._copy()
        self._index()
        here, there = self._digests(halves=halves)
        if here != there and resumed:
            # The source changed since the earlier run, so everything is written once more.
            self._put_note(part=0, done=0, rows=0)
            self._copy()
            here, there = self._digests(halves=halves)
        if here != there:
            parts = ", ".join(name for name in here if here[name] != there[name])
            raise _NotTheSame(
                f"{self._target.location}: is not as {self._named}, which was changed meanwhile ({parts}); "
                "nothing of it was kept, and the same again begins anew"
            )
        self._target.drop_state(EVERYWHERE, areas.INCOMING.name, _KEY)
        return Copied(here, resumed)

    def _index(self) -> None:
        """Build a server's indexes after all rows are there, not row by row."""
        while self._target.path is None and self._target.tend():
            pass

    def _digests(self, *, halves: bool) -> tuple[dict[str, PartDigest], dict[str, PartDigest]]:
        return digests(self._source, halves=halves), digests(self._target, halves=halves)

    def _begun(self) -> dict[str, Any]:
        note = states.read_state(self._target, EVERYWHERE, areas.INCOMING.name, _KEY)
        if note is None:
            if _holds_anything(self._target):
                raise BadInput(
                    f"{self._target.location}: holds a store already",
                    by_hand=message("name an empty place, or unite the two with ", Command("merge-store")),
                )
            self._note = {"from": self._named, "part": 0, "done": 0, "rows": 0}
            with self._target.writing():
                self._put_note()
                if model := self._source.model():
                    self._target.use_model(model)
            return {**self._note, "begun": False}
        if note.value["from"] != self._named:
            raise BadInput(
                f"{self._target.location}: an unfinished copy of {note.value['from']} is there; finish that, "
                "or remove it"
            )
        return {**note.value, "begun": True}

    def _copy(self) -> None:
        for number, part in enumerate(PARTS):
            if number < self._note["part"]:
                continue
            done = self._note["done"] if number == self._note["part"] else 0
            for batch in in_batches(islice(part.read(self._source), done, None), BATCH):
                done += len(batch)
                with self._target.writing():
                    part.write(self._source, self._target, batch)
                    self._put_note(part=number, done=done, rows=self._note["rows"] + len(batch))
                self._progress(self._note["rows"])
            if self._source.left_out:
                raise StoreUnusable(
                    f"{self._named}: rows of it cannot be read",
                    by_hand=message(Command("doctor --repair"), " first"),
                )

    def _put_note(self, **fields: int) -> None:
        self._note = {**self._note, **fields}
        said = {name: self._note[name] for name in ("from", "part", "done", "rows")}
        states.write_state(self._target, EVERYWHERE, areas.INCOMING.name, _KEY, said, times.now())


def _holds_anything(store: Store) -> bool:
    return bool(store.total(None)) or any(True for _ in store.states()) or any(True for _ in store.history())


def _is_same(source: Location, target: Location) -> bool:
    if isinstance(source, Path) and isinstance(target, Path):
        return source.resolve() == target.resolve() or (
            target.exists() and source.exists() and target.samefile(source)
        )
    return source == target


@contextmanager
def _incoming(target: Location, config: Config) -> Iterator[Store]:
    """Yield the store to write, locked; at the end it becomes the one at `target`."""
    if isinstance(target, Address):
        with _written(target, target, config) as store:
            yield store
        return
    _require_room(target)
    part = target.with_name(f".{target.name}.incoming")
    with _written(part, target, config) as store:
        yield store
    if part.with_name(f"{part.name}-wal").exists():
        raise StoreBusy(f"{part}: another process has it open", advice="run the same again")
    try:
        put_where_nothing_is(part, target)
    except BadInput as error:
        raise BadInput(message(error, f"; the copy is complete, at {part}")) from None
    sync_folder(target.parent)


@contextmanager
def _written(part: Location, target: Location, config: Config) -> Iterator[Store]:
    with closing(open_incoming(part, config["busy_timeout"])) as store:
        busy = f"{target}: another process copies a store there"
        with store.alone(INCOMING, busy=busy, patience=0):
            try:
                yield store
            except _NotTheSame:
                store.close()
                drop_incoming(part)
                raise


def _require_room(target: Path) -> None:
    if target.is_dir():
        raise BadInput(f"{target}: a folder; name the file of the new store")
    for each in (target, *(target.with_name(target.name + tail) for tail in SIDE_FILES)):
        if each.exists() or each.is_symlink():
            raise BadInput(f"{each}: is there already; name an empty place")
    if not target.parent.is_dir():
        raise BadInput(f"{target.parent}: no such folder; create it first")
