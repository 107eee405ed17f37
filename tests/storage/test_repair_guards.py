"""What is read for a proof, of a damaged file and of copies; what is derived, checked, salvaged, put back."""

from __future__ import annotations

import errno
import shutil
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlcipher3.dbapi2 as sqlite

from memcli.errors import (
    NewerStore,
    StoreBusy,
    StoreDamaged,
    StoreFull,
    StoreUnusable,
    WrongKey,
)
from memcli.memories import Memories
from memcli.model import Change, Event, Filter
from memcli.storage import digests
from memcli.storage.encryption import FileKey, convert_store
from memcli.storage.known_copies import CopyKind, StoreCopy
from memcli.storage.ledger import Clock, state_key
from memcli.storage.reports import UNREAD, Erasure
from memcli.storage.sqlite.checks import check
from memcli.storage.sqlite.checks.check import check_content
from memcli.storage.sqlite.erasing import copy_erasure, decrypted
from memcli.storage.sqlite.file import damage, reading_copy
from memcli.storage.sqlite.file.damage import HEADER_SIZE
from memcli.storage.sqlite.file.opening import (
    PAGE_SIZE,
    learn_key,
    open_database,
    open_in_memory,
    salt_of,
)
from memcli.storage.sqlite.file.setting_aside import set_aside
from memcli.storage.sqlite.repair import disk_errors, first_page, salvage
from memcli.storage.sqlite.repair.mender import Mender, remembered_memory
from memcli.storage.sqlite.repair.new_file import salvage_into_new_file
from memcli.storage.sqlite.replacement import conversion, restoring
from memcli.storage.sqlite.store import SqliteStore
from memcli.storage.sqlite.tables.schema import SCHEMA_VERSION
from memcli.storage.sqlite.tables.signs import wrong_signs
from memcli.storage.stores import open_incoming, open_store, repair_store, restore_store
from tests.erasure import erase_memories
from tests.storage.conftest import refused


def test_what_is_looked_through_is_one_state_of_the_file(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decrypted, "_CHUNK", 0)
    values = decrypted.decrypted_values(kept)
    first = next(values)
    with closing(open_database(kept)) as db:
        db.execute("CREATE TABLE zebra (x)")
        db.execute("INSERT INTO zebra VALUES ('came later')")
    said = b"\0".join([first, *values])
    assert b"the mill grinds rye" in said and b"came later" not in said and b"zebra" not in said
    # Names and the SQL of what there is are looked through, too, in whatever portions.
    assert b"CREATE TABLE memories" in said.replace(b'"', b"") or b"memories" in said


def test_texts_and_blobs_are_looked_through_and_numbers_are_not(tmp_path: Path) -> None:
    with closing(open_database(tmp_path / "x.db")) as db:
        db.execute("CREATE TABLE t (a)")
        db.executemany("INSERT INTO t VALUES (?)", [("text",), (b"blob",), (7,), (None,)])
    assert b"text\0blob" in b"".join(decrypted.decrypted_values(tmp_path / "x.db"))


@pytest.mark.parametrize("fails", [(), ("",), ("", " DESC")])
@pytest.mark.parametrize("is_ordered", [False, True])
def test_a_query_that_breaks_is_read_from_its_end_where_it_has_one(
    fails: tuple[str, ...], is_ordered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = "SELECT x FROM t" + (" ORDER BY x" if is_ordered else "")

    def rows(db: object, asked: str, values: object = ()) -> Any:
        yield ("row",)
        if asked.removeprefix(sql) in fails:
            raise refused(sqlite.SQLITE_CORRUPT)

    monkeypatch.setattr(salvage, "_undecoded", rows)
    found = [*salvage._each_way(None, sql)]
    assert len(found) == (2 if fails and is_ordered else 1)


def test_a_full_disk_is_not_taken_for_rows_that_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: object) -> Any:
        raise refused(sqlite.SQLITE_FULL)
        yield

    monkeypatch.setattr(salvage, "_undecoded", full)
    db: Any = None
    with pytest.raises(sqlite.Error):
        [*salvage._each_way(db, "SELECT x FROM t")]
    broken: set[str] = set()
    with pytest.raises(sqlite.Error):
        [*salvage.readable_rows(db, digests.MEMORY, ["id"], broken)]
    assert not broken
    # Of one row by its key, too: that it is not there would be said for good.
    with pytest.raises(sqlite.Error):
        salvage._rows_of(*_asked(sqlite.SQLITE_FULL))
    assert salvage._rows_of(*_asked(sqlite.SQLITE_CORRUPT)) == []


def _asked(code: int) -> tuple[Any, str, tuple[str]]:
    """A connection that answers nothing, and what it is asked."""

    def fail(*given: object) -> Any:
        raise refused(code)

    return SimpleNamespace(text_factory=str, execute=fail), "SELECT x FROM t WHERE id = ?", ("id",)


