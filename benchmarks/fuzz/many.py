"""Runs of many inputs: a file with hostile lines, a folder with hostile documents, each judged by itself.

To open and to close a store is most of what a small command takes. So these give one command many inputs at
once, each as hostile as if it came alone; `told` says whether it told them apart. Most lines are about
something new: of a hundred versions of one memory the first would be kept, and the others only known.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.fuzz.foreign import FOREIGN
from benchmarks.fuzz.inputs import (
    DRAFT,
    FOREIGN_TURNS,
    Input,
    Seeds,
    a_foreign_file,
    a_procedure,
    flags_of,
    place_in_folder,
    sorted_records,
)
from benchmarks.fuzz.values import a_sentence, broken, mutated, written

_LINES, _DOCUMENTS = 50, 12
# Crockford's base 32, as ids are written.
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
# Where a record of any program's has its id, and where its words.
_IDS, _WORDS = ("id", "uuid", "parent_message_uuid"), ("text", "content", "message", "memory")


def _lines(chance: random.Random, valid: Sequence[Mapping[str, Any]]) -> tuple[bytes, ...]:
    """Hostile lines made of valid records, each of its own id and words, if not of a hostile one."""
    made = []
    for _ in range(_LINES):
        record: Any = chance.choice(valid)
        if chance.random() < 0.8:
            record = _anew(record, chance)
        for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
            record = mutated(record, chance)
        line = written(record, chance).encode("utf-8", "surrogatepass")
        made.append(broken(line, chance) if chance.random() < 0.1 else line)
    return tuple(made)


def _anew(value: Any, chance: random.Random, name: str = "") -> Any:
    """The record with other ids and other words."""
    if isinstance(value, Mapping):
        return {key: _anew(each, chance, key) for key, each in value.items()}
    if isinstance(value, list):
        return [_anew(each, chance, name) for each in value]
    if not isinstance(value, str) or not value:
        return value
    if name in _IDS:
        return value[:10] + "".join(chance.choices(_ALPHABET, k=max(len(value) - 10, 4)))
    return a_sentence(chance) if name in _WORDS else value


def imported_lines(chance: random.Random, seeds: Seeds) -> Input:
    """Lines of an export, behind a header that is whole."""
    head = written(seeds.records[0]).encode() + b"\n"
    valid = [*sorted_records(chance, seeds), {"text": "x", "at": "2026"}, {"text": "x", "tags": ["a"]}]
    flags = flags_of(chance, "--untrusted", "--force", "--redact")
    return Input("import lines", ["import", "-", "--json", *flags], head, lines=_lines(chance, valid))


def batch_lines(chance: random.Random, seeds: Seeds) -> Input:
    """Drafts for `remember --batch`, behind one that is whole: the first says what all lines are."""
    settled = {"text": "x", chance.choice(("replaces", "same_as", "both_hold")): chance.choice(seeds.ids)}
    flags = flags_of(chance, "--dry-run", "--force", "--redact")
    lines = _lines(chance, [DRAFT, settled, {"text": "x"}, {"text": "x", "kind": "fact"}])
    return Input(
        "batch lines", ["remember", "--batch", "--json", *flags], b'{"text": "Begun"}\n', lines=lines
    )


def transcript_lines(chance: random.Random, seeds: Seeds) -> Input:
    """Turns of a session, behind one that is whole."""
    head = b'{"role": "user", "content": "Hello"}\n'
    lines = _lines(chance, [*seeds.turns, *FOREIGN_TURNS])
    return Input(
        "transcript lines",
        ["session", "import", "-", "--session", chance.choice(("s", "t", "u", "v")), "--json"],
        head,
        lines=lines,
    )


_BY_LINES = [
    (name, valid) for name, file, valid in FOREIGN if file.endswith(".jsonl") and not isinstance(valid, str)
]


def foreign_lines(chance: random.Random, seeds: Seeds) -> Input:
    """Lines of another program's file, behind those that are whole."""
    name, valid = chance.choice(_BY_LINES)
    head = "".join(written(each) + "\n" for each in valid).encode()
    flags = flags_of(chance, "--untrusted", "--redact", "--dry-run")
    lines = _lines(chance, [each for each in valid if isinstance(each, dict)])
    return Input("importer lines", ["import", "--from", name, "-", "--json", *flags], head, lines=lines)


def foreign_documents(chance: random.Random, seeds: Seeds) -> Input:
    """A folder of other programs' files, each of its own name."""
    documents = []
    for number in range(_DOCUMENTS):
        [(name, data)] = a_foreign_file(chance, seeds).files
        # Some sources know their files by the name alone.
        unique = name if chance.random() < 0.4 else f"{number}{name}"
        documents.append((f"in/{place_in_folder(chance)}{number}/{unique}", data))
    return Input("folder documents", ["import", "in", *flags_of(chance)], documents=tuple(documents))


def procedure_documents(chance: random.Random, seeds: Seeds) -> Input:
    """A folder of procedures."""
    documents: list[tuple[str, bytes]] = []
    while len(documents) < _DOCUMENTS:
        for name, data in a_procedure(chance, seeds).files[:1]:
            folder, _, file = name.removeprefix("in/").rpartition("/")
            stem = f"{folder}{len(documents)}/" if folder else str(len(documents))
            documents.append((f"in/{stem}{file}", data))
    return Input("procedure documents", ["procedure", "import", "in"], documents=tuple(documents))
