"""Forgotten traces: recognise imported texts that quote or name what was erased.

`forgotten_texts` refuses a text that was erased as a whole. An old export or a sync folder may bring it as
a quotation in another text (a summary, a block, a reason), name an erased person in other words, or bring
the erased link or keyed value itself. Keyed hashes are kept of all of these: of a sentence with the number
of its words, of a name word by word, of a link or value by its address, with the time of the erasure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache, cached_property
from typing import Any

from memcli.model import EVERYWHERE, State, new_state
from memcli.storage import Store, areas
from memcli.text.expressions import expression
from memcli.text.naming.full_names import NameForms, known_name
from memcli.text.stopwords import STOPWORDS
from memcli.write_policy.forgotten_texts import hash_key, hash_keys, keyed_hash, plain_words

# A sentence of fewer words, or fewer telling ones, identifies nobody: "thanks a lot", "see you tomorrow".
_FEWEST, _FEWEST_TELLING = 4, 2
# Of a longer sentence only so many words are hashed.
_LONGEST = 40
_SENTENCE_END = expression(r"(?<=[.!?])\s+|\n+")
# How a JSON object, list or string begins; and how deep nested values are searched.
_JSON_BEGINS, _DEEPEST = ("{", "[", '"'), 20
# A prefix of the hash of a quotation's first two words, in hex digits: enough to find candidate positions
# quickly, too little to reveal the words.
_HEAD = 4


def quotable(text: str) -> set[tuple[str, ...]]:
    """Return the distinctive sentences of a text, and the text itself if it is one, as tuples of words."""
    found = set()
    for piece in (text, *_SENTENCE_END.split(text)):
        words = plain_words(piece)[:_LONGEST]
        telling = {word for word in words if len(word) > 3 and word not in STOPWORDS}
        if len(words) >= _FEWEST and len(telling) >= _FEWEST_TELLING:
            found.add(tuple(words))
    return found


def texts_within(text: str) -> Iterator[str]:
    """Yield a text and, if it or one of its lines is JSON, the strings in it, which JSON may escape."""
    yield text
    documents = [text] if "\n" not in text else [text, *text.splitlines()]
    for each in documents:
        if each.lstrip()[:1] in _JSON_BEGINS:
            with suppress(ValueError, RecursionError):
                yield from _strings(json.loads(each), _DEEPEST)


def _strings(value: Any, deep: int) -> Iterator[str]:
    if isinstance(value, str):
        yield from texts_within(value) if deep and value[:1] in _JSON_BEGINS else (value,)
    elif isinstance(value, dict | list):
        for each in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from _strings(each, deep - 1)


def thing_address(*parts: str) -> str:
    """Return the address of a link (`link`, its id) or keyed value (space, area, key)."""
    return "\0".join(parts)


def remember_traces(
    store: Store,
    now: datetime,
    *,
    sentences: Iterable[Sequence[str]] = (),
    names: Iterable[NameForms] = (),
    things: Iterable[str] = (),
) -> None:
    """Record hashes of what was erased beside whole texts.

    `sentences` are those of `quotable`, `names` the names of erased entities, `things` those of
    `thing_address`.
    """
    key = hash_key(store, now)
    found: dict[str, Any] = {}
    for words in sentences:
        mark = {"as": "quote", "words": len(words), "head": _head(key, words)}
        found[keyed_hash(key, f"quote\0{' '.join(words)}")] = mark
    for each in names:
        record, *others = (n.record(lambda fold: _word_hash(key, fold)) for n in (each.name, *each.others))
        mark = {"as": "name", "name": record, "forms": sorted(each.forms), "others": others}
        found[keyed_hash(key, f"name\0{json.dumps(mark)}")] = mark
    for address in things:
        found[thing_hash(key, address)] = {"as": "thing"}
    for digest, mark in found.items():
        store.put_state(new_state(EVERYWHERE, areas.FORGOTTEN_TRACE.name, digest, mark, now))


class ForgottenTraces:
    """The recorded traces of erasures, read from the store once, to check imports against."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def in_text(self, text: str) -> bool:
        """True if a text, or JSON within it, quotes an erased sentence or names an erased entity."""
        return bool(self._marks) and any(
            self._quoted_in(each) or self._named_in(each) for each in texts_within(text)
        )

    def erased_at(self, address: str) -> datetime | None:
        """Return when the link or keyed value with this address was erased; None if it was not."""
        hashes = (thing_hash(key, address) for key in self._keys) if self._marks else ()
        found = [self._marks[each].updated_at for each in hashes if each in self._marks]
        return max(found, default=None)

    @cached_property
    def _marks(self) -> dict[str, State]:
        states = self._store.states((EVERYWHERE,), areas.FORGOTTEN_TRACE.name)
        return {state.key: state for state in states if isinstance(state.value, dict)}

    @cached_property
    def _keys(self) -> list[bytes]:
        return hash_keys(self._store)

    @cached_property
    def _lengths(self) -> dict[str, set[int]]:
        """Map each hash prefix (`head`) to the lengths, in words, of the quotations that begin with it."""
        found: dict[str, set[int]] = {}
        for state in self._marks.values():
            if state.value.get("as") == "quote":
                found.setdefault(str(state.value["head"]), set()).add(int(state.value["words"]))
        return found

    @cached_property
    def _names(self) -> list[NameForms]:
        marks = [state.value for state in self._marks.values() if state.value.get("as") == "name"]
        found = []
        for key in self._keys if marks else ():
            code = cache(lambda fold, key=key: _word_hash(key, fold))
            for mark in marks:
                others = tuple(known_name(other, code) for other in mark["others"])
                found.append(NameForms(known_name(mark["name"], code), frozenset(mark["forms"]), others))
        return found

    def _quoted_in(self, text: str) -> bool:
        if not self._lengths:
            return False
        words = plain_words(text)
        return any(
            self._begins_at(key, [first, *words[start + 1 : start + _LONGEST]])
            for start in range(len(words) - _FEWEST + 1)
            for first in _ends_of(words[start])
            for key in self._keys
        )

    def _begins_at(self, key: bytes, words: Sequence[str]) -> bool:
        """True if these words begin with an erased quotation."""
        return any(
            keyed_hash(key, f"quote\0{' '.join([*words[: length - 1], last])}") in self._marks
            for length in self._lengths.get(_head(key, words), ())
            if length <= len(words)
            for last in _beginnings_of(words[length - 1])
        )

    def _named_in(self, text: str) -> bool:
        return any(each.found_in(text) for each in self._names)


def _ends_of(word: str) -> list[str]:
    """Return a word and its ends after each sign in it: text may be joined to what precedes (`m":"the`)."""
    starts = [at + 1 for at, letter in enumerate(word) if not letter.isalnum()]
    return [word, *(word[start:] for start in starts)]


def _beginnings_of(word: str) -> list[str]:
    """Return a word and its beginnings before each sign in it: text may be joined on (`end","n`)."""
    return [word, *(word[:at] for at, letter in enumerate(word) if not letter.isalnum())]


def _head(key: bytes, words: Sequence[str]) -> str:
    return keyed_hash(key, f"head\0{' '.join(words[:2])}")[:_HEAD]


def _word_hash(key: bytes, fold: str) -> str:
    return keyed_hash(key, f"word\0{fold}")[:32]


def thing_hash(key: bytes, address: str) -> str:
    """Return the hash under which an address is recorded."""
    return keyed_hash(key, f"thing\0{address}")
