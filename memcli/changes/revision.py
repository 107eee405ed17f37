"""Revisions of memories: correct, confirm, doubt, edit, merge and restore. Every change is on record."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from memcli import ids, times
from memcli.doors import MEMORY, POLICY, Deed
from memcli.errors import BadInput, NotFound, Refused
from memcli.memories import Memories
from memcli.memory_data import MERGED_FROM, merged_ids
from memcli.messages import Command, message
from memcli.model import Link, Memory, as_ended, is_record, without_lapsed_end
from memcli.named_tuple import NamedTuple
from memcli.scope import Scope
from memcli.storage.lookup import require_in_force
from memcli.text.checks import check_fraction, check_name, check_text
from memcli.write_policy.decision import Decision, WriterClaims
from memcli.write_policy.direct import vet_memory
from memcli.write_policy.repetitions import confirmed_memory
from memcli.write_policy.settings import WriteOptions

# How much one doubt lowers confidence: twice what one confirmation adds, for doubts are rarer.
DOUBT_STEP = 0.2


def correct_memory(
    memories: Memories,
    memory: Memory,
    text: str,
    options: WriteOptions,
    *,
    dry_run: bool = False,
    **fields: Any,
) -> Decision:
    """Replace a memory's text: a new memory supersedes it; the old one is ended, linked and kept.

    Kind, tags, importance, session and validity carry over unless `fields` says otherwise; so does an
    expiry that is still ahead, which is noted. A memory that was kept as an expiring episode, because it
    sounded passing, becomes a fact without expiry, and the policy judges the new text. If the memory was
    corrected before, its current version is replaced. Raises BadInput if it was forgotten, for a text that
    cannot be kept, and for named policies and procedures (`check_nameless`).
    """
    from memcli.write_policy.admission import admit

    current = require_in_force(memories.store, memory)
    check_nameless([current])
    check_text(text, memories.config["max_text"])
    if text == current.text and not fields:
        raise BadInput(f"{current.id} already says exactly that; nothing to correct")
    now = memories.now()
    fields = {**_life_of_correction(current, now), **fields}
    new = replace(
        current,
        **{
            "id": memories.new_id(now),
            "text": text,
            "confidence": 1.0,
            "source": "explicit",
            "origin": memories.origin,
            "trusted": True,
            "happened_at": now,
            "created_at": now,
            "updated_at": now,
            "access_count": 0,
            "accessed_at": None,
            "confirm_count": 0,
            "confirmed_at": None,
            "supersedes": memory.id,
            # A correction is dated now.
            "data": {name: each for name, each in current.data.items() if name != "undated"},
            **fields,
        },
    )
    told = {new.id: WriterClaims(replaces=current)}
    # A kind that `_life_of_correction` changed was not stated by anybody, so it is judged.
    kinds_open = [new.id] if new.kind != current.kind else []
    [decision] = admit(
        memories, memories.model, [new], options, told=told, kinds_open=kinds_open, dry_run=dry_run
    )
    ends = decision.memory.expires_at
    if ends and decision.action == "supersede" and ends == current.expires_at:
        lifts = Command(f"edit {ids.short_id(decision.memory.id)} --until never")
        note = message(f"it expires {times.local_time(ends)}, as the one before; ", lifts, " lifts that")
        decision = replace(decision, notes=(*decision.notes, note))
    return decision


def _life_of_correction(current: Memory, now: datetime) -> dict[str, Any]:
    """Return the fields that keep a correction from expiring as what it corrects would."""
    if current.expires_at is None:
        return {}
    if current.kind == "episode" and not is_record(current):
        return {"kind": "fact", "expires_at": None}
    return {"expires_at": None} if current.expires_at <= now else {}


def confirm_memory(scope: Scope, memory: Memory, reason: str | None = None) -> Memory:
    """Raise a memory's confidence by 0.1, to at most 1, and note the time. Raises Refused."""
    scope.require(MEMORY, Deed.VOUCH, "confirming a memory")
    current = require_in_force(scope.store, memory)
    now = scope.now()
    after = confirmed_memory(current, now)
    scope.store.put([after], scope.change("confirm", reason), now)
    return after


def doubt_memory(scope: Scope, memory: Memory, reason: str | None = None) -> Memory:
    """Lower a memory's confidence by 0.2, to at least 0; at 0 nothing is written. Raises Refused."""
    current = require_in_force(scope.store, memory)
    scope.check_change([current], "doubting")
    now = scope.now()
    less = max(0.0, round(current.confidence - DOUBT_STEP, 6))
    if less == current.confidence:
        return current
    after = replace(current, confidence=less, updated_at=now)
    scope.store.put([after], scope.change("doubt", reason), now)
    return after


class Restored(NamedTuple):
    """A memory after an attempt to restore it, and the decision on it."""

    memory: Memory
    decision: Decision