def test_of_a_sound_file_all_is_read_once_and_known_by_its_indexes(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(salvage, "_GAP", 9)
    broken: set[str] = set()
    with closing(open_database(kept)) as db:
        [(memory_id,)] = db.execute("SELECT id FROM memories")
        assert salvage.known_ids(db) == {memory_id}
        assert [*salvage.readable_rows(db, digests.MEMORY, ["id"], broken)] == [(1, memory_id)]
        assert set(salvage._other_keys(db, digests.MEMORY, {(3,)})) >= {(1,), (2,)}
    assert not broken


@pytest.mark.parametrize(
    ("head", "is_mended"),
    [(b"", True), (b"SQLite format 3\0", True), (b"SQLite format 3\0" + bytes(200), True),
     (bytes(range(1, 200)), False)],
)  # fmt: skip
def test_the_head_of_a_plain_file_is_written_anew_and_of_no_other(
    tmp_path: Path, head: bytes, is_mended: bool
) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(head)
    salvage._mend_header(path)
    assert (path.read_bytes() != head) is is_mended
    assert path.read_bytes().startswith(b"SQLite format 3\0") is is_mended
    if is_mended:
        assert path.stat().st_size == PAGE_SIZE and path.read_bytes()[28:32] == b"\0\0\0\1"


def test_a_plain_file_and_none_have_no_salt_and_a_copy_in_memory_leaves_nothing(kept: Path) -> None:
    beside = sorted(each.name for each in kept.parent.iterdir())
    assert salt_of(kept) is None and salt_of(kept.with_name("none")) is None
    with closing(open_in_memory(kept)) as copy:
        assert copy.execute("PRAGMA page_size").fetchone() == (PAGE_SIZE,)
    assert sorted(each.name for each in kept.parent.iterdir()) == beside


@pytest.mark.parametrize(
    ("size", "log", "is_cut"),
    [(0, False, False), (0, True, True), (1, False, True), (None, False, False), (None, True, True)],
)
def test_a_file_that_was_cut_is_no_new_store(
    tmp_path: Path, size: int | None, log: bool, is_cut: bool
) -> None:
    path = tmp_path / "m.db"
    if size is not None:
        path.write_bytes(b"x" * size)
    if log:
        path.with_name("m.db-wal").write_bytes(b"x" * 64)
    try:
        damage.check_not_cut(path, size, force=False)
    except StoreUnusable:
        assert is_cut
    else:
        assert not is_cut


# What is derived, and what is kept beside


def test_a_rebuild_leaves_in_the_index_no_word_that_no_memory_has(memories: Memories) -> None:
    memories.remember("the mill grinds rye")
    db = memories.store.connection  # type: ignore[attr-defined]
    db.execute("INSERT INTO word_index (rowid, words) VALUES (1, 'zebra')")
    find = "SELECT count(*) FROM word_index WHERE word_index MATCH 'zebra'"
    assert db.execute(find).fetchone() == (1,)
    memories.store.rebuild()
    assert db.execute(find).fetchone() == (0,)
    assert not [each for each in memories.store.check() if each.damage]


def test_a_rebuild_leaves_no_words_of_a_memory_that_is_gone(memories: Memories) -> None:
    memories.remember("the mill grinds rye")
    db = memories.store.connection  # type: ignore[attr-defined]
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("INSERT INTO memory_words (memory, words) VALUES (99, 'zebra')")
    assert "words" in [each.name for each in memories.store.check() if each.damage]
    memories.store.rebuild()
    assert not [each for each in memories.store.check() if each.damage]


@pytest.mark.parametrize("inside", [True, False])
def test_a_check_ends_the_transaction_that_it_began_and_no_other(memories: Memories, inside: bool) -> None:
    memories.remember("the mill grinds rye")
    db = memories.store.connection  # type: ignore[attr-defined]
    if inside:
        db.execute("BEGIN")
    assert all(each.ok for each in check_content(db))
    assert db.in_transaction is inside
    if inside:
        db.execute("ROLLBACK")


def test_a_check_is_of_one_instant_whatever_others_write_meanwhile(kept: Path) -> None:
    with closing(open_database(kept)) as db, closing(open_database(kept)) as neighbour:
        checking = check_content(db)
        found = [next(checking)]
        neighbour.execute("UPDATE memories SET text = 'the mill grinds oats'")
        found += checking
        assert all(each.ok for each in found)
        assert {each.name for each in check_content(db) if each.damage} >= {"rows", "words"}


def test_what_the_engine_itself_finds_is_told_once_and_is_damage(kept: Path) -> None:
    with closing(open_database(kept)) as db:
        sound = [("tables", True, "sound", False), ("references", True, "sound", False)]
        assert [(each.name, each.ok, each.detail, each.damage) for each in check._integrity(db)] == sound
        db.execute("PRAGMA foreign_keys = OFF")
        for nobody in (77, 78):
            db.execute("UPDATE vectors SET memory = ?", (nobody,))
            db.execute("INSERT INTO wanting (memory) VALUES (?)", (nobody,))
        tables, references = check._integrity(db)
        assert tables.ok and tables.detail == "sound"
        assert (references.ok, references.damage, references.detail) == (
            False, True, "wanting; vectors",
        )  # fmt: skip


@pytest.mark.parametrize(
    ("sql", "damage", "words", "remedy"),
    [
        ("UPDATE vectors SET vector = substr(vector, 2)", True, "1 vector of a wrong width", "--repair"),
        ("UPDATE vectors SET vector = 'text'", True, "1 vector of a wrong width", "--repair"),
        ("DELETE FROM vectors", False, "1 memory without vectors", "reindex"),
        ("DELETE FROM wanting", True, "1 memory without vectors that is not listed as that", "--repair"),
    ],
)
def test_a_vector_that_is_wanting_is_made_anew_and_one_that_is_wrong_is_damage(
    kept: Path, sql: str, damage: bool, words: str, remedy: str
) -> None:
    with closing(open_database(kept)) as db:
        assert {each.detail for each in check._derived(db) if each.name in ("vectors", UNREAD)} == {
            "no memories without vectors", "no vectors of a wrong width",
            "no memories without vectors that are not listed as that",
        }  # fmt: skip
        if "wanting" in sql:
            # The vectors of a model that is in use no longer are none.
            db.execute("UPDATE models SET in_use = 0")
            db.execute("UPDATE vectors SET vector = zeroblob(8)")
            columns = "name, weights, dimensions, in_use"
            db.execute(f"INSERT INTO models ({columns}) VALUES ('other', 'w', 2, 1)")
            db.execute("UPDATE models SET dimensions = 2")
        db.execute(sql)
        found = {each.detail: each for each in check._derived(db) if each.name in ("vectors", UNREAD)}
        assert not found[words].ok and found[words].damage is damage and remedy in found[words].remedy
        assert {each.detail for each in found.values() if each.damage} == ({words} if damage else set())


@pytest.mark.parametrize(("code", "raises"), [(sqlite.SQLITE_BUSY, True), (sqlite.SQLITE_CORRUPT, False)])
def test_a_neighbour_in_the_way_of_the_last_question_is_told_too(
    kept: Path, monkeypatch: pytest.MonkeyPatch, code: int, raises: bool
) -> None:
    asked = check._one

    def answer(db: sqlite.Connection, sql: str) -> Any:
        if "FROM wanting" in sql and sql.startswith("SELECT count(*) FROM wanting"):
            raise refused(code)
        return asked(db, sql)

    monkeypatch.setattr(check, "_one", answer)
    with closing(open_database(kept)) as db:
        if raises:
            with pytest.raises(sqlite.Error):
                list(check._derived(db))
        else:
            assert all(each.ok for each in check._derived(db))


def test_a_copy_that_is_removed_by_somebody_else_is_no_failure(tmp_path: Path) -> None:
    reading_copy.remove_copy(tmp_path / "gone" / "copy.db")
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "copy.db").touch()
    reading_copy.remove_copy(folder / "copy.db")
    assert not folder.exists()


