"""Procedures: what to do in which situation, in versions, with how often it worked.

A procedure's document (see `procedures.document`) stands in `Memory.data` as it was
written, with the fields read from it; `Memory.text` is what situations are
compared with: name, description and when to use it. Outcomes are counted on
the version that was used and, like uses, are no change of it: `history` names
them, with their notes.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import unified_diff
from typing import Any, NamedTuple

from memcli.errors import BadInput, NotFound
from memcli.memories import Memories
from memcli.model import Event, Memory
from memcli.recall.ranking.success import outcomes, success_bound, success_interval
from memcli.text.checks import check_text
from memcli.tiers.procedures import document as procedure_text
from memcli.tiers.procedures import files as procedure_files
from memcli.tiers.procedures.document import LISTS, SUFFIXES, Format, ProcedureText
from memcli.tiers.procedures.files import File, manifest_of
from memcli.tiers.versions import ABOUT, Versions, Written, key_of, name_of, number_of

# Who looks for a procedure looks among few, and seldom in its words. On 24 situations of our own this
# keeps 22 and recall's floor of 0.5 15; of 10 foreign ones it lets 1 through.
FLOOR = 0.2
_TEXTS = ("description", "when")


class Found(NamedTuple):
    """A procedure that fits a situation; the score is 1 where it was asked for by name."""

    memory: Memory
    score: float


class Answer(NamedTuple):
    """What fits a situation, best first; `degraded` says why meaning was not compared."""

    found: list[Found]
    degraded: str | None


class Procedures:
    """The procedures of the space that `memories` is opened for."""

    def __init__(self, memories: Memories) -> None:
        self.memories = memories
        self.versions = Versions(memories, "procedure")

    def add(
        self,
        name: str,
        document: str,
        form: Format,
        *,
        where: str = "procedure",
        note: str | None = None,
        origin: str | None = None,
        replaces: str | None = None,
        file: str | None = None,
        files: Mapping[str, File] | None = None,
    ) -> Written:
        """Put a document in force under a name: its first version, or the next.

        `file` is where it lies in a folder and `files` what lies beside it;
        left out, both stay as they were, and the document is made to say its
        name. `replaces` is the id of the version that was edited, see
        `Versions.write`. Raises BadInput, naming `where`, for a document that
        cannot be read.
        """
        check_text(document, self.memories.config["max_text"])
        procedure = procedure_text.read(document, form, where)
        if replaces and procedure.name and key_of(procedure.name) != key_of(name):
            raise BadInput(
                f"{where}: renamed from {name!r} to {procedure.name!r:.60}; a procedure keeps its name: add "
                f"the new one and `mem procedure deprecate` this one"
            )
        if file is None:
            document = procedure_text.named(document, form, name.strip(), where)
        content: dict[str, Any] = {"document": document, "format": form, **_fields(procedure)}
        before = self.versions.of(name)
        kept = before[-1].data if before else {}
        manifest = kept.get("files") if files is None else procedure_files.keep(self.memories, files)
        for key, value in (("file", file or kept.get("file")), ("files", manifest)):
            if value:
                content[key] = value
        text = procedure.search_text(name.strip())
        return self.versions.write(name, text, content, note=note, origin=origin, replaces=replaces)

    def show(self, name: str, version: int | None = None) -> Memory:
        """The version in force, or the one of that number; where all are ended, the last.

        Raises NotFound.
        """
        if version is not None:
            return self.versions.version(name, version)
        try:
            return self.versions.current(name)
        except NotFound:
            if ended := self.versions.of(name):
                return ended[-1]
            raise

    def rollback(self, name: str, number: int | None = None, note: str | None = None) -> Written:
        """Put an earlier version in force again, as a new one that keeps its outcomes.

        Without a number the one before the one in force, or of what is ended
        the last. Raises NotFound.
        """
        last = self.show(name)
        number = number or number_of(last) - (last.ended_at is None)
        if number < 1:
            raise NotFound(f"procedure {name_of(last)!r} has no version before {number_of(last)}")
        old = self.versions.version(name_of(last), number)
        content = {name: value for name, value in old.data.items() if name not in ABOUT}
        ok, failed = outcomes(old.data)
        return self.versions.write(
            name_of(old),
            old.text,
            content,
            note=note or f"back to version {number}",
            about={"ok": ok, "failed": failed},
        )

    def report(self, name: str, *, ok: bool, note: str | None = None) -> Memory:
        """Count an outcome of the version in force. Raises NotFound; Refused for a secret in the note.

        Of a trusted procedure one from an untrusted door is on record, and does
        not count.
        """
        from memcli.text.secrets.redaction import refuse_secrets

        refuse_secrets(note or "", "the note")
        store, now = self.memories.store, self.memories.now()
        with store.writing():
            memory = self.versions.current(name)
            worked, failed = outcomes(memory.data)
            counts = {"ok": worked + ok, "failed": failed + (not ok)}
            counted = memory
            if not (memory.trusted and self.memories.from_outside):
                counted = replace(memory, updated_at=now, data={**memory.data, **counts})
            store.put([counted], None, now)
            action = "worked" if ok else "failed"
            store.put_history([Event(0, now, memory.id, action, self.memories.origin, note, {}, {})])
        return counted

    def better(self, memory: Memory) -> Memory | None:
        """An earlier version that surely works more often than this one, by their outcomes."""
        best = success_interval(*outcomes(memory.data))[1]
        others = [each for each in self.versions.of(name_of(memory)) if each.id != memory.id]
        proven = max(others, key=lambda each: success_bound(*outcomes(each.data)), default=None)
        return proven if proven and success_bound(*outcomes(proven.data)) > best else None

    def deprecate(self, name: str, by: str | None = None) -> Memory:
        """Take a procedure out of force, in favour of another where one is named.

        Raises NotFound for either, BadInput where they are the same.
        """
        memory = self.versions.current(name)
        other = self.versions.current(by) if by else None
        if other and other.id == memory.id:
            raise BadInput(f"procedure {name_of(memory)!r} cannot take its own place")
        why = f"deprecated, use {name_of(other)}" if other else "deprecated"
        by = name_of(other) if other else None
        return self.versions.end(memory, why, "deprecated", deprecated={"by": by})

    def find(self, situation: str, limit: int = 5, *, words_only: bool = False) -> Answer:
        """The procedures for a situation, best first: the one of that very name, then by meaning."""
        named = self.versions.in_force(situation)
        where = self.memories.within(kinds=("procedure",))
        settings = self.memories.settings(limit=limit, min_score=FLOOR)
        answer = self.memories.recall(situation, where, words_only=words_only, settings=settings)
        found = [Found(named, 1.0)] if named else []
        found += [
            Found(hit.memory, hit.score) for hit in answer.hits if not named or hit.memory.id != named.id
        ]
        return Answer(found[:limit], answer.degraded)

    def diff(self, name: str, old: int | None = None, new: int | None = None) -> Iterator[str]:
        """What changed between two versions, as a unified diff; by default in the last change."""
        after = self.show(name, new)
        # A name with one version only is compared with nothing.
        number = old if old is not None else number_of(after) - 1
        before = self.versions.version(name_of(after), number) if number else None
        old_texts = self._texts(before) if before else {}
        new_texts = self._texts(after)
        for path in sorted({*old_texts, *new_texts}):
            shown = f"{name_of(after)}/{path}" if path else name_of(after)
            was, now = (texts.get(path, "").splitlines(keepends=True) for texts in (old_texts, new_texts))
            was_at = f"{shown} (version {number})" if path in old_texts else "/dev/null"
            now_at = f"{shown} (version {number_of(after)})" if path in new_texts else "/dev/null"
            for line in unified_diff(was, now, was_at, now_at):
                yield line.rstrip("\r\n")
                if not line.endswith("\n"):
                    yield "\\ No newline at end of file"

    def history(self, name: str) -> list[tuple[int, Event]]:
        """Everything that happened to a name, each with the version's number, oldest first."""
        versions = self.versions.of(name) or self.versions.of(name_of(self.show(name)))
        store = self.memories.store
        events = [(number_of(each), event) for each in versions for event in store.history(each.id)]
        return sorted(events, key=lambda each: each[1].number)

    def _texts(self, memory: Memory) -> dict[str, str]:
        """The document under an empty path, and each file beside it; of binary ones their hash."""
        texts = {"": document_of(memory)}
        for path, file in procedure_files.fetch(self.memories, manifest_of(memory)).items():
            text = file.text()
            texts[path] = f"binary, SHA-256 {file.sha256()}\n" if text is None else text
        return texts


