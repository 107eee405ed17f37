"""The proof of an erasure: what must be nowhere any more, looked for byte by byte in every file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memcli import ids
from memcli.changes.forgetting.quotations import json_escaped, strings_in
from memcli.model import Link, Memory, State
from memcli.storage import Store
from memcli.system.temporary import remove_all_abandoned
from memcli.text import words

# So many pieces of what was erased are looked for, byte by byte, in every file.
_MOST_PIECES = 24
_MOST_WORDS = 40
# Of a whole space's links and keyed values the longest of so many texts are looked for.
_MOST_BESIDE = 400
# A slice of a vector that no other vector shares by chance, and where it is taken from.
_SLICE, _TELLING = 64, 8


def needles_of(
    store: Store,
    doomed: Sequence[Memory],
    links: Sequence[Link],
    states: Sequence[State],
    taken_out: Iterable[str] = (),
) -> list[bytes]:
    """Bytes that must be nowhere once these are erased; read before they are.

    `taken_out` are texts that what stays said beside them: rows that are rewritten leave bytes behind.
    """
    texts = [text for each in doomed for text in (each.text, *each.tags)]
    refs = store.refs_by_id([each.id for each in doomed])
    return [
        *dict.fromkeys(_text_needles([*texts, *_texts_beside(links, states), *taken_out])),
        *(needle for parts in store.vectors(list(refs.values())).values() for needle in _slices(parts)),
    ]


def terms_of(doomed: Iterable[Memory]) -> list[str]:
    """Words that may be left in no index unless something else holds them, as indexed."""
    return sorted({word for each in doomed for word in words.index_text(each.text, each.tags).split()})


def traces_left(
    store: Store, needles: Sequence[bytes], terms: Sequence[str], *, thoroughly: bool
) -> list[str]:
    """Clean up and look; where something is still found, write the store anew and look again.

    Returns the places only: what was found there is just what nobody should read.
    """
    remove_all_abandoned()
    store.scrub(thoroughly=thoroughly)
    found = store.traces(needles, terms)
    if found and not thoroughly:
        store.scrub(thoroughly=True)
        found = store.traces(needles, terms)
    return sorted({trace.place for trace in found})


def _texts_beside(links: Sequence[Link], states: Sequence[State]) -> list[str]:
    """The texts and names in links and keyed values, each once, the longest first; ids are left out."""
    found = set(strings_in([[link.subject, link.relation, link.object, link.data] for link in links]))
    found.update(strings_in([[state.key, state.value] for state in states]))
    return sorted((text for text in found if not ids.is_id(text)), key=len, reverse=True)[:_MOST_BESIDE]


def _text_needles(texts: Iterable[str]) -> Iterator[bytes]:
    """Texts in pieces, as stored and as in JSON; their words, and the tails of long ones."""
    for text in texts:
        for form in dict.fromkeys([text, json_escaped(text)]):
            cut = [form[start : start + 48] for start in range(0, len(form), 48)]
            for piece in [form[:400], *cut][:_MOST_PIECES]:
                if len(piece.strip()) >= 6:
                    yield piece.encode("utf-8")
        singles = sorted(set(re.findall(r"\w{4,}", text)), key=len, reverse=True)[:_MOST_WORDS]
        for word in singles:
            for form in {word, word.casefold(), word[len(word) // 2 :] if len(word) > 10 else word}:
                yield form.encode("utf-8")


def _slices(windows: Sequence[bytes]) -> Iterator[bytes]:
    """Of each vector its beginning, middle and end."""
    for window in windows:
        for start in (0, len(window) // 2, max(0, len(window) - _SLICE)):
            # Zeros stand in every file, and are nobody's.
            if len(set(part := window[start : start + _SLICE])) > _TELLING:
                yield part