def is_over(memory: Memory, now: datetime) -> bool:
    """True if a memory has ended, or is past its expiry or validity, so that consolidation will end it."""
    return memory.ended_at is not None or without_lapsed_end(memory, now) is not memory


def restore_memories(
    memories: Memories, some: Sequence[Memory], *, force: bool = False
) -> tuple[list[Restored], list[Link]]:
    """Restore memories that are over, as one change; return each as it is now, and the links restored.

    A lapsed expiry, or end of validity, is lifted. Links that were ended with the memories are restored,
    too. If another memory in force says the same by now, that one is confirmed (`reinforce`) and the ended
    one stays as it is, unless by `force`: nothing is stored twice. Raises Refused.
    """
    from memcli.changes.forgetting.soft import links_ended_with
    from memcli.graph.links import amended_link
    from memcli.write_policy.gate import Gate

    if any(is_over(memory, memories.now()) for memory in some):
        memories.require(MEMORY, Deed.VOUCH, "bringing back what was ended")
    now, change = memories.now(), memories.change_id()
    whole = memories.as_one_change(change, memories.origin)
    gate = Gate(memories, WriteOptions(force=force), now)
    decided = []
    with memories.store.writing():
        over = [memory for memory in reread(memories, some) if is_over(memory, now)]
        links = links_ended_with(memories, [memory for memory in over if memory.ended_at])
        for memory in reread(memories, some):
            decision = gate.bring_back(memory) if memory in over else Decision(action="take", memory=memory)
            if decision.action == "reinforce":
                memories.store.put([decision.memory], whole.change("confirm"), now)
            elif memory in over:
                whole.restore([memory.id])
            decided.append(decision)
        links = [amended_link(each, now, "revive", within=change, ended_at=None) for each in links]
        memories.store.put_links(links)
        here = {memory.id: memory for memory in memories.store.get([each.id for each in some])}
    return [Restored(here[memory.id], each) for memory, each in zip(some, decided, strict=True)], links


def edit_memory(
    scope: Scope,
    memory: Memory,
    *,
    tags: Iterable[str] = (),
    without_tags: Iterable[str] = (),
    reason: str | None = None,
    **fields: Any,
) -> Memory:
    """Change a memory's fields beside the text: tags, importance, confidence, kind, validity, expiry.

    An episode that becomes knowledge loses its expiry, unless one is given. The text itself is changed by
    `correct_memory`. Raises BadInput for values out of range, and if nothing would change; Refused for an
    untrusted origin that would change what is trusted, make a policy, or make anything trusted; and for a
    secret in a tag.
    """
    from memcli.text.secrets.redaction import refuse_secret_names

    scope.check_change([memory], "editing")
    if fields.get("kind") == "policy":
        scope.require(POLICY, Deed.ADD, "making a policy")
    if fields.get("trusted") and not memory.trusted:
        scope.require(MEMORY, Deed.VOUCH, "trusting a memory")
    if fields.get("kind") == "policy" and not (memory.trusted and fields.get("trusted", True)):
        raise Refused("an untrusted text never becomes a policy", rule="untrusted-policy")
    for name in ("importance", "confidence"):
        if name in fields:
            check_fraction(name, fields[name])
    refuse_secret_names(tags := list(tags), "a tag")
    kept = {tag for tag in memory.tags if tag not in set(without_tags)}
    united = tuple(sorted(kept | {check_name("tag", tag) for tag in tags}))
    after = replace(memory, tags=united, **fields)
    if after.valid_from and after.valid_until and after.valid_until <= after.valid_from:
        raise BadInput("it would end before it begins", by_hand="change both --since and --until")
    if memory.kind == "episode" and after.kind != "episode" and "expires_at" not in fields:
        # Episodes expire; knowledge does not.
        after = replace(after, expires_at=None)
    if after == memory:
        raise BadInput(f"{memory.id} is like that already; nothing to change")
    after = replace(after, updated_at=scope.now())
    scope.store.put([after], scope.change("edit", reason), after.updated_at)
    return after


def reread(scope: Scope, some: Sequence[Memory]) -> list[Memory]:
    """Return the current rows of memories, in order, in the transaction that is to change them.

    Raises NotFound if another process has erased or moved one since it was found.
    """
    here = {memory.id: memory for memory in scope.store.get([each.id for each in some])}
    for each in some:
        if each.id not in here or here[each.id].space != each.space:
            raise NotFound(
                f"no memory {each.id} in space {each.space!r} any more: it was erased or moved meanwhile"
            )
    return [here[each.id] for each in some]


