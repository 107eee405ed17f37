"""Forgetting for good: erased everywhere, looked for everywhere, and a receipt of both."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from memcli import ids, words
from memcli.admission import HELD
from memcli.links import evidence_of, resting_on
from memcli.memories import Memories
from memcli.model import EVERYWHERE, Change, Filter, Link, Memory, State, made_from
from memcli.procedure_files import sweep
from memcli.proposed_links import AREA as PROPOSED
from memcli.recall_log import RECALL_LOG
from memcli.reindexing import PENDING
from memcli.storage import Erased, Trace

# So many pieces of what was erased are looked for, byte by byte, in every file.
_MOST_PIECES = 24
_MOST_WORDS = 40
# Of a whole space's links and keyed values the longest of so many texts are looked for.
_MOST_BESIDE = 400
# A slice of a vector that no other vector shares by chance, and where it is taken from.
_SLICE = 64
# A query forgets no more than this at once.
_MOST_FOUND = 100
# Keyed values that memcli notes by itself: what quotes an erased text there goes with it.
_NOTES = (RECALL_LOG, HELD, "policy-check", "task-recalls", PROPOSED)
# And these go with any memory that they name.
_NAMING = (RECALL_LOG, PROPOSED)
# A sentence this short is nobody's own.
_QUOTABLE = 12


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was erased where, and how that was checked; holds nothing of the content."""

    memories: list[str]
    earlier_versions: list[str] = field(default_factory=list)
    """Versions that the erased memories had replaced; erased as well."""
    derived: list[str] = field(default_factory=list)
    """Summaries and merged memories that quoted them; erased as well."""
    rows: dict[str, int] = field(default_factory=dict)
    """Rows erased, by part of the store."""
    states: list[str] = field(default_factory=list)
    """Keyed values that quoted them and were dropped (`area/key`)."""
    links: list[str] = field(default_factory=list)
    """Links erased with the space that they were in."""
    space: dict[str, int] = field(default_factory=dict)
    """Keyed values erased with their space, by area: their keys may say what they held."""
    backups: dict[str, str] = field(default_factory=dict)
    """Backups by path: `erased`, or why they could not be touched."""
    checks: dict[str, int] = field(default_factory=dict)
    """How many texts, words and vectors were looked for in files and index."""
    shared: list[str] = field(default_factory=list)
    """Memories that stay and say the same, or quote it."""
    traces: list[str] = field(default_factory=list)
    """Where something was still found; empty when all is gone."""

    @property
    def verified(self) -> bool:
        """Whether nothing was found that should be gone."""
        return not self.traces and all(verdict == "erased" for verdict in self.backups.values())

    def to_record(self) -> dict[str, Any]:
        """The receipt as JSON types."""
        return {
            "erased": self.memories, "earlier_versions": self.earlier_versions, "derived": self.derived,
            "rows": self.rows, "states": self.states, "links": self.links, "space": self.space,
            "backups": self.backups, "checks": self.checks,
            "shared": self.shared, "traces": self.traces, "verified": self.verified,
        }  # fmt: skip