def test_a_store_into_which_another_is_copied_is_made(tmp_path: Path) -> None:
    open_incoming(tmp_path / "new.db", 1).close()
    assert (tmp_path / "new.db").exists()


@pytest.mark.parametrize("is_encrypted", [True, False])
def test_what_is_salvaged_is_encrypted_as_the_file_was(kept: Path, is_encrypted: bool) -> None:
    key = FileKey(bytes(32), bytes(range(16)))
    if is_encrypted:
        convert_store(kept, key, 5)
        learn_key(key.key, key.salt)
    done = salvage_into_new_file(kept, datetime(2026, 5, 3, tzinfo=UTC), accept=False, busy_timeout=1)
    assert done.salvaged and done.set_aside and done.set_aside.exists()
    assert salt_of(kept) == (key.salt if is_encrypted else None)
    with closing(open_store(kept)) as store:
        assert [each.text for each in store.select(Filter())] == ["the mill grinds rye"]
        # Its vectors came along: nothing is to be read again.
        assert store.wanting(Filter()) == []


def test_a_store_in_which_all_has_ended_is_salvaged(memories: Memories) -> None:
    kept = memories.remember("the mill grinds rye")
    memories.end([kept.id], "outdated")
    for state in [*memories.store.states()]:
        memories.store.drop_state(state.space, state.area, state.key)
    memories.close()
    path = Path(memories.store.location)
    assert salvage_into_new_file(
        path, datetime(2026, 5, 3, tzinfo=UTC), accept=False, busy_timeout=1
    ).salvaged
    with closing(open_store(path)) as store:
        assert [each.ended_why for each in store.select(Filter(live=False))] == ["outdated"]


def test_a_damaged_page_of_an_encrypted_store_hides_no_other(kept: Path) -> None:
    """SQLCipher gives out none whose code is wrong, and none behind it."""
    key = FileKey(bytes(32), bytes(range(16)))
    convert_store(kept, key, 5)
    learn_key(key.key, key.salt)
    pages = kept.stat().st_size // PAGE_SIZE
    with kept.open("r+b") as file:
        for number in range(1, pages):  # each but the first, in its code
            file.seek((number + 1) * PAGE_SIZE - 10)
            file.write(bytes(10))
    with closing(salvage.open_damaged(kept)) as db:
        assert db.execute("SELECT text FROM memories").fetchall() == [("the mill grinds rye",)]


def test_where_no_copy_can_be_looked_at_each_is_told_and_without_any_the_store_itself(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*given: Any, **options: Any) -> Any:
        raise StoreBusy("a copy is being made")

    monkeypatch.setattr(copy_erasure, "making_copy", busy)
    with closing(open_database(kept)) as db:
        eraser = copy_erasure.CopyEraser(db, kept, Erasure(ids=["x"]), {}, 0)
        some: Any = [SimpleNamespace(path=Path("/a")), SimpleNamespace(path=Path("/b"))]
        assert [str(each.path) for each in eraser.erase_from_all(some)] == ["/a", "/b"]
        assert [each.path for each in eraser.erase_from_all([])] == [kept]


def test_what_a_killed_writer_of_a_copy_left_goes_and_what_only_looks_so_stays(kept: Path) -> None:
    parts = {
        name: StoreCopy(kept.with_name(f"{name}.part"), kind, name, made, whole=False)
        for name, kind, made in (
            ("dated", CopyKind.BACKUP, datetime(2026, 5, 3, tzinfo=UTC)), ("named", CopyKind.BACKUP, None),
            ("snapshot", CopyKind.SNAPSHOT, None),
            ("both", CopyKind.SNAPSHOT, datetime(2026, 5, 3, tzinfo=UTC)),
        )
    }  # fmt: skip
    for each in parts.values():
        each.path.write_bytes(b"somebody's notes")
    with closing(open_database(kept)) as db:
        eraser = copy_erasure.CopyEraser(db, kept, Erasure(ids=["x"]), {}, 0)
        done = eraser.erase_from_all(list(parts.values()))
    # Its name may be its owner's own: it is told, since nobody can say what it holds.
    assert [each.path for each in done] == [parts["named"].path] and done[0].error
    assert [name for name, each in parts.items() if each.path.exists()] == ["named"]


