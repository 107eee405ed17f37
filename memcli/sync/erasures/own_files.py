"""Own segment files after an erasure: each is rewritten from the current store, or removed."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

from memcli.changes.forgetting.unfinished import NOT_RENEWED, note_change_files
from memcli.errors import MemcliError
from memcli.scope import Scope
from memcli.sync import replica
from memcli.sync.erasures.tombstones import FINAL
from memcli.sync.files.folder import File, Folder
from memcli.sync.files.segments import Segment
from memcli.sync.outbound import Audience, record_lines
from memcli.sync.records.lines import EVENT, event_line


def note_stale(scope: Scope) -> None:
    """Record which folders' own files may still hold erased content, beside what else an erasure left."""
    known: dict[str, dict[str, Any]] = replica.noted_value(scope, replica.FOLDERS) or {}
    left = {each["path"]: each.get("why", NOT_RENEWED) for each in known.values() if each.get("stale")}
    note_change_files(scope, left)


def renew(
    scope: Scope, folder: Folder, files: Sequence[File], number: int, writer: str
) -> tuple[list[File], bool]:
    """Rewrite own segments without what is gone or repeated later; `number` is the first free number.

    If the folder's segments are encrypted, earlier unencrypted ones are rewritten, too. A reader that has
    read a segment skips the one that replaces it. Therefore a record whose content differs from what that
    segment told goes into a segment of its own, which every replica reads: a segment left by a killed sync
    or by a copy of this store is read back late, and the one that holds the current content may be the one
    that is removed. Returns the files that exist now, and whether all could be read; an unreadable one is
    removed, and all has to be sent again. A new file is written before the old one is removed: a kill in
    between leaves both, which the next run resolves.
    """
    told: set[tuple[str, ...]] = set()
    kept: list[File] = []
    all_read = True
    for file in sorted(files, key=lambda each: -each.number):
        try:
            segment = folder.read(file)
        except MemcliError:
            all_read = False
            folder.remove([file])
            continue
        lines = _renewed(scope, segment, told)
        if lines == list(segment.lines) and (file.is_sealed or not folder.seals):
            kept.append(file)
            continue
        left, news = _as_told(lines, frozenset(segment.lines))
        for some, replaces in ((left, (file.id, *segment.replaces)), (news, ())):
            if some:
                fresh = segment._replace(lines=some, replica=writer, replaces=replaces)
                kept.append(folder.write(fresh, number))
                number += 1
        folder.remove([file])
    return kept, all_read


def _renewed(scope: Scope, segment: Segment, told: set[tuple[str, ...]]) -> list[str]:
    """Return the lines of a segment as the store would write them now, without what a later segment says."""
    parsed: list[dict[str, Any]] = [json.loads(line) for line in segment.lines]
    names = [_name(line) for line in parsed]
    current = _records(scope, parsed, names, vectors=segment.model is not None) | _events(scope, parsed)
    lines = []
    for line, name in zip(parsed, names, strict=True):
        if line["type"] != EVENT and name in told:
            continue
        told.add(name)
        alike = current.get(name)
        if alike and (text := alike.pop(0)) and json.loads(text).get("space") == line.get("space"):
            lines.append(text)
    return lines


def _as_told(lines: Sequence[str], before: Collection[str]) -> tuple[list[str], list[str]]:
    """Split lines into those that say no more than the lines before did, and changed records."""
    left: list[str] = []
    news: list[str] = []
    for line in lines:
        (left if line in before or json.loads(line)["type"] == EVENT else news).append(line)
    return left, news


def _name(line: dict[str, Any]) -> tuple[str, ...]:
    if line["type"] == EVENT:
        return (EVENT, line["memory"], line["at"], line["action"], line["change"] or "")
    return (line["type"], line["key"])


def _records(
    scope: Scope, parsed: Sequence[dict[str, Any]], names: Sequence[tuple[str, ...]], *, vectors: bool
) -> dict[tuple[str, ...], list[str]]:
    keys: dict[str, list[str]] = defaultdict(list)
    for line, name in zip(parsed, names, strict=True):
        if line["type"] != EVENT:
            keys[name[0]].append(name[1])
    clocks = [each for kind, some in keys.items() for each in scope.store.clocks(kind, some).values()]
    found = {}
    for text in record_lines(scope, clocks, Audience(vectors=vectors)):
        line = json.loads(text)
        found[_name(line)] = [text]
    return found


def _events(scope: Scope, parsed: Sequence[dict[str, Any]]) -> dict[tuple[str, ...], list[str]]:
    told = [line for line in parsed if line["type"] == EVENT]
    spaces = {line["memory"]: line.get("space") for line in told}
    finals = {line["memory"]: line.get("space") for line in told if line.get("space") is None}
    found: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for memory, where in spaces.items():
        for event in scope.store.history(memory):
            space = finals.get(memory) if event.action in FINAL else where
            found[EVENT, *event.name].append(event_line(event, space))
    return found
