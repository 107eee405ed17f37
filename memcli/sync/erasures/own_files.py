"""A replica's own segments after an erasure: each is written anew with what the store holds now, or goes."""

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
    """Note beside what an erasure left to do which folders' own files may still hold what was erased."""
    known: dict[str, dict[str, Any]] = replica.noted_value(scope, replica.FOLDERS) or {}
    left = {each["path"]: each.get("why", NOT_RENEWED) for each in known.values() if each.get("stale")}
    note_change_files(scope, left)


def renew(
    scope: Scope, folder: Folder, files: Sequence[File], number: int, writer: str
) -> tuple[list[File], bool]:
    """Write own segments anew without what is gone, or said elsewhere; `number` is the first free one.

    Where the folder's segments are encrypted, those from before that are not are written anew, too.

    Who has read a segment passes over the one that stands in for it. So a record that is no longer
    as it was told there goes into a segment of its own, which everybody reads: what a killed sync or
    a copy of this store wrote was read back late, so that the place where it is told as it is
    now may be the one that goes.

    Returns those that are there now, and whether one could not be read: it was removed,
    and all is to be told again. A new one is there before the old one goes: a kill in
    between leaves both, and the next run ends it.
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
    """The lines of a segment as the store would write them now; what a later segment says is left out."""
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
    """Lines apart: those that say no more than those before did, and records that are others by now."""
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