def document_of(memory: Memory) -> str:
    """A procedure's document; written from its fields, or its text, where it came without one."""
    document = memory.data.get("document")
    if isinstance(document, str):
        return document
    fields: dict[str, Any] = {name: str(memory.data.get(name) or "") for name in ("name", *_TEXTS)}
    fields |= {name: tuple(map(str, _list(memory.data.get(name)))) for name in LISTS}
    procedure = ProcedureText(**fields)
    if not (procedure.description or procedure.when or procedure.steps):
        procedure = procedure._replace(description=memory.text)
    return procedure_text.write(procedure)


def form_of(memory: Memory) -> Format:
    """Which form a procedure's document has."""
    form = memory.data.get("format")
    known = next((each for each in SUFFIXES if each == form), None)
    return known or procedure_text.format_of(document_of(memory))


def missing_tools(memory: Memory) -> list[str]:
    """Those of a procedure's tools that are no command on this machine."""
    tools = [str(tool) for tool in _list(memory.data.get("tools"))]
    return [tool for tool in tools if tool.strip() and not shutil.which(tool.split()[0])]


def to_record(memory: Memory) -> dict[str, Any]:
    """A procedure as JSON types, as `--json` prints it."""
    data, kept = memory.data, memory.to_record()
    ok, failed = outcomes(data)
    fields = {name: data.get(name) for name in (*_TEXTS, *LISTS)}
    return {
        "name": name_of(memory) or None, "version": number_of(memory), "note": data.get("note"), **fields,
        "missing_tools": missing_tools(memory), "ok": ok, "failed": failed,
        "success_rate": round(ok / (ok + failed), 4) if ok + failed else None,
        "success_bound": round(success_bound(ok, failed), 4) if ok + failed else None,
        "deprecated": data.get("deprecated") if memory.ended_at else None,
        "files": sorted(manifest_of(memory)), "format": data.get("format"),
        "document": document_of(memory), "id": memory.id, "supersedes": memory.supersedes,
        **{name: kept[name] for name in ("created_at", "ended_at", "ended_as", "ended_why", "trusted")},
    }  # fmt: skip


def _fields(procedure: ProcedureText) -> dict[str, Any]:
    fields = procedure._asdict()
    del fields["name"]
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}


def _list(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else ()
