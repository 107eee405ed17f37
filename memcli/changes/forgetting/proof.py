"""Proof of an erasure: search every file, byte by byte, for what must be gone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memcli import ids
from memcli.changes.forgetting.quotations import json_escaped, strings_in
from memcli.model import Link, Memory, State
from memcli.storage import Store
from memcli.system.temporary import remove_all_abandoned
from memcli.text import words

# How many pieces and words of each erased text are searched for in every file.
_MOST_PIECES = 24
_MOST_WORDS = 40
# How many texts of links and keyed values are searched for, longest first.
_MOST_BESIDE = 400
# The length in bytes of a slice of a vector that no other shares by chance, and the least number of distinct
# byte values in it.
_SLICE, _TELLING = 64, 8


def needles_of(
    store: Store,
    doomed: Sequence[Memory],
    links: Sequence[Link],
    states: Sequence[State],
    taken_out: Iterable[str] = (),
) -> list[bytes]:
    """Return the byte strings that must be nowhere once these are erased; read before the erasure.

    `taken_out` are texts that rewritten rows lose: rewriting leaves the old bytes behind.
    """
    texts = [text for each in doomed for text in (each.text, *each.tags)]
    refs = store.refs_by_id([each.id for each in doomed])
    return [
        *dict.fromkeys(_text_needles([*texts, *_texts_beside(links, states), *taken_out])),
        *(needle for parts in store.vectors(list(refs.values())).values() for needle in _slices(parts)),
    ]


def terms_of(doomed: Iterable[Memory]) -> list[str]:
    """Return the indexed words that may remain in no index unless something else holds them."""
    return sorted({word for each in doomed for word in words.index_text(each.text, each.tags).split()})


def traces_left(
    store: Store, needles: Sequence[bytes], terms: Sequence[str], *, thoroughly: bool
) -> list[str]:
    """Clean up and search; if something is still found, rewrite the store and search again.

    Returns only the places: what was found there must not be shown.
    """
    remove_all_abandoned()
    store.scrub(thoroughly=thoroughly)
    found = store.traces(needles, terms)
    if found and not thoroughly:
        store.scrub(thoroughly=True)
        found = store.traces(needles, terms)
    return sorted({trace.place for trace in found})


def _texts_beside(links: Sequence[Link], states: Sequence[State]) -> list[str]:
    """Return the texts and names in links and keyed values, each once, longest first, without ids."""
    found = set(strings_in([[link.subject, link.relation, link.object, link.data] for link in links]))
    found.update(strings_in([[state.key, state.value] for state in states]))
    return sorted((text for text in found if not ids.is_id(text)), key=len, reverse=True)[:_MOST_BESIDE]


def _text_needles(texts: Iterable[str]) -> Iterator[bytes]:
    """Yield texts in pieces, as stored and as in JSON; their words, and the second halves of long ones."""
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
    """Yield the beginning, middle and end of each vector."""
    for window in windows:
        for start in (0, len(window) // 2, max(0, len(window) - _SLICE)):
            # Runs of zeros occur in every file.
            if len(set(part := window[start : start + _SLICE])) > _TELLING:
                yield part