def test_of_a_copy_that_something_is_erased_from_nothing_stays_that_no_row_holds(kept: Path) -> None:
    copy = kept.with_name("x.db")
    shutil.copyfile(kept, copy)
    with closing(open_database(copy)) as db:
        db.execute("PRAGMA secure_delete = OFF")
        db.execute("CREATE TABLE zebra (x)")
        db.execute("INSERT INTO zebra VALUES (?)", ("what somebody said long ago " * 2000,))
        db.execute("DROP TABLE zebra")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert b"said long ago" in copy.read_bytes()
    copy_erasure.erase_from_copy(copy, Erasure(ids=["x"]), 0)
    assert b"said long ago" not in copy.read_bytes()


def test_what_is_erased_from_a_copy_is_overwritten_even_where_there_is_no_room_to_write_it_anew(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = kept.with_name("x.db")
    shutil.copyfile(kept, copy)
    with closing(open_store(kept)) as store:
        [memory] = store.select(Filter())

    def full(*given: object, **named: object) -> None:
        raise StoreFull("no space left")

    monkeypatch.setattr(copy_erasure, "scrub", full)
    assert b"the mill grinds rye" in copy.read_bytes()
    with pytest.raises(StoreFull):
        copy_erasure.erase_from_copy(copy, Erasure(ids=[memory.id]), 0)
    assert b"the mill grinds rye" not in copy.read_bytes()
    with closing(open_database(copy)) as db:
        assert not db.execute("SELECT count(*) FROM vectors").fetchone()[0]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.EACCES, "permission denied", "/x"), "x.db: permission denied;"),
        (OSError("odd"), "x.db: odd;"),
    ],
)
def test_a_copy_that_the_system_refuses_is_told_with_why(
    kept: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, words: str
) -> None:
    copy = kept.with_name("x.db")
    shutil.copyfile(kept, copy)

    def refuse(*given: object) -> None:
        raise error

    monkeypatch.setattr(copy_erasure.CopyEraser, "_clean", refuse)
    with closing(open_database(kept)) as db:
        eraser = copy_erasure.CopyEraser(db, kept, Erasure(ids=["x"]), {}, 0)
        [told] = eraser.erase_from_all([StoreCopy(copy, CopyKind.BACKUP, "x", None, True)])
    assert told.path == copy and words in str(told.error) and "may still hold" in str(told.error)


def test_a_copy_from_which_something_was_erased_is_one_file_and_keeps_no_log(kept: Path) -> None:
    copy = kept.with_name("by hand.db")
    shutil.copyfile(kept, copy)
    with closing(open_database(copy)) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        [(memory_id,)] = db.execute("SELECT id FROM memories")
    assert b"the mill grinds rye" in copy_erasure.erase_from_copy(copy, Erasure(ids=[memory_id]), 1)
    with closing(open_database(copy)) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert db.execute("SELECT count(*) FROM memories").fetchone() == (0,)
    assert b"grinds" not in copy.read_bytes()
    assert not list(kept.parent.glob("by hand.db-*"))


def test_of_a_copy_the_clocks_of_what_was_erased_go_and_no_others(memories: Memories) -> None:
    path = Path(memories.store.location)
    noted = [("memory", memories.remember("the mill grinds rye").id)]
    noted += [("state", state_key(space, "a", "k")) for space in ("kept", "gone")]
    with memories.store.writing():
        memories.store.put_clocks([Clock(kind, key, 1, "", {}) for kind, key in noted])
    memories.store.close()
    copy_erasure.erase_from_copy(path, Erasure(spaces=["gone"]), 1)
    with closing(open_database(path)) as db:
        left = db.execute("SELECT kind, key FROM clocks WHERE kind <> '' ORDER BY kind").fetchall()
    assert left == noted[:2]


def line(**fields: Any) -> Event:
    given: dict[str, Any] = {"before": {}, "after": {}, "memory": "m", "action": "edit", "actor": "cli"}
    return Event(number=1, at=datetime(2026, 5, 3, tzinfo=UTC), reason=None, **{**given, **fields})


@pytest.mark.parametrize(
    ("lines", "known"),
    [
        ([], None), ([line(after={"text": "later"})], None), ([line(before=None, after={"tags": []})], None),
        ([line(before=None, after=None)], None),
        ([line(before=None, after={"text": "a", "tags": ["x"], "trusted": False})],
         {"text": "a", "tags": '["x"]', "trusted": 0, "data": "{}"}),
        ([line(before=None, after={"text": "a", "tags": ["x"]}), line(after={"text": "b"})],
         {"text": "b", "tags": '["x"]', "trusted": 1, "data": "{}"}),
        # Erased in between, and taken in again: what was before tells nothing.
        ([line(before=None, after={"text": "a", "tags": ["x"]}), line(before=None, after={"text": "b"})],
         {"text": "b", "tags": "[]", "trusted": 1, "data": "{}"}),
        ([line(before=None, after={"text": "a", "data": {"n": 1}}), line(before=None, after={"x": 1})],
         {"text": "a", "tags": "[]", "trusted": 1, "data": '{"n":1}'}),
    ],
)  # fmt: skip
def test_a_memory_is_remembered_as_its_history_tells_it_from_its_beginning(
    lines: list[Event], known: dict[str, Any] | None
) -> None:
    found = remembered_memory(lines)
    assert (found is None) is (known is None)
    if found is not None and known is not None:
        assert {name: found[name] for name in known} == known and found["id"] == "m"


