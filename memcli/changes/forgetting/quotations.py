"""Quotations: detect that a text quotes another, and which derived memories quote their sources."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from memcli.memory_data import FOLDS, folded_ids, is_summary, made_from, merged_ids
from memcli.model import Memory
from memcli.text import words
from memcli.text.naming.full_names import NameForms
from memcli.text.stopwords import STOPWORDS

# The key, in the data of a version of a procedure or policy, of the reason why it was written.
NOTE = "note"
# The placeholder for a forgotten name.
FORGOTTEN_NAME = "…"
# A sentence of fewer characters is too common to count as a quotation.
QUOTABLE = 12
_LONG_WORD = re.compile(r"\w{5,}")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")


class Excerpts:
    """The passages to search for in other texts: texts as a whole, each of their sentences, and `names`."""

    def __init__(self, texts: Iterable[str], names: Sequence[NameForms] = ()) -> None:
        self._texts = list(texts)
        self._names = names
        self._whole = {_flat(text) for text in self._texts} - {""}
        pieces = (piece for text in self._texts for piece in (text, *_SENTENCE_END.split(text)))
        self._pieces = {_flat(piece) for piece in pieces if len(piece) >= QUOTABLE} - {""}
        self._shortest = min(map(len, self._pieces), default=0)

    def quoted_in(self, text: str) -> bool:
        """True if a text equals or contains one of these texts or sentences, or names one of the persons."""
        flat = _flat(text)
        if flat in self._whole or self.named_in(text):
            return True
        return len(flat) >= self._shortest and any(piece in flat for piece in self._pieces)

    @property
    def has_names(self) -> bool:
        """True if names are searched for."""
        return bool(self._names)

    def named_in(self, text: str) -> bool:
        """True if a text has one of the names."""
        return any(name.found_in(text) for name in self._names)

    def without_names(self, text: str) -> str:
        """Return a text with a placeholder for each name; the rest still says where something came from."""
        for name in self._names:
            for mention in reversed(name.mentions(text)):
                if mention.form in name.forms:
                    text = f"{text[: mention.start]}{FORGOTTEN_NAME}{text[mention.end :]}"
        return text

    def hinted_at_in(self, text: str) -> bool:
        """True if a text quotes one of these (`quoted_in`), or contains as little as one long word of one."""
        flat = _flat(text)
        long = (word for whole in self._whole for word in _LONG_WORD.findall(whole))
        return self.quoted_in(text) or any(word in flat for word in long)

    def lent_to(self, text: str, others: Iterable[str]) -> bool:
        """True if a text derived from these and from others took something from these.

        That is, it quotes these, is a part of one, or has a distinctive word that none of the others has.
        """
        part = Excerpts([text])
        if self.quoted_in(text) or any(part.quoted_in(each) for each in self._texts):
            return True
        return bool(distinctive_words([text]) & self._words - distinctive_words(others))

    @cached_property
    def _words(self) -> set[str]:
        return distinctive_words(self._texts)

    def as_json(self) -> Excerpts:
        """Return these excerpts escaped as inside a JSON document."""
        return Excerpts((json_escaped(text) for text in self._texts), self._names)


def earlier_versions(chosen: Sequence[Memory], by_id: Mapping[str, Memory]) -> list[Memory]:
    """Return the ended memories that these replaced or were merged from, transitively."""
    found: dict[str, Memory] = {}
    waiting = list(chosen)
    known = {each.id for each in chosen}
    while waiting:
        memory = waiting.pop()
        before = [memory.supersedes, *merged_ids(memory)]
        for each in before:
            # The data of an imported memory may hold anything.
            if each and each in by_id and each not in known and by_id[each].ended_at:
                known.add(each)
                found[each] = by_id[each]
                waiting.append(by_id[each])
    return list(found.values())


def quoting_derivatives(
    gone: Sequence[Memory], by_id: Mapping[str, Memory], names: Sequence[NameForms] = ()
) -> list[Memory]:
    """Return the memories derived from these, directly or indirectly, that quote them.

    A word that only these can have contributed counts as a quotation. A summary that contains one of the
    names counts as derived: what it folded may be gone.
    """
    excerpts = Excerpts((each.text for each in gone), names)
    reached = {each.id for each in gone}
    found: list[Memory] = []
    # In order of ids, hence of creation: sources come before what was derived from them.
    for memory_id in sorted(by_id):
        memory = by_id[memory_id]
        sources = _sources(memory)
        named = bool(names) and is_summary(memory) and excerpts.named_in(memory.text)
        if memory_id in reached or not (named or sources & reached):
            continue
        others = [by_id[each].text for each in sources - reached if each in by_id]
        if excerpts.lent_to(memory.text, others):
            reached.add(memory_id)
            found.append(memory)
    return found


def without_quotes(
    summary: Memory,
    gone: Sequence[Memory],
    staying: Mapping[str, Memory],
    names: Sequence[NameForms] = (),
) -> Memory | None:
    """Return a summary of turns without the lines that quote these; None if no line is left, or it is none.

    Memories that are `staying` may still be quoted.
    """
    if not is_summary(summary):
        return None
    excerpts = Excerpts((each.text for each in gone), names)
    left = {each: staying[each].text for each in _sources(summary) if each in staying}
    kept = [line for line in summary.text.split("\n") if not excerpts.lent_to(line, left.values())]
    if not any(line.strip() for line in kept):
        return None
    lost = {each.id for each in gone}
    before = summary.supersedes if summary.supersedes in left else None
    data = {**summary.data, FOLDS: [each for each in folded_ids(summary) if each not in lost]}
    return replace(summary, text="\n".join(kept), supersedes=before, data=data)


def _sources(memory: Memory) -> set[str]:
    """Return the ids of the memories that one was made from; for a summary also the one that it continues."""
    before = {memory.supersedes} if is_summary(memory) and memory.supersedes else set()
    return made_from(memory) | before


def distinctive_words(texts: Iterable[str]) -> set[str]:
    """Return the words that identify these texts: of four letters or more, and no stop words."""
    indexed = {word for text in texts for word in words.index_text(text).split()}
    return {word for word in indexed if len(word) > 3 and word not in STOPWORDS}


def distinctive_words_in(value: Any) -> set[str]:
    """Return the distinctive words in a keyed value's texts, without its instants and field names."""
    # An instant identifies nobody, though a summary may name the day.
    said = (text for text in strings_in(value, names=False) if not _INSTANT.fullmatch(text))
    return distinctive_words(said)


def strings_in(value: Any, *, names: bool = True) -> Iterator[str]:
    """Yield every string in a JSON value; with `names`, the field names too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from strings_in(each, names=names)
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from (name,) if names else ()
            yield from strings_in(each, names=names)


def said_beside(memory: Memory) -> list[str]:
    """Return the texts of a memory beside its main text: tags, session, data; not its version's reason."""
    data = {name: value for name, value in memory.data.items() if name != NOTE}
    return [each for each in (memory.session, *memory.tags, *strings_in(data, names=False)) if each]


def json_escaped(text: str) -> str:
    """Return a text as it stands inside a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()
