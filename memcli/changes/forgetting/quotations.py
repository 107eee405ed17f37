"""What says or quotes a text that is to be forgotten for good: versions, summaries, values, the record."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from typing import Any

from memcli.model import Memory, made_from
from memcli.scope import Scope
from memcli.text import words
from memcli.text.stopwords import STOPWORDS

# A sentence this short is nobody's own.
_QUOTABLE = 12
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")


def earlier_versions(chosen: Sequence[Memory], everything: Sequence[Memory]) -> list[Memory]:
    """The ended memories that these replaced or were merged from, all the way back."""
    by_id = {each.id: each for each in everything}
    found: dict[str, Memory] = {}
    waiting = list(chosen)
    known = {each.id for each in chosen}
    while waiting:
        memory = waiting.pop()
        merged = memory.data.get("merged_from")
        before = [memory.supersedes, *(merged if isinstance(merged, list) else ())]
        for each in before:
            if each in by_id and each not in known and by_id[each].ended_at:
                known.add(each)
                found[each] = by_id[each]
                waiting.append(by_id[each])
    return list(found.values())


def quoting(everything: Sequence[Memory], gone: Sequence[Memory]) -> list[Memory]:
    """Memories that were made from these, directly or by way of others, and quote them.

    A word that only these bring to it is a quotation, too.
    """
    by_id = {each.id: each for each in everything}
    texts = [each.text for each in gone]
    reached = {each.id for each in gone}
    found: list[Memory] = []
    # What comes later was made from what came before; a summary, also from the summary before it.
    for memory in sorted(everything, key=lambda each: each.id):
        sources = _sources(memory)
        if memory.id in reached or not sources & reached:
            continue
        others = [by_id[each].text for each in sources - reached if each in by_id]
        if says(memory.text, texts) or _takes_from(memory.text, texts, others):
            reached.add(memory.id)
            found.append(memory)
    return found


def without_quotes(summary: Memory, gone: Sequence[Memory], staying: Sequence[Memory]) -> Memory | None:
    """A summary of turns without its lines that quote these; None where no line is left, or it is none.

    What is `staying` may be quoted still.
    """
    folds = summary.data.get("folds")
    if not isinstance(folds, list):
        return None
    sources, texts = _sources(summary), [each.text for each in gone]
    left = {each.id: each.text for each in staying if each.id in sources}
    kept = [
        line for line in summary.text.split("\n")
        if not says(line, texts) and not _takes_from(line, texts, list(left.values()))
    ]  # fmt: skip
    if not any(line.strip() for line in kept):
        return None
    lost = {each.id for each in gone}
    before = summary.supersedes if summary.supersedes in left else None
    data = {**summary.data, "folds": [each for each in folds if each not in lost]}
    return replace(summary, text="\n".join(kept), supersedes=before, data=data)


def _sources(memory: Memory) -> set[str]:
    """What a memory was made from; of a summary also the one that it continues."""
    before = {memory.supersedes} if "folds" in memory.data and memory.supersedes else set()
    return made_from(memory) | before


def _takes_from(text: str, gone: Sequence[str], others: Sequence[str]) -> bool:
    """Whether a text is a sentence of one of these, or has a telling word from them alone."""
    if any(says(each, [text]) for each in gone):
        return True
    return bool(telling([text]) & (telling(gone) - telling(others)))


def telling(texts: Iterable[str]) -> set[str]:
    """The words of these texts by which one could be told: of four letters or more, and no stop-words."""
    indexed = {word for text in texts for word in words.index_text(text).split()}
    return {word for word in indexed if len(word) > 3 and word not in STOPWORDS}


def says(text: str, others: Sequence[str], *, words_too: bool = False) -> bool:
    """Whether a text holds another whole, or a sentence of it (or, with `words_too`, any long word)."""
    flat = _flat(text)
    for other in others:
        pieces = [other, *re.split(r"(?<=[.!?])\s+|\n+", other)]
        if _flat(other) == flat or any(_flat(piece) in flat for piece in pieces if len(piece) >= _QUOTABLE):
            return True
        if words_too and any(word in flat for word in _flat(other).split() if len(word) > 4):
            return True
    return False


def former_texts(scope: Scope, gone: set[str]) -> Iterator[str]:
    """What these memories said before their texts were changed, as the record has it."""
    for memory_id in gone:
        for event in scope.store.history(memory_id):
            for fields in (event.before, event.after):
                if fields and isinstance(fields.get("text"), str):
                    yield fields["text"]


def in_value(value: Any, texts: Sequence[str], gone: set[str], lost: Set[str] = frozenset()) -> bool:
    """Whether a keyed value quotes one of these texts, names one of these ids, or says a `lost` word."""
    flat = json.dumps(value, ensure_ascii=False)
    # When something was noted is nobody's text, though a summary may name the day.
    said = (text for text in texts_in(value, names=False) if not _INSTANT.fullmatch(text))
    return (
        any(memory_id in flat for memory_id in gone)
        or says(flat, [escaped(text) for text in texts])
        or bool(lost and telling(said) & lost)
    )


def texts_in(value: Any, *, names: bool = True) -> Iterator[str]:
    """Every text in a JSON value; the names of its fields too, unless `names` is off."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each, names=names)
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from (name,) if names else ()
            yield from texts_in(each, names=names)


def escaped(text: str) -> str:
    """A text as it stands inside a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()