@pytest.mark.parametrize("wrong", [set[str](), {"page 3", "page 2"}])
def test_of_an_encrypted_store_it_is_said_whether_its_pages_are_sound(
    kept: Path, monkeypatch: pytest.MonkeyPatch, wrong: set[str]
) -> None:
    with closing(open_database(kept)) as db:
        assert [*check._encryption(db, kept)] == []
        monkeypatch.setattr(check, "salt_of", lambda path: bytes(16))
        monkeypatch.setattr(check, "_wrong_pages", lambda db: {*wrong})
        monkeypatch.setattr(check, "_CHECKPOINT", 0)
        [found] = check._encryption(db, kept)
    assert (found.ok, found.damage) == (not wrong, bool(wrong))
    assert ("page 2; page 3" if wrong else "every page is sound") in found.detail


def test_a_page_that_a_checkpoint_was_writing_is_sound_once_it_is_written(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half_written = {"page 2"}
    monkeypatch.setattr(check, "salt_of", lambda path: bytes(16))
    monkeypatch.setattr(check, "_wrong_pages", lambda db: {*half_written})
    monkeypatch.setattr("time.sleep", lambda seconds: half_written.clear())
    with closing(open_database(kept)) as db:
        [found] = check._encryption(db, kept)
    assert found.ok and not found.damage


def test_another_programs_file_among_the_copies_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "photos.db"
    with closing(open_database(path)) as db:
        db.execute("CREATE TABLE photos (id)")
    before = path.read_bytes()
    with pytest.raises(StoreDamaged, match="not a memcli store"):
        copy_erasure.erase_from_copy(path, Erasure(ids=["x"]), 0)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "problem"),
    [(None, None), (b"", StoreDamaged), (b"x" * 99, StoreDamaged), (b"x" * 100, WrongKey),
     (b"no store" * 99, WrongKey)],
)  # fmt: skip
def test_what_stands_where_a_copy_is_put_back_is_told_apart(
    kept: Path, content: bytes | None, problem: type[Exception] | None
) -> None:
    there = restoring._present(kept, 1)
    assert there.store and there.problem is None
    there.store.close()
    other = kept.with_name("other.db")
    if content is not None:
        other.write_bytes(content)
    found = restoring._present(other, 1)
    assert found.store is None and (isinstance(found.problem, problem) if problem else found.problem is None)


def test_what_is_damaged_is_told_in_its_space_and_what_is_in_none_in_each(memories: Memories) -> None:
    memories.remember("the mill grinds rye")
    owl = memories.in_space("barn").remember("an owl hoots at night")
    db = memories.store.connection  # type: ignore[attr-defined]
    db.execute("UPDATE memories SET text = 'an owl sings' WHERE id = ?", (owl.id,))
    store = memories.store
    assert [*store.damaged(("default",))] == []
    assert [*store.damaged(("barn",))] == [*store.damaged()] == [f"memory {owl.id}"]
    db.execute("UPDATE models SET name = 'other'")
    told = [*store.damaged(("default",))]
    assert len(told) == 1 and told[0].startswith("model")
    assert [*store.damaged(("default",), vectors=False)] == []
    db.execute("UPDATE history SET reason = 'so'")
    assert any(each.startswith("history") for each in store.damaged())
    assert not any(each.startswith("history") for each in store.damaged(history=False))


@pytest.mark.parametrize(
    ("code", "is_passed"),
    [
        (sqlite.SQLITE_CORRUPT, True), (sqlite.SQLITE_NOTADB, True), (sqlite.SQLITE_ERROR, True), (0, True),
        (sqlite.SQLITE_FULL, False), (sqlite.SQLITE_IOERR, True), (266, True), (522, True), (778, False),
        (1034, False),
    ],
)  # fmt: skip
def test_what_the_disk_is_to_blame_for_is_no_damage(code: int, is_passed: bool) -> None:
    try:
        with disk_errors.passing_damage():
            raise refused(code)
    except sqlite.Error:
        assert not is_passed
    else:
        assert is_passed


@pytest.mark.parametrize(
    ("code", "raises"),
    [(sqlite.SQLITE_CORRUPT, False), (sqlite.SQLITE_BUSY, True), (sqlite.SQLITE_FULL, True), (0, False)],
)
def test_a_check_that_a_neighbour_or_the_disk_hinders_tells_of_no_damage(code: int, raises: bool) -> None:
    def wrong() -> Any:
        yield "row 1"
        raise refused(code)

    if raises:
        with pytest.raises(sqlite.Error):
            check._each_sound("rows", "all well", "are not", wrong)
        return
    found = check._each_sound("rows", "all well", "are not", wrong)
    assert (found.ok, found.damage, found.detail, found.rows) == (False, True, "so it is", ("row 1",))


def test_what_is_not_well_is_named_and_of_many_the_first() -> None:
    assert check._each_sound("rows", "all well", "are not", list).detail == "all well"
    found = check._each_sound("rows", "all well", "are not", lambda: [f"row {n}" for n in range(9)] * 2)
    assert found.detail.startswith("9 are not: row 0, ") and found.detail.endswith("row 7, …")
    assert len(found.rows) == 9 and found.damage and not found.ok
    eight = check._each_sound("rows", "all well", "are not", lambda: [f"row {n}" for n in range(8)])
    assert eight.detail.endswith("row 7")


