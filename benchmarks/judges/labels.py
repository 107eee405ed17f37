"""The labels that the judges learn from, as examples and pairs of one author each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

# Of a chat's sentence so much must lie in the span of a fact for it to state that fact.
_WITHIN = 0.5


class Example(NamedTuple):
    """A text of one author, and the answer to each question that is asked of it."""

    text: str
    author: str
    lang: str
    answers: Mapping[str, str]


class Pair(NamedTuple):
    """Two texts of one author, and how they are related."""

    newer: str
    older: str
    author: str
    lang: str
    relation: str


def read_examples(folder: Path) -> list[Example]:
    """The statements, and the updates of the pairs, of all authors."""
    found = []
    for author, record in records(folder, "statements"):
        answers = {}
        # Who wrote of errands alone says nothing of whether they last, nor of kinds.
        if record["state"]:
            answers["state"] = "trivial" if record["state"] == "noise" else record["state"]
        if record["kind"]:
            answers |= {"kind": record["kind"], "about": record["about"] or "world"}
        answers["due"], answers["promise"] = ("yes" if record[name] else "no" for name in ("due", "promise"))
        found.append(Example(record["text"], author, record["lang"], answers))
    for author, record in records(folder, "pairs"):
        # What updates another note is meant to last, "now" and "moved to" with it; a repetition may tell of
        # a change or of none.
        if record["relation"] == "update":
            found.append(Example(record["b"], author, "pair", {"state": "lasting", "change": "yes"}))
            # What was so before tells of the same thing, and of no change.
            found.append(Example(record["a"], author, "pair", {"change": "no"}))
        # What is only the other way round ("Ann pays Tom", "Tom pays Ann") may tell of a change as well.
        elif record["relation"] != "same" and not record.get("turned"):
            found.append(Example(record["b"], author, "pair", {"change": "no"}))
    return found


def overlap(sentence: str, span: str, text: str) -> bool:
    """Whether half of a text's sentence, or of a fact's span in it, lies in the other."""
    start, begin = text.find(sentence), text.find(span)
    shared = min(start + len(sentence), begin + len(span)) - max(start, begin)
    return start >= 0 <= begin and shared >= _WITHIN * min(len(sentence), len(span))


def read_pairs(folder: Path) -> list[Pair]:
    """The pairs of all authors in a folder; and, for learning, those of the lists beside it."""
    lists = [
        Pair(newer, older, LISTS, "en", relation)
        for name in ("contradictions", "everyday", "changes")
        for line in _lines(folder.parent / f"{name}.txt")
        for verdict, older, newer in [[part.strip() for part in line.split("|")]]
        if (relation := _VERDICTS.get((name, verdict)))
    ]
    return lists + [
        Pair(
            record["b"], record["a"], author, record["lang"],
            "both" if record["relation"] == "unrelated" else record["relation"],
        )
        for author, record in records(folder, "pairs")
    ]  # fmt: skip


# In the place of the language: pairs that nobody wrote as such (`unrelated`).
UNRELATED = "unrelated"
# Plain pairs, written for the forms of English: they teach, and are no examination of anybody.
LISTS = "lists"
_VERDICTS = {
    ("contradictions", "contradicts"): "update", ("contradictions", "stands"): "both",
    ("everyday", "same"): "same", ("everyday", "changed"): "update", ("changes", "same"): "same",
}  # fmt: skip


def _lines(file: Path) -> list[str]:
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return [line for line in text.splitlines() if line.count("|") == 2 and not line.startswith("#")]


def records(folder: Path, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The lines of all files of a name, with the author of each; a translation is its author's."""
    for file in sorted(folder.glob(f"*/{name}.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.strip():
                yield file.parent.name.split(".")[0], json.loads(line)
