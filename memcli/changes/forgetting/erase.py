"""Forgetting for good: erased everywhere, looked for everywhere, and a receipt of both."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memcli import ids
from memcli.changes.forgetting.quotations import (
    earlier_versions,
    escaped,
    former_texts,
    in_value,
    quoting,
    says,
    telling,
    texts_in,
    without_quotes,
)
from memcli.changes.forgetting.unfinished import alone, begin, end
from memcli.changes.visible import marks, seen
from memcli.graph.links import evidence_of, resting_on
from memcli.graph.proposed import AREA as PROPOSED
from memcli.memories import Memories
from memcli.model import Change, Filter, Link, Memory, State
from memcli.recall.log import RECALL_LOG
from memcli.scope import Scope
from memcli.storage import Erased, Trace
from memcli.text import words
from memcli.tiers.procedures.files import sweep
from memcli.write_policy.admission import HELD

# So many pieces of what was erased are looked for, byte by byte, in every file.
_MOST_PIECES = 24
_MOST_WORDS = 40
# Of a whole space's links and keyed values the longest of so many texts are looked for.
_MOST_BESIDE = 400
# A slice of a vector that no other vector shares by chance, and where it is taken from.
_SLICE, _TELLING = 64, 8
# A query forgets no more than this at once.
_MOST_FOUND = 100
# Keyed values that memcli notes by itself: what quotes an erased text there goes with it.
_NOTES = (RECALL_LOG, HELD, "policy-check", "task-recalls", PROPOSED)
# And these go with any memory that they name.
_NAMING = (RECALL_LOG, PROPOSED)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was erased where, and how that was checked; holds nothing of the content."""

    memories: list[str]
    earlier_versions: list[str] = field(default_factory=list)
    """Versions that the erased memories had replaced; erased as well."""
    derived: list[str] = field(default_factory=list)
    """Summaries and merged memories that quoted them; erased as well."""
    rebuilt: list[str] = field(default_factory=list)
    """Summaries written anew without what they quoted."""
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
    """Memories, keyed values and lines of history that stay and say the same, or quote it."""
    shared_outside: bool = False
    """Whether another space says the same; which, stays behind its wall."""
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
            "rebuilt": self.rebuilt,
            "rows": self.rows, "states": self.states, "links": self.links, "space": self.space,
            "backups": self.backups, "checks": self.checks,
            "shared": self.shared, "shared_outside": self.shared_outside,
            "traces": self.traces, "verified": self.verified,
        }  # fmt: skip


def forget(memories: Memories, chosen: Sequence[Memory], reason: str) -> list[Memory]:
    """End memories softly: out of every recall, restorable; as they are then. Raises Refused."""
    memories.check_change(chosen, "forgetting")
    ids_ = [memory.id for memory in chosen]
    with memories.store.writing():
        memories.end(ids_, reason)
        return memories.store.get(ids_)


def erase(
    scope: Scope, chosen: Sequence[Memory], reason: str | None = None, *, space: str | None = None
) -> Receipt:
    """Erase memories from every table, index, log and backup of the store, and prove it.

    With them go the versions they replaced, what quotes them and was made from
    them (of a summary its lines that do), links that rest on them, and recall-log
    entries that name them. Their texts are not taken in again unless forced (a
    keyed hash remembers that they were forgotten, not what they said). With
    `space` all links and keyed values of that space go too: blocks, tasks,
    checkpoints, logs. Raises Refused; StoreBusy where a reader holds the
    cleaning up: the next command makes up for it.
    """
    from memcli.text.secrets.redaction import refuse_secrets

    scope.owner_only("erasing")
    refuse_secrets(reason or "", "the reason")
    with alone(scope, patience=scope.config["busy_timeout"]):
        return _erase(scope, chosen, reason, space)