@pytest.mark.parametrize(
    ("spoil", "is_same"),
    [
        ("", True), ("UPDATE new.memories SET text = 'x'", False), ("DELETE FROM new.memories", False),
        ("CREATE TABLE new.other (x)", False), ("DROP INDEX new.memories_by_expiry", False),
        ("INSERT INTO new.sqlite_sequence (name, seq) VALUES ('x', 1)", False),
    ],
)  # fmt: skip
def test_what_takes_a_stores_place_has_every_row_of_it_and_nothing_else(
    kept: Path, spoil: str, is_same: bool
) -> None:
    new = kept.with_name("new.db")
    with closing(open_database(kept)) as db:
        db.execute("VACUUM INTO ?", (str(new),))
        db.execute("ATTACH ? AS new", (str(new),))
        db.execute(spoil or "SELECT 1")
        if is_same:
            conversion._compare(db, new)
        else:
            with pytest.raises(StoreDamaged, match="is not the same as the store"):
                conversion._compare(db, new)


def test_where_what_is_derived_cannot_be_counted_that_is_damage(memories: Memories) -> None:
    memories.remember("the mill grinds rye")
    db = memories.store.connection  # type: ignore[attr-defined]
    assert all(each.ok for each in check._derived(db))
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("ALTER TABLE wanting RENAME TO wanted")
    [found] = [each for each in check._derived(db) if not each.ok]
    assert (found.name, found.damage) == ("vectors", True) and "wanting" in found.detail


@pytest.mark.parametrize("digest", digests.ALL, ids=lambda each: each.table)
def test_a_changed_byte_is_found_behind_columns_that_say_nothing(digest: digests.Digest) -> None:
    row: dict[str, Any] = dict.fromkeys(digest.covers)
    last = digest.covers[-1]
    written = digests.digest_of(digest, {**row, last: "an owl hoots"})
    mended = Mender().mend(digest, {**row, last: "an owl loots"}, written, ())
    assert mended == {**row, last: "an owl hoots"}
    assert Mender().mend(digest, {**row, last: "a mill grinds"}, written, ()) is None
    assert Mender().mend(digest, {**row, last: "an owl loots"}, None, ()) is None


@pytest.mark.parametrize(
    ("found", "written"), [(3, 1), (-1, 1), (0x30000, 0x10000), (0.5, 0.25), (float("inf"), 1)]
)
def test_a_number_is_found_again_as_its_column_keeps_it(found: float, written: float) -> None:
    """One without a fraction is kept as an integer, whose bytes are others."""
    row = {**dict.fromkeys(digests.MEMORY.covers), "id": "m", "importance": float(written)}
    hit = {**row, "importance": float(found)}
    digest = digests.digest_of(digests.MEMORY, row)
    assert Mender().mend(digests.MEMORY, hit, digest, ()) == row


def test_a_row_that_several_indexes_know_is_read_once(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object) -> Any:
        raise refused(sqlite.SQLITE_CORRUPT)
        yield

    monkeypatch.setattr(salvage, "_undecoded", broken)
    monkeypatch.setattr(salvage, "_other_keys", lambda *given: iter([(1,), (7,), (1,)]))
    named: set[str] = set()
    with closing(open_database(kept)) as db:
        texts = [*salvage.readable_rows(db, digests.MEMORY, ["text"], named)]
    assert texts == [(1, "the mill grinds rye")] and named == {"memories"}


def test_what_is_lost_in_between_costs_nothing_that_follows(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"the {thing} is in the barn" for thing in ("saw", "rake", "axe", "hoe")]
    saw, rake, axe, hoe = [memories.remember(text) for text in texts]
    path = Path(memories.store.location)
    db = memories.store.connection  # type: ignore[attr-defined]
    db.execute("PRAGMA foreign_keys = OFF")
    for gone in (saw, axe):
        db.execute("DELETE FROM memories WHERE id = ?", (gone.id,))
    # Of the first nothing is known any more but its id, which an index holds.
    db.execute("DELETE FROM history WHERE memory = ?", (saw.id,))
    memories.close()
    monkeypatch.setattr(salvage, "known_ids", lambda db: {saw.id, axe.id})
    done = salvage_into_new_file(path, datetime(2026, 5, 3, tzinfo=UTC), accept=False, busy_timeout=1)
    assert done.recovered == (f"memory {axe.id}",)
    with closing(open_store(path)) as store:
        assert {each.text for each in store.select(Filter())} == {*texts[1:]}
        # Their vectors came along, but for what was made anew.
        assert [store.memories_by_ref([ref])[ref].id for ref in store.wanting(Filter())] == [axe.id]
    assert rake.id != hoe.id


@pytest.mark.parametrize("is_broken", [True, False])
def test_what_a_broken_table_lost_comes_back_by_its_history_and_what_was_erased_does_not(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, is_broken: bool
) -> None:
    owl, gone = memories.remember("an owl hoots"), memories.remember("the mill grinds rye")
    erase_memories(memories, [memories.remember("the boat is ochre")])
    path, read = Path(memories.store.location), salvage.readable_rows
    db = memories.store.connection  # type: ignore[attr-defined]
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("DELETE FROM memories WHERE id = ?", (gone.id,))
    memories.close()

    def broken_off(db: Any, digest: digests.Digest, columns: Any, broken: set[str]) -> Any:
        yield from read(db, digest, columns, broken)
        if is_broken and digest is digests.MEMORY:
            broken.add(digest.table)

    monkeypatch.setattr(salvage, "known_ids", lambda db: set())
    monkeypatch.setattr(salvage, "readable_rows", broken_off)
    done = salvage_into_new_file(path, datetime(2026, 5, 3, tzinfo=UTC), accept=False, busy_timeout=1)
    assert done.recovered == ((f"memory {gone.id}",) if is_broken else ())
    assert done.lost == (("some of memories, it is not known which",) if is_broken else ())
    with closing(open_store(path)) as store:
        assert {each.id for each in store.select(Filter())} == {owl.id, *([gone.id] if is_broken else [])}