def erase(
    memories: Memories, chosen: Sequence[Memory], reason: str | None = None, *, space: str | None = None
) -> Receipt:
    """Erase memories from every table, index, log and backup of the store, and prove it.

    With them go the versions they replaced, what quotes them and was made from
    them, links that rest on them, and recall-log entries that name them. Their
    texts are not taken in again unless forced (a keyed hash remembers that
    they were forgotten, not what they said). With `space` all links and keyed
    values of that space go too: blocks, tasks, checkpoints, logs.
    """
    from memcli.write_policy.gate import remember_forgotten

    store = memories.store
    now = memories.now()
    with store.writing():
        everything = list(store.select(Filter(spaces=None, live=False), order="oldest"))
        earlier = _earlier_versions(chosen, everything)
        derived = _quoting(everything, [*chosen, *earlier])
        doomed = list({each.id: each for each in [*chosen, *earlier, *derived]}.values())
        if any(each.kind == "policy" for each in doomed):
            memories.owner_only("a policy")
        gone = {each.id for each in doomed}
        texts = list(dict.fromkeys([*(each.text for each in doomed), *_former_texts(memories, gone)]))
        links = [] if space is None else list(store.links((space,)))
        held = [] if space is None else list(store.states((space,)))
        needles = list(_needles(memories, doomed, _texts_beside(links, held)))
        terms = sorted({word for each in doomed for word in words.index_text(each.text, each.tags).split()})
        shared = [each.id for each in everything if each.id not in gone and _says(each.text, texts)]
        store.drop_links([link.id for link in links])
        for state in held:
            store.drop_state(state.space, state.area, state.key)
        shared += _quoted_elsewhere(memories, texts, gone)
        quoting = [
            state
            for state in store.states()
            if state.area in _NOTES
            and (
                _in_state(state.value, texts, gone if state.area in _NAMING else set())
                or _rests_on(state.value, gone)
            )
            and store.drop_state(state.space, state.area, state.key)
        ]
        why = None if reason and _says(reason, texts, words_too=True) else reason
        rest_on_others(memories, gone)
        change = Change("erase", memories.config["origin"], why, memories.new_id(now))
        rows = store.erase([each.id for each in doomed], change, now)
        # Until the files are clean, whatever happens in between: `mem reindex` makes up for it.
        store.put_state(State(EVERYWHERE, PENDING, PENDING, None, 1, now, now))
        remember_forgotten(store, texts, now)
    sweep(memories, {each.space for each in doomed})
    dropped = [(state.space, state.area, state.key) for state in quoting]
    spaces = [] if space is None else [space]
    copies = store.erase_from_backups(sorted(gone), dropped, spaces)
    return Receipt(
        memories=[each.id for each in chosen],
        earlier_versions=[each.id for each in earlier],
        derived=[each.id for each in derived],
        rows=_counted(rows),
        states=[f"{state.area}/{state.key}" for state in quoting],
        links=[link.id for link in links],
        space=dict(Counter(state.area for state in held)),
        backups={str(path): error or "erased" for path, error in copies},
        checks={"texts": len(texts), "words": len(terms), "byte strings": len(needles)},
        shared=shared,
        traces=_proof(memories, needles, terms, thoroughly=space is not None),
    )


def rest_on_others(memories: Memories, gone: set[str]) -> None:
    """Let links that have other evidence rest on that alone; those without go with their evidence."""
    kept = []
    for link in memories.store.links():
        told = evidence_of(link)
        left = [each for each in told if each not in gone]
        if left and len(left) < len(told):
            kept.append(resting_on(link, left))
    memories.store.put_links(kept)


def _counted(rows: Sequence[Erased]) -> dict[str, int]:
    return {part.part: part.rows for part in rows if part.rows}


def _proof(
    memories: Memories, needles: Sequence[bytes], terms: Sequence[str], *, thoroughly: bool
) -> list[str]:
    """Clean up and look; where something is still found, write the store anew and look again."""
    store = memories.store
    store.scrub(thoroughly=thoroughly)
    found = store.traces(needles, terms)
    if found and not thoroughly:
        store.scrub(thoroughly=True)
        found = store.traces(needles, terms)
    store.drop_state(EVERYWHERE, PENDING, PENDING)
    return sorted({_named(trace) for trace in found})


def _named(trace: Trace) -> str:
    """The place only: what was found there is just what nobody should read."""
    return trace.place


def _earlier_versions(chosen: Sequence[Memory], everything: Sequence[Memory]) -> list[Memory]:
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


def _quoting(everything: Sequence[Memory], gone: Sequence[Memory]) -> list[Memory]:
    """Memories that were made from these and quote them."""
    sources = {each.id: each.text for each in gone}
    found = []
    for memory in everything:
        quoted = made_from(memory) & sources.keys()
        if memory.id not in sources and quoted:
            texts = [sources[each] for each in quoted]
            if _says(memory.text, texts) or any(_says(text, [memory.text]) for text in texts):
                found.append(memory)
    return found


def _says(text: str, others: Sequence[str], *, words_too: bool = False) -> bool:
    """Whether a text holds another whole, or a sentence of it (or, with `words_too`, any long word)."""
    flat = _flat(text)
    for other in others:
        pieces = [other, *re.split(r"(?<=[.!?])\s+|\n+", other)]
        if _flat(other) == flat or any(_flat(piece) in flat for piece in pieces if len(piece) >= _QUOTABLE):
            return True
        if words_too and any(word in flat for word in _flat(other).split() if len(word) > 4):
            return True
    return False


