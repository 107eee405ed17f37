"""Folder of procedures as files, fit for git: one file each, or a SKILL.md folder as it is.

What was imported is exported to the same paths with the same bytes, so a folder under git shows only what
changed. The version of each, and how it worked, is in `folder_record.RECORD_FILE`. No symlink is followed
on import, and no path leads out of the folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from memcli.errors import BadInput, MemcliError, Refused
from memcli.memories import Memories
from memcli.messages import Command, message
from memcli.model import Memory
from memcli.named_tuple import NamedTuple
from memcli.system.files import write_private
from memcli.system.places import make_private_folder
from memcli.tiers.procedures import document as documents
from memcli.tiers.procedures import files as skill_files
from memcli.tiers.procedures.document import SUFFIXES, DocumentFormat
from memcli.tiers.procedures.files import ProcedureFile, file_manifest
from memcli.tiers.procedures.folder_record import (
    RECORD_FILE,
    VersionRecord,
    content_hash,
    read_records,
    records_text,
    version_record,
)
from memcli.tiers.procedures.procedures import Procedures, stored_document, stored_format
from memcli.tiers.versions import VersionOptions, WrittenVersion, memory_name, name_key, version_number

SKILL = "skill.md"
# Files of tools, which are no files of a procedure.
_NOT_CONTENT = (".git", "__pycache__", ".DS_Store")
_SUFFIXES = tuple(suffix for suffixes in SUFFIXES.values() for suffix in suffixes)
# Names that Windows reserves for devices, whatever their suffix.
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
_NAME_LENGTH = 80


class FolderEntry(NamedTuple):
    """A procedure in a folder; `file` is its document's path there, with `/` between parts."""

    name: str
    document: str
    form: DocumentFormat
    file: str
    files: dict[str, ProcedureFile]


class FolderExport(NamedTuple):
    """The paths that an export wrote, the unchanged ones, and the untrusted procedures left out."""

    written: list[Path]
    unchanged: list[Path]
    untrusted: list[str]


class LeftOut(NamedTuple):
    """Why a file was not imported; `refused` if it is a procedure that could have been."""

    why: str
    refused: bool


def _take_in(
    procedures: Procedures, source: FolderEntry, record: VersionRecord | None, origin: str
) -> WrittenVersion:
    """Import one procedure: as the version that it was exported as, or the next if it was edited since.

    An earlier version, or one that its owner ended, stays as it is: an old folder restores nothing.
    """
    file = source.file
    trusted = not procedures.memories.distrusts(origin)
    if not trusted:
        # Outcomes from an untrusted origin do not count.
        record = None
    content = content_hash(source.document, {path: each.sha256() for path, each in source.files.items()})
    edited = record is not None and record.content != content
    as_exported = None if edited else record
    current = procedures.versions.in_force(source.name)
    # An untrusted version does not stand for a trusted text.
    same = [
        each
        for each in procedures.versions.versions_of(source.name)
        if _content(each) == content and (each.trusted or not trusted)
    ]
    is_current = current is not None and bool(same) and same[-1].id == current.id
    if current and is_current and _rights(current) == _executables(source):
        if as_exported:
            current = procedures.take_outcomes(current, as_exported.ok, as_exported.failed, file)
        return WrittenVersion(current, new=False)
    # A text edited back to an earlier version is meant as such.
    reverted = record is not None and edited and same and version_number(same[-1]) < record.version
    if same and not is_current and not reverted:
        return _kept_as_it_is(procedures, same[-1], current)
    is_behind = record is not None and current is not None and record.version < version_number(current)
    if as_exported and current and is_behind:
        remark = (
            f"exported as version {as_exported.version}, and {version_number(current)} is in force: "
            "left as it is"
        )
        return WrittenVersion(current, new=False, remark=remark)
    written = _add(procedures, source, record, as_exported, origin)
    if record and current and is_behind:
        remark = (
            f"edited from version {record.version}; what {version_number(current)} had changed is not in it"
        )
        return written._replace(remark=remark)
    return written


def _add(
    procedures: Procedures,
    source: FolderEntry,
    record: VersionRecord | None,
    as_exported: VersionRecord | None,
    origin: str,
) -> WrittenVersion:
    """Write a procedure as its next version.

    `record` tells which version the file was exported as. If the file was not edited since, it is
    `as_exported` as well: then its note and outcomes are this version's.
    """
    number, outcomes = 1, {}
    note: str | None = f"imported from {source.file}"
    if record:
        number = record.version if as_exported else record.version + 1
    if as_exported:
        counts = {"ok": as_exported.ok, "failed": as_exported.failed}
        outcomes = {name: count for name, count in counts.items() if count}
        note = as_exported.note
    options = VersionOptions(note=note, origin=origin, number=number, outcomes=outcomes)
    return procedures.add(
        source.name, source.document, source.form, options,
        where=source.file, file=source.file, files=source.files,
    )  # fmt: skip