def merge_memories(
    memories: Memories, some: Sequence[Memory], text: str | None = None, reason: str | None = None
) -> Memory:
    """Make one memory of several: tags united, uses summed, confidence averaged by confirmations.

    Its text is `text`, given by the caller (see `kept_text`), else that of the most believed (then most
    confirmed, then newest) memory, whose kind and session it takes. It is trusted only if all are. Raises
    BadInput for fewer than two, for several spaces, and if one is not in force; Refused.
    """
    check_mergeable(some)
    # Checked before embedding, and again in the transaction.
    memories.check_change(some, "merging")
    new = merged_memory(memories, some, text)
    check_text(new.text, memories.config["max_text"])
    if text is not None:
        # A typed text passes the write policy like any other.
        new = vet_memory(memories, new)
    vectors = memories.model.embed([new])
    change = memories.change("merge", reason)
    with memories.store.writing():
        some = reread(memories, some)
        check_mergeable(some)
        memories.check_change(some, "merging")
        again = merged_memory(memories, some, new.text)
        new = replace(again, id=new.id, trusted=again.trusted and new.trusted)
        memories.store.put([new], change, new.created_at, vectors)
        memories.store.put([ended_by_merge(each, new) for each in some], change, new.created_at)
    return new


def kept_text(some: Sequence[Memory], keep: Memory) -> str:
    """Return the text of the one memory that a merge is to keep. Raises BadInput if it is not merged.

    The text of any other memory would become as trusted as the merged ones.
    """
    if keep.id not in {memory.id for memory in some}:
        raise BadInput(
            f"{keep.id} is none of those to merge", by_hand="name it among them, or give its text by --text"
        )
    return keep.text


def ended_by_merge(memory: Memory, new: Memory) -> Memory:
    """Return one of several memories as ended by their merge into a new one."""
    return as_ended(memory, new.created_at, "merged", f"merged into {new.id}", new.id)


def check_mergeable(some: Sequence[Memory]) -> None:
    """Raise BadInput for memories that cannot be merged."""
    if len({memory.id for memory in some}) < max(2, len(some)):
        raise BadInput("name two different memories or more to merge")
    spaces = sorted({memory.space for memory in some})
    if len(spaces) > 1:
        raise BadInput(f"spaces are walls: {', '.join(spaces)} cannot be merged into one memory")
    for memory in some:
        if memory.ended_at:
            raise BadInput(f"{memory.id} was ended ({memory.ended_why}); leave it out or restore it")
    check_nameless(some)


def check_nameless(some: Sequence[Memory]) -> None:
    """Raise BadInput for a named policy or procedure, whose text alone is not what it does.

    The rest of it is in its data, which a new text would leave as it was.
    """
    for memory in some:
        name = memory.data.get("name")
        if memory.kind in ("policy", "procedure") and isinstance(name, str) and name:
            change = Command(f"{memory.kind} edit {shlex.quote(name)}")
            replaced = Command(
                f"{memory.kind} add {shlex.quote(name)} …{' --replace' * (memory.kind == 'policy')}"
            )
            raise BadInput(
                f"{ids.short_id(memory.id)} is the {memory.kind} {name!r:.60}, and its text is not all of it",
                left="nothing was changed",
                by_hand=message(change, " changes it, ", replaced, " writes its next version"),
            )


def merged_memory(scope: Scope, some: Sequence[Memory], text: str | None = None) -> Memory:
    """Return the memory that a merge of several makes; nothing is written."""
    now = scope.now()
    merged = {each for memory in some for each in merged_ids(memory)}
    # Memories that another of them was merged from are already counted in that one.
    counted = [each for each in some if each.id not in merged]
    best = max(some, key=lambda each: (each.confidence, each.confirm_count, each.updated_at, each.id))
    weights = [1 + each.confirm_count for each in counted]
    believed = sum(each.confidence * weight for each, weight in zip(counted, weights, strict=True))
    return replace(
        best,
        id=scope.new_id(now),
        text=best.text if text is None else text,
        tags=tuple(sorted({tag for each in some for tag in each.tags})),
        confidence=round(believed / sum(weights), 6),
        importance=max(each.importance for each in some),
        source="merged",
        origin=scope.signed(best.origin),
        trusted=all(each.trusted for each in some),
        happened_at=min(each.happened_at for each in some),
        valid_from=_widest([each.valid_from for each in some], min),
        valid_until=_widest([each.valid_until for each in some], max),
        expires_at=_widest([each.expires_at for each in some], max),
        created_at=now,
        updated_at=now,
        supersedes=best.id,
        access_count=sum(each.access_count for each in counted),
        accessed_at=max((each.accessed_at for each in some if each.accessed_at), default=None),
        confirm_count=sum(each.confirm_count for each in counted),
        confirmed_at=max((each.confirmed_at for each in some if each.confirmed_at), default=None),
        data={**best.data, MERGED_FROM: [each.id for each in some]},
    )


def _widest(bounds: Sequence[datetime | None], choose: Any) -> datetime | None:
    """Return the outermost of several bounds; None if one of them is open."""
    return None if None in bounds else choose(bounds)