def test_a_row_of_an_emptied_page_costs_none_behind_it(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {memories.remember(text).text for text in ("an owl hoots", "the mill grinds rye")}
    path, read = Path(memories.store.location), salvage.readable_rows
    memories.close()

    def emptied(db: Any, digest: digests.Digest, columns: Any, broken: set[str]) -> Any:
        yield (*(None for _ in digest.key), *(None for _ in columns))
        yield from read(db, digest, columns, broken)

    monkeypatch.setattr(salvage, "readable_rows", emptied)
    done = salvage_into_new_file(path, datetime(2026, 5, 3, tzinfo=UTC), accept=False, busy_timeout=1)
    assert not (done.lost or done.doubtful or done.recovered or done.mended)
    with closing(open_store(path)) as store:
        assert {each.text for each in store.select(Filter())} == texts
        assert store.wanting(Filter()) == []


def test_an_index_that_holds_too_little_is_mended_in_place(kept: Path) -> None:
    with closing(open_database(kept)) as db:
        db.execute("PRAGMA writable_schema = ON")
        [(right,)] = db.execute("SELECT sql FROM sqlite_master WHERE name = 'memories_by_space'")
        wrong = "UPDATE sqlite_master SET sql = ? WHERE name = 'memories_by_space'"
        db.execute(wrong, (f"{right} WHERE expires_at IS NOT NULL",))
    with closing(open_database(kept)) as db:
        db.execute("REINDEX memories_by_space")
        db.execute("PRAGMA writable_schema = ON")
        db.execute(wrong, (right,))
    with closing(open_store(kept)) as store:
        assert [each.name for each in store.check() if each.damage] == ["tables"]
    done = repair_store(kept, datetime(2026, 5, 3, tzinfo=UTC))
    assert done.rebuilt and not done.salvaged and done.set_aside is None
    with closing(open_store(kept)) as store:
        assert not [each for each in store.check() if each.damage]
        assert [each.text for each in store.select(Filter())] == ["the mill grinds rye"]


@pytest.mark.parametrize("copy_is_encrypted", [True, False])
def test_nothing_plain_takes_an_encrypted_stores_place_nor_the_other_way_round(
    kept: Path, copy_is_encrypted: bool
) -> None:
    key, copy = FileKey(bytes(32), bytes(range(16))), kept.with_name("copy.db")
    learn_key(key.salt, key.key)
    shutil.copyfile(kept, copy)
    convert_store(copy if copy_is_encrypted else kept, key, 5)
    before = {each.name for each in kept.parent.iterdir()}, copy.read_bytes(), kept.read_bytes()
    words = "copy.db: encrypted, other" if copy_is_encrypted else "copy.db: not encrypted, other"
    at = datetime(2026, 5, 3, tzinfo=UTC)
    with pytest.raises(StoreUnusable, match=words):
        restore_store(kept, copy, at, lambda *_: Erasure(), busy_timeout=1)
    assert ({each.name for each in kept.parent.iterdir()}, copy.read_bytes(), kept.read_bytes()) == before


@pytest.mark.parametrize(
    ("is_there", "is_read", "knows"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_what_was_erased_is_known_only_from_a_store_that_can_be_read_to_the_end(
    kept: Path, is_there: bool, is_read: bool, knows: bool
) -> None:
    fresh = kept.with_name("fresh.db")
    shutil.copyfile(kept, fresh)
    asked: list[bool] = []

    def settle(store: object, coming: object) -> Erasure:
        asked.append(store is not None)
        if store is not None and not is_read:
            raise StoreDamaged("its record cannot be read")
        return Erasure(ids=["x"])

    with closing(SqliteStore(kept)) as store:
        done = restoring._settled(store if is_there else None, fresh, settle, 1)
    assert done == (Erasure(ids=["x"]), knows)
    assert asked == ([True, False] if is_there and not is_read else [is_there])


def test_of_a_memory_that_is_sound_the_uses_that_are_not_are_mended(memories: Memories) -> None:
    kept = memories.remember("the mill grinds rye")
    path = Path(memories.store.location)
    db = memories.store.connection  # type: ignore[attr-defined]
    db.execute("UPDATE memories SET access_count = 99")
    memories.close()
    done = salvage_into_new_file(path, datetime(2026, 5, 3, tzinfo=UTC), accept=False, busy_timeout=1)
    assert done.mended and not done.lost
    with closing(open_store(path)) as store:
        assert [(each.id, each.access_count) for each in store.select(Filter())] == [(kept.id, 0)]


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE sqlite_sequence SET seq = 9223372036854775807",
        "UPDATE sqlite_sequence SET seq = 0",
        "PRAGMA application_id = 7",
        "INSERT INTO wanting (memory) VALUES (4711)",
        "UPDATE vectors SET memory = 4711",
        "UPDATE vectors SET vector = zeroblob(4)",
        "UPDATE memories SET importance = 0.25",
        "INSERT INTO word_index (rowid, words) VALUES (1, 'zebra')",
    ],
)
def test_what_is_counted_or_derived_is_mended_in_the_file_itself(kept: Path, sql: str) -> None:
    with closing(open_database(kept)) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute(sql)
    there = kept.stat().st_ino
    done = repair_store(kept, datetime(2026, 5, 3, tzinfo=UTC))
    assert done.rebuilt and not (done.salvaged or done.lost or done.doubtful)
    assert kept.stat().st_ino == there
    with closing(open_store(kept)) as store:
        assert not [each for each in store.check() if each.damage]
        [known] = store.select(Filter())
        store.put([replace(known, text="the mill grinds oats")], Change("edit"), known.created_at)
        assert [event.number for event in store.history()] == [1, 2]


@pytest.mark.parametrize("tails", [{"-journal"}, {"-wal"}, {"-wal", "-journal"}, set[str]()])
def test_what_stands_beside_a_damaged_file_is_set_aside_with_it(tmp_path: Path, tails: set[str]) -> None:
    path, at = tmp_path / "memory.db", datetime(2026, 5, 3, tzinfo=UTC)
    path.write_bytes(b"damaged")
    for tail in ("-wal", "-journal"):
        path.with_name(f"{path.name}{tail}").write_bytes(tail.encode() if tail in tails else b"")
    first, second = set_aside(path, at), set_aside(path, at)
    assert first != second and first.read_bytes() == second.read_bytes() == b"damaged"
    for each in (first, second):
        beside = {name.name.removeprefix(each.name) for name in tmp_path.glob(f"{each.name}-*")}
        assert beside == tails and each.stat().st_mode & 0o777 == 0o600
        assert all(each.with_name(each.name + tail).read_bytes() == tail.encode() for tail in tails)


def test_a_store_of_a_newer_memcli_is_salvaged_by_that(kept: Path) -> None:
    with closing(open_database(kept)) as db:
        columns = "(migration_set, name, applied_at)"
        db.execute(f"INSERT INTO _sqlite_migrations {columns} VALUES ('memcli', 'm999', '2030-01-01')")
    before = kept.read_bytes()
    with pytest.raises(NewerStore, match="Upgrade memcli"):
        salvage_into_new_file(kept, datetime(2026, 5, 3, tzinfo=UTC), accept=False, busy_timeout=1)
    assert kept.read_bytes() == before
    assert {each.name for each in kept.parent.glob("*")} <= {kept.name, f"{kept.name}.copying",
                                                           f"{kept.name}.conversion"}  # fmt: skip


def test_of_what_was_read_in_part_the_rest_is_still_to_be_read_after_a_salvage(memories: Memories) -> None:
    begun, whole = memories.remember("the mill grinds rye"), memories.remember("an owl hoots")
    store, path = memories.store, Path(memories.store.location)
    model = store.model()
    assert model and store.wanting(Filter()) == []
    db = store.connection  # type: ignore[attr-defined]
    db.execute("INSERT INTO wanting (memory) SELECT seq FROM memories WHERE id = ?", (begun.id,))
    [told] = [each for each in check._derived(db) if "beginning" in each.detail]
    assert told.ok and not told.damage and told.detail.startswith("1 ")
    memories.close()
    salvage_into_new_file(path, datetime(2026, 5, 3, tzinfo=UTC), accept=False, busy_timeout=1)
    with closing(open_store(path)) as again:
        assert [again.memories_by_ref([ref])[ref].id for ref in again.wanting(Filter())] == [begun.id]
        assert again.count_read(model) == 2 and whole.id != begun.id


@pytest.mark.parametrize(("signs", "is_wrong"), [("text", True), (bytes(4), False), (b"\0\1", True)])
def test_signs_of_vectors_that_are_gone_are_blank(kept: Path, signs: Any, is_wrong: bool) -> None:
    with closing(open_database(kept)) as db:
        assert list(wrong_signs(db)) == []
        db.execute("INSERT INTO vector_signs (model, block, signs) VALUES (1, 77, ?)", (signs,))
        assert list(wrong_signs(db)) == (["block 77"] if is_wrong else [])


def test_what_keeps_a_store_from_being_used_is_a_finding(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(open_database(kept)) as db:
        assert check._extension(db).ok and check._schema(db).ok

        def missing(db: object) -> None:
            raise ImportError("sqlite-vec is not installed")

        monkeypatch.setattr(check, "load_vector_functions", missing)
        found = check._extension(db)
        assert (found.ok, found.damage) == (False, False) and "not installed" in found.detail
        db.execute("PRAGMA user_version = 3")
        older = check._schema(db)
        assert (older.ok, older.damage, older.detail) == (False, False, "version 3")
    with closing(open_database(kept)) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        db.execute("PRAGMA application_id = 7")
        unmarked = check._schema(db)
        assert (unmarked.ok, unmarked.damage) == (False, True) and "does not say" in unmarked.detail


def test_a_full_disk_is_not_taken_for_a_page_that_proves_nothing(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = first_page._place
    placed: list[tuple[Any, ...]] = []

    def full_at_first(*given: Any) -> None:
        placed.append(given)
        if len(placed) == 1:
            error = sqlite.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite.SQLITE_FULL
            raise error
        place(*given)

    monkeypatch.setattr(first_page, "_place", full_at_first)
    with kept.open("r+b") as file:
        file.seek(HEADER_SIZE)
        file.write(bytes(PAGE_SIZE - HEADER_SIZE))
    with pytest.raises(sqlite.OperationalError, match="full"):
        first_page.restore_first_page(kept)