def _kept_as_it_is(procedures: Procedures, same: Memory, current: Memory | None) -> WrittenVersion:
    """Return the result for a version no longer in force; one that was only forgotten is restored."""
    number, name = version_number(same), memory_name(same)
    if current is None and same.ended_as == "forgotten" and not procedures.memories.is_untrusted:
        [back] = procedures.memories.restore([same.id])
        return WrittenVersion(back, new=True, remark="it had been forgotten, and is back")
    way = message(Command(f"procedure rollback {name} {number}"), " puts it in force")
    if current:
        remark = f"version {number} as it was; {version_number(current)} is newer; {way}"
        return WrittenVersion(current, new=False, remark=remark)
    return WrittenVersion(same, new=False, remark=f"version {number}, {same.ended_why or 'expired'}; {way}")


def _content(memory: Memory) -> str:
    hashes = {path: entry["sha256"] for path, entry in file_manifest(memory).items()}
    return content_hash(stored_document(memory), hashes)


def _rights(memory: Memory) -> set[str]:
    """Return the files beside a procedure that may be executed."""
    return {path for path, entry in file_manifest(memory).items() if entry.get("executable")}


def _executables(source: FolderEntry) -> set[str]:
    return {path for path, file in source.files.items() if file.executable}


class _NoProcedure(BadInput):
    """Raised for a file that is in the folder for another reason."""


def import_procedures(memories: Memories, root: Path) -> Iterator[tuple[str, WrittenVersion | LeftOut]]:
    """Import every procedure of a folder, or one file, each in a transaction of its own.

    Yields for each file its path in the folder, and the version in force or why it was left out. Raises
    BadInput if there is no such folder or file.
    """
    if root.is_file():
        # A skill is its folder.
        place = root.absolute()
        root = place.parent.parent if place.name.casefold() == SKILL else place.parent
        files = [place.relative_to(root).as_posix()]
    elif root.is_dir():
        files = list(_documents(root))
    else:
        raise BadInput("no such folder or file", about=root)
    procedures, taken = Procedures(memories), dict[str, str]()
    try:
        records = read_records(root)
    except BadInput as error:
        records = {}
        yield RECORD_FILE, LeftOut(str(error), refused=True)
    for file in files:
        try:
            source = _source(root, file)
            if other := taken.get(source.name.casefold()):
                raise BadInput(f"the name {source.name!r} is taken by {other}")
            record = records.get(file)
            if record and name_key(record.name) != name_key(source.name):
                record = None
            origin = memories.untrusted_origin or f"import:{root.resolve().name}"
            written = _take_in(procedures, source, record, origin)
            taken[source.name.casefold()] = file
            yield file, written
        except (BadInput, Refused, OSError) as error:
            why = error.beside(file) if isinstance(error, MemcliError) else str(error)
            yield file, LeftOut(why, refused=not isinstance(error, _NoProcedure))


def export_procedures(memories: Memories, root: Path) -> FolderExport:
    """Write every trusted procedure in force into a folder, which is created if needed.

    Agents act on a folder of skills, so untrusted ones are left out. Files that have the right content
    already are not touched, and others not removed. Raises BadInput for a folder that cannot be written.
    """
    plan: dict[str, ProcedureFile] = {}
    records: dict[str, VersionRecord] = {}
    live = Procedures(memories).versions.live()
    # Procedures with a recorded path keep it; names for the others are chosen after.
    for memory in sorted(live, key=lambda each: "file" not in each.data):
        if not memory.trusted:
            continue
        place = _place(memory, plan)
        plan[place] = ProcedureFile(stored_document(memory).encode())
        records[place] = version_record(memory, _content(memory))
        for path, file in skill_files.fetch_files(memories, file_manifest(memory)).items():
            beside = str(PurePosixPath(place).parent / _checked(path))
            if beside in plan:
                raise BadInput(
                    f"{beside}: a file beside {memory_name(memory)!r}, and of another procedure too"
                )
            plan[beside] = file
    exported = FolderExport([], [], [memory_name(each) for each in live if not each.trusted])
    try:
        make_private_folder(root)
        # Unused first versions need no record, so a folder with only these gets none.
        if any(each.tells for each in records.values()) or (root / RECORD_FILE).exists():
            plan[RECORD_FILE] = ProcedureFile(records_text(root, records).encode())
        for place, file in plan.items():
            _write(root, place, file, exported)
    except OSError as error:
        raise BadInput(f"{error.filename or root}: cannot be written ({error.strerror})") from error
    return exported


