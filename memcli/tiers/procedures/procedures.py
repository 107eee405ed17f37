"""Procedures: what to do in which situation, in versions, with how often it worked.

A procedure's document (see `procedures.document`) is in `Memory.data` as it was written, with the fields
parsed from it; `Memory.text` is what situations are compared with: name, description and when to use it.
Outcomes are counted on the version that was used and, like uses, do not change it: `history` lists them,
with their notes.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import unified_diff
from typing import Any

from memcli import ids
from memcli.doors import PROCEDURE, Deed
from memcli.errors import BadInput, NotFound, Refused
from memcli.memories import Memories
from memcli.messages import Command, message
from memcli.model import Event, Memory, outcome_counts
from memcli.named_tuple import NamedTuple
from memcli.recall.ranking.success import success_bound, success_interval
from memcli.text.checks import check_text
from memcli.text.printable import without_escapes
from memcli.tiers.procedures import document as documents
from memcli.tiers.procedures import files as skill_files
from memcli.tiers.procedures.document import LIST_FIELDS, SUFFIXES, DocumentFormat, ProcedureText
from memcli.tiers.procedures.files import ProcedureFile, file_manifest
from memcli.tiers.versions import (
    VERSION_FIELDS,
    VersionOptions,
    Versions,
    WrittenVersion,
    memory_name,
    name_key,
    version_number,
)

# A procedure is searched for among few, and seldom by its words. On 24 situations of our own this floor
# keeps 22, recall's of 0.5 keeps 15; of 10 unrelated ones it lets 1 through.
MATCH_FLOOR = 0.2
_TEXTS = ("description", "when")


class ProcedureMatch(NamedTuple):
    """A procedure that fits a situation; the score is 1 if it was asked for by name."""

    memory: Memory
    score: float


class ProcedureMatches(NamedTuple):
    """Procedures that fit a situation, best first; `degraded` (`partly`): why meaning was not compared."""

    found: list[ProcedureMatch]
    degraded: str | None
    partly: bool = False


class Procedures:
    """The procedures of the space that `memories` is opened for."""

    def __init__(self, memories: Memories) -> None:
        self.memories = memories
        self.versions = Versions(memories, "procedure")

    def add(
        self,
        name: str,
        document: str,
        form: DocumentFormat,
        options: VersionOptions | None = None,
        *,
        where: str = "procedure",
        file: str | None = None,
        files: Mapping[str, ProcedureFile] | None = None,
    ) -> WrittenVersion:
        """Put a document in force under a name: its first version, or the next.

        `file` is its path in a folder and `files` those beside it; left out, both stay as they were, and
        the document is made to contain its name. Raises BadInput, naming `where`, for a document that
        cannot be parsed or that an edit has renamed, and what `Versions.write` raises.
        """
        document = without_escapes(document)
        check_text(document, self.memories.config["max_text"])
        procedure = documents.read_procedure(document, form, where)
        if options and options.replaces and procedure.name and name_key(procedure.name) != name_key(name):
            raise BadInput(
                f"renamed from {name!r} to {procedure.name!r:.60}",
                about=where,
                by_hand=message(
                    "a procedure keeps its name: add the new one and ",
                    Command("procedure deprecate"),
                    " this one",
                ),
            )
        if file is None:
            document = documents.renamed_document(document, form, name.strip(), where)
        content: dict[str, Any] = {"document": document, "format": form, **_fields(procedure)}
        before = self.versions.versions_of(name)
        if not self.memories.is_untrusted:
            # A trusted version does not inherit untrusted files.
            before = [each for each in before if each.trusted]
        kept = before[-1].data if before else {}
        manifest = kept.get("files") if files is None else skill_files.store_files(self.memories, files)
        for key, value in (("file", file or kept.get("file")), ("files", manifest)):
            if value:
                content[key] = value
        text = procedure.search_text(name.strip())
        return self.versions.write(name, text, content, options)

    def show(self, name: str, version: int | None = None) -> Memory:
        """Return the version in force, or the one of that number; if all are ended, the last.

        Raises NotFound.
        """
        if version is not None:
            return self.versions.version(name, version)
        try:
            return self.versions.find_in_force(name)
        except NotFound:
            if ended := self.versions.versions_of(name):
                return ended[-1]
            raise

    def rollback(self, name: str, number: int | None = None, note: str | None = None) -> WrittenVersion:
        """Put an earlier version in force again, as a new one that keeps its outcomes.

        Without a number the one before that in force; for an ended procedure, the last. Raises NotFound;
        Refused for an untrusted one in place of a trusted one.
        """
        last = self.show(name)
        number = number or self._number_before(last)
        if number < 1:
            raise NotFound(f"procedure {memory_name(last)!r} has no version before {version_number(last)}")
        old = self.versions.version(memory_name(last), number)
        if last.trusted and not old.trusted:
            raise Refused(
                f"version {number} of {memory_name(last)!r} is untrusted",
                by_hand=message("look at it, then ", Command(f"edit {ids.short_id(old.id)} --trusted")),
                rule="untrusted-origin",
            )
        content = {name: value for name, value in old.data.items() if name not in VERSION_FIELDS}
        ok, failed = outcome_counts(old.data)
        options = VersionOptions(
            note=note or f"back to version {number}",
            outcomes={"ok": ok, "failed": failed},
            trusted=old.trusted,
        )
        return self.versions.write(memory_name(old), old.text, content, options)

    def _number_before(self, last: Memory) -> int:
        """Return the number of the version to go back to, as trusted as the last; 0 if there is none."""
        others = self.versions.versions_of(memory_name(last))
        numbers = [version_number(each) for each in others if each.trusted >= last.trusted]
        newest = version_number(last) - (last.ended_at is None)
        return max((number for number in numbers if number <= newest), default=0)

    def report(self, name: str, *, ok: bool, note: str | None = None) -> Memory:
        """Count an outcome of the version in force, as a change that can be undone.

        For a trusted procedure an outcome from an untrusted origin is recorded, and not counted. Raises
        NotFound; Refused for a secret in the note.
        """
        from memcli.text.secrets.redaction import refuse_secrets

        refuse_secrets(note or "", "the note")
        store, now = self.memories.store, self.memories.now()
        with store.writing():
            memory = self.versions.find_in_force(name)
            worked, failed = outcome_counts(memory.data)
            counts = {"ok": worked + ok, "failed": failed + (not ok)}
            counted = memory
            own = self.memories.is_own(memory.untrusted_origin)
            if not self.memories.is_untrusted or PROCEDURE.lets(Deed.VOUCH, own=own):
                counted = replace(memory, updated_at=now, data={**memory.data, **counts})
            store.put([counted], None, now)
            action = "worked" if ok else "failed"
            change = self.memories.change_id()
            store.put_history([Event(0, now, memory.id, action, self.memories.origin, note, {}, {}, change)])
        return counted

    def take_outcomes(self, memory: Memory, ok: int, failed: int, where: str) -> Memory:
        """Merge outcome counts from another place: of each count the larger one holds."""
        worked, did_not = outcome_counts(memory.data)
        counts = {"ok": max(ok, worked), "failed": max(failed, did_not)}
        if (worked, did_not) == tuple(counts.values()):
            return memory
        store, now = self.memories.store, self.memories.now()
        counted = replace(memory, updated_at=now, data={**memory.data, **counts})
        with store.writing():
            store.put([counted], None, now)
            told = Event(0, now, memory.id, "import", self.memories.origin, f"outcomes from {where}", {}, {})
            store.put_history([told])
        return counted

    def better_earlier_version(self, memory: Memory) -> Memory | None:
        """Return an earlier version that surely works more often than this one, by their outcomes."""
        best = success_interval(*outcome_counts(memory.data))[1]
        others = [
            each
            for each in self.versions.versions_of(memory_name(memory))
            if each.id != memory.id and each.trusted >= memory.trusted
        ]
        proven = max(others, key=lambda each: success_bound(*outcome_counts(each.data)), default=None)
        return proven if proven and success_bound(*outcome_counts(proven.data)) > best else None

    def deprecate(self, name: str, by: str | None = None) -> Memory:
        """End a procedure, in favour of another if one is named.

        Raises NotFound for either, BadInput if they are the same.
        """
        memory = self.versions.find_in_force(name)
        other = self.versions.find_in_force(by) if by else None
        if other and other.id == memory.id:
            raise BadInput(f"procedure {memory_name(memory)!r} cannot take its own place")
        why = f"deprecated, use {memory_name(other)}" if other else "deprecated"
        by = memory_name(other) if other else None
        return self.versions.end(memory, why, "deprecated", deprecated={"by": by})

    def find(
        self, situation: str, limit: int = 5, *, words_only: bool = False, trusted: bool | None = None
    ) -> ProcedureMatches:
        """Return the procedures for a situation, best first: the one of that very name, then by meaning.

        With `trusted` only trusted ones.
        """
        named = self.versions.in_force(situation)
        named = None if named and trusted and not named.trusted else named
        where = self.memories.within(kinds=("procedure",), trusted=trusted)
        settings = self.memories.settings(limit=limit, min_score=MATCH_FLOOR, min_sure=0.0)
        answer = self.memories.recall(situation, where, words_only=words_only, settings=settings)
        found = [ProcedureMatch(named, 1.0)] if named else []
        found += [
            ProcedureMatch(hit.memory, hit.score)
            for hit in answer.hits
            if not named or hit.memory.id != named.id
        ]
        return ProcedureMatches(found[:limit], answer.degraded, answer.partly)

    def diff(self, name: str, old: int | None = None, new: int | None = None) -> Iterator[str]:
        """Yield what changed between two versions, as a unified diff; by default in the last change."""
        after = self.show(name, new)
        # A first version is compared with nothing.
        number = old if old is not None else version_number(after) - 1
        before = self.versions.version(memory_name(after), number) if number else None
        old_texts = self._texts(before) if before else {}
        new_texts = self._texts(after)
        for path in sorted({*old_texts, *new_texts}):
            shown = f"{memory_name(after)}/{path}" if path else memory_name(after)
            was, now = (texts.get(path, "").splitlines(keepends=True) for texts in (old_texts, new_texts))
            was_at = f"{shown} (version {number})" if path in old_texts else "/dev/null"
            now_at = f"{shown} (version {version_number(after)})" if path in new_texts else "/dev/null"
            for line in unified_diff(was, now, was_at, now_at):
                yield line.rstrip("\r\n")
                if not line.endswith("\n"):
                    yield "\\ No newline at end of file"

    def history(self, name: str) -> list[tuple[int, Event]]:
        """Return everything that happened to a name, each with the version's number, oldest first."""
        versions = self.versions.versions_of(name) or self.versions.versions_of(memory_name(self.show(name)))
        store = self.memories.store
        events = [(version_number(each), event) for each in versions for event in store.history(each.id)]
        return sorted(events, key=lambda each: each[1].number)

    def _texts(self, memory: Memory) -> dict[str, str]:
        """Return the document under an empty path, and each file beside it; for binary ones their hash."""
        texts = {"": stored_document(memory)}
        for path, file in skill_files.fetch_files(self.memories, file_manifest(memory)).items():
            text = file.text()
            texts[path] = f"binary, SHA-256 {file.sha256()}\n" if text is None else text
        return texts