def _erase(scope: Scope, chosen: Sequence[Memory], reason: str | None, space: str | None) -> Receipt:
    from memcli.write_policy.forgotten import remember_forgotten

    store = scope.store
    now = scope.now()
    with store.writing():
        everything = list(store.select(Filter(spaces=None, live=False), order="oldest"))
        earlier = earlier_versions(chosen, everything)
        derived = quoting(everything, [*chosen, *earlier])
        doomed = list({each.id: each for each in [*chosen, *earlier, *derived]}.values())
        gone = {each.id for each in doomed}
        mended = _mended(scope, derived, doomed, everything)
        texts = list(dict.fromkeys([*(each.text for each in doomed), *former_texts(scope, gone)]))
        links = [] if space is None else list(store.links((space,)))
        kept = [] if space is None else list(store.states((space,)))
        needles = list(_needles(scope, doomed, _texts_beside(links, kept)))
        terms = sorted({word for each in doomed for word in words.index_text(each.text, each.tags).split()})
        store.drop_links([link.id for link in links])
        for state in kept:
            store.drop_state(state.space, state.area, state.key)
        why = None if reason and says(reason, texts, words_too=True) else reason
        rest_on_others(scope, gone)
        change = Change("erase", scope.origin, why, scope.new_id(now))
        rows = store.erase([each.id for each in doomed], change, now, marks(scope, doomed))
        here = {scope.space, *(each.space for each in doomed)}
        said = [each for each in everything if each.id not in gone and says(each.text, texts)]
        lost = _lost_words(scope, doomed)
        noted = [
            state
            for state in store.states()
            if state.area in _NOTES
            and (
                in_value(state.value, (), gone if state.area in _NAMING else set())
                or _rests_on(state.value, gone)
                or (state.space in here and in_value(state.value, texts, set(), lost))
            )
            and store.drop_state(state.space, state.area, state.key)
        ]
        _refold(scope, mended, gone, change._replace(action="fold", reason="rebuilt"))
        dropped = [(state.space, state.area, state.key) for state in noted]
        spaces = [] if space is None else [space]
        begin(scope, sorted(gone), dropped, spaces)
        # Of a summary that lives on only what it lost was forgotten.
        rebuilt = {each.text for each in derived if each.id in mended}
        remember_forgotten(store, [text for text in texts if text not in rebuilt], now)
        shared = [each.id for each in said if each.space in here]
        shared += _quoted_elsewhere(scope, texts, lost, here)
    sweep(scope, {each.space for each in doomed})
    copies = store.erase_from_backups(sorted(gone), dropped, spaces)
    return Receipt(
        memories=[each.id for each in chosen],
        earlier_versions=[each.id for each in earlier],
        derived=[each.id for each in derived],
        rebuilt=[each.id for each in mended.values()],
        rows=_counted(rows),
        states=[f"{state.area}/{state.key}" for state in noted],
        links=[link.id for link in links],
        space=dict(Counter(state.area for state in kept)),
        backups={str(path): error or "erased" for path, error in copies},
        checks={"texts": len(texts), "words": len(terms), "byte strings": len(needles)},
        shared=shared,
        shared_outside=any(each.space not in here for each in said),
        traces=_proof(scope, needles, terms, thoroughly=space is not None),
    )


def _mended(
    scope: Scope, derived: Sequence[Memory], doomed: Sequence[Memory], everything: Sequence[Memory]
) -> dict[str, Memory]:
    """Summaries in force without what they quoted, as new memories, by the ids of the old ones."""
    gone, derived_ids = {each.id for each in doomed}, {each.id for each in derived}
    sources = [each for each in doomed if each.id not in derived_ids]
    staying = [each for each in everything if each.id not in gone]
    found = {}
    for old in derived:
        new = without_quotes(old, sources, staying) if old.ended_at is None else None
        if new:
            now = scope.now()
            found[old.id] = replace(new, id=scope.new_id(now), created_at=now, updated_at=now)
    return found


def _refold(scope: Scope, mended: dict[str, Memory], gone: set[str], change: Change) -> None:
    """Put rebuilt summaries in place; turns whose summary is gone are unfolded, and do not expire."""
    now = scope.now()
    scope.store.put(mended.values(), change, now)
    into = {new.supersedes: new.id for new in mended.values()}
    turns = []
    for turn in scope.store.select(scope.within(kinds=("episode",), live=False, at=None)):
        folded = turn.data.get("folded")
        if turn.ended_as == "folded" and turn.id in into:
            turns.append(replace(turn, replaced_by=into[turn.id]))
        elif folded in mended:
            turns.append(replace(turn, data={**turn.data, "folded": mended[folded].id}))
        elif folded in gone and turn.ended_at is None and (turn.expires_at is None or turn.expires_at > now):
            data = {name: value for name, value in turn.data.items() if name != "folded"}
            turns.append(replace(turn, data=data, expires_at=None))
    scope.store.put(turns, change, now)