def _documents(root: Path) -> Iterator[str]:
    """Yield the paths of the documents in a folder, in order; beside and below a SKILL.md only that one."""
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        skill = next((name for name in sorted(files) if name.casefold() == SKILL), None)
        if skill:
            folders.clear()
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in [skill] if skill else sorted(files):
            if name.lower().endswith(_SUFFIXES) and not name.startswith("."):
                yield (here / name).relative_to(root).as_posix()


def _source(root: Path, file: str) -> FolderEntry:
    path = root / file
    if path.is_symlink():
        raise _NoProcedure("left out: it is a link")
    try:
        document = path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"not valid UTF-8 (byte {error.start + 1}); convert it first") from error
    is_skill = path.name.casefold() == SKILL
    form = documents.document_format(document, path.name)
    if form == "markdown" and not documents.has_front_matter(document):
        raise _NoProcedure("left out: no front matter, so no procedure")
    said = documents.read_procedure(document, form, file).name
    named_after = path.resolve().parent.name if is_skill else path.stem
    files = _beside(path) if is_skill else {}
    return FolderEntry(said or named_after, document, form, file, files)


def _beside(skill: Path) -> dict[str, ProcedureFile]:
    """Return the files of a skill's folder without its document, by path from there."""
    found = {}
    for folder, folders, files in os.walk(skill.parent):
        folders[:] = sorted(name for name in folders if name not in _NOT_CONTENT)
        for path in (Path(folder) / name for name in sorted(files) if name not in _NOT_CONTENT):
            if path != skill and path.is_file() and not path.is_symlink():
                place = path.relative_to(skill.parent).as_posix()
                found[place] = ProcedureFile(path.read_bytes(), _executable(path))
    return found


def _executable(path: Path) -> bool:
    # Windows has no such bit: there the suffix decides.
    return os.name != "nt" and bool(path.stat().st_mode & 0o100)


def _place(memory: Memory, taken: dict[str, ProcedureFile]) -> str:
    """Return where a procedure's document goes: where it came from, else a file of its name."""
    wanted = memory.data.get("file")
    if not isinstance(wanted, str) or not wanted:
        suffix = SUFFIXES[stored_format(memory)][0]
        stem = _file_name(memory_name(memory))
        wanted = f"{stem}/SKILL.md" if file_manifest(memory) else f"{stem}{suffix}"
    wanted = _checked(wanted)
    # Some file systems ignore case.
    names = {name.casefold() for name in taken}
    path, number = PurePosixPath(wanted), 1
    while wanted.casefold() in names:
        number += 1
        if path.name.casefold() == SKILL:
            wanted = str(path.with_name(f"{path.parent.name or 'skill'}-{number}") / path.name)
        else:
            wanted = str(path.with_stem(f"{path.stem}-{number}"))
    return wanted


def _file_name(name: str) -> str:
    """Return a name that every file system accepts: letters of any script, digits, `.`, `_` and `-`."""
    plain = re.sub(r"[^\w.-]+", "-", name).strip("-. ")[:_NAME_LENGTH].strip("-. ")
    return f"_{plain}" if not plain or _DEVICES.fullmatch(plain) else plain


def _checked(place: str) -> str:
    """Return a stored path if it may be written: inside the folder, and not in `.git`."""
    parts = place.split("/")
    if any(part in ("", ".", "..") or part.casefold() == ".git" for part in parts) or re.search(
        r"[\\:\0]", place
    ):
        raise BadInput(f"{place!r:.80}: leads out of the folder, or into .git; not written")
    return place


def _write(root: Path, place: str, file: ProcedureFile, exported: FolderExport) -> None:
    path = root / place
    if not path.resolve().is_relative_to(root.resolve()):
        raise BadInput("a link leads out of the folder; not written", about=path)
    if path.is_file() and ProcedureFile(path.read_bytes(), _executable(path)) == file:
        exported.unchanged.append(path)
        return
    make_private_folder(path.parent)
    write_private(path, file.content, mode=0o700 if file.executable else 0o600)
    exported.written.append(path)
