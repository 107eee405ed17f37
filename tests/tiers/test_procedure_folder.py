"""Procedures as files in a folder: what goes in comes out, and no path leads out."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.errors import BadInput
from memcli.memories import Memories
from memcli.model import Change, outcome_counts
from memcli.storage import areas
from memcli.tiers.procedures.files import ProcedureFile, fetch_files, store_files
from memcli.tiers.procedures.folder import LeftOut, export_procedures, import_procedures
from memcli.tiers.procedures.folder_record import RECORD_FILE
from memcli.tiers.procedures.procedures import Procedures
from memcli.tiers.versions import VersionOptions, WrittenVersion, memory_name, version_number
from memcli.write_policy.direct import put_embedded
from memcli.write_policy.drafts import Draft
from tests.conftest import TickingClock, make_memories
from tests.erasure import erase_memories
from tests.tiers.test_procedures import DEPLOY, SKILL

FOLDER = {
    "deploy.md": DEPLOY.encode(),
    "ops/restore.yaml": b"# kept\ndescription:   Restore it  \nsteps: [a, b]",
    "skills/pdf/SKILL.md": SKILL.encode(),
    "skills/pdf/scripts/fill.py": b"print('hi')\n",
    "skills/pdf/assets/logo.png": bytes(range(256)),
    "skills/pdf/empty": b"",
    "skills/pdf/sub/SKILL.md": b"part of the outer one",
    "bom.md": "\ufeff---\r\ndescription: with a mark\r\n---\r\n".encode(),
}


def fill(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def tree(folder: Path) -> dict[str, bytes]:
    """The files of a folder, but for what it says of versions."""
    found = {str(p.relative_to(folder).as_posix()): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    return {name: content for name, content in found.items() if name != RECORD_FILE}


def test_a_folder_goes_in_and_comes_out_byte_for_byte(memories: Memories, tmp_path: Path) -> None:
    source = fill(tmp_path / "in", FOLDER)
    (source / "skills/pdf/scripts/fill.py").chmod(0o755)
    done = dict(import_procedures(memories, source))
    assert [name for name, written in done.items() if isinstance(written, str)] == []
    assert sorted(done) == ["bom.md", "deploy.md", "ops/restore.yaml", "skills/pdf/SKILL.md"]
    exported = export_procedures(memories, tmp_path / "out")
    assert tree(tmp_path / "out") == FOLDER
    assert len(exported.written) == len(FOLDER)
    if os.name != "nt":
        assert os.access(tmp_path / "out/skills/pdf/scripts/fill.py", os.X_OK)
        assert not os.access(tmp_path / "out/deploy.md", os.X_OK)
    again = export_procedures(memories, tmp_path / "out")
    assert (again.written, len(again.unchanged)) == ([], len(FOLDER))
    assert not any(
        written.new
        for _, written in import_procedures(memories, tmp_path / "out")
        if not isinstance(written, LeftOut)
    )


def test_a_changed_file_beside_a_skill_is_a_new_version_and_shown(memories: Memories, tmp_path: Path) -> None:
    source = fill(tmp_path, FOLDER)
    list(import_procedures(memories, source))
    (source / "skills/pdf/scripts/fill.py").write_bytes(b"print('ho')\n")
    (source / "skills/pdf/empty").unlink()
    list(import_procedures(memories, source))
    procedures = Procedures(memories)
    assert version_number(procedures.show("pdf")) == 2
    lines = list(procedures.diff("pdf"))
    assert lines[0] == "--- pdf/scripts/fill.py (version 1)"
    assert "+print('ho')" in lines
    # What did not change stands once in the store.
    assert len(list(memories.store.states(None, areas.PROCEDURE_FILE.name))) == 5


def test_who_came_from_a_file_keeps_it(memories: Memories, tmp_path: Path) -> None:
    Procedures(memories).add("a", "description: typed\n", "yaml")
    list(import_procedures(memories, fill(tmp_path / "in", {"a.yaml": b"name: b\ndescription: x\n"})))
    export_procedures(memories, tmp_path / "out")
    assert set(tree(tmp_path / "out")) == {"a.yaml", "a-2.yaml"}
    assert tree(tmp_path / "out")["a.yaml"] == b"name: b\ndescription: x\n"


def test_files_go_with_the_last_version_that_holds_them(memories: Memories, tmp_path: Path) -> None:
    """Also those that no version held any more before; from backups too."""
    source = fill(tmp_path / "in", FOLDER)
    list(import_procedures(memories, source))
    (source / "skills/pdf/scripts/fill.py").write_bytes(b"print('quillwort')\n")
    list(import_procedures(memories, source))
    copy = memories.store.back_up(memories.now())
    procedures, store = Procedures(memories), memories.store
    assert len(list(store.states(area=areas.PROCEDURE_FILE.name))) == 5
    erase_memories(memories, [procedures.versions.version("deploy", 1)])
    assert len(list(store.states(area=areas.PROCEDURE_FILE.name))) == 5
    # What the first version alone held is gone with it, what the second holds as well stays.
    bare = replace(first := procedures.versions.version("pdf", 1), data={**first.data, "files": {}})
    put_embedded(memories, memories.model, [bare], Change("edit"))
    erase_memories(memories, [procedures.versions.version("restore", 1)])
    assert len(list(store.states(area=areas.PROCEDURE_FILE.name))) == 4
    assert set(fetch_files(memories, procedures.show("pdf").data["files"])) == {
        "scripts/fill.py", "assets/logo.png", "empty", "sub/SKILL.md",
    }  # fmt: skip
    receipt = erase_memories(memories, [procedures.show("pdf")])
    assert receipt.verified and receipt.shared == []
    assert not list(store.states(area=areas.PROCEDURE_FILE.name))
    assert b"quillwort" not in copy.read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_no_link_is_followed_in_or_out(memories: Memories, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_bytes(DEPLOY.encode())
    source = fill(tmp_path / "in", {"pdf/SKILL.md": SKILL.encode(), "ops/x.md": DEPLOY.encode()})
    (source / "pdf" / "key").symlink_to(secret)
    (source / "linked.md").symlink_to(secret)
    (source / "folder").symlink_to(tmp_path)
    done = dict(import_procedures(memories, source))
    assert done["linked.md"] == LeftOut("left out: it is a link", refused=False)
    assert "files" not in Procedures(memories).show("pdf").data
    out, outside = tmp_path / "out", tmp_path / "outside"
    out.mkdir()
    outside.mkdir()
    (out / "ops").symlink_to(outside)
    with pytest.raises(BadInput, match="leads out"):
        export_procedures(memories, out)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    "place", ["../x.md", "/etc/x.md", "a/../../x.md", ".git/hooks/pre-commit", "c:x.md", "a\\b.md", "a//b.md"]
)
def test_a_path_from_a_foreign_store_does_not_lead_out(
    memories: Memories, tmp_path: Path, place: str
) -> None:
    data = {"name": "evil", "description": "x", "document": "x", "file": place}
    memories.remember(Draft(text="evil", kind="procedure", data=data))
    with pytest.raises(BadInput, match="not written"):
        export_procedures(memories, tmp_path / "out")
    assert tree(tmp_path) == {}


def test_names_that_no_file_may_have_become_files(memories: Memories, tmp_path: Path) -> None:
    names = ["a/b", "A b", "a b", "con", "..", "größe", "x" * 200, "..."]
    for name in names:
        Procedures(memories).add(name, "description: x\n", "yaml")
    export_procedures(memories, tmp_path)
    files = sorted(tree(tmp_path))
    assert len({name.casefold() for name in files}) == 7  # `A b` and `a b` are one
    assert all(len(name) < 100 and not name.startswith(".") for name in files)
    with make_memories(tmp_path / "other.db", memories.now) as other:
        list(import_procedures(other, tmp_path))
        there = {memory_name(each).casefold() for each in Procedures(other).versions.live()}
        assert there == {name.casefold() for name in names}


def test_what_is_no_procedure_is_named_and_left_out(memories: Memories, tmp_path: Path) -> None:
    bad = {
        "README.md": b"# About", "bad.yaml": b"steps: [", "latin.md": b"---\ndescription: caf\xe9\n---\n",
        "empty.yaml": b"", "one.md": DEPLOY.encode(), "two.md": DEPLOY.encode(),
        ".hidden.md": DEPLOY.encode(), "notes.txt": b"x", "nul.md": b"---\ndescription: x\n---\n\0",
    }  # fmt: skip
    done = dict(import_procedures(memories, fill(tmp_path, bad)))
    left_out = {name: written for name, written in done.items() if isinstance(written, LeftOut)}
    said = {name: each.why for name, each in left_out.items()}
    assert set(done) - set(said) == {"one.md"}
    assert "taken by one.md" in said["two.md"]
    assert "left out: no front matter" in said["README.md"]
    assert set(said) == {"README.md", "bad.yaml", "latin.md", "empty.yaml", "two.md", "nul.md"}
    assert {name for name, each in left_out.items() if not each.refused} == {"README.md"}


def test_files_beside_a_skill_have_a_limit(
    own_home: Path, memories: Memories, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MEMCLI_MAX_FILES", "100")
    source = fill(tmp_path, {"pdf/SKILL.md": SKILL.encode(), "pdf/big": b"x" * 101})
    [(_, said)] = import_procedures(memories, source)
    assert "the limit is 100" in str(said)


contents = st.binary(max_size=40)
paths = st.from_regex(r"[a-z]{1,3}(/[a-z]{1,3}){0,2}", fullmatch=True)


@settings(max_examples=30)
@given(st.dictionaries(paths, st.tuples(contents, st.booleans()), max_size=4))
def test_any_files_are_kept_as_they_are(files: dict[str, tuple[bytes, bool]]) -> None:
    given_files = {path: ProcedureFile(*each) for path, each in files.items()}
    with (
        tempfile.TemporaryDirectory() as folder,
        make_memories(Path(folder) / "m.db", TickingClock()) as memories,
    ):
        assert fetch_files(memories, store_files(memories, given_files)) == given_files


# Versions and outcomes


def deployed(memories: Memories, out: Path) -> Path:
    """A folder with the second version of a procedure, which worked twice and failed once."""
    procedures = Procedures(memories)
    procedures.add("deploy", "description: Deploy it\nsteps: [Push]\n", "yaml")
    procedures.add(
        "deploy",
        "description: Deploy it\nsteps: [Build, Push]\n",
        "yaml",
        VersionOptions(note="it was stale"),
    )
    for ok in (True, True, False):
        procedures.report("deploy", ok=ok)
    export_procedures(memories, out)
    return out


def taken_in(memories: Memories, folder: Path) -> WrittenVersion:
    [written] = dict(import_procedures(memories, folder)).values()
    assert isinstance(written, WrittenVersion), written
    return written


def about(memories: Memories) -> tuple[int, tuple[int, int]]:
    memory = Procedures(memories).show("deploy")
    return version_number(memory), outcome_counts(memory.data)


def test_what_was_exported_is_the_same_version_elsewhere(memories: Memories, tmp_path: Path) -> None:
    folder = deployed(memories, tmp_path / "out")
    assert not taken_in(memories, folder).new
    assert len(Procedures(memories).versions.versions_of("deploy")) == 2
    with make_memories(tmp_path / "other.db", TickingClock()) as other:
        first = taken_in(other, folder).memory
        assert (about(other), first.data["note"]) == ((2, (2, 1)), "it was stale")
        assert not taken_in(other, folder).new
        export_procedures(other, tmp_path / "again")
        assert (tmp_path / "again" / RECORD_FILE).read_bytes() == (folder / RECORD_FILE).read_bytes()
        # Of two counts the larger one holds, however often it comes.
        Procedures(other).report("deploy", ok=False)
        Procedures(other).report("deploy", ok=False)
        taken_in(other, folder)
        assert about(other) == (2, (2, 3))


def test_what_was_edited_is_the_next_version(memories: Memories, tmp_path: Path) -> None:
    folder = deployed(memories, tmp_path / "out")
    file = folder / "deploy.yaml"
    file.write_text(file.read_text().replace("Build", "Build it"))
    with make_memories(tmp_path / "other.db", TickingClock()) as other:
        for here in (other, memories):
            assert taken_in(here, folder).new and about(here) == (3, (0, 0))
            assert not taken_in(here, folder).new


def test_an_old_folder_brings_nothing_back(memories: Memories, tmp_path: Path) -> None:
    folder = deployed(memories, tmp_path / "out")
    Procedures(memories).add("deploy", "description: Deploy it\nsteps: [Build, Test, Push]\n", "yaml")
    for _ in range(2):
        old = taken_in(memories, folder)
        assert not old.new and "version 2" in old.remark and about(memories)[0] == 3
        # Also without its record.
        (folder / RECORD_FILE).unlink(missing_ok=True)
    Procedures(memories).deprecate("deploy")
    assert (
        "deprecated" in taken_in(memories, folder).remark or "superseded" in taken_in(memories, folder).remark
    )
    assert Procedures(memories).versions.in_force("deploy") is None


def test_an_edit_of_an_old_version_is_taken_with_a_word(memories: Memories, tmp_path: Path) -> None:
    folder = deployed(memories, tmp_path / "out")
    Procedures(memories).add("deploy", "description: Deploy it\nsteps: [Build, Test, Push]\n", "yaml")
    file = folder / "deploy.yaml"
    file.write_text(file.read_text().replace("Build", "Build it"))
    written = taken_in(memories, folder)
    assert written.new and "edited from version 2" in written.remark and about(memories)[0] == 4


def test_what_was_forgotten_comes_back_as_it_was(memories: Memories, tmp_path: Path) -> None:
    folder = deployed(memories, tmp_path / "out")
    forgotten = Procedures(memories).show("deploy")
    memories.end([forgotten.id], "by mistake")
    back = taken_in(memories, folder)
    assert back.memory.id == forgotten.id and "forgotten" in back.remark and about(memories) == (2, (2, 1))


@pytest.mark.parametrize("text", ["", "[]", '{"procedures": {"deploy.yaml": {"version": "9"}}}', "\xff"])
def test_a_record_that_is_none_is_said_and_left_out(memories: Memories, tmp_path: Path, text: str) -> None:
    folder = deployed(memories, tmp_path / "out")
    (folder / RECORD_FILE).write_bytes(text.encode("latin-1"))
    with make_memories(tmp_path / "other.db", TickingClock()) as other:
        done = dict(import_procedures(other, folder))
        assert isinstance(done[RECORD_FILE], LeftOut) and about(other) == (1, (0, 0))


def test_an_untrusted_folder_has_no_outcomes_to_tell_of(memories: Memories, tmp_path: Path) -> None:
    folder = deployed(memories, tmp_path / "out")
    with pytest.MonkeyPatch.context() as patched, make_memories(tmp_path / "o.db", TickingClock()) as other:
        patched.setenv("MEMCLI_ORIGIN", "mcp:x")
        list(import_procedures(other, folder))
        assert about(other) == (1, (0, 0))