def _former_texts(memories: Memories, gone: set[str]) -> Iterator[str]:
    """What these memories said before their texts were changed, as the record has it."""
    for memory_id in gone:
        for event in memories.store.history(memory_id):
            for fields in (event.before, event.after):
                if fields and isinstance(fields.get("text"), str):
                    yield fields["text"]


def _quoted_elsewhere(memories: Memories, texts: Sequence[str], gone: set[str]) -> list[str]:
    """What its owner wrote elsewhere and quotes these texts: named, never dropped unasked."""
    spaces = {each.space for each in memories.store.get(sorted(gone))}
    found = [
        f"{state.area}/{state.key}"
        for state in memories.store.states(sorted(spaces))
        if state.area not in _NOTES and _in_state(state.value, texts, set())
    ]
    found += [
        f"history of {event.memory}"
        for event in memories.store.history()
        if event.memory not in gone and event.reason and _says(event.reason, texts)
    ]
    return list(dict.fromkeys(found))


def _in_state(value: Any, texts: Sequence[str], gone: set[str]) -> bool:
    flat = json.dumps(value, ensure_ascii=False)
    return any(memory_id in flat for memory_id in gone) or _says(flat, [_escaped(text) for text in texts])


def _rests_on(value: Any, gone: set[str]) -> bool:
    """Whether what waits for review was concluded from erased memories alone."""
    memory = value.get("memory") if isinstance(value, dict) else None
    data = memory.get("data") if isinstance(memory, dict) else None
    cites = data.get("cites") if isinstance(data, dict) else None
    return isinstance(cites, list) and bool(cites) and all(each in gone for each in cites)


def _texts_beside(links: Sequence[Link], states: Sequence[State]) -> list[str]:
    """The texts and names in links and keyed values, each once, the longest first; ids are left out."""
    found = set(_texts_in([[link.subject, link.relation, link.object, link.data] for link in links]))
    found.update(_texts_in([[state.key, state.value] for state in states]))
    return sorted((text for text in found if not ids.is_id(text)), key=len, reverse=True)[:_MOST_BESIDE]


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value:
            yield from _texts_in(each)
        for each in value.values() if isinstance(value, dict) else ():
            yield from _texts_in(each)


def _needles(memories: Memories, doomed: Sequence[Memory], beside: Sequence[str]) -> Iterator[bytes]:
    """Bytes that must be nowhere: texts in pieces, as stored and as in JSON; words and tails; vectors."""
    refs = memories.store.references([each.id for each in doomed])
    pieces: dict[bytes, None] = {}
    for text in (*(each.text for each in doomed), *beside):
        for form in dict.fromkeys([text, _escaped(text)]):
            cut = [form[start : start + 48] for start in range(0, len(form), 48)]
            for piece in [form[:400], *cut][:_MOST_PIECES]:
                if len(piece.strip()) >= 6:
                    pieces[piece.encode("utf-8")] = None
        singles = sorted(set(re.findall(r"\w{4,}", text)), key=len, reverse=True)[:_MOST_WORDS]
        for word in singles:
            for form in {word, word.casefold(), word[len(word) // 2 :] if len(word) > 10 else word}:
                pieces[form.encode("utf-8")] = None
    yield from pieces
    for windows in memories.store.vectors(list(refs.values())).values():
        for window in windows:
            for start in (0, len(window) // 2, max(0, len(window) - _SLICE)):
                yield window[start : start + _SLICE]


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()


def choose(
    memories: Memories, where: Filter, fragments: Sequence[str] = (), query: str | None = None
) -> list[Memory]:
    """The memories to forget: those named, those that a query finds, or all that a filter means.

    Conditions narrow each other. Raises NotFound, BadInput for ids as
    `Memories.find` does.
    """
    if fragments:
        named = {memory.id: memory for memory in map(memories.find, fragments)}
        return list(named.values())
    if query is None:
        return list(memories.store.select(where, order="oldest"))
    answer = memories.recall(query, where, touch=False, settings=memories.settings(limit=_MOST_FOUND))
    return [hit.memory for hit in answer.hits]


def preview_code(chosen: Sequence[Memory]) -> str:
    """A short name of a set of memories, by which exactly these can be insisted on."""
    return hashlib.sha256("".join(sorted(each.id for each in chosen)).encode()).hexdigest()[:8]