def stored_document(memory: Memory) -> str:
    """Return a procedure's document; generated from its fields, or its text, if it came without one."""
    document = memory.data.get("document")
    if isinstance(document, str):
        return document
    fields: dict[str, Any] = {name: str(memory.data.get(name) or "") for name in ("name", *_TEXTS)}
    fields |= {name: tuple(map(str, _list(memory.data.get(name)))) for name in LIST_FIELDS}
    procedure = ProcedureText(**fields)
    if not (procedure.description or procedure.when or procedure.steps):
        procedure = procedure._replace(description=memory.text)
    return documents.procedure_document(procedure)


def stored_format(memory: Memory) -> DocumentFormat:
    """Return the format of a procedure's document."""
    form = memory.data.get("format")
    known = next((each for each in SUFFIXES if each == form), None)
    return known or documents.document_format(stored_document(memory))


def missing_tools(memory: Memory) -> list[str]:
    """Return the tools of a procedure that are no command on this machine."""
    tools = [str(tool) for tool in _list(memory.data.get("tools"))]
    return [tool for tool in tools if tool.strip() and not shutil.which(tool.split()[0])]


def procedure_record(memory: Memory) -> dict[str, Any]:
    """Return a procedure as JSON types, as `--json` prints it."""
    data, kept = memory.data, memory.to_record()
    ok, failed = outcome_counts(data)
    fields = {name: data.get(name) for name in (*_TEXTS, *LIST_FIELDS)}
    return {
        "name": memory_name(memory) or None, "version": version_number(memory), "note": data.get("note"),
        **fields, "missing_tools": missing_tools(memory), "ok": ok, "failed": failed,
        "success_rate": round(ok / (ok + failed), 4) if ok + failed else None,
        "success_bound": round(success_bound(ok, failed), 4) if ok + failed else None,
        "deprecated": data.get("deprecated") if memory.ended_at else None,
        "files": sorted(file_manifest(memory)), "format": data.get("format"),
        "document": stored_document(memory), "id": memory.id, "supersedes": memory.supersedes,
        **{name: kept[name] for name in ("created_at", "ended_at", "ended_as", "ended_why", "trusted")},
    }  # fmt: skip


def _fields(procedure: ProcedureText) -> dict[str, Any]:
    fields = procedure._asdict()
    del fields["name"]
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}


def _list(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else ()