def rest_on_others(scope: Scope, gone: set[str]) -> None:
    """Let links that have other evidence rest on that alone; those without go with their evidence."""
    kept = []
    for link in scope.store.links():
        told = evidence_of(link)
        left = [each for each in told if each not in gone]
        if left and len(left) < len(told):
            kept.append(resting_on(link, left))
    scope.store.put_links(kept)


def _counted(rows: Sequence[Erased]) -> dict[str, int]:
    return {part.part: part.rows for part in rows if part.rows}


def _proof(scope: Scope, needles: Sequence[bytes], terms: Sequence[str], *, thoroughly: bool) -> list[str]:
    """Clean up and look; where something is still found, write the store anew and look again."""
    store = scope.store
    store.scrub(thoroughly=thoroughly)
    found = store.traces(needles, terms)
    if found and not thoroughly:
        store.scrub(thoroughly=True)
        found = store.traces(needles, terms)
    end(scope)
    return sorted({_named(trace) for trace in found})


def _named(trace: Trace) -> str:
    """The place only: what was found there is just what nobody should read."""
    return trace.place


def _lost_words(scope: Scope, doomed: Sequence[Memory]) -> set[str]:
    """The telling words of erased memories that no memory holds any more."""
    singles = sorted(telling(text for each in doomed for text in (each.text, *each.tags)))
    holding = scope.store.holding([(word,) for word in singles], Filter(spaces=None, live=False))
    return {word for word, refs in zip(singles, holding, strict=True) if not refs}


def _quoted_elsewhere(scope: Scope, texts: Sequence[str], lost: set[str], spaces: set[str]) -> list[str]:
    """What its owner wrote elsewhere in these spaces and quotes the texts: named, never dropped unasked."""
    found = [
        f"{state.area}/{state.key}"
        for state in scope.store.states(sorted(spaces))
        if state.area not in _NOTES and in_value(state.value, texts, set(), lost)
    ]
    found += [
        f"history of {event.memory}"
        for event in seen(scope, scope.store.history())
        if event.reason and (says(event.reason, texts) or telling([event.reason]) & lost)
    ]
    return list(dict.fromkeys(found))


def _rests_on(value: Any, gone: set[str]) -> bool:
    """Whether what waits for review was concluded from erased memories alone."""
    memory = value.get("memory") if isinstance(value, dict) else None
    data = memory.get("data") if isinstance(memory, dict) else None
    cites = data.get("cites") if isinstance(data, dict) else None
    return isinstance(cites, list) and bool(cites) and all(each in gone for each in cites)


def _texts_beside(links: Sequence[Link], states: Sequence[State]) -> list[str]:
    """The texts and names in links and keyed values, each once, the longest first; ids are left out."""
    found = set(texts_in([[link.subject, link.relation, link.object, link.data] for link in links]))
    found.update(texts_in([[state.key, state.value] for state in states]))
    return sorted((text for text in found if not ids.is_id(text)), key=len, reverse=True)[:_MOST_BESIDE]


def _needles(scope: Scope, doomed: Sequence[Memory], beside: Sequence[str]) -> Iterator[bytes]:
    """Bytes that must be nowhere: texts in pieces, as stored and as in JSON; words and tails; vectors."""
    refs = scope.store.references([each.id for each in doomed])
    pieces: dict[bytes, None] = {}
    for text in (*(text for each in doomed for text in (each.text, *each.tags)), *beside):
        for form in dict.fromkeys([text, escaped(text)]):
            cut = [form[start : start + 48] for start in range(0, len(form), 48)]
            for piece in [form[:400], *cut][:_MOST_PIECES]:
                if len(piece.strip()) >= 6:
                    pieces[piece.encode("utf-8")] = None
        singles = sorted(set(re.findall(r"\w{4,}", text)), key=len, reverse=True)[:_MOST_WORDS]
        for word in singles:
            for form in {word, word.casefold(), word[len(word) // 2 :] if len(word) > 10 else word}:
                pieces[form.encode("utf-8")] = None
    yield from pieces
    for windows in scope.store.vectors(list(refs.values())).values():
        for window in windows:
            for start in (0, len(window) // 2, max(0, len(window) - _SLICE)):
                # Zeros stand in every file, and are nobody's.
                if len(set(part := window[start : start + _SLICE])) > _TELLING:
                    yield part


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
